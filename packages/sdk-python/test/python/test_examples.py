"""The examples, on the scripted server. The tests of the product run them on a running installation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance import KEY, Server
from cupel import webhooks
from scripted import BATCH, addresses, batch_answers

EXAMPLES = Path(__file__).parents[4] / "examples" / "python"
SECRET = "whsec_YSBzZWNyZXQgZm9yIHRoZSBleGFtcGxlcw=="
BODY = json.dumps({"type": "bulk.completed", "data": {"job_id": "job_1", "status": "completed"}})


@pytest.fixture(autouse=True)
def receiver_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setenv("CUPEL_WEBHOOK_SECRET", SECRET)
    # Each receiver begins without ids that it has seen.
    monkeypatch.delitem(sys.modules, "take_message", raising=False)


def headers() -> dict[str, str]:
    signed = webhooks.sign(BODY, SECRET, id="msg_1", timestamp_seconds=int(time.time()))
    return {"content-type": "application/json", **signed}


def test_the_fastapi_receiver_takes_what_is_signed_once_and_refuses_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    import anyio
    import httpx
    from fastapi_receiver import app

    async def answers() -> list[int]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://receiver") as client:
            bodies = [BODY, BODY, BODY + " "]
            return [(await client.post("/cupel", content=body, headers=headers())).status_code for body in bodies]

    assert anyio.run(answers) == [204, 204, 400]
    assert capsys.readouterr().out == "job_1 is completed\n"


def test_the_django_receiver_takes_what_is_signed_once_and_refuses_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    from django.conf import settings

    settings.configure(ROOT_URLCONF="django_receiver", ALLOWED_HOSTS=["*"])
    import django
    from django.test import Client

    django.setup()
    client = Client(enforce_csrf_checks=True)
    bodies = [BODY, BODY, BODY + " "]
    statuses = [
        client.post("/cupel", data=body, content_type="application/json", headers=headers()).status_code for body in bodies
    ]
    assert [*statuses, client.get("/cupel").status_code] == [204, 204, 400, 405]
    assert capsys.readouterr().out == "job_1 is completed\n"


def test_a_csv_of_ten_thousand_addresses_goes_on_after_a_stop_and_writes_each_address_once(
    server: Server, tmp_path: Path
) -> None:
    all_addresses = addresses(10_000)
    batches = [all_addresses[start : start + BATCH] for start in range(0, len(all_addresses), BATCH)]
    source, output = tmp_path / "addresses.csv", tmp_path / "results.ndjson"
    source.write_text("address,name\n" + "".join(f'"{address}",x\n' for address in all_addresses))
    answers = [answer for index, batch in enumerate(batches) for answer in batch_answers(index, batch)]
    # The first run ends in the middle of the fifth job, the second in the middle of writing its results.
    gone = {"status": 404, "json": {"use": "problem", "with": {"status": 404, "code": "not_found"}}}
    first = server.start_script([*answers[:9], gone])
    assert run_csv(first["base_url"], source, output).returncode != 0
    assert output.read_text().count("\n") == 4 * BATCH
    with output.open("a") as lines:
        lines.write('{"address": "0xc0be1')
    second = server.start_script(answers[8:])
    finished = run_csv(second["base_url"], source, output)
    assert finished.returncode == 0, finished.stderr
    assert [json.loads(line)["address"] for line in output.read_text().splitlines()] == all_addresses
    assert finished.stdout.splitlines()[-1] == "10000 of 10000"
    came = [server.recorded(one["id"])["requests"] for one in (first, second)]
    keys = [[request["headers"].get("idempotency-key") for request in requests] for requests in came]
    submitted = [[key for key in some if key is not None] for some in keys]
    assert submitted[0][4] == submitted[1][0]
    assert len({*submitted[0], *submitted[1]}) == len(batches)


def run_csv(base_url: str, source: Path, output: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / "screen_csv.py"), str(source), str(output)],
        env={**os.environ, "CUPEL_API_KEY": KEY, "CUPEL_BASE_URL": base_url},
        capture_output=True,
        text=True,
    )
