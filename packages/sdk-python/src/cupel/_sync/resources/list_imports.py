# Generated from _async/resources/list_imports.py by `npm run generate`. Do not edit.
from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable

from ..._answers import object_of
from ..._call import Call, path
from ..._json import JsonObject
from ...models import ListImport
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of

_ONE = "/v1/list-imports/{}"


class ListImports:
    """Imports of lists, for a key with the scope `operator`: begin one, send its file in parts, check it, and confirm it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        format: str,
        dataset: str,
        source: str | None = None,
        list_date: str | None = None,
        whole: bool | None = None,
        append: bool | None = None,
        replaces: Iterable[str] | None = None,
        category: str | None = None,
        chain: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ListImport:
        """Begins an import; nothing changes before it is confirmed. `format` is the layout, such as `ofac-xml` or `csv`."""
        body = {
            "format": format,
            "dataset": dataset,
            "source": source,
            "list_date": list_date,
            "whole": whole,
            "append": append,
            "replaces": None if replaces is None else list(replaces),
            "category": category,
            "chain": chain,
        }
        call = Call("POST", "/v1/list-imports", "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ListImport(self._object(call))

    def add_part(
        self,
        import_id: str,
        part: int,
        content: bytes,
        *,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ListImport:
        """Sends the next part of the file, at most 524,288 bytes; parts are numbered from 0."""
        body = {"part": part, "content": b64encode(content).decode("ascii")}
        at = path(_ONE + "/parts", import_id)
        call = Call("POST", at, "safe", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ListImport(self._object(call))

    def check(
        self, import_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> ListImport:
        """Orders a look at the whole file. Read the import until its status is no longer `checking`."""
        at = path(_ONE + "/check", import_id)
        call = Call("POST", at, "once", timeout_ms=timeout_ms, max_retries=max_retries)
        return ListImport(self._object(call))

    def confirm(
        self,
        import_id: str,
        *,
        accept_removals: int | None = None,
        accept_unreadable: int | None = None,
        reason: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ListImport:
        """Orders the import. What you accept is an exact number and needs a reason. Read it until its status is no longer `importing`."""
        body = {"accept_removals": accept_removals, "accept_unreadable": accept_unreadable, "reason": reason}
        at = path(_ONE + "/confirm", import_id)
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ListImport(self._object(call))

    def get(
        self, import_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> ListImport:
        """The import as it is now."""
        call = Call("GET", path(_ONE, import_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return ListImport(self._object(call))

    def list(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[ListImport]:
        """Newest first. `page_size` is 1 to 200."""
        return list_of(
            self._transport,
            "/v1/list-imports",
            ListImport,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def _object(self, call: Call) -> JsonObject:
        return object_of(self._transport.call(call))
