# Generated from _async/resources/cases.py by `npm run generate`. Do not edit.
from __future__ import annotations

from base64 import b64encode

from ..._answers import Download, document_of, object_of
from ..._call import Call, path
from ...models import CaseAssignee, CaseSummary, ReportCase
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Cases:
    """Decisions of people about reports. The reports themselves never change. A case has the id of its report."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        disposition: str | None = None,
        level: str | None = None,
        assignee: str | None = None,
        overdue: bool = False,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[CaseSummary]:
        """
        Only cases with this `disposition` (`open`, `escalated` or `cleared`), with a report of this `level`, of this `assignee` (`me`,
        `nobody`, or the id of a key), and, with `overdue`, those that are overdue.
        """
        return list_of(
            self._transport,
            "/v1/cases",
            CaseSummary,
            {"disposition": disposition, "level": level, "assignee": assignee, "overdue": "true" if overdue else None},
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
        The proof that shows offline who decided what about the report, and when, for `cupel.proofs.verify_proof`, `cupel verify` or the verifier
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

    def assignees(
        self, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> ItemList[CaseAssignee]:
        """Who can be assigned: keys that work and may change cases, and the persons in them."""
        return list_of(
            self._transport,
            "/v1/cases/assignees",
            CaseAssignee,
            {},
            page_size=None,
            page_token=None,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def assign(
        self,
        report_id: str,
        *,
        assignee: str | None,
        due_on: str | None,
        version: int,
        person: str | None = None,
        reason: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ReportCase:
        """
        Says who works on the case, and until which day of UTC (`2026-12-31`). `assignee` is the id of a key that `assignees` lists, `person`
        a person who signs in with it; None for nobody. `version` is that of the case as you have read it.
        """
        at = path("/v1/reports/{}/case/assignment", report_id)
        named = None if assignee is None else {"key_id": assignee, "person": person}
        body = {"assignee": named, "due_on": due_on, "reason": reason, "version": version}
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ReportCase(object_of(self._transport.call(call)))

    def attach(
        self,
        report_id: str,
        content: bytes,
        *,
        name: str,
        version: int | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ReportCase:
        """Attaches a PDF, a PNG, a JPEG or a text in UTF-8, which nobody can change or remove. It is not repeated where it may have been written."""
        at = path("/v1/reports/{}/case/files", report_id)
        body = {"name": name, "content": b64encode(content).decode(), "version": version}
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ReportCase(object_of(self._transport.call(call)))

    def file(
        self, report_id: str, version: int, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> Download:
        """The bytes of a file; `version` is that of its entry."""
        at = path("/v1/reports/{}/case/files/{}", report_id, str(version))
        call = Call("GET", at, "safe", accept="application/octet-stream", timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), "application/octet-stream")

    def dossier(
        self, report_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> Download:
        """The case with every report of its subject as a PDF, to write a filing from."""
        at = path("/v1/reports/{}/case/dossier", report_id)
        call = Call("GET", at, "safe", accept="application/pdf", timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), "application/pdf")
