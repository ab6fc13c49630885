"""One logical call and its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from typing import Literal, Union
from urllib.parse import quote, urlencode

import httpx

from .errors import InvalidArgumentError

Repeat = Literal["safe", "keyed", "once"]
"""
`safe`: a second time changes nothing. `keyed`: the Idempotency-Key makes it safe. `once`: a second time does more, so it is not
repeated where it may have been done without an answer.
"""

Time = Union[datetime, str]
"""A time: a datetime with its time zone, or a text as RFC 3339 says."""

QueryValue = Union[str, int, None]


class Unchanged(Enum):
    """The default of a setting that None would change."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED


@dataclass(frozen=True)
class Call:
    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    """From the base URL on, encoded."""
    repeat: Repeat
    query: Mapping[str, QueryValue] = field(default_factory=dict[str, QueryValue])
    body: object = None
    accept: str = "application/json"
    wait_seconds: int | None = None
    """Seconds of the preference `wait`."""
    idempotency_key: str | None = None
    timeout_ms: float | None = None
    max_retries: int | None = None


@dataclass(frozen=True)
class Answer:
    """A success, read to its end."""

    status: int
    headers: httpx.Headers
    body: bytes


def path(pattern: str, *ids: str) -> str:
    """A path with ids in place of `{}`. An id that is empty or has other characters would name another endpoint."""
    return pattern.format(*(_checked_id(one) for one in ids))


_TILE = re.compile(r"(?:entries|0|[1-9][0-9]?)/(?:x[0-9]{3}/){0,5}[0-9]{3}(?:\.p/[1-9][0-9]{0,2})?", re.ASCII)


def tile_path(tile: str) -> str:
    """The path of a tile, whose slashes are part of its name."""
    if isinstance(tile, str) and _TILE.fullmatch(tile):
        return f"/v1/log/tile/{tile}"
    raise InvalidArgumentError('A tile is named as C2SP does it: "0/000", "1/000.p/3", "entries/x001/234.p/8".')


def url_of(base_url: str, call: Call) -> str:
    given = [(name, str(value)) for name, value in call.query.items() if value is not None]
    if not given:
        return base_url + call.path
    try:
        return f"{base_url}{call.path}?{urlencode(given, quote_via=quote)}"
    except UnicodeError as error:
        raise InvalidArgumentError("A parameter has half of a surrogate pair, which UTF-8 cannot say.") from error


_MAX_WAIT_SECONDS = 20


def checked_wait(seconds: int | None) -> int | None:
    """The service ignores a preference that it cannot read, so a mistake is refused here."""
    if seconds is None or (type(seconds) is int and 0 <= seconds <= _MAX_WAIT_SECONDS):
        return seconds
    raise InvalidArgumentError(f"wait_seconds is a whole number from 0 to {_MAX_WAIT_SECONDS}.")


def time_text(time: Time | None) -> str | None:
    """A time as the API takes it. A datetime without a time zone could mean several times, and is refused."""
    if not isinstance(time, datetime):
        return time
    if time.utcoffset() is None:
        raise InvalidArgumentError("A datetime must have a time zone, such as timezone.utc.")
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _checked_id(one: str) -> str:
    if isinstance(one, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,200}", one):
        return one
    raise InvalidArgumentError('An id has only letters, digits, "_" and "-", and at least one of them.')
