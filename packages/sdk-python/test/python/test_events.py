"""Whatever is repeated and however partitions are mixed, a subscriber ends with the first outcomes and the latest reports."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cupel.events import ReportReducer

PARTITIONS = 4


def event(number: int, address: str, hour: int, score: int) -> dict[str, Any]:
    return {
        "reportId": f"r{number:02}",
        "accountId": "acc_1",
        "livemode": True,
        "chain": "ETH",
        "canonicalAddress": address,
        "level": "red",
        "score": score,
        "generatedAt": f"2026-11-21T{hour}:00:00.000Z",
    }


@pytest.mark.parametrize("seed", range(50))
def test_records_that_are_read_again_and_partitions_that_are_mixed_change_nothing(seed: int) -> None:
    chance = random.Random(seed)
    partitions: list[list[dict[str, Any]]] = [[] for _ in range(PARTITIONS)]
    for _ in range(chance.randrange(40)):
        number = chance.randrange(12)
        address = chance.choice(["0xaa", "0xbb"])
        partitions[number % PARTITIONS].append(
            event(number, address, chance.randrange(10, 13), chance.randrange(100))
        )
    first: dict[str, dict[str, Any]] = {}
    for record in (each for records in partitions for each in records):
        first.setdefault(record["reportId"], record)
    expected: dict[str, dict[str, Any]] = {}
    for record in sorted(first.values(), key=lambda each: (each["generatedAt"], each["reportId"])):
        expected[record["canonicalAddress"]] = record

    reducer = ReportReducer()
    positions = [0] * PARTITIONS
    while any(at < len(records) for at, records in zip(positions, partitions)):
        index = chance.randrange(PARTITIONS)
        if chance.random() < 0.1:
            positions[index] = chance.randrange(positions[index] + 1)
        elif positions[index] < len(partitions[index]):
            reducer.take("ReportGenerated", partitions[index][positions[index]])
            positions[index] += 1
    assert {each.canonical_address: each.event for each in reducer.latest_reports()} == expected
    assert all(reducer.outcome(report_id) == "report" for report_id in first)


def test_a_failure_counts_a_record_without_a_value_is_forgotten_and_other_events_are_left_alone() -> None:
    reducer = ReportReducer()
    assert reducer.take("ScreeningFailed", {"reportId": "r01"}) == "first"
    assert reducer.take("ReportGenerated", event(1, "0xaa", 10, 1)) == "repeat"
    assert reducer.take("LatestReportRecorded", event(2, "0xaa", 11, 1)) == "first"
    assert reducer.take("LatestReportRecorded", event(3, "0xaa", 10, 1)) == "repeat"
    about = {"account_id": "acc_1", "chain": "ETH", "canonical_address": "0xaa"}
    known = reducer.latest(livemode=True, **about)
    assert known is not None and known.report_id == "r02"
    reducer.forget("acc_1/ETH/0xaa", livemode=True)
    assert reducer.latest(livemode=True, **about) is None
    assert reducer.take("BulkCompleted", {}) == "other"
    assert reducer.outcome("r01") == "failure"


@pytest.mark.parametrize("name", ["reportId", "livemode", "score", "generatedAt"])
def test_an_event_of_a_report_that_lacks_a_field_is_refused(name: str) -> None:
    reducer = ReportReducer()
    with pytest.raises(ValueError, match=name):
        reducer.take("ReportGenerated", {**event(1, "0xaa", 10, 1), name: None})
    assert reducer.latest_reports() == ()
