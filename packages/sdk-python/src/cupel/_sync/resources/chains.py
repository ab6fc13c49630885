# Generated from _async/resources/chains.py by `npm run generate`. Do not edit.
from __future__ import annotations

from ...models import Chain
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Chains:
    """The chains whose addresses can be screened."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[Chain]:
        """`page_size` items of one page: 1 to 200. `page_token` continues after an earlier page."""
        return list_of(
            self._transport,
            "/v1/chains",
            Chain,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
