"""The two clients behind one face, for tests that must hold for both."""

from __future__ import annotations

import base64
import inspect
import os
from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any

import httpx

import cupel
from cupel import webhooks
from cupel.proofs import verify_proof
from cupel.records import RecordVerifier


class ClientKind(ABC):
    """How a client of one kind is made, read and closed."""

    @abstractmethod
    def make(self, bench: Any, options: dict[str, Any]) -> Any: ...

    @abstractmethod
    def plain(self, **options: Any) -> Any: ...

    @abstractmethod
    async def close(self, client: Any) -> None: ...

    @abstractmethod
    async def items(self, items: Any, most: int | None) -> list[Any]: ...


class SyncKind(ClientKind):
    def make(self, bench: Any, options: dict[str, Any]) -> cupel.Cupel:
        from conformance import BenchClock, TimedTransport

        own = httpx.Client(transport=TimedTransport(bench))
        return cupel.Cupel(**options, clock=BenchClock(bench), random=bench.random, http_client=own)

    def plain(self, **options: Any) -> cupel.Cupel:
        return cupel.Cupel(**options)

    async def close(self, client: cupel.Cupel) -> None:
        client.close()
        client._transport._client.close()

    async def items(self, items: cupel.ItemList[Any], most: int | None) -> list[Any]:
        return items.to_list(most)

    def __repr__(self) -> str:
        return "Cupel"


class AsyncKind(ClientKind):
    def make(self, bench: Any, options: dict[str, Any]) -> cupel.AsyncCupel:
        from conformance import AsyncBenchClock, AsyncTimedTransport

        own = httpx.AsyncClient(transport=AsyncTimedTransport(bench))
        return cupel.AsyncCupel(**options, clock=AsyncBenchClock(bench), random=bench.random, http_client=own)

    def plain(self, **options: Any) -> cupel.AsyncCupel:
        return cupel.AsyncCupel(**options)

    async def close(self, client: cupel.AsyncCupel) -> None:
        await client.aclose()
        await client._transport._client.aclose()

    async def items(self, items: cupel.AsyncItemList[Any], most: int | None) -> list[Any]:
        return await items.to_list(most)

    def __repr__(self) -> str:
        return "AsyncCupel"


CHOSEN = os.environ.get("CUPEL_TEST_CLIENTS", "Cupel,AsyncCupel").split(",")
KINDS: list[ClientKind] = [kind for kind in (SyncKind(), AsyncKind()) if repr(kind) in CHOSEN]


async def invoked(
    kind: ClientKind, make: Any, call: str, arguments: list[Any], options: dict[str, Any], take: int | None
) -> Any:
    """The result of the method that a case names; a list is read to its end, or up to `take` items."""
    if call == "proofs.verify":
        return asdict(verify_proof(*arguments, **options))
    if call == "records.verify":
        return RecordVerifier(**options).verify(**_record(arguments[0]))
    first, _, second = call.partition(".")
    target = webhooks if first == "webhooks" else make()
    target = getattr(target, first) if second and first != "webhooks" else target
    result = getattr(target, second or first)(*arguments, **options)
    if inspect.isawaitable(result):
        return await result
    if isinstance(result, (cupel.ItemList, cupel.AsyncItemList)):
        return await kind.items(result, take)
    return result


def _record(given: dict[str, Any]) -> dict[str, Any]:
    """The record of a case as clients of Kafka give it: several values of a header are several pairs."""
    pairs = [(name, value) for name, values in given["headers"].items() for value in (values if isinstance(values, list) else [values])]
    headers = [(name, _bytes_or_text(value)) for name, value in pairs]
    return {name: _bytes_or_text(value) for name, value in given.items() if name != "headers"} | {"headers": headers}


def _bytes_or_text(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value
