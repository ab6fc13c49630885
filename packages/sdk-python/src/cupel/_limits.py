"""The real time that one attempt may take. httpx limits single reads, which a server that sends slowly can repeat for ever."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import anyio


class AsyncLimit:
    """Raises a TimeoutError inside of its `with` when the time is over."""

    def __init__(self, ms: float) -> None:
        self._scope = anyio.fail_after(max(0.0, ms / 1_000))

    def extensions(self) -> Mapping[str, Any]:
        """For httpx: no limit, because the scope has it."""
        return {}

    def check(self) -> None:
        """Nothing: the scope ends what waits."""

    def __enter__(self) -> None:
        self._scope.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return self._scope.__exit__(kind, error, traceback)


class Limit:
    """A thread cannot be ended from outside: each step gets the time that is left, and `check` stands between reads."""

    def __init__(self, ms: float) -> None:
        self._ends_at = time.monotonic() + ms / 1_000

    def extensions(self) -> Mapping[str, Any]:
        return {"timeout": _TimeLeft(self._ends_at)}

    def check(self) -> None:
        if time.monotonic() >= self._ends_at:
            raise TimeoutError

    def __enter__(self) -> None:
        self.check()

    def __exit__(self, *_: object) -> None:
        return None


class _TimeLeft(dict[str, float]):
    """The time-outs of httpx (`connect`, `read`, `write`, `pool`), each asked for when its step begins."""

    def __init__(self, ends_at: float) -> None:
        super().__init__()
        self._ends_at = ends_at

    def get(self, key: str, default: Any = None) -> float:
        # 0 would mean not to wait at all, where a millisecond is enough to see what has arrived.
        return max(0.001, self._ends_at - time.monotonic())
