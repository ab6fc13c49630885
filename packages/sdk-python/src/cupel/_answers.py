"""Reads answers. What lacks a field that decisions are made from is not an answer: nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from ._call import Answer
from ._json import JsonObject, list_in, object_in, parsed
from .errors import InvalidArgumentError, UnexpectedAnswerError
from .models import AsOfScreening, BulkJob, Report, Transfer

T = TypeVar("T")

_JSON_TYPE = re.compile(r"application/([a-z.-]+\+)?json\b", re.IGNORECASE)


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list."""

    items: tuple[T, ...]
    next_page_token: str | None
    """Asks for the next page; None at the end."""


@dataclass(frozen=True)
class Download:
    """A document as bytes."""

    content: bytes
    content_type: str
    filename: str | None
    """The name that the service proposes; None if it proposes none."""
    etag: str | None


def object_of(answer: Answer) -> JsonObject:
    _expect_type(answer, _JSON_TYPE, "JSON")
    value = object_in(parsed(answer.body))
    if value is None:
        raise unexpected("The body is not a JSON object", answer)
    return value


def report_of(answer: Answer, **expected: str) -> Report:
    """The report of `expected`: of the address that was sent, or of the id that was asked for."""
    value = object_of(answer)
    risk = object_in(value.get("risk")) or {}
    if not isinstance(value.get("report_id"), str) or not isinstance(risk.get("level"), str):
        raise unexpected("The body is not a report", answer)
    for name, wanted in expected.items():
        if value.get(name) != wanted:
            raise unexpected(f"The report has another {name} than the one that was asked for", answer)
    return Report(value)


def transfer_of(answer: Answer, transfer_id: str | None = None) -> Transfer:
    """The screened transfer; with an id, the one that was asked for."""
    value = object_of(answer)
    if not isinstance(value.get("transfer_id"), str) or not isinstance(value.get("recommendation"), str):
        raise unexpected("The body is not a transfer", answer)
    if transfer_id is not None and value["transfer_id"] != transfer_id:
        raise unexpected("The transfer has another transfer_id than the one that was asked for", answer)
    return Transfer(value)


def as_of_screening_of(answer: Answer, address: str) -> AsOfScreening:
    """
    The screening of the address that was sent, as of a past moment. A report is not one: a decision for now is not one for then.
    """
    value = object_of(answer)
    report = object_in(value.get("report")) or {}
    risk = object_in(report.get("risk")) or {}
    if value.get("object") != "as_of_screening" or not isinstance(risk.get("level"), str):
        raise unexpected("The body is not a screening as of a past moment", answer)
    if report.get("address") != address:
        raise unexpected("The screening has another address than the one that was asked for", answer)
    return AsOfScreening(value)


def moment_of(moment: str | datetime) -> str:
    """An RFC 3339 time. Raises an InvalidArgumentError for what names no moment."""
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        return moment.isoformat()
    if isinstance(moment, str) and moment != "":
        return moment
    raise InvalidArgumentError("The moment must be an RFC 3339 time or a datetime with a time zone.")


def job_of(answer: Answer, job_id: str | None = None) -> BulkJob:
    value = object_of(answer)
    is_job = isinstance(value.get("job_id"), str) and isinstance(value.get("status"), str)
    if not is_job or not _is_text_or_null(value, "completed_at"):
        raise unexpected("The body is not a bulk job", answer)
    if job_id is not None and value["job_id"] != job_id:
        raise unexpected("The job has another job_id than the one that was asked for", answer)
    return BulkJob(value)


def page_of(answer: Answer, make: Callable[[Mapping[str, Any]], T]) -> Page[T]:
    value = object_of(answer)
    items = list_in(value.get("items"))
    if items is None or any(object_in(item) is None for item in items) or not _is_text_or_null(value, "next_page_token"):
        raise unexpected("The body is not a page of a list", answer)
    return Page(tuple(make(item) for item in items), value["next_page_token"])


def document_of(answer: Answer, content_type: str) -> Download:
    _expect_type(answer, re.compile(rf"{re.escape(content_type)}\b", re.IGNORECASE), "the document that was asked for")
    name = re.search(r'filename="([^"]*)"', answer.headers.get("content-disposition", ""))
    return Download(
        content=answer.body,
        content_type=answer.headers.get("content-type", ""),
        filename=None if name is None else name[1],
        etag=answer.headers.get("etag"),
    )


def unexpected(message: str, answer: Answer) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(message, status=answer.status, request_id=answer.headers.get("request-id"))


def _expect_type(answer: Answer, content_type: re.Pattern[str], what: str) -> None:
    given = answer.headers.get("content-type", "")
    if not content_type.match(given):
        shown = given[:80] or "no content type"
        raise unexpected(f"The answer is not {what}, but has {shown}", answer)


def _is_text_or_null(value: JsonObject, name: str) -> bool:
    return name in value and (value[name] is None or isinstance(value[name], str))
