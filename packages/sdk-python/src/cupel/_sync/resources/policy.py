# Generated from _async/resources/policy.py by `npm run generate`. Do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._answers import object_of
from ..._call import Call
from ...models import Policy as ActivePolicy
from ...models import PolicyActivation, PolicyDocument, WhatIf
from ..item_list import ItemList
from ..transport import Transport
from .list_of import list_of


class Policy:
    """The numbers of the judgement."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, *, timeout_ms: float | None = None, max_retries: int | None = None) -> ActivePolicy:
        """The policy in force."""
        call = Call("GET", "/v1/policy", "safe", timeout_ms=timeout_ms, max_retries=max_retries)
        return ActivePolicy(object_of(self._transport.call(call)))

    def what_if(
        self,
        policy: PolicyDocument | Mapping[str, Any],
        *,
        max_reports: int | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> WhatIf:
        """
        Which stored reports another policy would change. Nothing is stored or put in force. `max_reports` of the newest reports are
        decided again: 1 to 500, by default 200.
        """
        document = policy.to_dict() if isinstance(policy, PolicyDocument) else dict(policy)
        body = {"policy": document, "max_reports": max_reports}
        call = Call("POST", "/v1/policy/what-if", "safe", body=body, timeout_ms=timeout_ms, max_retries=max_retries)
        return WhatIf(object_of(self._transport.call(call)))

    def activations(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
        timeout_ms: float | None = None,
        max_retries: int | None = None,
    ) -> ItemList[PolicyActivation]:
        """For operators: the policies that were in force, newest first. `page_size` is 1 to 200."""
        return list_of(
            self._transport,
            "/v1/policy/activations",
            PolicyActivation,
            {},
            page_size=page_size,
            page_token=page_token,
            timeout_ms=timeout_ms,
            max_retries=max_retries,
        )
