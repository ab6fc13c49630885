from __future__ import annotations

from collections.abc import Iterable

from ..._answers import object_of
from ..._call import Call
from ...errors import InvalidArgumentError
from ...models import InboxEntry, UnreadCount
from ..item_list import AsyncItemList
from ..transport import AsyncTransport
from .list_of import list_of


class AsyncInbox:
    """Entries that wait for a person: changed reports, proposals, watches that keep failing."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        show: str | None = None,
        kind: str | None = None,
        level: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncItemList[InboxEntry]:
        """
        Newest first. `show="unread"`: only entries that were not marked as read. `kind` is `report_changed`, `proposal_waiting` or
        `watch_failed`; with `level` only changes to this level. `page_size` is 1 to 200.
        """
        return list_of(
            self._transport,
            "/v1/inbox",
            InboxEntry,
            {"show": show, "kind": kind, "level": level},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    async def unread(self, *, timeout_ms: float | None = None, max_retries: int | None = None) -> UnreadCount:
        """How many of the newest 1,000 entries the holder of this key has not read."""
        call = Call("GET", "/v1/inbox/unread", "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return UnreadCount(object_of(await self._transport.call(call)))

    async def mark(
        self,
        entry_ids: Iterable[str],
        *,
        read: bool = True,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> UnreadCount:
        """
        Marks up to 200 entries as read, all of them or none; `read=False` marks them as unread again. Returns what is unread then.
        """
        if isinstance(entry_ids, (str, bytes)):
            raise InvalidArgumentError("The entries must be a list of ids.")
        call = Call(
            "POST",
            "/v1/inbox/marks",
            "safe",
            body={"entry_ids": [*entry_ids], "read": read},
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
        return UnreadCount(object_of(await self._transport.call(call)))
