"""The rules that the cases of all SDKs cannot say: models, hooks, secrecy of the key, httpx settings, clocks, and the library of Standard Webhooks."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import anyio
import httpx
import pytest
from standardwebhooks import Webhook

import cupel
from conformance import FOLDER, same
from cupel import Cupel, Hooks, Report, webhooks
from cupel.hooks import AnswerEvent, AttemptEvent, RetryEvent

KEY = "cpl_test_a0secret0that0nobody0may0see"
FIXTURES: dict[str, Any] = json.loads((FOLDER / "cases" / "fixtures.json").read_text("utf-8"))


class StillClock:
    """Waits take no time."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def now(self) -> float:
        return 0

    def sleep(self, ms: float) -> None:
        self.waits.append(ms)


def answering(*answers: httpx.Response, **options: Any) -> tuple[Cupel, list[httpx.Request]]:
    """A client that gets these answers in turn, and what it sends."""
    sent: list[httpx.Request] = []
    left = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return left.pop(0)

    own = httpx.Client(transport=httpx.MockTransport(answer), **options.pop("httpx", {}))
    client = Cupel(api_key=KEY, base_url="http://localhost", http_client=own, clock=StillClock(), **options)
    return client, sent


def problem(status: int) -> httpx.Response:
    return httpx.Response(status, json={"code": "unavailable"})


def report_of(**fields: Any) -> httpx.Response:
    return httpx.Response(200, json={**FIXTURES["report"], **fields})


ADDRESS = FIXTURES["report"]["address"]


class TestModels:
    def test_fields_are_attributes_at_every_depth_and_lists_are_tuples(self) -> None:
        report = Report.from_dict(FIXTURES["report"])
        assert report.risk.level == "red"
        assert isinstance(report.risk.evidence, tuple)
        sanction = report.risk.evidence[0].sanction
        assert sanction is not None and sanction.programmes == ("DPRK3",)
        assert report.cluster is None and report.candidate_chains is None

    def test_nothing_can_be_changed(self) -> None:
        report = Report.from_dict(FIXTURES["report"])
        with pytest.raises(AttributeError):
            report.risk.level = "green"
        with pytest.raises(AttributeError):
            del report.risk
        report.to_dict()["risk"]["level"] = "green"
        assert report.risk.level == "red"

    def test_new_fields_and_new_values_are_kept(self) -> None:
        json = {**FIXTURES["report"], "some_new_field": {"a": [1]}}
        report = Report.from_dict({**json, "risk": {**json["risk"], "level": "violet"}})
        assert report.risk.level == "violet"
        assert getattr(report, "some_new_field")["a"] == (1,)
        assert report.to_dict()["some_new_field"] == {"a": [1]}

    def test_a_field_that_must_be_there_and_is_not_is_no_value(self) -> None:
        report = Report.from_dict({"report_id": "1", "risk": {"level": "green"}})
        with pytest.raises(AttributeError, match="score_is_lower_bound"):
            _ = report.risk.score_is_lower_bound

    def test_models_are_equal_hashable_printable_and_can_be_copied_and_pickled(self) -> None:
        report = Report.from_dict(FIXTURES["report"])
        for other in (copy.deepcopy(report), copy.copy(report), pickle.loads(pickle.dumps(report))):
            assert other == report and hash(other) == hash(report) and other.risk.level == "red"
        assert report != Report.from_dict({**FIXTURES["report"], "report_id": "0"})
        assert "level='red'" in repr(report.risk)
        assert "risk" in dir(report)

    def test_a_word_of_python_has_an_underscore(self) -> None:
        period = cupel.Usage.from_dict({"today": {"from": "2026-01-01T00:00:00Z"}}).today
        assert period.from_ == "2026-01-01T00:00:00Z"

    def test_a_webhook_secret_is_not_printed(self) -> None:
        endpoint = cupel.NewWebhookEndpoint.from_dict({"endpoint_id": "we_1", "secret": "whsec_abc"})
        assert endpoint.secret == "whsec_abc" and "whsec_abc" not in repr(endpoint)


class TestHooks:
    def test_hooks_see_each_attempt_add_headers_and_never_see_or_replace_the_key(self) -> None:
        seen: list[tuple[object, ...]] = []

        def attempt(event: AttemptEvent) -> dict[str, str]:
            seen.append(("attempt", event.attempt))
            return {"Traceparent": f"00-{event.attempt}", "Authorization": "Bearer other", "Idempotency-Key": "other"}

        def answer(event: AnswerEvent) -> None:
            seen.append(("answer", event.attempt, event.status))
            assert KEY not in repr(event)

        def retry(event: RetryEvent) -> None:
            seen.append(("retry", event.attempt, type(event.error).__name__))
            assert KEY not in repr(event)

        client, sent = answering(problem(503), report_of(), hooks=Hooks(attempt, answer, retry))
        client.screen(ADDRESS, idempotency_key="mine")
        assert seen == [
            ("attempt", 1),
            ("answer", 1, 503),
            ("retry", 1, "UnavailableError"),
            ("attempt", 2),
            ("answer", 2, 200),
        ]
        assert [request.headers["traceparent"] for request in sent] == ["00-1", "00-2"]
        for request in sent:
            assert request.headers["authorization"] == f"Bearer {KEY}"
            assert request.headers.get_list("idempotency-key") == ["mine"]

    @pytest.mark.parametrize("fault", [RuntimeError("the log is full"), TimeoutError("slow"), httpx.ConnectError("no")])
    @pytest.mark.parametrize("place", ["attempt", "answer", "retry"])
    def test_what_a_hook_raises_the_call_raises_and_it_is_not_tried_again(self, place: str, fault: Exception) -> None:
        def failing(_: object) -> None:
            raise fault

        client, sent = answering(problem(503), problem(503), hooks=Hooks(**{place: failing}))
        with pytest.raises(type(fault)) as raised:
            client.screen(ADDRESS)
        assert raised.value is fault
        assert len(sent) <= 1


class TestTheKey:
    def test_neither_the_client_nor_its_errors_show_the_key(self) -> None:
        client, _ = answering(problem(401))
        with pytest.raises(cupel.AuthenticationError) as raised:
            client.screen(ADDRESS)
        assert KEY not in repr(client) + repr(vars(client)) + repr(raised.value) + repr(vars(raised.value))
        assert KEY not in repr(client._transport._settings)
        # What tools that print local variables of a traceback would print.
        assert KEY not in str(raised.getrepr(showlocals=True)).replace(f"KEY        = '{KEY}'", "")

    def test_settings_of_an_own_client_of_httpx_do_not_replace_the_key_or_follow_redirects(self) -> None:
        settings = {
            "auth": ("user", "password"),
            "follow_redirects": True,
            "headers": {"authorization": "Bearer other", "x-own": "1"},
            "cookies": {"session": "1"},
            "params": {"a": "1"},
        }
        moved = httpx.Response(302, headers={"location": "http://elsewhere.example/"})
        client, sent = answering(moved, httpx=settings)
        with pytest.raises(cupel.UnexpectedAnswerError):
            client.screen(ADDRESS)
        assert len(sent) == 1
        assert sent[0].headers["authorization"] == f"Bearer {KEY}"
        assert "cookie" not in sent[0].headers and sent[0].url.query == b""


class TestSettings:
    def test_a_proxy_and_an_own_client_exclude_each_other(self) -> None:
        with httpx.Client() as own, pytest.raises(cupel.ConfigurationError):
            Cupel(api_key=KEY, base_url="http://localhost", http_client=own, proxy="http://proxy.example:3128")

    def test_calls_go_through_the_proxy(self) -> None:
        asked: list[str] = []

        class Proxy(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked.append(self.path)
                body = json.dumps(FIXTURES["report"]).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        with HTTPServer(("127.0.0.1", 0), Proxy) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            proxy = f"http://127.0.0.1:{server.server_port}"
            url = "http://cupel.internal"
            with Cupel(api_key=KEY, base_url=url, proxy=proxy, allow_insecure_http=True) as client:
                assert client.screen(ADDRESS).risk.level == "red"
            server.shutdown()
        assert asked == ["http://cupel.internal/v1/screen"]

    def test_a_client_closes_its_own_connections_and_leaves_others_open(self) -> None:
        client, _ = answering()
        with client:
            pass
        assert not client._transport._client.is_closed
        with Cupel(api_key=KEY, base_url="http://localhost") as own:
            pass
        assert own._transport._client.is_closed

    def test_a_datetime_without_time_zone_is_refused_and_one_with_it_is_sent_in_utc(self) -> None:
        page = httpx.Response(200, json={"items": [], "next_page_token": None})
        client, sent = answering(page)
        with pytest.raises(cupel.InvalidArgumentError):
            client.reports.list(from_=datetime(2026, 1, 1))
        client.reports.list(from_=datetime(2026, 1, 1, tzinfo=timezone.utc)).to_list()
        assert sent[0].url.params["from"] == "2026-01-01T00:00:00.000Z"

    @pytest.mark.parametrize("addresses", [[float("nan")], [b"bytes"], [object()]])
    def test_what_is_no_json_is_refused_and_not_sent(self, addresses: list[Any]) -> None:
        client, sent = answering()
        with pytest.raises(cupel.InvalidArgumentError):
            client.bulk.submit(addresses)
        assert sent == []

    def test_errors_can_be_pickled(self) -> None:
        client, _ = answering(httpx.Response(400, json={**FIXTURES["problem"], "status": 400, "code": "invalid_address"}))
        with pytest.raises(cupel.InvalidAddressError) as raised:
            client.screen("x")
        revived = pickle.loads(pickle.dumps(raised.value))
        assert type(revived) is cupel.InvalidAddressError
        assert (str(revived), revived.code) == (str(raised.value), "invalid_address")

    def test_the_system_clock_tells_milliseconds_and_sleeps(self) -> None:
        clock = cupel.clock.SystemClock()
        assert abs(clock.now() - time.time() * 1_000) < 60_000
        began = time.monotonic()
        clock.sleep(5)
        assert time.monotonic() - began >= 0.005


def test_a_cancelled_task_ends_an_attempt_and_is_no_time_out() -> None:
    async def main() -> str:
        reached = anyio.Event()

        async def hang(_: httpx.Request) -> httpx.Response:
            reached.set()
            await anyio.sleep_forever()
            raise AssertionError

        own = httpx.AsyncClient(transport=httpx.MockTransport(hang))
        client = cupel.AsyncCupel(api_key=KEY, base_url="http://localhost", http_client=own)
        async with anyio.create_task_group() as group:
            group.start_soon(client.screen, ADDRESS)
            await reached.wait()
            group.cancel_scope.cancel()
        await own.aclose()
        return "cancelled"

    assert anyio.run(main) == "cancelled"


def test_one_asynchronous_client_makes_many_calls_at_once() -> None:
    async def main() -> int:
        waiting = 0
        everybody = anyio.Event()

        async def answer(request: httpx.Request) -> httpx.Response:
            nonlocal waiting
            waiting += 1
            if waiting == 20:
                everybody.set()
            await everybody.wait()
            return report_of(address=json.loads(request.content)["address"])

        own = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        client = cupel.AsyncCupel(api_key=KEY, base_url="http://localhost", http_client=own)
        async with anyio.create_task_group() as group:
            for n in range(20):
                group.start_soon(client.screen, f"address {n}")
        await own.aclose()
        return waiting

    assert anyio.run(main) == 20


SECRET = "whsec_" + base64.b64encode(b"a secret of 24 bytes ...").decode()
BODY = json.dumps({"type": "endpoint.test", "timestamp": "2026-01-01T00:00:00Z", "data": {"name": "Zoë"}}, ensure_ascii=False)


class TestWebhooks:
    def test_the_library_of_standard_webhooks_verifies_what_the_sdk_signs(self) -> None:
        headers = webhooks.sign(BODY, SECRET, id="msg_1", timestamp_seconds=int(time.time()))
        assert Webhook(SECRET).verify(BODY, headers) == json.loads(BODY)
        with pytest.raises(Exception, match="signature"):
            Webhook(SECRET).verify(BODY + " ", headers)

    def test_the_sdk_verifies_what_the_library_of_standard_webhooks_signs(self) -> None:
        at = datetime.now(tz=timezone.utc)
        signature = Webhook(SECRET).sign("msg_1", at, BODY)
        seconds = str(int(at.timestamp()))
        headers = {"webhook-id": "msg_1", "webhook-timestamp": seconds, "webhook-signature": signature}
        message = webhooks.verify(BODY.encode(), headers, SECRET)
        assert same(message.to_dict(), {**json.loads(BODY), "webhook_id": "msg_1"})
        assert isinstance(message, cupel.EndpointTestMessage)
        with pytest.raises(cupel.WebhookVerificationError):
            webhooks.verify(BODY + " ", headers, SECRET)

    def test_headers_come_as_frameworks_have_them(self) -> None:
        headers = webhooks.sign(BODY, SECRET, id="msg_1", timestamp_seconds=int(time.time()))
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        for form in (httpx.Headers(headers), pairs, list(headers.items()), {k.title(): [v] for k, v in headers.items()}):
            assert webhooks.verify(BODY, form, SECRET).webhook_id == "msg_1"

    def test_a_header_that_comes_twice_is_refused(self) -> None:
        headers = webhooks.sign(BODY, SECRET, id="msg_1", timestamp_seconds=int(time.time()))
        with pytest.raises(cupel.WebhookVerificationError):
            webhooks.verify(BODY, [*headers.items(), ("Webhook-Id", "msg_2")], SECRET)

    def test_the_end_of_a_job_has_its_types(self) -> None:
        end = {"job_id": "job_1", "status": "completed", "results": [{"number": 1, "address": "x", "status": "completed", "level": "red"}]}
        body = json.dumps({"type": "bulk.completed", "timestamp": "2026-01-01T00:00:00Z", "data": end})
        headers = webhooks.sign(body, SECRET, id="msg_1", timestamp_seconds=int(time.time()))
        message = webhooks.verify(body, headers, [SECRET])
        assert isinstance(message, cupel.BulkCompletedMessage)
        assert message.data.job_id == "job_1" and message.data.results is not None
        assert isinstance(message.data.results[0], cupel.BulkResultSummary)
