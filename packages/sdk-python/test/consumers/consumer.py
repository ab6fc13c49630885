"""Calls of a strict project. Type checkers accept it, and each line that ends in "wrong" must be refused."""

from __future__ import annotations

from datetime import datetime, timezone

from cupel import ApiError, AsyncCupel, BulkCompletedMessage, Cupel, Hooks, InvalidAddressError, Report, webhooks
from cupel.hooks import AttemptEvent


def decided(report: Report) -> bool:
    sanctions: float = report.risk.categories.sanctions
    programmes: tuple[str, ...] = tuple(p for e in report.risk.evidence if e.sanction for p in e.sanction.programmes)
    cluster: str | None = None if report.cluster is None else report.cluster.id
    return report.risk.level == "green" and sanctions == 0 and not programmes and cluster is None


def traced(event: AttemptEvent) -> dict[str, str]:
    return {"traceparent": f"00-{event.attempt}"}


def synchronous() -> list[str]:
    with Cupel(hooks=Hooks(attempt=traced), timeout_ms=10_000) as cupel:
        try:
            decided(cupel.screen("x", chain="ETH", customer_reference="case 7"))
        except InvalidAddressError as error:
            pointers: list[str] = [one.pointer for one in error.errors]
            return pointers
        except ApiError as error:
            code: str | None = error.code
            raise RuntimeError(code) from error
        job = cupel.bulk.wait(cupel.bulk.submit(["x"]), on_progress=lambda job: print(job.completed))
        levels = [one.report.risk.level for one in job.results or () if one.report is not None]
        recent = cupel.reports.list(from_=datetime.now(tz=timezone.utc)).to_list(3)
        return levels + [report.address for report in recent]


async def asynchronous() -> list[bytes]:
    async with AsyncCupel() as cupel:
        report = await cupel.screen("x")
        documents = [(await cupel.reports.pdf(report.report_id)).content]
        async for result in cupel.bulk.results("job_1", sort="risk"):
            print(result.address, result.error.code if result.error else None)
        return documents


def received(body: bytes, headers: dict[str, str]) -> str | None:
    message = webhooks.verify(body, headers, "whsec_…")
    return message.data.job_id if isinstance(message, BulkCompletedMessage) else None
