from __future__ import annotations

import ssl
from collections.abc import Callable
from datetime import datetime
from types import TracebackType

import httpx

from .. import webhooks
from .._answers import as_of_screening_of, moment_of, object_of, report_of
from .._call import Call, Time, checked_wait, time_text
from .._settings import ATTEMPT_TIMEOUT_MS, MAX_ANSWER_BYTES, MAX_RETRIES, TIMEOUT_MS, settings_from
from ..clock import AsyncClock, AsyncSystemClock
from ..errors import ConfigurationError, InvalidArgumentError
from ..hooks import Hooks
from ..models import AsOfScreening, InstallationHealth, KeyUsageDay, Report, Usage
from .item_list import AsyncItemList
from .resources.accounts import AsyncAccounts
from .resources.audit_log import AsyncAuditLog
from .resources.bulk import AsyncBulk
from .resources.cases import AsyncCases
from .resources.chains import AsyncChains
from .resources.inbox import AsyncInbox
from .resources.keys import AsyncKeys
from .resources.ledger import AsyncLedger
from .resources.list_imports import AsyncListImports
from .resources.list_of import list_of
from .resources.lists import AsyncLists
from .resources.log import AsyncLog
from .resources.own_labels import AsyncOwnLabels
from .resources.policy import AsyncPolicy
from .resources.proposed_changes import AsyncProposedChanges
from .resources.reports import AsyncReports
from .resources.transfers import AsyncTransfers
from .resources.watches import AsyncWatches
from .resources.webhook_endpoints import AsyncWebhookEndpoints
from .transport import AsyncTransport


class AsyncCupel:
    """
    A client of one installation, with one key. It keeps its connections open between calls, so use one for all, and close it with
    `async with` or `aclose`.

    `api_key` and `base_url` default to the environment variables CUPEL_API_KEY and CUPEL_BASE_URL. `timeout_ms` is for one call
    with all its attempts and waits, `attempt_timeout_ms` for one attempt, both in milliseconds. `max_retries` says how often a
    call is repeated at most, `max_answer_bytes` how large one answer may be. The key is only sent over https or to this machine,
    unless `allow_insecure_http` is true.

    `proxy`, `verify` and `trust_env` are those of httpx. `http_client` is used in place of an own client of httpx, for anything else
    that httpx can; it sees the key, and whoever gives it closes it. `hooks` are called around each attempt and never see the key.

    Raises a ConfigurationError for what cannot work.
    """

    webhooks = webhooks

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout_ms: float = TIMEOUT_MS,
        attempt_timeout_ms: float = ATTEMPT_TIMEOUT_MS,
        max_retries: int = MAX_RETRIES,
        max_answer_bytes: float = MAX_ANSWER_BYTES,
        allow_insecure_http: bool = False,
        proxy: str | httpx.URL | httpx.Proxy | None = None,
        verify: ssl.SSLContext | bool = True,
        trust_env: bool = True,
        http_client: httpx.AsyncClient | None = None,
        hooks: Hooks | None = None,
        clock: AsyncClock | None = None,
        random: Callable[[], float] | None = None,
    ) -> None:
        settings = settings_from(
            api_key=api_key,
            base_url=base_url,
            timeout_ms=timeout_ms,
            attempt_timeout_ms=attempt_timeout_ms,
            max_retries=max_retries,
            max_answer_bytes=max_answer_bytes,
            allow_insecure_http=allow_insecure_http,
            hooks=hooks,
            random=random,
        )
        if http_client is not None and (proxy is not None or verify is not True or trust_env is not True):
            raise ConfigurationError("Set proxy, verify and trust_env of the http_client that you pass.")
        self._own_client = (
            httpx.AsyncClient(proxy=proxy, verify=verify, trust_env=trust_env) if http_client is None else None
        )
        client = self._own_client or http_client
        assert client is not None
        clock = clock or AsyncSystemClock()
        self._transport = AsyncTransport(settings, clock, client)
        self.reports = AsyncReports(self._transport)
        self.transfers = AsyncTransfers(self._transport)
        self.bulk = AsyncBulk(self._transport, settings, clock)
        self.webhook_endpoints = AsyncWebhookEndpoints(self._transport)
        self.keys = AsyncKeys(self._transport)
        self.accounts = AsyncAccounts(self._transport)
        self.audit_log = AsyncAuditLog(self._transport)
        self.cases = AsyncCases(self._transport)
        self.chains = AsyncChains(self._transport)
        self.inbox = AsyncInbox(self._transport)
        self.ledger = AsyncLedger(self._transport)
        self.lists = AsyncLists(self._transport)
        self.list_imports = AsyncListImports(self._transport)
        self.log = AsyncLog(self._transport)
        self.own_labels = AsyncOwnLabels(self._transport)
        self.policy = AsyncPolicy(self._transport)
        self.proposed_changes = AsyncProposedChanges(self._transport)
        self.watches = AsyncWatches(self._transport)

    async def screen(
        self,
        address: str,
        *,
        chain: str | None = None,
        customer_reference: str | None = None,
        wait_seconds: int | None = None,
        idempotency_key: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> Report:
        """
        Screens one address and returns its report. Decide on `risk.level`, and treat a level that you do not know like `red`.
        Every call makes a new report; a call that is repeated after a lost answer gets the report of the first attempt.

        `chain` is a chain code in any case; without it the chain is detected. `customer_reference` is your own reference, at most
        128 characters. `idempotency_key` has 1 to 255 visible ASCII characters and is random by default; give your own to repeat a
        call after a crash. `wait_seconds`, at most 20, is how long you wait for stages of the screening that are late, such as the
        search of the ledger; by default as long as each stage has.
        """
        if not isinstance(address, str):
            raise InvalidArgumentError("The address must be a text.")
        call = Call(
            "POST",
            "/v1/screen",
            "keyed",
            body={"address": address, "chain": chain, "customer_reference": customer_reference},
            wait_seconds=checked_wait(wait_seconds),
            idempotency_key=idempotency_key,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
        return report_of(await self._transport.call(call), address=address)

    async def screen_as_of(
        self,
        address: str,
        as_of: str | datetime,
        *,
        chain: str | None = None,
        customer_reference: str | None = None,
        idempotency_key: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> AsOfScreening:
        """
        Says what lists, policy and ledger of a past moment say of an address. It is not a report: it has no id, and nothing is
        stored. Providers of chain data cannot be asked about the past, so that what they said is left out.

        `as_of` is an RFC 3339 time, or a datetime with a time zone. The other arguments are those of `screen`.
        """
        if not isinstance(address, str):
            raise InvalidArgumentError("The address must be a text.")
        body = {
            "address": address,
            "chain": chain,
            "customer_reference": customer_reference,
            "as_of": moment_of(as_of),
        }
        call = Call(
            "POST",
            "/v1/screen",
            "keyed",
            body=body,
            idempotency_key=idempotency_key,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
        return as_of_screening_of(await self._transport.call(call), address)

    async def usage(self, *, timeout_ms: float | None = None, max_retries: int | None = None) -> Usage:
        """Usage of the account's plan, and its limits."""
        call = Call("GET", "/v1/usage", "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return Usage(object_of(await self._transport.call(call)))

    def usage_days(
        self,
        *,
        from_: Time | None = None,
        to: Time | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncItemList[KeyUsageDay]:
        """
        The calls of each key on each day that begins at `from_` or later and before `to`, the newest day first. `page_size` is 1 to 200.
        """
        return list_of(
            self._transport,
            "/v1/usage/days",
            KeyUsageDay,
            {"from": time_text(from_), "to": time_text(to)},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )

    async def installation_health(
        self, *, timeout_ms: float | None = None, max_retries: int | None = None
    ) -> InstallationHealth:
        """For operators: the health of the installation. What could not be read is unknown, never healthy."""
        call = Call("GET", "/v1/installation-health", "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return InstallationHealth(object_of(await self._transport.call(call)))

    async def aclose(self) -> None:
        """Closes the connections. A client of httpx that was passed stays open."""
        if self._own_client is not None:
            await self._own_client.aclose()

    async def __aenter__(self) -> AsyncCupel:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()
