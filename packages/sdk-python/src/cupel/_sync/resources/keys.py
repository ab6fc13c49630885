# Generated from _async/resources/keys.py by `npm run generate`. Do not edit.
from __future__ import annotations

from collections.abc import Iterable

from ..._answers import object_of
from ..._call import Call, Time, path, time_text
from ..._json import JsonObject
from ...models import ApiKey, NewApiKey
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of

_ONE = "/v1/keys/{}"


class Keys:
    """API keys, for a key with the scope `admin`. No call gives a right that the calling key lacks."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        account_id: str | None = None,
        livemode: bool | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[ApiKey]:
        """Newest first, without the keys themselves. Operators may name an account and an environment."""
        return list_of(
            self._transport,
            "/v1/keys",
            ApiKey,
            {"account_id": account_id, "livemode": None if livemode is None else str(livemode).lower()},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def get(self, key_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> ApiKey:
        """One key, without the key itself."""
        call = Call("GET", path(_ONE, key_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return ApiKey(self._object(call))

    def create(
        self,
        *,
        scope: str,
        plan: str | None = None,
        name: str | None = None,
        allowed_ips: Iterable[str] | None = None,
        webhook_admin: bool | None = None,
        expires_at: Time | None = None,
        reason: str | None = None,
        account_id: str | None = None,
        livemode: bool | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> NewApiKey:
        """
        Issues a key. Only this answer shows it. `scope` is `read-only`, `read-write` or `admin`; each holds those before it.
        `account_id` and `livemode` are for operators.
        """
        body = {
            **_change_of(scope, plan, name, allowed_ips, webhook_admin, expires_at, reason),
            "account_id": account_id,
            "livemode": livemode,
        }
        call = Call("POST", "/v1/keys", "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return NewApiKey(self._object(call))

    def update(
        self,
        key_id: str,
        *,
        scope: str | None = None,
        plan: str | None = None,
        name: str | None = None,
        allowed_ips: Iterable[str] | None = None,
        webhook_admin: bool | None = None,
        expires_at: Time | None = None,
        reason: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ApiKey:
        """Changes only what is given; whoever holds the key goes on with it."""
        body = _change_of(scope, plan, name, allowed_ips, webhook_admin, expires_at, reason)
        call = Call("PATCH", path(_ONE, key_id), "safe", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return ApiKey(self._object(call))

    def rotate(
        self,
        key_id: str,
        *,
        overlap_hours: float | None = None,
        reason: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> NewApiKey:
        """Issues a successor with the same rights; only this answer shows it. The old key works for some more hours, 24 by default."""
        body = {"overlap_hours": overlap_hours, "reason": reason}
        at = path(_ONE + "/rotate", key_id)
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return NewApiKey(self._object(call))

    def revoke(
        self,
        key_id: str,
        *,
        reason: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ApiKey:
        """Ends a key and its sessions at once. A second time changes nothing."""
        at = path(_ONE + "/revoke", key_id)
        call = Call("POST", at, "safe", body={"reason": reason}, timeout_ms=timeout_ms, max_retries=max_retries)
        return ApiKey(self._object(call))

    def _object(self, call: Call) -> JsonObject:
        return object_of(self._transport.call(call))


def _change_of(
    scope: str | None,
    plan: str | None,
    name: str | None,
    allowed_ips: Iterable[str] | None,
    webhook_admin: bool | None,
    expires_at: Time | None,
    reason: str | None,
) -> dict[str, object]:
    return {
        "scope": scope,
        "plan": plan,
        "name": name,
        "allowed_ips": None if allowed_ips is None else list(allowed_ips),
        "webhook_admin": webhook_admin,
        "expires_at": None if expires_at is None else time_text(expires_at),
        "reason": reason,
    }
