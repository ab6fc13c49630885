"""Settings of a client, checked once."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from random import random as system_random
from urllib.parse import SplitResult, urlsplit

from ._version import version
from .errors import ConfigurationError
from .hooks import Hooks

TIMEOUT_MS = 60_000
ATTEMPT_TIMEOUT_MS = 20_000
MAX_RETRIES = 5
MAX_ANSWER_BYTES = 128 * 1024 * 1024


@dataclass(frozen=True)
class Settings:
    base_url: str
    """Without a slash at the end."""
    api_key: str = field(repr=False)
    user_agent: str
    timeout_ms: float
    attempt_timeout_ms: float
    max_retries: int
    max_answer_bytes: float
    hooks: Hooks
    random: Callable[[], float]


def settings_from(
    *,
    api_key: str | None,
    base_url: str | None,
    timeout_ms: float,
    attempt_timeout_ms: float,
    max_retries: int,
    max_answer_bytes: float,
    allow_insecure_http: bool,
    hooks: Hooks | None,
    random: Callable[[], float] | None,
) -> Settings:
    """Raises a ConfigurationError for what cannot work. The message never contains the key."""
    if sys.platform == "emscripten":
        raise ConfigurationError(
            "An API key does not belong into a browser, where every visitor can read it. Call Cupel from your server."
        )
    return Settings(
        base_url=_read_base_url(base_url, allow_insecure_http),
        api_key=_read_key(api_key),
        user_agent=f"cupel-python/{version} {platform.python_implementation().lower()}/{platform.python_version()}",
        timeout_ms=_positive("timeout_ms", timeout_ms),
        attempt_timeout_ms=_positive("attempt_timeout_ms", attempt_timeout_ms),
        max_retries=_count("max_retries", max_retries),
        max_answer_bytes=_positive("max_answer_bytes", max_answer_bytes),
        hooks=hooks or Hooks(),
        random=random or system_random,
    )


def _read_key(given: str | None) -> str:
    key = (os.environ.get("CUPEL_API_KEY", "") if given is None else given).strip()
    if key == "":
        raise ConfigurationError("There is no API key: set CUPEL_API_KEY, or pass api_key.")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ConfigurationError("The API key has characters that no key has. Copy it again, without line breaks.")
    return key


def _read_base_url(given: str | None, allow_insecure_http: bool) -> str:
    text = (os.environ.get("CUPEL_BASE_URL", "") if given is None else given).strip()
    if text == "":
        raise ConfigurationError("There is no base URL: set CUPEL_BASE_URL, or pass base_url.")
    url = _split(text)
    host = url.hostname if url is not None else None
    if url is None or host is None or url.scheme not in ("http", "https"):
        raise ConfigurationError("The base URL is not an http or https URL.")
    if "@" in url.netloc or "?" in text or "#" in text:
        raise ConfigurationError("The base URL may have a path, but no user name, password, query or fragment.")
    if url.scheme == "http" and not _is_this_machine(host) and not allow_insecure_http:
        raise ConfigurationError(
            f"The key would be sent to {url.netloc} over plain http, where others can read it. "
            "Use https, or set allow_insecure_http."
        )
    return f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"


def _split(text: str) -> SplitResult | None:
    try:
        url = urlsplit(text)
        _ = url.port
    except ValueError:
        # Not a URL; the caller says so.
        return None
    return None if re.search(r"[\s\\]", text) else url


def _is_this_machine(host: str) -> bool:
    # httpx resolves short forms such as 127.1 in its own way: only the plain form is known to stay here.
    return host in ("localhost", "::1") or host.endswith(".localhost") or re.fullmatch(r"127(\.\d{1,3}){3}", host) is not None


def _positive(name: str, value: float) -> float:
    if isinstance(value, (int, float)) and value > 0:
        return value
    raise ConfigurationError(f"{name} must be a number greater than 0.")


def _count(name: str, value: int) -> int:
    if isinstance(value, int) and value >= 0:
        return value
    raise ConfigurationError(f"{name} must be a whole number, 0 or greater.")
