"""JSON as the API speaks it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from .errors import InvalidArgumentError

JsonObject = Mapping[str, Any]

NOT_JSON = object()

NULL = object()
"""A member of a body that is sent as null."""


def object_in(value: object) -> dict[str, Any] | None:
    """The value if it is a JSON object."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def list_in(value: object) -> Sequence[Any] | None:
    """The value if it is a JSON list."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else None


def parsed(content: bytes) -> object:
    """The value of JSON text in UTF-8; NOT_JSON if it is not JSON."""
    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=_refused)
    except (ValueError, RecursionError):
        # Not JSON; the caller says so.
        return NOT_JSON


def encoded(body: object) -> bytes:
    """JSON in ASCII. Members of the outer object that are None are left out, and those that are NULL are null."""
    members = object_in(body)
    given = body if members is None else {name: _sent(value) for name, value in members.items() if value is not None}
    try:
        return json.dumps(given, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgumentError(f"An argument is not JSON: {error}.") from error


def _sent(value: object) -> object:
    return None if value is NULL else value


def _refused(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
