# Generated from _async/resources/list_of.py by `npm run generate`. Do not edit.
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..._answers import Page, page_of
from ..._call import Call, QueryValue
from ..item_list import ItemList
from ..transport import Transport

T = TypeVar("T")


def list_of(
    transport: Transport,
    path: str,
    make: Callable[[Mapping[str, Any]], T],
    query: Mapping[str, QueryValue],
    *,
    page_size: int | None,
    page_token: str | None,
    timeout_ms: float | None,
    max_retries: int | None,
) -> ItemList[T]:
    """The list at `path`, of the items that `query` describes."""

    def fetch_page(token: str | None) -> Page[T]:
        whole = {**query, "page_size": page_size, "page_token": token}
        call = Call("GET", path, "safe", query=whole, timeout_ms=timeout_ms, max_retries=max_retries)
        return page_of(transport.call(call), make)

    return ItemList(fetch_page, page_token)
