"""Time and waiting; tests replace them."""

from __future__ import annotations

import time
from typing import Protocol

import anyio


class Clock(Protocol):
    def now(self) -> float:
        """Milliseconds since 1970."""
        ...

    def sleep(self, ms: float) -> None:
        """Returns after `ms` milliseconds."""
        ...


class AsyncClock(Protocol):
    def now(self) -> float:
        """Milliseconds since 1970."""
        ...

    async def sleep(self, ms: float) -> None:
        """Returns after `ms` milliseconds."""
        ...


class SystemClock:
    def now(self) -> float:
        return time.time() * 1_000

    def sleep(self, ms: float) -> None:
        time.sleep(ms / 1_000)


class AsyncSystemClock:
    def now(self) -> float:
        return time.time() * 1_000

    async def sleep(self, ms: float) -> None:
        await anyio.sleep(ms / 1_000)
