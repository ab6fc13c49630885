"""Turns an error answer into its error."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from ._json import list_in, object_in, parsed
from ._problem_errors import CLASS_BY_CODE
from ._waits import retry_after_of
from .errors import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    FieldError,
    NotFoundError,
    PermissionDeniedError,
    ProblemFacts,
    RateLimitError,
    RequestError,
    ServerError,
    UnprocessableError,
)

_CLASS_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableError,
    429: RateLimitError,
}


def problem_from(status: int, headers: httpx.Headers, body: bytes, now_ms: float) -> ApiError:
    """
    The error of an answer with a status of 400 or more. The status decides about retries, so a code counts only under the class
    of the status that came: a proxy in between may have changed one of them.
    """
    problem = object_in(parsed(body)) or {}
    code = _text(problem.get("code"))
    facts = ProblemFacts(
        status=status,
        code=code,
        title=_text(problem.get("title")),
        detail=_text(problem.get("detail")),
        request_id=headers.get("request-id") or _text(problem.get("request_id")),
        retry_after=retry_after_of(headers, now_ms),
        errors=_field_errors(problem.get("errors")),
        report_id=_text(problem.get("report_id")),
    )
    of_status = _CLASS_BY_STATUS.get(status, ServerError if status >= 500 else RequestError)
    of_code = CLASS_BY_CODE.get(code or "")
    is_below = of_code is not None and issubclass(of_code, of_status)
    return (of_code if of_code is not None and is_below else of_status)(facts)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value != "" else None


def _field_errors(value: object) -> list[FieldError]:
    given = [object_in(one) or {} for one in list_in(value) or []]
    pairs = [(one.get("pointer"), one.get("detail")) for one in given]
    return [FieldError(at, what) for at, what in pairs if isinstance(at, str) and isinstance(what, str)]
