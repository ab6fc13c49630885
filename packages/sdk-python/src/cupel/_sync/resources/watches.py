# Generated from _async/resources/watches.py by `npm run generate`. Do not edit.
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..._answers import object_of
from ..._call import Call, path, time_text
from ...errors import InvalidArgumentError
from ...models import Watch
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of

_ONE = "/v1/watches/{}"


class Watches:
    """Addresses that are decided again whenever something comes that can touch their reports."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        watches: Iterable[Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> tuple[Watch, ...]:
        """
        Watches up to 1,000 addresses, all of them or none, and returns the watches in their order. Each is a mapping with `address` and,
        where wanted, `chain`, `reference`, `until` (a time, or its text), `threshold` and `digest`. An address that is watched already keeps its
        watch and takes these settings.
        """
        if isinstance(watches, (str, bytes, Mapping)):
            raise InvalidArgumentError("The watches must be a list of mappings.")
        body = {"watches": [{**one, "until": time_text(one.get("until"))} for one in watches]}
        call = Call(
            "POST",
            "/v1/watches",
            "keyed",
            body=body,
            idempotency_key=idempotency_key,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
        return tuple(Watch(one) for one in object_of(self._transport.call(call))["items"])

    def list(
        self,
        *,
        changed_in: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[Watch]:
        """
        Newest first, those that ended too; with `changed_in` only those that changed according to the digest of that day (YYYY-MM-DD) and
        to no later one. `page_size` is 1 to 200.
        """
        return list_of(
            self._transport,
            "/v1/watches",
            Watch,
            {"changed_in": changed_in},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def get(self, watch_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> Watch:
        """One watch, with its last report."""
        call = Call("GET", path(_ONE, watch_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return Watch(object_of(self._transport.call(call)))

    def delete(self, watch_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> None:
        """The address is not decided again. Its reports stay."""
        call = Call("DELETE", path(_ONE, watch_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        self._transport.call(call)
