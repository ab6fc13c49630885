"""
The steps of a new customer with the installed package: screens, waits for a job, and verifies the webhook that came, with each client; and
the cases that every SDK passes on a running product. Prints one line of JSON. `keys` are read from the file that it is given.
"""

from __future__ import annotations

import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import anyio

import cupel
from clients import KINDS, ClientKind, invoked
from conformance import FOLDER, as_json, same
from cupel import WebhookVerificationError, webhooks

ADDRESS = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
PATIENCE_SECONDS = 120

Received = tuple[str, dict[str, str], bytes]


class Receiver(HTTPServer):
    """Keeps what comes, test messages left out, with the path at which it came."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: Queue[Received] = Queue()
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Receiver)
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()
        if b'"type":"endpoint.test"' not in body:
            self.server.received.put((self.path, dict(self.headers.items()), body))

    def log_message(self, *_: object) -> None:
        """Says nothing."""


async def first_steps(kind: ClientKind, receiver: Receiver) -> dict[str, object]:
    # Key and URL come from the environment, as README shows.
    client = kind.plain()

    async def call(name: str, *arguments: Any, **options: Any) -> Any:
        return await invoked(kind, lambda: client, name, list(arguments), options, None)

    path = f"/{kind!r}"
    report = await call("screen", ADDRESS)
    endpoint = await call("webhook_endpoints.create", url=receiver.url + path)
    job = await call("bulk.wait", await call("bulk.submit", [ADDRESS, "nonsense"]))
    at, headers, body = await anyio.to_thread.run_sync(lambda: receiver.received.get(timeout=PATIENCE_SECONDS))
    message = webhooks.verify(body, headers, endpoint.secret)
    try:
        webhooks.verify(body + b" ", headers, endpoint.secret)
        forged = "accepted"
    except WebhookVerificationError as error:
        forged = type(error).__name__
    await call("webhook_endpoints.delete", endpoint.endpoint_id)
    await kind.close(client)
    is_told = isinstance(message, cupel.BulkCompletedMessage) and message.data.job_id == job.job_id and at == path
    return {"level": report.risk.level, "status": job.status, "told": is_told, "forged": forged}


async def run_product_case(kind: ClientKind, case: dict[str, Any], keys: dict[str, str], receiver: str) -> list[str]:
    client = kind.plain(api_key=keys[case["key"]])
    results: list[Any] = []
    words = {"$unique": str(uuid.uuid4()), "$receiver": receiver}
    try:
        for index, step in enumerate(case["steps"]):
            options = filled(step.get("options", {}), results, words)
            take = options.pop("take", None)
            arguments = filled(step.get("args", []), results, words)
            fault = await _judged(kind, client, step, (arguments, options, take), results)
            if fault is not None:
                return [f"{kind!r}, {case['name']}, step {index}, {step['call']}: {fault}"]
    finally:
        await kind.close(client)
    return []


async def _judged(kind: ClientKind, client: Any, step: dict[str, Any], given: Any, results: list[Any]) -> str | None:
    expected = step["expect"]
    arguments, options, take = given
    try:
        result = await invoked(kind, lambda: client, step["call"], arguments, options, take)
    except cupel.CupelError as error:
        results.append(None)
        return _error_fault(expected.get("error"), error)
    results.append(result)
    shown = as_json(result)
    if "error" in expected:
        return f"it gave {str(shown)[:300]}"
    if "has" in expected and not contains(shown, expected["has"]):
        return f"{str(shown)[:300]} has not {expected['has']}"
    if "items_at_least" in expected and len(shown) < expected["items_at_least"]:
        return f"there are {len(shown)} items"
    if "same_as_step" in expected and not same(shown, as_json(results[expected["same_as_step"]])):
        return f"{str(shown)[:300]} is not what step {expected['same_as_step']} gave"
    return None


def _error_fault(expected: dict[str, Any] | None, error: cupel.CupelError) -> str | None:
    if expected is None:
        return f"it failed: {error!r}"
    if type(error).__name__ != expected["class"]:
        return f"it is {error!r}, not {expected['class']}"
    parents = [parent for parent in expected.get("is_a", []) if not isinstance(error, getattr(cupel, parent))]
    if parents:
        return f"it is no {parents}"
    fields = {name: value for name, value in expected.items() if name not in ("class", "is_a")}
    facts = {name: plain(getattr(error, name)) for name in fields}
    return None if contains(facts, fields) else f"{facts} has not {fields}"


def plain(value: Any) -> Any:
    return [one._asdict() for one in value] if isinstance(value, tuple) else value


def contains(whole: Any, part: Any) -> bool:
    """True if all fields of `part` are in `whole`."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(contains(whole.get(name), value) for name, value in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and all(
            index < len(whole) and contains(whole[index], value) for index, value in enumerate(part)
        )
    return same(whole, part)


def filled(value: Any, results: list[Any], words: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [filled(one, results, words) for one in value]
    if isinstance(value, dict):
        return {name: filled(one, results, words) for name, one in value.items()}
    if not isinstance(value, str):
        return value
    step, _, field = value[1:].partition(".")
    if value.startswith("$") and step.isdigit():
        return getattr(results[int(step)], field)
    for word, meaning in words.items():
        value = value.replace(word, meaning)
    return value


async def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    cases = json.loads((FOLDER / "product-cases.json").read_text("utf-8"))
    with Receiver() as receiver:
        Thread(target=receiver.serve_forever, daemon=True).start()
        steps = [await first_steps(kind, receiver) for kind in KINDS]
        faults = [
            fault
            for kind in KINDS
            for case in cases
            for fault in await run_product_case(kind, case, given["keys"], receiver.url)
        ]
        receiver.shutdown()
    print(json.dumps({"steps": steps, "ran": len(cases), "faults": faults}))


anyio.run(main)
