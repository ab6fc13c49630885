from __future__ import annotations

from ...models import LabelList
from ..item_list import AsyncItemList
from ..transport import AsyncTransport
from .list_of import list_of


class AsyncLists:
    """The lists of labels that reports are made from, with their age."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncItemList[LabelList]:
        """`page_size` items of one page: 1 to 200. `page_token` continues after an earlier page."""
        return list_of(
            self._transport,
            "/v1/lists",
            LabelList,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
