from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, TypeVar

from .._answers import Page
from ..errors import CupelError

T = TypeVar("T")


class AsyncItemList(Generic[T]):
    """
    A list that is fetched page by page while it is read: `async for report in cupel.reports.list(): …`. Nothing is fetched before.
    Each iteration begins again.
    """

    def __init__(self, fetch_page: Callable[[str | None], Awaitable[Page[T]]], first: str | None = None) -> None:
        self._fetch_page = fetch_page
        self._first = first

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Page by page. `next_page_token` of a page is the `page_token` with which the list can be continued later."""
        seen: set[str] = set()
        token = self._first
        while True:
            page = await self._fetch_page(token)
            yield page
            token = page.next_page_token
            if token is None:
                return
            if token in seen:
                raise CupelError("The list does not end: a page token came a second time.")
            seen.add(token)

    async def first_page(self) -> Page[T]:
        """Only the first page."""
        return await self._fetch_page(self._first)

    async def to_list(self, most: int | None = None) -> list[T]:
        """All items, or the first `most`."""
        items: list[T] = []
        if most is not None and most <= 0:
            return items
        async for item in self:
            items.append(item)
            if len(items) == most:
                break
        return items
