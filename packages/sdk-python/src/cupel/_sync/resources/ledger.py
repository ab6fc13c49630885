# Generated from _async/resources/ledger.py by `npm run generate`. Do not edit.
from __future__ import annotations

from ..._answers import object_of
from ..._call import Call
from ...models import LedgerImport, LedgerState
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Ledger:
    """The ledger of transfers, for a key with the scope `operator`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, *, timeout_ms: float | None = None, max_retries: int | None = None) -> LedgerState:
        """The parts of each chain that the ledger holds, and those that are missing. A fault that you do not know is a fault."""
        call = Call("GET", "/v1/ledger", "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return LedgerState(object_of(self._transport.call(call)))

    def imports(
        self,
        *,
        chain: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[LedgerImport]:
        """Imported files, newest first, those that are not complete too. `page_size` is 1 to 200."""
        return list_of(
            self._transport,
            "/v1/ledger/imports",
            LedgerImport,
            {"chain": chain},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
