"""A column of addresses in, a DataFrame of levels out."""

from __future__ import annotations

import math

import pandas as pd

from conformance import KEY, Server
from cupel import Cupel
from cupel.pandas import screen_column

JOB = {"use": "job"}


def result(number: int, address: str, **fields: object) -> dict[str, object]:
    return {"number": number, "address": address, **fields}


def test_each_row_keeps_its_index_and_only_what_was_judged_has_a_level(server: Server) -> None:
    report = {"use": "report", "with": {"risk": {"level": "green", "score": 0}}}
    results = [
        result(1, "a", status="completed", report=report),
        result(2, "b", status="failed", error={"code": "invalid_address", "detail": "It is not one."}),
        result(3, "c", status="cancelled"),
        result(4, "d", status="some_new_status", report=report),
    ]
    ended = {"use": "ended_job", "with": {"results": results}}
    script = server.start_script([{"status": 202, "json": JOB}, {"status": 200, "json": ended}])
    column = pd.Series(["a", "b", None, "a", "c", float("nan"), "d", "e"], index=[10, 11, 12, 13, 14, 15, 16, 17])
    with Cupel(api_key=KEY, base_url=script["base_url"]) as cupel:
        table = screen_column(cupel, column)
    assert table.index.tolist() == column.index.tolist()
    assert table["status"].tolist() == [
        "completed",
        "failed",
        "missing",
        "completed",
        "cancelled",
        "missing",
        "some_new_status",
        "failed",
    ]
    assert [one for one in table["level"] if isinstance(one, str)] == ["green", "green"]
    assert (table["level"] == "green").tolist() == [True, False, False, True, False, False, False, False]
    assert math.isnan(table["score"].iloc[1])
    assert table["error"].iloc[1] == "invalid_address"
    sent = server.recorded(script["id"])["requests"][0]["body"]
    assert sent == {"addresses": ["a", "b", "c", "d", "e"]}


def test_a_column_without_addresses_sends_nothing_and_has_the_same_columns(server: Server) -> None:
    script = server.start_script([])
    with Cupel(api_key=KEY, base_url=script["base_url"]) as cupel:
        empty = screen_column(cupel, pd.Series([], dtype=object))
        missing = screen_column(cupel, pd.Series([None]))
    assert empty.columns.tolist() == missing.columns.tolist()
    assert missing["status"].tolist() == ["missing"]
    assert server.recorded(script["id"])["requests"] == []
