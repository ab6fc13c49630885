"""Messages of the service, as Standard Webhooks 1.0 says: `webhooks.verify(body, headers, secret)`."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Union, cast

from ._json import object_in, parsed
from ._messages import WebhookMessage, message_of
from .errors import ConfigurationError, InvalidArgumentError, WebhookVerificationError

__all__ = ["Headers", "sign", "verify"]

_TOLERANCE_SECONDS = 300
_SECRET_PREFIX = "whsec_"

Headers = Union[Mapping[str, Any], Iterable[tuple[Any, Any]]]
"""Headers as frameworks have them: a mapping, or pairs of names and values."""


def verify(
    body: str | bytes | bytearray | memoryview,
    headers: Headers,
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
    now: float | None = None,
) -> WebhookMessage:
    """
    Returns the message if one of its signatures was made with one of the secrets, and its time is within the tolerance; raises a
    WebhookVerificationError otherwise. `body` is the body as received, before any parsing. `tolerance_seconds` says how far the time
    of the message may be from `now`, in milliseconds since 1970, by default the clock.
    """
    content = _body_bytes(body)
    message_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    _judge_time(timestamp, tolerance_seconds, time.time() * 1_000 if now is None else now)
    keys = [_key_of(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ConfigurationError("There is no webhook secret.")
    if not _is_signed(keys, _signed_content(message_id, timestamp, content), signatures):
        raise WebhookVerificationError(
            "No signature of the message was made with this secret. Pass the body as it was received, and check the secret."
        )
    return _message(content, message_id)


def sign(body: str | bytes | bytearray | memoryview, secret: str, *, id: str, timestamp_seconds: int) -> dict[str, str]:
    """Signs a message as the service does, for tests of a receiver. Returns the headers of the message."""
    content = _signed_content(id, str(timestamp_seconds), _body_bytes(body))
    signature = base64.b64encode(_signature(_key_of(secret), content)).decode()
    return {"webhook-id": id, "webhook-timestamp": str(timestamp_seconds), "webhook-signature": f"v1,{signature}"}


def _body_bytes(body: object) -> bytes:
    if isinstance(body, str):
        try:
            return body.encode()
        except UnicodeEncodeError as error:
            raise WebhookVerificationError("The body is not text that could have been received.") from error
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(cast(bytes, body))
    raise InvalidArgumentError("Pass the body as received, as text or bytes: one that was parsed cannot be verified.")


def _header(headers: Headers, name: str) -> str:
    pairs: Iterable[tuple[Any, Any]] = cast("Mapping[Any, Any]", headers).items() if isinstance(headers, Mapping) else headers
    found = [_text(value) for key, value in pairs if _text(key).lower() == name]
    if len(found) == 1 and found[0] != "":
        return found[0]
    raise WebhookVerificationError(f"The message has no header {name}.")


def _text(value: object) -> str:
    """The one text of a header, which frameworks give as text, as bytes or as a list; empty if there is none."""
    if isinstance(value, (list, tuple)):
        several = cast("Sequence[object]", value)
        return _text(several[0]) if len(several) == 1 else ""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else ""


def _judge_time(timestamp: str, tolerance_seconds: float, now_ms: float) -> None:
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        raise WebhookVerificationError("The header webhook-timestamp is not a number of seconds.")
    away = now_ms / 1_000 - int(timestamp)
    if abs(away) <= tolerance_seconds:
        return
    side = "old" if away > 0 else "far in the future"
    raise WebhookVerificationError(
        f"The message is too {side}: its time is {abs(away):.0f} s from this clock, and {tolerance_seconds} s are allowed."
    )


def _key_of(secret: str) -> bytes:
    text = secret.strip() if isinstance(secret, str) else ""
    key = _from_base64(text[len(_SECRET_PREFIX) :] if text.startswith(_SECRET_PREFIX) else text)
    if not key:
        raise ConfigurationError('The webhook secret is not one: it is base64 after "whsec_".')
    return key


def _is_signed(keys: Sequence[bytes], content: bytes, signatures: str) -> bool:
    """Every signature is compared in constant time."""
    texts = [one[3:] for one in signatures.split(" ") if one.startswith("v1,")]
    given = [signature for signature in map(_from_base64, texts) if signature is not None]
    return any(hmac.compare_digest(_signature(key, content), one) for key in keys for one in given)


def _signature(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, sha256).digest()


def _signed_content(message_id: str, timestamp: str, content: bytes) -> bytes:
    return f"{message_id}.{timestamp}.".encode("utf-8", "replace") + content


def _from_base64(text: str) -> bytes | None:
    """The bytes of standard base64 with its padding; None if the text is not that."""
    if len(text) % 4 != 0 or not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", text):
        return None
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        # Padding where none can be.
        return None


def _message(content: bytes, message_id: str) -> WebhookMessage:
    value = object_in(parsed(content))
    if value is not None and isinstance(value.get("type"), str):
        return message_of({**value, "webhook_id": message_id})
    raise WebhookVerificationError("The message is signed, but is not a JSON object with a type.")
