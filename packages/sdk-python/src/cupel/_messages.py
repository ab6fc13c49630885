"""Messages of verified webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._model import Model
from .models import BulkResult, Transfer


class BulkResultSummary(Model):
    """An item of a message that would be too large with reports."""

    __slots__ = ()
    _optional = frozenset({"reference", "report_id", "level", "score"})

    number: int
    """Place of the address in the submission, from 1."""
    address: str
    reference: str | None
    status: str
    report_id: str | None
    level: str | None
    score: float | None


def _result(json: Mapping[str, Any]) -> BulkResult | BulkResultSummary:
    is_summary = bool({"report_id", "level", "score"} & set(json))
    return BulkResultSummary(json) if is_summary else BulkResult(json)


class BulkEnd(Model):
    """The end of a bulk job."""

    __slots__ = ()
    _parts = {"results": _result}
    _optional = frozenset({"name", "results"})

    job_id: str
    name: str | None
    livemode: bool
    status: str
    total: int
    completed: int
    failed: int
    cancelled: int
    results_url: str
    results: tuple[BulkResult | BulkResultSummary, ...] | None
    """None if the endpoint has the payload `thin`. Summaries where the message would be larger than 4 MiB."""


class ReportSummary(Model):
    """A report before or after a change."""

    __slots__ = ()

    report_id: str
    level: str
    score: float


class LevelReason(Model):
    """Why a report is grey."""

    __slots__ = ()

    code: str
    """A code of `risk.level_reasons` of the report."""
    text: str
    """Its text, and the remedy."""


class ReportChange(Model):
    """The report of a watched address changed."""

    __slots__ = ()
    _parts = {"previous": ReportSummary, "current": ReportSummary, "reasons": LevelReason}
    _optional = frozenset({"why", "reasons"})

    watch_id: str
    address: str
    chain: str
    reference: str | None
    previous: ReportSummary
    current: ReportSummary
    why: str | None
    """Why the current report has its level, in words. None or empty if the service is of an earlier version."""
    reasons: tuple[LevelReason, ...] | None
    """Why the current report is grey, each reason with its remedy; empty for other levels."""
    causes: tuple[str, ...]
    """The cause of the decision: `created`, `labels`, `ledger`, `policy` or `scorer`; others may be added."""
    split: Mapping[str, float] | None
    """Points of the difference by part: `labels`, `funds`, `policy`, `scorer`, `time` and `not_examined`. None if not computed."""
    split_missing: str | None
    """Why `split` is None: `busy`, `unreadable` or `refused`; others may be added."""


class DigestedChange(Model):
    __slots__ = ()
    _parts = {"previous": ReportSummary, "current": ReportSummary}

    watch_id: str
    address: str
    chain: str
    previous: ReportSummary
    """Where the digest before left off."""
    current: ReportSummary


class FailingWatch(Model):
    __slots__ = ()

    watch_id: str
    address: str
    chain: str
    failures: int
    """Screenings in a row that ended without a report."""


class WatchDigest(Model):
    """How the watches stand that ask for a daily digest."""

    __slots__ = ()
    _parts = {"changes": DigestedChange, "failures": FailingWatch}

    day: str
    """UTC, YYYY-MM-DD."""
    from_: str
    """Where the digest before ended; UTC, RFC 3339."""
    until: str
    """UTC, RFC 3339."""
    watched: int
    changed: int
    unchanged: int
    undecided: int
    """Without any report yet."""
    failing: int
    """Whose last screenings ended without a report. They count among the others too."""
    changes: tuple[DigestedChange, ...]
    """The highest scores first, at most 100."""
    more: str | None
    """Path and query of the list of all that changed; None if `changes` has all."""
    failures: tuple[FailingWatch, ...]
    """At most 100."""


class FailedWatch(Model):
    """A watched address whose last screenings ended without a whole report."""

    __slots__ = ()

    watch_id: str
    address: str
    chain: str
    reference: str | None
    report_id: str
    """Id of the last screening."""
    failures: int
    """Screenings in a row that ended without a whole report."""


class TransferError(Model):
    """Why a transfer could not be screened."""

    __slots__ = ()

    code: str
    detail: str


class ScreenedTransfer(Model):
    """The screening of a transfer ended."""

    __slots__ = ()
    _parts = {"error": TransferError, "transfer": Transfer}
    _optional = frozenset({"transfer"})

    transfer_id: str
    """Also the id of the report of the counterparty."""
    livemode: bool
    status: str
    """`completed`, or `failed` if it could not be screened."""
    recommendation: str | None
    """`allow`, `review` or `reject`; None if it could not be screened."""
    level: str | None
    """Level of the counterparty."""
    score: float | None
    error: TransferError | None
    """Why it could not be screened; None if it was."""
    transfer_path: str
    transfer: Transfer | None
    """None if the endpoint has the payload `thin`, or the transfer could not be screened."""


class WebhookMessage(Model):
    """A verified message. Types may be added: skip one that you do not know."""

    __slots__ = ()

    webhook_id: str
    """Equal for all attempts of one delivery. Keep the ids that you have seen, and skip what comes again."""
    type: str
    timestamp: str
    """UTC, RFC 3339."""
    data: Any


class BulkCompletedMessage(WebhookMessage):
    """`bulk.completed`: a job has ended."""

    __slots__ = ()
    _parts = {"data": BulkEnd}

    data: BulkEnd


class BulkCancelledMessage(WebhookMessage):
    """`bulk.cancelled`: a job was cancelled."""

    __slots__ = ()
    _parts = {"data": BulkEnd}

    data: BulkEnd


class ReportChangedMessage(WebhookMessage):
    """`report.changed`: the report of a watched address changed."""

    __slots__ = ()
    _parts = {"data": ReportChange}

    data: ReportChange


class WatchesDigestMessage(WebhookMessage):
    """`watches.digest`: how the watches stand, once a day."""

    __slots__ = ()
    _parts = {"data": WatchDigest}

    data: WatchDigest


class WatchFailedMessage(WebhookMessage):
    """`watch.failed`: a watched address cannot be screened."""

    __slots__ = ()
    _parts = {"data": FailedWatch}

    data: FailedWatch


class TransferScreenedMessage(WebhookMessage):
    """`transfer.screened`: the screening of a transfer ended."""

    __slots__ = ()
    _parts = {"data": ScreenedTransfer}

    data: ScreenedTransfer


class EndpointTestMessage(WebhookMessage):
    """`endpoint.test`: someone tried the endpoint."""

    __slots__ = ()

    data: Mapping[str, Any]


_CLASS_BY_TYPE: Mapping[str, type[WebhookMessage]] = {
    "bulk.completed": BulkCompletedMessage,
    "bulk.cancelled": BulkCancelledMessage,
    "report.changed": ReportChangedMessage,
    "watches.digest": WatchesDigestMessage,
    "watch.failed": WatchFailedMessage,
    "transfer.screened": TransferScreenedMessage,
    "endpoint.test": EndpointTestMessage,
}


def message_of(json: Mapping[str, Any]) -> WebhookMessage:
    return _CLASS_BY_TYPE.get(json["type"], WebhookMessage)(json)
