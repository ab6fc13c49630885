# Generated from _async/resources/reports.py by `npm run generate`. Do not edit.
from __future__ import annotations

from ..._answers import Download, document_of, object_of, report_of
from ..._call import Call, Time, path, time_text
from ...models import NewShare, Report, Share
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Reports:
    """Stored reports."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, report_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> Report:
        """The report, as the screen answered it. While the screening still runs, the call is repeated until its deadline."""
        at = path("/v1/reports/{}", report_id)
        call = Call("GET", at, "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return report_of(self._transport.call(call), report_id=report_id)

    def list(
        self,
        *,
        address: str | None = None,
        chain: str | None = None,
        level: str | None = None,
        disposition: str | None = None,
        customer_reference: str | None = None,
        from_: Time | None = None,
        to: Time | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[Report]:
        """
        Newest first. Only reports of this `address`, `chain`, `level` (`green`, `orange`, `red` or `grey`), `disposition` (`open`,
        `escalated`, `cleared`, or `none` for reports without a case) and exactly this `customer_reference`, of the time `from_` or
        later, and before `to`.
        """
        query = {
            "address": address,
            "chain": chain,
            "level": level,
            "disposition": disposition,
            "customer_reference": customer_reference,
            "from": time_text(from_),
            "to": time_text(to),
        }
        return list_of(
            self._transport,
            "/v1/reports",
            Report,
            query,
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def pdf(self, report_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> Download:
        """The report as a PDF document."""
        at = path("/v1/reports/{}/pdf", report_id)
        call = Call("GET", at, "safe", accept="application/pdf", timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), "application/pdf")

    def document(
        self, report_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> Download:
        """The report byte for byte, as a proof is of it: keep these bytes and not a parsed report."""
        at = path("/v1/reports/{}", report_id)
        call = Call("GET", at, "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), "application/json")

    def proof(
        self, report_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> Download:
        """
        The proof that shows offline that the report is in the transparency log, for `cupel verify` or the verifier in Python. A report has its
        proof within 10 seconds: until then the call is repeated.
        """
        at = path("/v1/reports/{}/proof", report_id)
        call = Call("GET", at, "safe", accept="text/plain", timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), "text/plain")

    def share(
        self,
        report_id: str,
        *,
        expires_in_hours: int | None = None,
        label: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> NewShare:
        """
        Makes a link that opens this report without a key for `expires_in_hours`: 1 to 8,760, by default 168, a week. Only this answer
        shows the link. `label` says for whom or what it is made; readers do not see it.
        """
        at = path("/v1/reports/{}/share-links", report_id)
        body = {"expires_in_hours": expires_in_hours, "label": label}
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return NewShare(object_of(self._transport.call(call)))

    def shares(
        self,
        report_id: str,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[Share]:
        """The links to this report, without the links themselves."""
        return list_of(
            self._transport,
            path("/v1/reports/{}/share-links", report_id),
            Share,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def revoke_share(
        self, report_id: str, share_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> None:
        """From now on the link opens nothing."""
        at = path("/v1/reports/{}/share-links/{}", report_id, share_id)
        call = Call("DELETE", at, "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        self._transport.call(call)
