# Generated from _async/resources/bulk.py by `npm run generate`. Do not edit.
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import Literal

from ..._answers import Download, document_of, job_of, object_of
from ..._call import Call, path
from ..._settings import Settings
from ..._waits import round_half_up
from ...clock import Clock
from ...errors import InvalidArgumentError, TimedOutError
from ...models import BulkJob, BulkJobSummary, BulkResult, OpenedCases
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of

_FIRST_POLL_MS = 500
_LONGEST_POLL_MS = 5_000
_FILE_TYPES = {
    "csv": "text/csv",
    "ndjson": "application/x-ndjson",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class Bulk:
    """Jobs of up to 1,000 addresses."""

    def __init__(self, transport: Transport, settings: Settings, clock: Clock) -> None:
        self._transport = transport
        self._settings = settings
        self._clock = clock

    def submit(
        self,
        addresses: Iterable[str | Mapping[str, str | None]],
        *,
        name: str | None = None,
        chain: str | None = None,
        idempotency_key: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> BulkJob:
        """
        Submits 1 to 1,000 addresses, or mappings of `address`, `chain` and `reference`: each result has its reference, and so has its
        report. A bad address is the error of its item, not of the job. `name` is what you call the job. `chain` is a chain code for all
        addresses that name none; without it each one's chain is detected.
        """
        if isinstance(addresses, (str, bytes)):
            raise InvalidArgumentError("bulk.submit takes a list of addresses, not one text.")
        given = [*addresses]
        body: dict[str, object] = {"name": name, "chain": chain}
        if any(isinstance(one, Mapping) for one in given):
            body["items"] = [dict(one) if isinstance(one, Mapping) else {"address": one} for one in given]
        else:
            body["addresses"] = given
        call = Call(
            "POST",
            "/v1/bulk",
            "keyed",
            body=body,
            idempotency_key=idempotency_key,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
        return job_of(self._transport.call(call))

    def get(self, job_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> BulkJob:
        """The job: counters while it runs, `results` once it has ended."""
        at = path("/v1/bulk/{}", job_id)
        call = Call("GET", at, "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return job_of(self._transport.call(call), job_id)

    def list(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[BulkJobSummary]:
        """Newest first. `page_size` is 1 to 50."""
        return list_of(
            self._transport,
            "/v1/bulk",
            BulkJobSummary,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def wait(
        self,
        job: str | BulkJob,
        *,
        timeout_ms: float | None = None,
        on_progress: Callable[[BulkJob], object] | None = None,
    ) -> BulkJob:
        """
        Asks until the job has ended, however it did, and returns it with its results. Look at `status` and at each result. Without
        `timeout_ms` the wait lasts as long as the job; with it, a TimedOutError ends the wait, and the job goes on. `on_progress` is
        called with the job each time it was looked at, also at its end.
        """
        job_id = job.job_id if isinstance(job, BulkJob) else job
        deadline = self._clock.now() + (inf if timeout_ms is None else timeout_ms)
        look = 0
        while True:
            seen = self.get(job_id, timeout_ms=min(self._settings.timeout_ms, deadline - self._clock.now()))
            if on_progress is not None:
                on_progress(seen)
            if seen.completed_at is not None:
                return seen
            span_ms = min(_LONGEST_POLL_MS, _FIRST_POLL_MS * 1.5 ** min(look, 10))
            wait_ms = round_half_up(span_ms * (0.8 + 0.4 * self._settings.random()))
            if self._clock.now() + wait_ms >= deadline:
                done = seen.completed + seen.failed
                raise TimedOutError(
                    f"The job {job_id} did not end within {timeout_ms} ms: {done} of {seen.total} items are done. It goes on."
                )
            self._clock.sleep(wait_ms)
            look += 1

    def results(
        self,
        job_id: str,
        *,
        include: str | None = None,
        sort: str | None = None,
        level: str | None = None,
        status: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[BulkResult]:
        """
        The results, by default in the order of the submission. While the job runs, those that are there; with `include="pending"`
        also the items that are not done yet. `sort="risk"`: worst first. Only completed items whose report has this `level`, and only
        items of this `status`.
        """
        return list_of(
            self._transport,
            path("/v1/bulk/{}/results", job_id),
            BulkResult,
            {"include": include, "sort": sort, "level": level, "status": status},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def download(
        self,
        job_id: str,
        format: Literal["csv", "ndjson", "xlsx"],
        *,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> Download:
        """All results as a file: CSV or XLSX in which a spreadsheet finds no formulas, or one JSON object a line."""
        content_type = _FILE_TYPES[format]
        at = path("/v1/bulk/{}/results", job_id)
        call = Call("GET", at, "safe", accept=content_type, timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), content_type)

    def pdf(self, job_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> Download:
        """A summary of an ended job as a PDF document."""
        at = path("/v1/bulk/{}/pdf", job_id)
        call = Call("GET", at, "safe", accept="application/pdf", timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), "application/pdf")

    def cancel(self, job_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> BulkJob:
        """Cancels what is not done. Completed items stay."""
        at = path("/v1/bulk/{}/cancel", job_id)
        call = Call("POST", at, "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return job_of(self._transport.call(call), job_id)

    def open_cases(
        self, job_id: str, *, level: str, text: str, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> OpenedCases:
        """Opens a case with the note for each report of this level that has none. A repeat opens nothing a second time."""
        at = path("/v1/bulk/{}/cases", job_id)
        body = {"level": level, "text": text}
        call = Call("POST", at, "safe", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return OpenedCases(object_of(self._transport.call(call)))
