# Generated from _async/resources/lists.py by `npm run generate`. Do not edit.
from __future__ import annotations

from ..._answers import object_of
from ..._call import Call
from ...models import Label, LabelList, ListRefresh
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Lists:
    """The lists of labels that reports are made from, with their age."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[LabelList]:
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

    def labels(
        self,
        *,
        address: str | None = None,
        chain: str | None = None,
        source: str | None = None,
        dataset: str | None = None,
        category: str | None = None,
        entity: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[Label]:
        """
        Which labels an address, a list, a category or an owner (the beginning of the name) has, those that ended too. A page may be empty and
        still have a next one.
        """
        return list_of(
            self._transport,
            "/v1/labels",
            Label,
            {
                "address": address,
                "chain": chain,
                "source": source,
                "dataset": dataset,
                "category": category,
                "entity": entity,
            },
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def refreshes(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[ListRefresh]:
        """For operators: the lists that are refreshed on a schedule, by name."""
        return list_of(
            self._transport,
            "/v1/list-refreshes",
            ListRefresh,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def refresh(
        self, name: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> ListRefresh:
        """For operators: makes the list due now. It is fetched within seconds."""
        body = {"name": name}
        call = Call("POST", "/v1/list-refreshes", "safe", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ListRefresh(object_of(self._transport.call(call)))
