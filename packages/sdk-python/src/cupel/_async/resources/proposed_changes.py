from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..._answers import object_of
from ..._call import Call, path
from ...models import DecidedChange, ProposedChange
from ..item_list import AsyncItemList
from ..transport import AsyncTransport
from .list_of import list_of

_CHANGES = "/v1/proposed-changes"
_ONE = _CHANGES + "/{}"


class AsyncProposedChanges:
    """Changes of keys, lists and the policy that one person proposes and another one confirms, for a key with the scope `admin`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def propose(
        self, change: Mapping[str, Any], *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> ProposedChange:
        """Proposes one change, in the fields of `POST /v1/proposed-changes`. It changes nothing until it is confirmed."""
        call = Call("POST", _CHANGES, "once", body=dict(change), timeout_ms=timeout_ms, max_retries=max_retries)
        return ProposedChange(object_of(await self._transport.call(call)))

    def list(
        self,
        *,
        show: Literal["all", "open"] | None = None,
        change_kind: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncItemList[ProposedChange]:
        """Newest first. `show="open"`: only what waits for a decision. `change_kind`: only of this kind. `page_size` is 1 to 200."""
        return list_of(
            self._transport,
            _CHANGES,
            ProposedChange,
            {"show": show, "change_kind": change_kind},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    async def get(
        self, change_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> ProposedChange:
        """One proposed change."""
        call = Call("GET", path(_ONE, change_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return ProposedChange(object_of(await self._transport.call(call)))

    async def decide(
        self,
        change_id: str,
        decision: Literal["confirm", "refuse"],
        *,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> DecidedChange:
        """Confirms it, which makes the change, or refuses it. Only this answer shows a key that it issues."""
        at = path(_ONE + "/decision", change_id)
        body = {"decision": decision}
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return DecidedChange(object_of(await self._transport.call(call)))
