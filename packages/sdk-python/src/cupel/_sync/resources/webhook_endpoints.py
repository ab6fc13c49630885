# Generated from _async/resources/webhook_endpoints.py by `npm run generate`. Do not edit.
from __future__ import annotations

from collections.abc import Iterable

from ..._answers import object_of
from ..._call import UNCHANGED, Call, Time, Unchanged, path, time_text
from ..._json import NULL, JsonObject
from ...models import (
    NewWebhookEndpoint,
    RedeliveredWebhooks,
    RotatedWebhookSecret,
    SentWebhookDelivery,
    WebhookDelivery,
    WebhookEndpoint,
)
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of

_ONE = "/v1/webhook-endpoints/{}"


class WebhookEndpoints:
    """Where messages go when a job ends. A call that makes or sends something is not repeated if it may have been carried out."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        url: str,
        payload: str | None = None,
        events: Iterable[str] | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> NewWebhookEndpoint:
        """
        `url` is an https URL on port 443 or 8443, or `mailto:` with an address of e-mail. With `payload="full"` messages have the results, with `"thin"` they say where
        the results are, with `"slack"` they are texts for an incoming webhook of Slack. `events` are the types of the
        messages that it gets, all if absent. Only this answer shows the secret; it is None for e-mail.
        """
        chosen = None if events is None else [*events]
        body = {"url": url, "payload": payload, "events": chosen}
        call = Call("POST", "/v1/webhook-endpoints", "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return NewWebhookEndpoint(self._object(call))

    def list(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[WebhookEndpoint]:
        """The endpoints of the account, without their secrets. `page_size` is 1 to 200."""
        return list_of(
            self._transport,
            "/v1/webhook-endpoints",
            WebhookEndpoint,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def get(
        self, endpoint_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> WebhookEndpoint:
        """One endpoint, without its secret."""
        call = Call("GET", path(_ONE, endpoint_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return WebhookEndpoint(self._object(call))

    def update(
        self,
        endpoint_id: str,
        *,
        url: str | None = None,
        payload: str | None = None,
        events: Iterable[str] | Unchanged | None = UNCHANGED,
        status: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpoint:
        """
        Changes what is given. With `events=None` it gets messages of all types again. `status` is `enabled` or `disabled`; deliveries to a
        disabled endpoint are held.
        """
        chosen = None if isinstance(events, Unchanged) else NULL if events is None else [*events]
        body = {"url": url, "payload": payload, "events": chosen, "status": status}
        call = Call("PATCH", path(_ONE, endpoint_id), "safe", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return WebhookEndpoint(self._object(call))

    def delete(
        self, endpoint_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> None:
        """Deletes its deliveries too."""
        call = Call("DELETE", path(_ONE, endpoint_id), "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        self._transport.call(call)

    def rotate_secret(
        self, endpoint_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> RotatedWebhookSecret:
        """Messages carry signatures of both secrets until the previous one ends."""
        at = path(_ONE + "/rotate-secret", endpoint_id)
        call = Call("POST", at, "once", timeout_ms=timeout_ms, max_retries=max_retries)
        return RotatedWebhookSecret(self._object(call))

    def test(
        self, endpoint_id: str, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> WebhookDelivery:
        """Sends a message of the type `endpoint.test`."""
        call = Call("POST", path(_ONE + "/test", endpoint_id), "once", timeout_ms=timeout_ms, max_retries=max_retries)
        return WebhookDelivery(self._object(call))

    def deliveries(
        self,
        endpoint_id: str,
        *,
        status: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[WebhookDelivery]:
        """Newest first. Only deliveries with this `status`: `pending`, `delivered`, `exhausted` or `held`."""
        return list_of(
            self._transport,
            path(_ONE + "/deliveries", endpoint_id),
            WebhookDelivery,
            {"status": status},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    def delivery(
        self,
        endpoint_id: str,
        delivery_id: str,
        *,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> SentWebhookDelivery:
        """One delivery with its body, and with the headers of its last attempt."""
        at = path(_ONE + "/deliveries/{}", endpoint_id, delivery_id)
        call = Call("GET", at, "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return SentWebhookDelivery(self._object(call))

    def redeliver(
        self,
        endpoint_id: str,
        delivery_id: str,
        *,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Sends one delivery again, with the same `webhook-id` and body."""
        at = path(_ONE + "/deliveries/{}/redeliver", endpoint_id, delivery_id)
        call = Call("POST", at, "once", timeout_ms=timeout_ms, max_retries=max_retries)
        return WebhookDelivery(self._object(call))

    def redeliver_missed(
        self,
        endpoint_id: str,
        *,
        since: Time,
        until: Time | None = None,
        statuses: Iterable[str] | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> RedeliveredWebhooks:
        """
        Sends again what was made at `since` or later and before `until`, and returns how many. `statuses` are by default those of what
        was missed, `exhausted` and `held`.
        """
        chosen = None if statuses is None else [*statuses]
        body = {"since": time_text(since), "until": time_text(until), "statuses": chosen}
        at = path(_ONE + "/redeliver", endpoint_id)
        call = Call("POST", at, "once", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return RedeliveredWebhooks(self._object(call))

    def _object(self, call: Call) -> JsonObject:
        return object_of(self._transport.call(call))
