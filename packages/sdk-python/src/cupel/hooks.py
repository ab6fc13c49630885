"""For logs and traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx


@dataclass(frozen=True)
class AttemptEvent:
    """One attempt of a call, about to be sent."""

    method: str
    url: str
    attempt: int
    """1 for the first attempt of a call."""
    idempotency_key: str | None
    """Equal for all attempts of one call; None if the call has none."""


@dataclass(frozen=True)
class AnswerEvent(AttemptEvent):
    """The head of an answer."""

    status: int
    request_id: str | None
    headers: httpx.Headers
    duration_ms: float


@dataclass(frozen=True)
class RetryEvent(AttemptEvent):
    """An attempt that failed, when the call will be repeated."""

    error: Exception
    wait_ms: int


@dataclass(frozen=True)
class Hooks:
    """Called around each attempt. They never see the key. What a hook raises, the call raises."""

    attempt: Callable[[AttemptEvent], Mapping[str, str] | None] | None = None
    """May return headers to add, such as `traceparent`. It cannot replace the client's own."""
    answer: Callable[[AnswerEvent], object] | None = None
    retry: Callable[[RetryEvent], object] | None = None
