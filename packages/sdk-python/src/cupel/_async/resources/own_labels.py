from __future__ import annotations

from datetime import datetime

from ..._answers import object_of
from ..._call import Call, path, time_text
from ...models import OwnLabel
from ..item_list import AsyncItemList
from ..transport import AsyncTransport
from .list_of import list_of

_ONE = "/v1/own-labels/{}"


class AsyncOwnLabels:
    """Labels that the account states itself. They count for its own screens. To state and remove them needs the scope `admin`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def state(
        self,
        *,
        address: str,
        decision: str,
        reason: str,
        chain: str | None = None,
        category: str | None = None,
        expires_at: datetime | str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> OwnLabel:
        """
        Blocks or allows an address, in place of the label that the account has about it. `category` is for a block label only. No report
        contains the reason.
        """
        body = {
            "address": address,
            "decision": decision,
            "reason": reason,
            "chain": chain,
            "category": category,
            "expires_at": time_text(expires_at),
        }
        call = Call("POST", "/v1/own-labels", "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return OwnLabel(object_of(await self._transport.call(call)))

    def list(
        self,
        *,
        address: str | None = None,
        chain: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncItemList[OwnLabel]:
        """Newest first, those that ended too; with `address` only those about its owner. `page_size` is 1 to 200."""
        return list_of(
            self._transport,
            "/v1/own-labels",
            OwnLabel,
            {"address": address, "chain": chain},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    async def get(self, label_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> OwnLabel:
        """The label as it is now."""
        call = Call("GET", path(_ONE, label_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return OwnLabel(object_of(await self._transport.call(call)))

    async def remove(self, label_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> None:
        """The label counts no more, and stays in the list."""
        call = Call("DELETE", path(_ONE, label_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        await self._transport.call(call)
