from __future__ import annotations

from ..._call import Time, time_text
from ...models import AuditEntry
from ..item_list import AsyncItemList
from ..transport import AsyncTransport
from .list_of import list_of


class AsyncAuditLog:
    """The calls of the account."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        key_id: str | None = None,
        route: str | None = None,
        subject_id: str | None = None,
        client_address: str | None = None,
        outcome: str | None = None,
        from_: Time | None = None,
        to: Time | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncItemList[AuditEntry]:
        """
        Newest first. Only the calls of the key `key_id`, of the endpoint `route` (its path, with the names of its parameters), that
        concerned or made the object `subject_id`, from `client_address`, that were refused or failed (`outcome` is `problem`), at
        `from_` or later, and before `to`.
        """
        query = {
            "key_id": key_id,
            "route": route,
            "subject_id": subject_id,
            "client_address": client_address,
            "outcome": outcome,
            "from": time_text(from_),
            "to": time_text(to),
        }
        return list_of(
            self._transport,
            "/v1/audit-log",
            AuditEntry,
            query,
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
