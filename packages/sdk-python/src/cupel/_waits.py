"""How long a call waits before its next attempt."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime, timezone

import httpx

from .errors import ApiError, CupelError

_FIRST_MS = 500
_LONGEST_MS = 8_000
_HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def wait_before(attempt: int, error: CupelError, random: Callable[[], float]) -> int:
    """
    Milliseconds before the next attempt: a random part of a span that doubles with each attempt, so that clients that failed
    together do not come back together; never less than the service asks for.
    """
    jitter_ms = round_half_up(random() * min(_LONGEST_MS, _FIRST_MS * 2 ** (attempt - 1)))
    asked_ms = (error.retry_after or 0) * 1_000 if isinstance(error, ApiError) else 0
    return max(asked_ms, jitter_ms)


def round_half_up(number: float) -> int:
    return math.floor(number + 0.5)


def retry_after_of(headers: httpx.Headers, now_ms: float) -> int | None:
    """
    Seconds that `Retry-After` asks for; None if it asks for nothing readable. A date counts from the `Date` of the same answer,
    because the clocks of both sides may differ, and from `now_ms` where that is missing.
    """
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return int(text)
    at = _http_date(text)
    if at is None:
        return None
    since = _http_date(headers.get("date", "").strip())
    return max(0, math.ceil((at - (now_ms if since is None else since)) / 1_000))


def _http_date(text: str) -> float | None:
    """Milliseconds since 1970. Only the form that HTTP requires, in English whatever the locale is."""
    if not _HTTP_DATE.fullmatch(text):
        return None
    _, day, month, year, time, _ = text.split(" ")
    try:
        hour, minute, second = (int(part) for part in time.split(":"))
        at = datetime(int(year), _MONTHS.index(month) + 1, int(day), hour, minute, second, tzinfo=timezone.utc)
    except ValueError:
        # No such day or time.
        return None
    return at.timestamp() * 1_000
