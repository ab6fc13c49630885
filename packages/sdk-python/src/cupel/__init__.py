"""Client of Cupel. `Cupel()` and `AsyncCupel()` read CUPEL_API_KEY and CUPEL_BASE_URL."""

from __future__ import annotations

from . import events as events
from . import webhooks as webhooks
from ._answers import Download, Page
from ._async.client import AsyncCupel
from ._async.item_list import AsyncItemList
from ._messages import (
    BulkCancelledMessage,
    BulkCompletedMessage,
    BulkEnd,
    BulkResultSummary,
    EndpointTestMessage,
    ReportChange,
    ReportChangedMessage,
    ReportSummary,
    WebhookMessage,
)
from ._problem_errors import *  # noqa: F403
from ._problem_errors import __all__ as _problem_errors
from ._sync.client import Cupel
from ._sync.item_list import ItemList
from ._version import version
from .clock import AsyncClock, Clock
from .errors import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    ConflictError,
    ConnectionFailedError,
    CupelError,
    FieldError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    ProblemFacts,
    RateLimitError,
    RequestError,
    ServerError,
    TimedOutError,
    UnexpectedAnswerError,
    UnprocessableError,
    WebhookVerificationError,
)
from .hooks import AnswerEvent, AttemptEvent, Hooks, RetryEvent
from .models import (
    AsOfScreening,
    AuditEntry,
    BulkJob,
    BulkJobSummary,
    BulkResult,
    CaseSummary,
    Chain,
    LabelList,
    NewShare,
    NewWebhookEndpoint,
    PolicyDocument,
    Report,
    ReportCase,
    RotatedWebhookSecret,
    Share,
    Usage,
    Watch,
    WatchedReport,
    WebhookDelivery,
    WebhookEndpoint,
    WhatIf,
)
from .models import Policy as ActivePolicy

__version__ = version

__all__ = [
    "ActivePolicy",
    "AnswerEvent",
    "ApiError",
    "AsyncClock",
    "AsOfScreening",
    "AsyncCupel",
    "AsyncItemList",
    "AttemptEvent",
    "AuditEntry",
    "AuthenticationError",
    "BadRequestError",
    "BulkCancelledMessage",
    "BulkCompletedMessage",
    "BulkEnd",
    "BulkJob",
    "BulkJobSummary",
    "BulkResult",
    "BulkResultSummary",
    "CaseSummary",
    "Chain",
    "Clock",
    "ConfigurationError",
    "ConflictError",
    "ConnectionFailedError",
    "Cupel",
    "CupelError",
    "Download",
    "EndpointTestMessage",
    "FieldError",
    "Hooks",
    "InvalidArgumentError",
    "ItemList",
    "LabelList",
    "NewShare",
    "NewWebhookEndpoint",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "PolicyDocument",
    "ProblemFacts",
    "RateLimitError",
    "Report",
    "ReportCase",
    "ReportChange",
    "ReportChangedMessage",
    "ReportSummary",
    "RequestError",
    "RetryEvent",
    "RotatedWebhookSecret",
    "ServerError",
    "Share",
    "TimedOutError",
    "UnexpectedAnswerError",
    "UnprocessableError",
    "Usage",
    "Watch",
    "WatchedReport",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookMessage",
    "WebhookVerificationError",
    "WhatIf",
    "version",
    "events",
    "webhooks",
]
__all__ += [name for name in _problem_errors if name.endswith("Error")]
