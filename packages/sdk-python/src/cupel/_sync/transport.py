# Generated from _async/transport.py by `npm run generate`. Do not edit.
"""Makes a call, again where that can help and harms nothing, until its deadline."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from typing import TypeVar

import httpx

from .._answers import unexpected
from .._call import Answer, Call, url_of
from .._guard import GuardedStream
from .._json import encoded
from .._limits import Limit
from .._problem import problem_from
from .._settings import Settings
from .._waits import wait_before
from ..clock import Clock
from ..errors import (
    ApiError,
    ConnectionFailedError,
    InvalidArgumentError,
    TimedOutError,
)
from ..hooks import AnswerEvent, AttemptEvent, RetryEvent

T = TypeVar("T")

_MOST_PROBLEM_BYTES = 64 * 1024
"""Bytes of an error answer that are read; a problem document has far fewer."""


class Transport:
    def __init__(self, settings: Settings, clock: Clock, client: httpx.Client) -> None:
        self._settings = settings
        self._clock = clock
        self._client = client

    def call(self, call: Call) -> Answer:
        """
        Raises an ApiError for an error answer, a ConnectionFailedError where no answer came, and an UnexpectedAnswerError for what is
        no answer of the API.
        """
        settings = self._settings
        timeout_ms = settings.timeout_ms if call.timeout_ms is None else call.timeout_ms
        max_retries = settings.max_retries if call.max_retries is None else call.max_retries
        url, key = url_of(settings.base_url, call), _key_of(call)
        content = None if call.body is None else encoded(call.body)
        deadline = self._clock.now() + timeout_ms
        attempt = 1
        while True:
            event = AttemptEvent(call.method, url, attempt, key)
            try:
                return self._attempt(call, event, content, deadline - self._clock.now())
            except (ApiError, ConnectionFailedError) as error:
                wait_ms = wait_before(attempt, error, settings.random)
                if attempt > max_retries or not _can_help(error, call) or self._clock.now() + wait_ms >= deadline:
                    raise
                failure = error
            except _HookFailed as failed:
                raise failed.error from None
            if settings.hooks.retry is not None:
                settings.hooks.retry(RetryEvent(call.method, url, attempt, key, failure, wait_ms))
            self._clock.sleep(wait_ms)
            attempt += 1

    def _attempt(self, call: Call, event: AttemptEvent, content: bytes | None, remaining_ms: float) -> Answer:
        """Sends the call once and reads the answer, within `remaining_ms`."""
        limit_ms = min(self._settings.attempt_timeout_ms + (call.wait_seconds or 0) * 1_000, remaining_ms)
        where = httpx.URL(self._settings.base_url).netloc.decode()
        headers = self._headers_of(call, event, content)
        limit = Limit(limit_ms)
        try:
            with limit:
                return self._exchange(call, event, headers, content, limit)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise TimedOutError(f"{where} did not answer {call.method} {call.path} within {limit_ms:.0f} ms.") from error
        except httpx.RequestError as error:
            reason = str(error) or type(error).__name__
            raise ConnectionFailedError(
                f"The connection to {where} failed before {call.method} {call.path} was answered: {reason}."
            ) from error

    def _exchange(
        self, call: Call, event: AttemptEvent, headers: httpx.Headers, content: bytes | None, limit: Limit
    ) -> Answer:
        started_at = self._clock.now()
        # Made without the client, whose cookies and default headers are not a part of a call.
        request = httpx.Request(call.method, event.url, headers=headers, content=content, extensions=dict(limit.extensions()))
        # The key goes only to the base URL, wherever an answer points.
        response = self._client.send(request, auth=None, follow_redirects=False, stream=True)
        response.stream = GuardedStream(response)
        try:
            status, answer_headers = response.status_code, response.headers
            self._tell_answer(event, response, self._clock.now() - started_at)
            if status >= 400:
                raise problem_from(status, answer_headers, _start_of(response, limit), self._clock.now())
            answer = Answer(status, answer_headers, b"")
            if not 200 <= status < 300:
                raise unexpected("The service answered with a redirect. Correct the base URL", answer)
            most = self._settings.max_answer_bytes
            body = _read(response, most, limit)
            if len(body) > most:
                raise unexpected(f"The answer is larger than {most} bytes", answer)
            return Answer(status, answer_headers, body)
        finally:
            response.close()

    def _tell_answer(self, event: AttemptEvent, response: httpx.Response, duration_ms: float) -> None:
        hook = self._settings.hooks.answer
        if hook is None:
            return
        request_id = response.headers.get("request-id")
        answer = AnswerEvent(
            event.method,
            event.url,
            event.attempt,
            event.idempotency_key,
            response.status_code,
            request_id,
            response.headers,
            duration_ms,
        )
        _hooked(lambda: hook(answer))

    def _headers_of(self, call: Call, event: AttemptEvent, content: bytes | None) -> httpx.Headers:
        """httpx.Headers do not show the key where they are printed, as in a traceback with local variables."""
        hook = self._settings.hooks.attempt
        added: Mapping[str, str] | None = None if hook is None else _hooked(lambda: hook(event))
        headers = httpx.Headers(added)
        headers["accept"] = call.accept
        headers["accept-encoding"] = "gzip, deflate"
        headers["user-agent"] = self._settings.user_agent
        headers["authorization"] = f"Bearer {self._settings.api_key}"
        if content is not None:
            headers["content-type"] = "application/json"
        if call.wait_seconds is not None:
            headers["prefer"] = f"wait={call.wait_seconds}"
        if event.idempotency_key is not None:
            headers["idempotency-key"] = event.idempotency_key
        return headers


def _read(response: httpx.Response, most_bytes: float, limit: Limit) -> bytes:
    """The body, or its beginning with more than `most_bytes`."""
    chunks: list[bytes] = []
    size = 0
    for chunk in response.iter_bytes():
        limit.check()
        size += len(chunk)
        chunks.append(chunk)
        if size > most_bytes:
            break
    return b"".join(chunks)


def _start_of(response: httpx.Response, limit: Limit) -> bytes:
    """The status has arrived, so the call is answered, whatever becomes of the body."""
    try:
        body = _read(response, _MOST_PROBLEM_BYTES, limit)
    except (httpx.RequestError, TimeoutError):
        # Cut off: an error without a problem document.
        return b""
    return body if len(body) <= _MOST_PROBLEM_BYTES else b""


def _can_help(error: ApiError | ConnectionFailedError, call: Call) -> bool:
    if isinstance(error, ApiError):
        return error.status in (408, 429) or error.status >= 500 or error.code == "idempotency_in_progress"
    # Without a connection the service cannot have seen the call.
    return call.repeat != "once" or isinstance(error.__cause__, httpx.ConnectError)


def _key_of(call: Call) -> str | None:
    """One key for all attempts of a call."""
    if call.repeat != "keyed":
        return None
    key = str(uuid.uuid4()) if call.idempotency_key is None else call.idempotency_key
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        return key
    raise InvalidArgumentError("An idempotency key has 1 to 255 visible ASCII characters.")


class _HookFailed(Exception):
    """Keeps what a hook raises apart from what httpx raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _hooked(work: Callable[[], T]) -> T:
    try:
        return work()
    except Exception as error:
        raise _HookFailed(error) from error
