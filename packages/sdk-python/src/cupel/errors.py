"""Errors of the client. Everything that it raises itself is a CupelError; what a hook raises comes through as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


class CupelError(Exception):
    """The base of all errors of this package."""


class ConfigurationError(CupelError):
    """The client cannot work as it was set up: no key, an unusable URL, a browser."""


class InvalidArgumentError(CupelError):
    """An argument cannot be sent. Nothing was sent."""


class ConnectionFailedError(CupelError):
    """No answer came: the connection failed or was lost. The call may have been carried out."""


class TimedOutError(ConnectionFailedError):
    """No answer came in time. The call may have been carried out."""


class UnexpectedAnswerError(CupelError):
    """Something answered that is not what the API describes: a proxy's page, a redirect, another address. Nothing is known."""

    def __init__(self, message: str, *, status: int, request_id: str | None = None) -> None:
        shown = f"{status}" if request_id is None else f"{status}, request {request_id}"
        super().__init__(f"{message} ({shown})")
        self.status = status
        """HTTP status of the answer."""
        self.request_id = request_id

    def __reduce__(self) -> tuple[object, ...]:
        return _revive, (type(self), self.args, dict(self.__dict__))


class WebhookVerificationError(CupelError):
    """A message that must not be trusted. Answer it with 400."""


RecordFault = Literal["no_signature", "malformed", "unknown_key", "wrong_signature"]
"""Why a record does not count as one of the installation."""


class RecordVerificationError(CupelError):
    """A record that must not be believed: another producer wrote or changed it."""

    def __init__(self, reason: RecordFault, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return _revive, (type(self), self.args, dict(self.__dict__))


class ProofVerificationError(CupelError):
    """A proof that does not prove the report. The message is a sentence that says why."""


class FieldError(NamedTuple):
    """One thing that is at fault in a request."""

    pointer: str
    """JSON Pointer (RFC 6901) into the body; empty for the whole body."""
    detail: str


@dataclass(frozen=True)
class ProblemFacts:
    """The content of an error answer."""

    status: int
    """HTTP status."""
    code: str | None
    """One of the published codes, to which others may be added; None if the answer names none."""
    title: str | None
    detail: str | None
    request_id: str | None
    """Names the call in the audit log; quote it to the operator."""
    retry_after: int | None
    """Seconds that the service asks callers to wait; None if it names no time."""
    errors: Sequence[FieldError]
    report_id: str | None
    """The report that a screen will have although it is not ready; None otherwise."""


class ApiError(CupelError):
    """The service answered with an error. Each status has a class, and each problem code a class below it."""

    def __init__(self, facts: ProblemFacts) -> None:
        super().__init__(_message_of(facts))
        self.status = facts.status
        """HTTP status."""
        self.code = facts.code
        """One of the published codes, to which others may be added; None if the answer names none."""
        self.title = facts.title
        self.detail = facts.detail
        self.request_id = facts.request_id
        """Names the call in the audit log; quote it to the operator."""
        self.retry_after = facts.retry_after
        """Seconds that the service asks callers to wait; None if it names no time."""
        self.errors = tuple(facts.errors)
        self.report_id = facts.report_id
        """The report that a screen will have although it is not ready; None otherwise."""

    def __reduce__(self) -> tuple[object, ...]:
        return _revive, (type(self), self.args, dict(self.__dict__))


class BadRequestError(ApiError):
    """400: the request must be corrected."""


class AuthenticationError(ApiError):
    """401: the key is not known."""


class PermissionDeniedError(ApiError):
    """403: the key may not do this, or not from here."""


class NotFoundError(ApiError):
    """404: this account has no such thing in this environment. The class of the code `not_found` too."""


class ConflictError(ApiError):
    """409: the state of the resource, or another call, stands against it."""


class UnprocessableError(ApiError):
    """422: well-formed, and still not possible."""


class RateLimitError(ApiError):
    """429: too many calls. `retry_after` says when to come back."""


class RequestError(ApiError):
    """Any other 4xx."""


class ServerError(ApiError):
    """5xx: the service could not do it now."""


_ADVICE_BY_CODE: Mapping[str, str] = {
    "invalid_key": "Check CUPEL_API_KEY.",
    "scope_required": "Use a key with the scope that the detail names.",
    "ip_not_allowed": "Call from an address that the key allows, or ask the operator to add this one.",
    "https_required": "Use an https base URL.",
    "idempotency_mismatch": "Use a new idempotency key for another request.",
    "screening_timeout": "The screening continues: fetch the report by report_id.",
}


def _message_of(facts: ProblemFacts) -> str:
    what = facts.detail or facts.title or "The service answered with an error that names no reason."
    fields = "; ".join(f"{error.pointer or 'body'}: {error.detail}" for error in facts.errors)
    sentences = [f"{what} [{fields}]" if fields else what]
    if facts.code is not None and facts.code in _ADVICE_BY_CODE:
        sentences.append(_ADVICE_BY_CODE[facts.code])
    if facts.retry_after is not None:
        sentences.append(f"Try again in {facts.retry_after} s.")
    where = [str(facts.status), facts.code, facts.request_id and f"request {facts.request_id}"]
    return f"{' '.join(sentences)} ({', '.join(part for part in where if part)})"


def _revive(kind: type[CupelError], args: tuple[object, ...], state: dict[str, object]) -> CupelError:
    """Makes a pickled error again: workers of a pool send their errors this way."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error
