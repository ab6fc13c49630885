# Generated from _async/resources/accounts.py by `npm run generate`. Do not edit.
from __future__ import annotations

from ..._answers import object_of
from ..._call import Call
from ...models import Account, People
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Accounts:
    """Accounts of the installation, for a key with the scope `operator`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[Account]:
        """Oldest first. `page_size` is 1 to 200."""
        return list_of(
            self._transport,
            "/v1/accounts",
            Account,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def create(
        self,
        name: str,
        *,
        reason: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> Account:
        """Opens an account; issue its first key with `keys.create`. The audit log has the reason."""
        body = {"name": name, "reason": reason}
        call = Call("POST", "/v1/accounts", "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return Account(object_of(self._transport.call(call)))

    def people(self, *, timeout_ms: float | None = None, max_retries: int | None = None) -> People:
        """The groups of the sign-in service with what their people may do, and who is signed in."""
        call = Call("GET", "/v1/people", "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return People(object_of(self._transport.call(call)))
