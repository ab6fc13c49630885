"""The rules of every SDK: the cases of packages/sdk-conformance, on both clients."""

from __future__ import annotations

import pytest

from clients import KINDS, ClientKind
from conformance import Case, Server, case_files, run_case

CASES = [pytest.param(case, id=f"{file}: {case['name']}") for file, cases in case_files().items() for case in cases]


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@pytest.mark.parametrize("case", CASES)
def test_case(kind: ClientKind, server: Server, case: Case) -> None:
    assert run_case(kind, server, case) == []


@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_the_runner_notices_another_result_error_header_number_of_requests_and_wait(
    kind: ClientKind, server: Server
) -> None:
    case = next(one for one in case_files()["retries"] if one["name"].startswith("a screen is sent again after 503"))
    step = case["steps"][0]
    wrong = [
        {**case, "waits_ms": [251]},
        {**case, "requests": 3},
        {**case, "requests": [{**one, "headers": {"idempotency-key": "other"}} for one in case["requests"]]},
        {**case, "steps": [{**step, "expect": {"equals": {}}}]},
        {**case, "steps": [{**step, "expect": {"error": {"class": "ServerError"}}}]},
    ]
    for changed in wrong:
        assert run_case(kind, server, changed) != []
    assert run_case(kind, server, case) == []
