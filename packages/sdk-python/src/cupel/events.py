"""The state that a subscriber keeps of the events of reports: `ReportReducer`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Taken = Literal["first", "repeat", "other"]
"""`first`: it changed what is known. `repeat`: it is ignored, as every reader does. `other`: it is not an event of reports."""


@dataclass(frozen=True)
class ReportState:
    """The known facts of a report. `event` is the whole event that was given; `generated_at` is UTC, RFC 3339."""

    report_id: str
    account_id: str
    livemode: bool
    chain: str
    canonical_address: str
    level: str
    score: float
    generated_at: str
    event: Mapping[str, Any] = field(repr=False, compare=False)


class ReportReducer:
    """
    Takes the events of a topic of reports, or of the topic of the latest reports, and keeps what counts.

    Give it the records of each partition in their order. How records of different partitions are mixed, and how often records are
    read again, plays no part. It keeps the id of every screening in memory; a database keeps them by a unique key.
    """

    def __init__(self) -> None:
        self._outcomes: dict[str, Literal["report", "failure"]] = {}
        self._latest: dict[tuple[bool, str], ReportState] = {}

    def take(self, type: str, data: Mapping[str, Any]) -> Taken:
        """Takes one event. Raises a ValueError where an event of reports lacks a field: hold what you cannot read."""
        if type == "ScreeningFailed":
            return "first" if self._is_first(_text(data, "reportId"), "failure") else "repeat"
        if type == "LatestReportRecorded":
            return "first" if self._keep_latest(_state(data)) else "repeat"
        if type != "ReportGenerated":
            return "other"
        report = _state(data)
        if not self._is_first(report.report_id, "report"):
            return "repeat"
        self._keep_latest(report)
        return "first"

    def forget(self, key: str, *, livemode: bool) -> None:
        """For a record without a value on the topic of the latest reports: nothing may be known of its key any more."""
        self._latest.pop((livemode, key), None)

    def outcome(self, report_id: str) -> Literal["report", "failure"] | None:
        """How the screening ended; None if nothing was read of it."""
        return self._outcomes.get(report_id)

    def latest(
        self, *, account_id: str, livemode: bool, chain: str, canonical_address: str
    ) -> ReportState | None:
        """The latest report about an address, in the form that its chain compares."""
        return self._latest.get((livemode, f"{account_id}/{chain}/{canonical_address}"))

    def latest_reports(self) -> tuple[ReportState, ...]:
        """The latest report about every address, in no certain order."""
        return tuple(self._latest.values())

    def _is_first(self, report_id: str, outcome: Literal["report", "failure"]) -> bool:
        if report_id in self._outcomes:
            return False
        self._outcomes[report_id] = outcome
        return True

    def _keep_latest(self, report: ReportState) -> bool:
        place = (report.livemode, f"{report.account_id}/{report.chain}/{report.canonical_address}")
        known = self._latest.get(place)
        if known is not None and _order(known) >= _order(report):
            return False
        self._latest[place] = report
        return True


def _order(report: ReportState) -> tuple[str, str]:
    """Of two reports with one time the one with the greater id is the latest. Times of one form compare as texts."""
    return (report.generated_at, report.report_id)


def _state(data: Mapping[str, Any]) -> ReportState:
    livemode, score = data.get("livemode"), data.get("score")
    if not isinstance(livemode, bool):
        raise ValueError("The event has no boolean livemode")
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        raise ValueError("The event has no number score")
    return ReportState(
        report_id=_text(data, "reportId"),
        account_id=_text(data, "accountId"),
        livemode=livemode,
        chain=_text(data, "chain"),
        canonical_address=_text(data, "canonicalAddress"),
        level=_text(data, "level"),
        score=float(score),
        generated_at=_text(data, "generatedAt"),
        event=data,
    )


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or value == "":
        raise ValueError(f"The event has no text {name}")
    return value
