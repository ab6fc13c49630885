# Generated from _async/resources/transfers.py by `npm run generate`. Do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._answers import transfer_of
from ..._call import Call, Time, checked_wait, path, time_text
from ...errors import InvalidArgumentError
from ...models import Transfer
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Transfers:
    """Transfers, planned or made, with what is recommended for them."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def screen(
        self,
        transfer: Mapping[str, Any],
        *,
        wait_seconds: int | None = None,
        idempotency_key: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> Transfer:
        """
        Screens the counterparty of a transfer. Decide on `recommendation`, and treat one that you do not know like `reject`.
        `transfer_id` is also the id of the report of the counterparty, which has the evidence.

        The transfer is a mapping with `chain`, `direction` (`incoming` or `outgoing`), `from`, `to`, `asset`, `amount` and, where
        wanted, `contract`, `transaction_hash` and `reference`. With a `transaction_hash` the other side, `asset` and `amount` may be
        absent: they are then those that the ledger has, or else a provider. The other arguments are those of `Cupel.screen`.
        """
        if not isinstance(transfer, Mapping):
            raise InvalidArgumentError("The transfer must be a mapping.")
        call = Call(
            "POST",
            "/v1/transfers",
            "keyed",
            body=dict(transfer),
            wait_seconds=checked_wait(wait_seconds),
            idempotency_key=idempotency_key,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
        return transfer_of(self._transport.call(call))

    def get(
        self, transfer_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> Transfer:
        """The transfer as its screening returned it. While the screening still runs, the call is repeated until its deadline."""
        at = path("/v1/transfers/{}", transfer_id)
        call = Call("GET", at, "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return transfer_of(self._transport.call(call), transfer_id)

    def list(
        self,
        *,
        address: str | None = None,
        chain: str | None = None,
        level: str | None = None,
        recommendation: str | None = None,
        reference: str | None = None,
        from_: Time | None = None,
        to: Time | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[Transfer]:
        """
        Newest first. Only transfers with a counterparty of this `address` and `level`, on this `chain`, with this `recommendation`
        (`allow`, `review` or `reject`) and exactly this `reference`, of the time `from_` or later, and before `to`.
        """
        query = {
            "address": address,
            "chain": chain,
            "level": level,
            "recommendation": recommendation,
            "reference": reference,
            "from": time_text(from_),
            "to": time_text(to),
        }
        return list_of(
            self._transport,
            "/v1/transfers",
            Transfer,
            query,
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
