"""Client of Cupel. `Cupel()` and `AsyncCupel()` read CUPEL_API_KEY and CUPEL_BASE_URL."""

from __future__ import annotations

from . import events as events
from . import models as models
from . import proofs as proofs
from . import records as records
from . import webhooks as webhooks
from ._answers import Download, Page
from ._async.client import AsyncCupel
from ._async.item_list import AsyncItemList
from ._messages import (
    BulkCancelledMessage,
    BulkCompletedMessage,
    BulkEnd,
    BulkResultSummary,
    DigestedChange,
    EndpointTestMessage,
    FailedWatch,
    FailingWatch,
    ReportChange,
    ReportChangedMessage,
    LevelReason,
    ReportSummary,
    ScreenedTransfer,
    TransferScreenedMessage,
    WatchFailedMessage,
    WatchDigest,
    WatchesDigestMessage,
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
    ProofVerificationError,
    RateLimitError,
    RecordFault,
    RecordVerificationError,
    RequestError,
    ServerError,
    TimedOutError,
    UnexpectedAnswerError,
    UnprocessableError,
    WebhookVerificationError,
)
from .hooks import AnswerEvent, AttemptEvent, Hooks, RetryEvent
from .models import *  # noqa: F403
from .models import Policy as ActivePolicy

__version__ = version

__all__ = [
    "ActivePolicy",
    "AnswerEvent",
    "ApiError",
    "AsyncClock",
    "AsyncCupel",
    "AsyncItemList",
    "AttemptEvent",
    "AuthenticationError",
    "BadRequestError",
    "BulkCancelledMessage",
    "BulkCompletedMessage",
    "BulkEnd",
    "BulkResultSummary",
    "Clock",
    "ConfigurationError",
    "ConflictError",
    "ConnectionFailedError",
    "Cupel",
    "CupelError",
    "DigestedChange",
    "Download",
    "EndpointTestMessage",
    "FailedWatch",
    "FailingWatch",
    "FieldError",
    "Hooks",
    "InvalidArgumentError",
    "ItemList",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "ProblemFacts",
    "ProofVerificationError",
    "RateLimitError",
    "RecordFault",
    "RecordVerificationError",
    "ReportChange",
    "ReportChangedMessage",
    "LevelReason",
    "ReportSummary",
    "RequestError",
    "RetryEvent",
    "ServerError",
    "TimedOutError",
    "UnexpectedAnswerError",
    "UnprocessableError",
    "WatchDigest",
    "ScreenedTransfer",
    "TransferScreenedMessage",
    "WatchFailedMessage",
    "WatchesDigestMessage",
    "WebhookMessage",
    "WebhookVerificationError",
    "version",
    "events",
    "models",
    "proofs",
    "records",
    "webhooks",
]
__all__ += models.__all__
__all__ += [name for name in _problem_errors if name.endswith("Error")]
