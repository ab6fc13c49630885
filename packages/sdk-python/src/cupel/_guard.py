"""
Keeps one answer from becoming that of the next call. httpcore keeps bytes that came behind an answer, and would read them as the
answer of the next call on the same connection. Such a connection is closed here instead.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

import httpx

# From the stream of httpx to the parser of the connection. httpx has no public way; the conformance cases show that this one works.
_WAY = ("_stream", "_httpcore_stream", "_connection", "_h11_state")


class GuardedStream(httpx.SyncByteStream):
    def __init__(self, response: httpx.Response) -> None:
        self._inner = cast(httpx.SyncByteStream, response.stream)
        self._network = response.extensions.get("network_stream")

    def __iter__(self) -> Iterator[bytes]:
        yield from self._inner
        # Before the connection is free for another call.
        if self._network is not None and _has_more(self._inner):
            self._network.close()

    def close(self) -> None:
        self._inner.close()


class AsyncGuardedStream(httpx.AsyncByteStream):
    def __init__(self, response: httpx.Response) -> None:
        self._inner = cast(httpx.AsyncByteStream, response.stream)
        self._network = response.extensions.get("network_stream")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            yield chunk
        if self._network is not None and _has_more(self._inner):
            await self._network.aclose()

    async def aclose(self) -> None:
        await self._inner.aclose()


def _has_more(stream: object) -> bool:
    at: Any = stream
    while (following := next((getattr(at, name) for name in _WAY if hasattr(at, name)), None)) is not None:
        at = following
    behind, _ = getattr(at, "trailing_data", (b"", False))
    return behind != b""
