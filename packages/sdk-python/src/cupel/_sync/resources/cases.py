# Generated from _async/resources/cases.py by `npm run generate`. Do not edit.
from __future__ import annotations

from ..._answers import Download, document_of, object_of
from ..._call import Call, path
from ...models import CaseSummary, ReportCase
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Cases:
    """What people decided about reports. The reports themselves never change. A case has the id of its report."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        disposition: str | None = None,
        level: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[CaseSummary]:
        """Only cases with this `disposition` (`open`, `escalated` or `cleared`) and with a report of this `level`."""
        return list_of(
            self._transport,
            "/v1/cases",
            CaseSummary,
            {"disposition": disposition, "level": level},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def get(
        self, report_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> ReportCase:
        """The case of a report with its whole history; version 0 if nobody has worked on it."""
        call = Call("GET", path("/v1/reports/{}/case", report_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return ReportCase(object_of(self._transport.call(call)))

    def proof(
        self, report_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> Download:
        """
        What shows offline who decided what about the report, and when, for `cupel.proofs.verify_proof`, `cupel verify` or the verifier
        in Python. An entry has its proof within 10 seconds: until then the call is repeated.
        """
        at = path("/v1/reports/{}/case/proof", report_id)
        call = Call("GET", at, "safe", accept="text/plain", timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), "text/plain")

    def add_note(
        self,
        report_id: str,
        text: str,
        *,
        version: int | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ReportCase:
        """
        Adds a note. It is not repeated where it may have been written. If the case has another `version` than the one that you have
        read, nothing is written.
        """
        at = path("/v1/reports/{}/notes", report_id)
        body = {"text": text, "version": version}
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ReportCase(object_of(self._transport.call(call)))

    def set_disposition(
        self,
        report_id: str,
        *,
        disposition: str,
        reason: str,
        version: int,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ReportCase:
        """`disposition` is `open`, `escalated` or `cleared`, `version` that of the case as you have read it."""
        at = path("/v1/reports/{}/disposition", report_id)
        body = {"disposition": disposition, "reason": reason, "version": version}
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ReportCase(object_of(self._transport.call(call)))
