# Generated from _async/resources/log.py by `npm run generate`. Do not edit.
from __future__ import annotations

from ..._answers import Download, document_of
from ..._call import Call, tile_path
from ..transport import Transport


class Log:
    """The transparency log, for whoever keeps its checkpoints and compares them."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def checkpoint(self, *, timeout_ms: float | None = None, max_retries: int | None = None) -> Download:
        """The last signed checkpoint, a signed note of C2SP. Keep its bytes."""
        at = "/v1/log/checkpoint"
        call = Call("GET", at, "safe", accept="text/plain", timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), "text/plain")

    def tile(self, tile: str, *, timeout_ms: float | None = None, max_retries: int | None = None) -> Download:
        """A tile as C2SP names it: `0/000`, `1/000.p/3`, `entries/x001/234.p/8`. A tile never changes."""
        accept = "application/octet-stream"
        call = Call("GET", tile_path(tile), "safe", accept=accept, timeout_ms=timeout_ms, max_retries=max_retries)
        return document_of(self._transport.call(call), accept)
