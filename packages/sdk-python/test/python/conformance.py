"""Runs one conformance case on a client and says what differs. The README of packages/sdk-conformance is the contract."""

from __future__ import annotations

import base64
import json
import os
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import httpx

import cupel
from clients import ClientKind, invoked

KEY = "cpl_test_conformance0key"
START = "2026-01-01T00:00:00Z"
FOLDER = Path(__file__).parents[3] / "sdk-conformance"

Case = dict[str, Any]


def case_files() -> dict[str, list[Case]]:
    """Cases by file, without the extension."""
    files = sorted((FOLDER / "cases").rglob("*.json"))
    return {file.stem: json.loads(file.read_text("utf-8")) for file in files if file.name != "fixtures.json"}


class Server:
    """The scripted server."""

    def __init__(self, url: str, refused_url: str) -> None:
        self.url = url
        self.refused_url = refused_url
        self._client = httpx.Client(trust_env=False)

    def start_script(self, answers: list[Any]) -> dict[str, Any]:
        return self._json(self._client.post(f"{self.url}/_scripts", json={"server": answers}))

    def recorded(self, script: str) -> dict[str, Any]:
        return self._json(self._client.get(f"{self.url}/_scripts/{script}"))

    def close(self) -> None:
        self._client.close()

    def _json(self, response: httpx.Response) -> dict[str, Any]:
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer


class Bench:
    """Clock and random numbers of a case."""

    def __init__(self, case: Case, takes_ms: list[int]) -> None:
        self.time = datetime.fromisoformat(case.get("clock", START).replace("Z", "+00:00")).timestamp() * 1_000
        self.waits: list[float] = []
        self.random = lambda: case.get("random", 0.5)
        self._takes = iter(takes_ms)

    def now(self) -> float:
        return self.time

    def slept(self, ms: float) -> None:
        self.waits.append(ms)
        self.time += ms

    def attempt_ended(self) -> None:
        self.time += next(self._takes, 0)


class BenchClock:
    def __init__(self, bench: Bench) -> None:
        self.now = bench.now
        self.sleep = bench.slept


class AsyncBenchClock:
    def __init__(self, bench: Bench) -> None:
        self.now = bench.now
        self._bench = bench

    async def sleep(self, ms: float) -> None:
        self._bench.slept(ms)


class TimedTransport(httpx.HTTPTransport):
    def __init__(self, bench: Bench) -> None:
        super().__init__(trust_env=False, verify=False)
        self._bench = bench

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return super().handle_request(request)
        finally:
            self._bench.attempt_ended()


class AsyncTimedTransport(httpx.AsyncHTTPTransport):
    def __init__(self, bench: Bench) -> None:
        super().__init__(trust_env=False, verify=False)
        self._bench = bench

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return await super().handle_async_request(request)
        finally:
            self._bench.attempt_ended()


def run_case(kind: ClientKind, server: Server, case: Case) -> list[str]:
    """Empty if the client does what the case says."""
    return anyio.run(_run_case, kind, server, case)


async def _run_case(kind: ClientKind, server: Server, case: Case) -> list[str]:
    script = server.start_script(case["server"])
    bench = Bench(case, script["takes_ms"])
    urls = {"$base_url": script["base_url"], "$refused_url": server.refused_url}
    made: list[Any] = []

    def make() -> Any:
        if not made:
            made.append(_client(kind, case, bench, urls))
        return made[0]

    faults = []
    for index, step in enumerate(case["steps"]):
        outcome = await _outcome(kind, make, step, bench)
        answers = server.recorded(script["id"])["answers"]
        faults += [f"step {index}: {fault}" for fault in _judged(step["expect"], outcome, answers)]
    for client in made:
        await kind.close(client)
    if not same(bench.waits, case["waits_ms"]):
        faults.append(_differs("waits_ms", bench.waits, case["waits_ms"]))
    return faults + _request_faults(case["requests"], server.recorded(script["id"])["requests"])


def _client(kind: ClientKind, case: Case, bench: Bench, urls: dict[str, str]) -> Any:
    options = {**({} if "environment" in case else {"api_key": KEY, "base_url": "$base_url"}), **case.get("client", {})}
    given = {name: filled(value, urls) for name, value in options.items()}
    with _environment(case.get("environment"), urls):
        # Made where the environment is that of the case, and with the transport that moves the clock.
        return kind.make(bench, given)


@contextmanager
def _environment(values: dict[str, str] | None, urls: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in ("CUPEL_API_KEY", "CUPEL_BASE_URL")}
    given = before if values is None else {name: filled(values.get(name), urls) for name in before}
    try:
        _set_environment(given)
        yield
    finally:
        _set_environment(before)


def _set_environment(values: dict[str, Any]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class Outcome:
    def __init__(self, result: Any = None, progress: list[int] | None = None, error: Exception | None = None) -> None:
        self.result = result
        self.progress = progress
        self.error = error


async def _outcome(kind: ClientKind, make: Any, step: dict[str, Any], bench: Bench) -> Outcome:
    progress: list[int] = []
    try:
        if step["call"] == "construct":
            return Outcome(make())
        options = dict(step.get("options", {}))
        take = options.pop("take", None)
        if "progress" in step["expect"]:
            options["on_progress"] = lambda job: progress.append(job.completed)
        if step["call"] == "webhooks.verify":
            options["now"] = bench.now()
        arguments = [_argument(value) for value in step.get("args", [])]
        result = await invoked(kind, make, step["call"], arguments, options, take)
        return Outcome(result, progress)
    except Exception as error:
        return Outcome(error=error)


def _argument(value: Any) -> Any:
    if isinstance(value, dict) and "base64" in value:
        return base64.b64decode(value["base64"])
    return value["object"] if isinstance(value, dict) and "object" in value else value


def _judged(expected: dict[str, Any], outcome: Outcome, answers: list[Any]) -> list[str]:
    if "error" in expected:
        return _error_faults(expected["error"], outcome)
    if outcome.error is not None:
        return ["it failed: " + "".join(traceback.format_exception(outcome.error))]
    result = as_json(outcome.result)
    wanted: dict[str, Callable[[], Any]] = {
        "answer": lambda: answers[expected["answer"]],
        "equals": lambda: expected["equals"],
        "items": lambda: expected["items"],
        "items_of": lambda: [item for n in expected["items_of"] for item in answers[n]["items"]],
        "download": lambda: expected["download"],
    }
    faults = [_differs(name, result, make()) for name, make in wanted.items() if name in expected and not same(result, make())]
    if "progress" in expected and outcome.progress != expected["progress"]:
        faults.append(_differs("progress", outcome.progress, expected["progress"]))
    return faults


def as_json(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return [as_json(one) for one in result]
    if isinstance(result, cupel.Download):
        content = base64.b64encode(result.content).decode()
        return {"base64": content, "content_type": result.content_type, "filename": result.filename, "etag": result.etag}
    return result.to_dict() if hasattr(result, "to_dict") else result


def _error_faults(expected: dict[str, Any], outcome: Outcome) -> list[str]:
    error = outcome.error
    if error is None:
        return [f"it did not fail, but gave {_shown(as_json(outcome.result))}"]
    faults = []
    if type(error) is not getattr(cupel, expected["class"]):
        faults.append(f"it is a {type(error).__name__}, not {expected['class']}: " + "".join(traceback.format_exception(error)))
    faults += [f"it is no {name}" for name in expected.get("is_a", []) if not isinstance(error, getattr(cupel, name))]
    for field in set(expected) - {"class", "is_a", "message_has", "message_lacks"}:
        actual = getattr(error, field)
        if field == "errors":
            actual = [one._asdict() for one in actual]
        if not same(actual, expected[field]):
            faults.append(_differs(field, actual, expected[field]))
    faults += [f"the message lacks {text}: {error}" for text in expected.get("message_has", []) if text not in str(error)]
    whole = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
    return faults + [f"it shows {text}" for text in [KEY, *expected.get("message_lacks", [])] if text in whole]


def _request_faults(expected: Any, came: list[dict[str, Any]]) -> list[str]:
    count = expected if isinstance(expected, int) else len(expected)
    if len(came) != count:
        return [f"{len(came)} requests came, not {count}"]
    faults = []
    for index, wanted in enumerate([] if isinstance(expected, int) else expected):
        actual = came[index]
        for field in ("method", "path", "query", "body"):
            if field in wanted and not same(actual[field], wanted[field]):
                faults.append(f"request {index}: {_differs(field, actual[field], wanted[field])}")
        for name, rule in wanted.get("headers", {}).items():
            if not _fits(rule, name, actual["headers"].get(name), came):
                faults.append(f"request {index}: {_differs(name, actual['headers'].get(name), rule)}")
    return faults


def _fits(rule: Any, name: str, value: str | None, came: list[dict[str, Any]]) -> bool:
    if rule is None or isinstance(rule, str):
        return value == rule
    if value is None:
        return False
    if "matches" in rule:
        return re.search(rule["matches"], value) is not None
    if "same_as_request" in rule:
        return bool(value == came[rule["same_as_request"]]["headers"].get(name))
    return bool(value != came[rule["differs_from_request"]]["headers"].get(name))


def filled(value: Any, words: dict[str, str]) -> Any:
    if not isinstance(value, str):
        return value
    for word, meaning in words.items():
        value = value.replace(word, meaning)
    return value


def same(one: Any, other: Any) -> bool:
    """Equal as JSON, whatever the order of keys; True is not 1."""
    return json.dumps(_plain(one), sort_keys=True) == json.dumps(_plain(other), sort_keys=True)


def _plain(value: Any) -> Any:
    """JavaScript has one kind of numbers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _differs(what: str, actual: Any, wanted: Any) -> str:
    return f"{what} is {_shown(actual)}, not {_shown(wanted)}"


def _shown(value: Any) -> str:
    return json.dumps(value, default=repr)[:300]
