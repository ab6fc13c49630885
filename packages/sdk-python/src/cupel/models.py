"""
Objects of the API, with its names. Generated from docs/reference/openapi.json by `npm run generate`. Do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._model import Model

__all__ = [
    "Account",
    "AddressHistory",
    "ApiKey",
    "AsOfScreening",
    "AssetBalance",
    "AuditEntry",
    "BulkItemError",
    "BulkJob",
    "BulkJobSummary",
    "BulkResult",
    "CaseAssignee",
    "CaseEntry",
    "CaseFile",
    "CasePerson",
    "CaseProposal",
    "CaseSummary",
    "CategoryScores",
    "Chain",
    "ChainDataCoverage",
    "ChainDataDisagreement",
    "ChainDataFault",
    "ChainDataValue",
    "ChangeEffect",
    "Cluster",
    "Conflict",
    "Counterparty",
    "Coverage",
    "DeadLetterCount",
    "DecidedChange",
    "Evidence",
    "EvidenceCounterparty",
    "EvidenceFactor",
    "Exposure",
    "ExposureCoverage",
    "ExposureShare",
    "GroupLag",
    "HealthFault",
    "HistoryCoverage",
    "HistoryProvider",
    "HistoryReadings",
    "InboxEntry",
    "InboxReason",
    "InboxReport",
    "InstallationHealth",
    "JudgedChain",
    "JudgedTransfer",
    "KeyPlan",
    "KeyUsage",
    "KeyUsageDay",
    "Label",
    "LabelCoverage",
    "LabelList",
    "LedgerChain",
    "LedgerFollower",
    "LedgerGap",
    "LedgerImport",
    "LedgerKind",
    "LedgerLeftOut",
    "LedgerPriceEnd",
    "LedgerPrices",
    "LedgerRangeState",
    "LedgerState",
    "LevelChange",
    "LevelCounts",
    "ListCoverage",
    "ListImport",
    "ListImportResult",
    "ListImportRow",
    "ListImportRows",
    "ListImportSet",
    "ListRefresh",
    "ListRows",
    "LostDesignation",
    "NewApiKey",
    "NewShare",
    "NewWebhookEndpoint",
    "OmittedCounterparties",
    "OpenedCases",
    "OwnLabel",
    "PastLists",
    "PastPolicy",
    "PastReport",
    "People",
    "PeopleGroup",
    "PeopleRole",
    "Policy",
    "PolicyActivation",
    "PolicyChange",
    "PolicyDocument",
    "PolicyFinding",
    "PolicyName",
    "PolicyVersion",
    "PriceTable",
    "ProjectionHealth",
    "ProposedChange",
    "RedeliveredWebhooks",
    "Report",
    "ReportCase",
    "Risk",
    "RotatedWebhookSecret",
    "Sanction",
    "SentWebhookDelivery",
    "ServiceHealth",
    "Share",
    "SignedInPerson",
    "Transfer",
    "TransferAsset",
    "TransferCounterparty",
    "TransferFunds",
    "TransferFundsShare",
    "TransferLedger",
    "TransferReason",
    "TransferReasonCode",
    "UnreadCount",
    "Usage",
    "UsageCounts",
    "UsageDay",
    "UsagePeriod",
    "Watch",
    "WatchedReport",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WhatIf",
    "WhatIfOutcome",
    "WhatIfReport",
]


class Account(Model):
    __slots__ = ()

    account_id: str
    name: str
    created_at: str
    working_keys: int
    """Keys of both environments that are neither revoked nor expired."""
    plans: tuple[str, ...]
    """The plans of those keys, each once."""
    last_used_at: str | None
    """To the minute; null if none of its keys was ever used."""


class ApiKey(Model):
    __slots__ = ()

    key_id: str
    account_id: str
    livemode: bool
    """False for a key of the sandbox."""
    scope: str
    """read-only, read-write, admin or operator; each holds those before it."""
    plan: str
    name: str
    allowed_ips: tuple[str, ...]
    """Where the key may be used from; empty: anywhere."""
    webhook_admin: bool
    """True if the key may change webhook endpoints."""
    status: str
    """active, ending (rotated, and works until `revoked_at`), revoked or expired."""
    rotated_from: str | None
    """The key that this one replaces; null for none."""
    issued_at: str
    expires_at: str | None
    """When it expires or expired; null for never."""
    revoked_at: str | None
    """When it stopped working, or will; null for neither."""
    last_used_at: str | None
    """To the minute; null if it was never used."""


class PastLists(Model):
    __slots__ = ()

    label_snapshot: str
    """State of the lists then, as reports name it."""
    as_of: str
    """Time of the newest publication of that state."""
    sha256: str
    """Hash by which reports name that state in the log."""


class PastPolicy(Model):
    __slots__ = ()

    id: str
    version: int
    sha256: str
    activated_at: str | None
    """Since when it was in force; null in the sandbox, whose policy never changes."""


class JudgedChain(Model):
    __slots__ = ()

    chain: str
    level: str
    score: float
    level_reasons: tuple[str, ...]


class Conflict(Model):
    __slots__ = ()

    category: str
    clean_entity: str
    illicit_entity: str


class CategoryScores(Model):
    __slots__ = ()

    sanctions: float
    darknet: float
    mixer: float
    scam: float
    stolen: float
    clean_exchange: float


class Sanction(Model):
    __slots__ = ()

    list: str
    """The authority’s list."""
    programmes: tuple[str, ...]
    entity_id: str
    """Identifier of the entity on that list; empty without one."""
    aliases: tuple[str, ...]
    """At most 5 other names."""
    designated_on: str | None


class EvidenceCounterparty(Model):
    __slots__ = ()

    address: str
    entity: str
    value: str
    value_usd: str | None
    """US dollars at the day of each transfer; null without a price."""
    transfers: int
    source: str
    """The list that names the address; empty if no list does."""
    source_url: str


class OmittedCounterparties(Model):
    __slots__ = ()

    count: int
    value: str
    value_usd: str | None
    """US dollars at the day of each transfer; null without a price."""


class EvidenceFactor(Model):
    __slots__ = ()

    name: str
    value: float


class Evidence(Model):
    __slots__ = ()
    _parts = {
        "sanction": Sanction,
        "counterparties": EvidenceCounterparty,
        "counterparties_omitted": OmittedCounterparties,
        "factors": EvidenceFactor,
    }

    category: str
    subcategory: str | None
    """For example ransomware, hack or coinjoin."""
    relation: str
    """ownership, cluster, direct or indirect."""
    direction: str | None
    """in or out; null for ownership."""
    hops: int
    chain: str
    """The chain the label or transfer is on."""
    address: str | None
    """The labelled address where it differs from the one screened, for example another form of one key; else null."""
    entity: str | None
    """Null for an exposure to several addresses; counterparties names them."""
    source: str
    """Empty if several lists name the counterparties; each names its own."""
    source_url: str
    origin: str
    """Who found this out first; restatements of one origin count once."""
    role: str
    confidence: float
    status: str
    """live or ended."""
    observed_at: str | None
    sanction: Sanction | None
    """The word of the authority, for a label of an authority’s list."""
    value: str | None
    value_usd: str | None
    """US dollars at the day of each transfer; null without a price."""
    share: float | None
    transfers: int
    """Transfers of the screened address that carry the value; 0 for ownership."""
    sources: int
    """Distinct addresses that the value is attributed to; 0 for ownership."""
    first_at: str | None
    last_at: str | None
    counterparties: tuple[EvidenceCounterparty, ...]
    """Of most value, at most 20."""
    counterparties_omitted: OmittedCounterparties | None
    """The others together; with counterparties they are the whole value."""
    path: tuple[Any, ...]
    base: float | None
    """Points before the factors: 100 for a label, the cap of its kind for an exposure; null if the item does not count."""
    factors: tuple[EvidenceFactor, ...]
    """The factors of the base: confidence, role, share, size or size_weight."""
    capped_by: str | None
    """Why the points are limited: execution_unknown, order_unknown, pre_designation, historical, coinjoin or cluster; null if they are not."""
    weight: float | None
    """Weight of the category; null if the item does not count."""
    contribution: float
    """Points of the item after its limit, times the weight."""
    decisive: bool
    used: bool
    reason: str | None
    """Why the item does not count; null if it does."""
    pre_designation: bool | None


class Risk(Model):
    __slots__ = ()
    _parts = {
        "conflicts": Conflict,
        "categories": CategoryScores,
        "evidence": Evidence,
    }

    level: str
    """green, orange, red or grey (too little is known to say green)"""
    score: float
    level_reasons: tuple[str, ...]
    score_is_lower_bound: bool
    conflicts: tuple[Conflict, ...]
    categories: CategoryScores
    evidence: tuple[Evidence, ...]
    evidence_omitted: int


class AssetBalance(Model):
    __slots__ = ()

    asset: str
    amount: str


class Counterparty(Model):
    __slots__ = ()

    address: str
    entity: str
    value: str
    value_usd: str | None
    """US dollars at the day of each transfer; null without a price."""
    transfers: int


class ExposureShare(Model):
    __slots__ = ()
    _parts = {
        "counterparties": Counterparty,
    }

    category: str
    """A category, service for an unlabelled hub, or unattributed."""
    relation: str | None
    """direct or indirect; null for unattributed."""
    value: str
    value_usd: str | None
    """US dollars at the day of each transfer; null without a price."""
    share: float | None
    """Of the total; null if the total is not complete."""
    counterparties: tuple[Counterparty, ...]
    """Of most value, at most 20."""
    counterparties_omitted: int


class Exposure(Model):
    __slots__ = ()
    _parts = {
        "by_category": ExposureShare,
    }

    direction: str
    """incoming or outgoing."""
    asset: str
    total: str
    total_usd: str | None
    """US dollars at the day of each transfer; null without a price."""
    total_complete: bool
    """The total covers the whole history of the address."""
    by_category: tuple[ExposureShare, ...]


class Cluster(Model):
    __slots__ = ()

    id: str
    size: int
    heuristic: str
    as_of: str
    """State of the ledger."""
    stopped: str | None
    """Why labels of other members do not count, such as too_large or holds_service; null if they do."""


class TransferReasonCode(Model):
    __slots__ = ()

    code: str
    """Such as counterparty_red or unknown_token."""
    recommendation: str
    """The recommendation of this reason by itself."""


class TransferAsset(Model):
    __slots__ = ()

    symbol: str | None
    """Null if the asset table does not have the token."""
    contract: str | None
    """Null for the native asset."""
    is_known: bool


class TransferFundsShare(Model):
    __slots__ = ()

    category: str
    relation: str | None
    share: float
    """Of the total."""
    amount: str
    """The same share of the transfer."""


class TransferFunds(Model):
    __slots__ = ()
    _parts = {
        "by_category": TransferFundsShare,
    }

    direction: str
    """incoming: where funds of the sender came from. outgoing: where those of the receiver went."""
    asset: str
    total: str
    total_complete: bool
    """The total covers the whole history of the counterparty."""
    by_category: tuple[TransferFundsShare, ...]


class TransferLedger(Model):
    __slots__ = ()
    _optional = frozenset({
        "provider",
        "lookup",
    })

    status: str
    """seen, contradicted, not_seen, not_searched or no_ledger; planned without a transaction hash. Of a provider also failed, unconfirmed, other_senders or disagreement."""
    snapshot: str | None
    """State of the ledger."""
    provider: str | None
    """Who told of the transaction, if not the ledger."""
    lookup: str | None
    """Why no provider told of it, such as not_found or timeout."""


class JudgedTransfer(Model):
    __slots__ = ()
    _parts = {
        "reasons": TransferReasonCode,
        "asset": TransferAsset,
        "funds": TransferFunds,
        "ledger": TransferLedger,
    }

    recommendation: str
    """allow, review or reject, by the policy; the worst of all reasons."""
    reasons: tuple[TransferReasonCode, ...]
    direction: str
    """incoming: the report is of the sender. outgoing: of the receiver."""
    own_address: str
    """The other side of the transfer."""
    transaction_hash: str | None
    planned: bool
    """There is no transaction yet."""
    asset: TransferAsset
    amount: str
    """In whole ones."""
    amount_base_units: str | None
    """Null if the decimals of the token are not known."""
    value_usd: str | None
    """US dollars at the latest price of the ledger’s table."""
    priced_on: str | None
    """Day of that price."""
    funds: TransferFunds | None
    """The word of the counterparty’s exposure on funds in this asset; null if it says nothing."""
    ledger: TransferLedger


class HistoryCoverage(Model):
    __slots__ = ()
    _optional = frozenset({
        "chains",
    })

    status: str
    """fresh, reading or failed."""
    reason: str | None
    """Why it failed, such as call_budget, day_budget, account_day_budget or the error of the provider."""
    provider: str | None
    pages: int
    """Pages that were read."""
    pages_expected: int | None
    """Null if the provider does not tell."""
    waiting: int
    """Counterparties whose histories are still to be read."""
    chains: tuple[str, ...] | None
    """The chains whose histories are not read; absent if none but that of the report is."""


class ListRows(Model):
    __slots__ = ()

    read: int
    """Gave a label."""
    refused: int
    """Unusable."""
    skipped: int
    """State no label."""
    unreadable: int
    """Designate somebody, and do not say whom."""
    accepted: int
    """Unreadable rows that an operator accepted. Fewer than all of them: the list is incomplete."""


class ListCoverage(Model):
    __slots__ = ()
    _parts = {
        "rows": ListRows,
    }

    source: str
    dataset: str
    authority: str | None
    whole: bool
    list_date: str | None
    """The date that the list states."""
    confirmed_at: str | None
    """When a configured refresh last found it unchanged at the authority’s own address."""
    labels: int
    rows: ListRows
    status: str
    """current, old, incomplete, conflict, withdrawn or missing."""


class LabelCoverage(Model):
    __slots__ = ()
    _parts = {
        "lists": ListCoverage,
    }
    _optional = frozenset({
        "missing",
    })

    status: str
    """complete, partial, stale or unavailable."""
    as_of: str | None
    """The earliest date among the whole sanctions lists in force; null without one."""
    sources: int
    lists: tuple[ListCoverage, ...]
    """Every list that is required or is an authority’s own."""
    missing: tuple[str, ...] | None
    """Lists that are refreshed on a schedule and never came: nothing is green without them."""


class ChainDataFault(Model):
    __slots__ = ()

    source: str
    error: str


class ChainDataValue(Model):
    __slots__ = ()

    source: str
    value: str


class ChainDataDisagreement(Model):
    __slots__ = ()
    _parts = {
        "values": ChainDataValue,
    }

    fact: str
    """block, balance, tx_count, is_contract or token:<asset>."""
    values: tuple[ChainDataValue, ...]


class ChainDataCoverage(Model):
    __slots__ = ()
    _parts = {
        "faults": ChainDataFault,
        "disagreements": ChainDataDisagreement,
    }
    _optional = frozenset({
        "faults",
        "disagreements",
    })

    status: str
    source: str | None
    height: int | None
    as_of: str | None
    faults: tuple[ChainDataFault, ...] | None
    """Providers that were asked and did not answer, or not in time."""
    disagreements: tuple[ChainDataDisagreement, ...] | None
    """Where providers contradict one another; the one configured first is shown."""


class AddressHistory(Model):
    __slots__ = ()

    address: str
    """The address, or another one of its key."""
    provider: str
    height: int
    """The newest block that the provider knew then."""
    as_of: str
    """Time of that block."""
    kinds: tuple[str, ...]
    """Kinds of transfers that were read whole: native, internal, token."""
    incomplete: tuple[str, ...]
    """Why it is not whole, such as truncated or contradicting_pages; empty if it is."""


class ExposureCoverage(Model):
    __slots__ = ()
    _parts = {
        "histories": AddressHistory,
    }
    _optional = frozenset({
        "histories",
    })

    status: str
    """complete, partial or unavailable."""
    reason: str | None
    """Why it is unavailable: not_configured, late or failed."""
    incomplete: tuple[str, ...]
    """Why the history is not known to be complete, such as no_traces, range_gap or shortfall."""
    hops_searched: int
    transfers_examined: int
    truncated: bool
    histories: tuple[AddressHistory, ...] | None
    """The statements of providers on all transfers of the address; absent where none was asked."""


class PriceTable(Model):
    __slots__ = ()

    version: str
    """SHA-256 of the table of daily prices."""


class Coverage(Model):
    __slots__ = ()
    _parts = {
        "history": HistoryCoverage,
        "labels": LabelCoverage,
        "chain_data": ChainDataCoverage,
        "exposure": ExposureCoverage,
        "prices": PriceTable,
    }
    _optional = frozenset({
        "missing_stages",
        "history",
    })

    not_examined: tuple[str, ...]
    """The facts that this decision does not know: cross_chain, internal_transfers, tokens, swaps, beyond_hops, clusters, token_accounts or amounts."""
    missing_stages: tuple[str, ...] | None
    """Stages that were late or failed, on any chain that was judged: history, transaction, chain_data, exposure, clusters. Another screening can know more."""
    history: HistoryCoverage | None
    """The reading of the history of the address from a provider; absent where none is asked."""
    labels: LabelCoverage
    chain_data: ChainDataCoverage
    exposure: ExposureCoverage
    prices: PriceTable | None


class PolicyVersion(Model):
    __slots__ = ()

    id: str
    version: int


class PastReport(Model):
    __slots__ = ()
    _parts = {
        "other_chains": JudgedChain,
        "risk": Risk,
        "balances": AssetBalance,
        "exposure": Exposure,
        "cluster": Cluster,
        "transfer": JudgedTransfer,
        "coverage": Coverage,
        "policy": PolicyVersion,
    }
    _optional = frozenset({
        "candidate_chains",
        "other_chains",
        "demo",
        "transfer",
    })

    address: str
    chain: str
    candidate_chains: tuple[str, ...] | None
    other_chains: tuple[JudgedChain, ...] | None
    """Candidate chains that know the address, each as judged there; risk is the worst of all."""
    livemode: bool
    demo: bool | None
    """true: the report rests on made-up data of the demo."""
    customer_reference: str | None
    risk: Risk
    balance: str | None
    balance_base_units: str | None
    tx_count: int | None
    tx_count_kind: str | None
    balances: tuple[AssetBalance, ...]
    generated_at: str
    exposure: tuple[Exposure, ...]
    """Where all value came from and went to, as far as the ledger knows."""
    cluster: Cluster | None
    """Addresses that spent together with the screened one."""
    transfer: JudgedTransfer | None
    """The transfer whose counterparty the address is; only in reports that POST /v1/transfers made."""
    coverage: Coverage
    policy: PolicyVersion
    scorer_version: str
    label_snapshot: str


class AsOfScreening(Model):
    """The screening of an address as of a past moment; not a report."""
    __slots__ = ()
    _parts = {
        "lists": PastLists,
        "policy": PastPolicy,
        "report": PastReport,
    }

    object: str
    """Tells it from a report."""
    as_of: str
    """The moment, UTC."""
    lists: PastLists
    policy: PastPolicy
    ledger_snapshot: str | None
    """State of the ledger then; null if there was no ledger."""
    left_out: tuple[str, ...]
    """The facts that nobody can ask about the past: `chain_data` is the word of providers of balance, transactions and code. Later versions may have more words."""
    report: PastReport
    """The report that would have been made at that moment; `generated_at` is the moment. It has no id and no link, because no report was made."""


class AuditEntry(Model):
    __slots__ = ()

    at: str
    """When the call came; UTC, RFC 3339 with milliseconds."""
    request_id: str
    """`Request-Id` of the answer."""
    key_id: str
    """Id of the key of the call; the key itself is stored nowhere."""
    scope: str
    """Scope of that key."""
    actor: str | None
    """Name of the person who called, where a sign-in service vouches for it; null otherwise."""
    client_address: str
    """Address the call came from."""
    method: str
    route: str
    """Path of the endpoint, with the names of its parameters; `/*` where no endpoint has it."""
    status: int
    """HTTP status of the answer."""
    code: str | None
    """Code of the problem; null for a success."""
    subject_ids: tuple[str, ...]
    """Ids of the objects that the call concerned or made, such as a report."""
    latency_ms: float
    """From the head of the request to its outcome."""
    livemode: bool


class LevelCounts(Model):
    __slots__ = ()

    green: int
    orange: int
    red: int
    grey: int


class Report(Model):
    __slots__ = ()
    _parts = {
        "other_chains": JudgedChain,
        "risk": Risk,
        "balances": AssetBalance,
        "exposure": Exposure,
        "cluster": Cluster,
        "transfer": JudgedTransfer,
        "coverage": Coverage,
        "policy": PolicyVersion,
    }
    _optional = frozenset({
        "candidate_chains",
        "other_chains",
        "demo",
        "transfer",
    })

    report_id: str
    address: str
    chain: str
    candidate_chains: tuple[str, ...] | None
    other_chains: tuple[JudgedChain, ...] | None
    """Candidate chains that know the address, each as judged there; risk is the worst of all."""
    livemode: bool
    demo: bool | None
    """true: the report rests on made-up data of the demo."""
    customer_reference: str | None
    risk: Risk
    balance: str | None
    balance_base_units: str | None
    tx_count: int | None
    tx_count_kind: str | None
    balances: tuple[AssetBalance, ...]
    report_url: str
    generated_at: str
    exposure: tuple[Exposure, ...]
    """Where all value came from and went to, as far as the ledger knows."""
    cluster: Cluster | None
    """Addresses that spent together with the screened one."""
    transfer: JudgedTransfer | None
    """The transfer whose counterparty the address is; only in reports that POST /v1/transfers made."""
    coverage: Coverage
    policy: PolicyVersion
    scorer_version: str
    label_snapshot: str


class BulkItemError(Model):
    __slots__ = ()

    code: str
    detail: str


class BulkResult(Model):
    __slots__ = ()
    _parts = {
        "report": Report,
        "error": BulkItemError,
    }
    _optional = frozenset({
        "reference",
        "report",
        "error",
    })

    number: int
    """Place of the address in the submission, from 1: the number that pages, files and PDFs show."""
    address: str
    """Exactly as sent."""
    reference: str | None
    """Your own reference of the item, where it has one; `erased` after its erasure."""
    status: str
    """`completed`, `failed` or `cancelled`; with `include=pending` also `pending`, for an item that is not done."""
    report: Report | None
    """Where the item is completed; equal addresses share one."""
    error: BulkItemError | None
    """Where the item failed: a code of the problem list, such as `invalid_address`."""


class BulkJob(Model):
    __slots__ = ()
    _parts = {
        "levels": LevelCounts,
        "results": BulkResult,
    }
    _optional = frozenset({
        "name",
    })

    job_id: str
    name: str | None
    """Your name of the job; null if it has no name."""
    status: str
    """`queued`, `running`, then `completed`, `completed_with_errors`, `cancelled` or `failed`."""
    livemode: bool
    total: int
    """Items of the job."""
    completed: int
    """Items with a report."""
    failed: int
    """Items without one, refused addresses among them."""
    cancelled: int
    """Items not done when the job was cancelled."""
    levels: LevelCounts
    """How many of the completed items have which level."""
    created_at: str
    """UTC, RFC 3339 with milliseconds."""
    started_at: str | None
    """When the first item was decided; null before."""
    completed_at: str | None
    """When the job ended, however it did; null before."""
    results_url: str
    """Where the results are, in pages or as a file, also while the job runs."""
    results: tuple[BulkResult, ...] | None
    """In the order of the submission; null until the job has ended."""


class BulkJobSummary(Model):
    """A job in a list, without its results."""
    __slots__ = ()
    _parts = {
        "levels": LevelCounts,
    }
    _optional = frozenset({
        "name",
    })

    job_id: str
    name: str | None
    """Your name of the job; null if it has no name."""
    status: str
    """`queued`, `running`, then `completed`, `completed_with_errors`, `cancelled` or `failed`."""
    livemode: bool
    total: int
    """Items of the job."""
    completed: int
    """Items with a report."""
    failed: int
    """Items without one, refused addresses among them."""
    cancelled: int
    """Items not done when the job was cancelled."""
    levels: LevelCounts
    """How many of the completed items have which level."""
    created_at: str
    """UTC, RFC 3339 with milliseconds."""
    completed_at: str | None
    """When the job ended, however it did; null before."""
    results_url: str
    """Where the results are, in pages or as a file, also while the job runs."""


class CaseAssignee(Model):
    __slots__ = ()
    _optional = frozenset({
        "key_name",
        "has_left",
    })

    key_id: str
    """The API key that the assignee has, or signs in with."""
    person: str | None
    """The person; null if the key itself is assigned."""
    key_name: str | None
    """The name that the key had then; absent if it had none."""
    has_left: bool | None
    """True if no key of the assignee works any more; absent in entries and in documents."""


class CasePerson(Model):
    __slots__ = ()
    _optional = frozenset({
        "key_name",
    })

    key_id: str
    """The API key of the call."""
    person: str | None
    """The person, where one was signed in."""
    key_name: str | None
    """The name that the key had then; absent if it had none, and in entries of earlier versions."""


class CaseProposal(Model):
    __slots__ = ()
    _parts = {
        "by": CasePerson,
    }
    _optional = frozenset({
        "may_confirm",
    })

    disposition: str
    reason: str
    by: CasePerson
    at: str
    """When it was proposed; UTC, RFC 3339 with milliseconds."""
    version: int
    """The version of its entry."""
    may_confirm: bool | None
    """True if the caller is another person than the proposer; absent in lists."""


class CaseSummary(Model):
    __slots__ = ()
    _parts = {
        "proposal": CaseProposal,
        "assignee": CaseAssignee,
    }
    _optional = frozenset({
        "assignee",
        "due_on",
        "is_overdue",
    })

    report_id: str
    address: str
    """The screened address, as the report has it."""
    chain: str
    level: str
    """The level of the report."""
    score: float
    """The score of the report."""
    disposition: str | None
    """`open`, `escalated` or `cleared`; null while nobody has worked on the report."""
    version: int
    """Number of entries in the history. Each entry adds one."""
    needs_second_person: bool
    """True if another person must confirm that this report is cleared."""
    proposal: CaseProposal | None
    """The disposition that waits for a second person; null if none does."""
    assignee: CaseAssignee | None
    """Who works on it; null if nobody is assigned."""
    due_on: str | None
    """The day, of UTC, on which the case is due: `2026-12-31`. Null without one."""
    is_overdue: bool | None
    """True if the day has passed and the report is not cleared; absent in documents."""
    opened_at: str | None
    """When the first entry was made; null without one."""
    changed_at: str | None
    """When the last entry was made; null without one."""


class Chain(Model):
    __slots__ = ()

    code: str
    """The value of `chain` in requests and reports."""
    name: str
    family: str
    """Chains of one family have the same form and checksum of addresses."""
    symbol: str
    """Symbol of the native asset."""
    decimals: int
    """Digits between the base unit and one whole native asset."""
    checksum: str
    """How a mistyped address is detected."""
    explorer_url: str | None
    """A public explorer; `{address}` stands for the address. Null if none shows addresses."""


class PolicyChange(Model):
    __slots__ = ()

    path: str
    from_: Any
    to: Any


class PolicyFinding(Model):
    __slots__ = ()

    severity: str
    rule: str
    path: str
    message: str


class ChangeEffect(Model):
    __slots__ = ()
    _parts = {
        "settings": PolicyChange,
        "findings": PolicyFinding,
    }

    is_outdated: bool
    """True if another policy came into force since: then the proposal cannot be confirmed."""
    settings: tuple[PolicyChange, ...]
    findings: tuple[PolicyFinding, ...]
    """Warnings: choices that deserve a second look. With an error it cannot be confirmed."""


class NewApiKey(Model):
    """With the key itself, which only this answer shows."""
    __slots__ = ()

    key_id: str
    account_id: str
    livemode: bool
    """False for a key of the sandbox."""
    scope: str
    """read-only, read-write, admin or operator; each holds those before it."""
    plan: str
    name: str
    allowed_ips: tuple[str, ...]
    """Where the key may be used from; empty: anywhere."""
    webhook_admin: bool
    """True if the key may change webhook endpoints."""
    status: str
    """active, ending (rotated, and works until `revoked_at`), revoked or expired."""
    rotated_from: str | None
    """The key that this one replaces; null for none."""
    issued_at: str
    expires_at: str | None
    """When it expires or expired; null for never."""
    revoked_at: str | None
    """When it stopped working, or will; null for neither."""
    last_used_at: str | None
    """To the minute; null if it was never used."""
    key: str
    """The key itself; only this answer shows it."""


class DecidedChange(Model):
    __slots__ = ()
    _parts = {
        "proposed_by": CasePerson,
        "decided_by": CasePerson,
        "effect": ChangeEffect,
        "new_key": NewApiKey,
    }
    _records = frozenset({
        "change",
    })

    change_id: str
    status: str
    """`open`, `confirmed`, `refused` or `expired`. Only an open one can be decided."""
    kind: str
    """`issue_key`, `change_key`, `rotate_key`, `confirm_import` or `activate_policy`."""
    account_id: str
    """The account whose key it changes; that of the proposer for a list or a policy."""
    livemode: bool
    change: Mapping[str, Any] | None
    """The change, in the fields of its kind; null if nobody can read it any more."""
    reason: str
    proposed_by: CasePerson
    proposed_at: str
    expires_at: str
    decided_by: CasePerson | None
    """Null while nobody decided."""
    decided_at: str | None
    needs_second_person: bool
    """True if another person must confirm it."""
    may_confirm: bool
    """True if this caller may confirm it now."""
    effect: ChangeEffect | None
    """For an open change of the policy: how it differs from the policy in force."""
    new_key: NewApiKey | None
    """The key that a confirmation issued, which only this answer shows; null for none."""


class InboxReport(Model):
    __slots__ = ()

    report_id: str
    level: str
    score: float


class InboxReason(Model):
    __slots__ = ()

    code: str
    """A code of `risk.level_reasons` of the report."""
    text: str
    """Its text, and the remedy."""


class InboxEntry(Model):
    __slots__ = ()
    _parts = {
        "previous": InboxReport,
        "current": InboxReport,
        "reasons": InboxReason,
    }
    _records = frozenset({
        "split",
    })

    entry_id: str
    """The id of the event that the entry tells."""
    kind: str
    """`report_changed`: level or score of a watched address changed. `proposal_waiting`: a disposition waits for a second person, until somebody decides. `watch_failed`: three screenings of a watch in a row ended without a whole report."""
    at: str
    read: bool
    """True if this person, or the holder of this key, has marked it as read."""
    report_id: str | None
    """The report to look at; null for a watch that has no whole report."""
    address: str
    chain: str
    """Chain code."""
    watch_id: str | None
    """Null for a proposal."""
    reference: str | None
    """Your reference of the watch; null if there is none."""
    previous: InboxReport | None
    """The report that was told of before a change."""
    current: InboxReport | None
    """The report of a change or a proposal."""
    why: str | None
    """Why the report of a change has its level, in words."""
    reasons: tuple[InboxReason, ...]
    """Why the report of a change is grey, each reason with its remedy; else empty."""
    causes: tuple[str, ...]
    """Of a change: `created`, `labels`, `ledger`, `policy` or `scorer`; others may be added."""
    split: Mapping[str, float] | None
    """Of a change: the points of the difference by part, which add up to it exactly."""
    split_missing: str | None
    """Why a change has no split: `busy`, `unreadable` or `refused`."""
    disposition: str | None
    """The proposed one; null for other kinds."""
    failures: int | None
    """Failed screenings in a row; null for other kinds."""


class ServiceHealth(Model):
    __slots__ = ()

    name: str
    state: str
    """`ready`, `not_ready`, or `not_seen` for a process whose heartbeats ended."""
    failing: tuple[str, ...]
    """Its checks that fail."""
    host: str
    release: str
    started_at: str
    seen_age_ms: float
    """Since its last heartbeat."""


class HealthFault(Model):
    __slots__ = ()

    part: str
    detail: str
    remedy: str
    """The remedy, or the page that says it."""


class ProjectionHealth(Model):
    __slots__ = ()

    name: str
    state: str
    error: str | None
    seen_age_ms: float


class GroupLag(Model):
    """Records that the group has not processed yet."""
    __slots__ = ()

    group: str
    lag: int


class DeadLetterCount(Model):
    __slots__ = ()

    topic: str
    records: int


class InstallationHealth(Model):
    __slots__ = ()
    _parts = {
        "services": ServiceHealth,
        "faults": HealthFault,
        "projections": ProjectionHealth,
        "groups": GroupLag,
        "dead_letters": DeadLetterCount,
    }

    state: str
    """`healthy`; `fault`: something has stopped or waits; `unknown`: nothing is known to be wrong, and something could not be read."""
    looked_at: str
    services: tuple[ServiceHealth, ...]
    missing_services: tuple[str, ...]
    """Services that no process runs."""
    faults: tuple[HealthFault, ...]
    """The parts that have stopped or stand still."""
    projections: tuple[ProjectionHealth, ...]
    groups: tuple[GroupLag, ...]
    """Readers of the log."""
    dead_letters: tuple[DeadLetterCount, ...]
    not_read: tuple[str, ...]
    """The parts that could not be read, so that nothing is known of them."""
    not_looked_at: tuple[str, ...]
    """The parts that this process cannot see. `cupel doctor` looks at them, on the machine on which it runs."""


class KeyUsageDay(Model):
    __slots__ = ()

    calls: int
    """Every call with the key, refused ones included."""
    screens: int
    """Addresses screened one by one; those of bulk jobs are not among them."""
    problems: int
    """Calls that were refused or failed."""
    rate_limited: int
    """Calls over the rate limit (429)."""
    day: str
    """YYYY-MM-DD, UTC."""
    key_id: str


class Label(Model):
    __slots__ = ()

    label_id: str
    address: str
    """In the notation of the source."""
    chain: str
    category: str
    subcategory: str | None
    entity: str
    """The owner, as the source names it; may be empty."""
    source: str
    dataset: str
    source_url: str
    origin: str
    """Who found it: lists that restate one origin count once."""
    role: str
    kind: str
    confidence: float
    """From 0 to 1."""
    status: str
    """`listed`: the list in force has it. `ended`: it has it no more. `historical`: only an older list had it."""
    observed_at: str | None
    """When the source last stated it."""
    valid_from: str | None
    """Since when the source says that it holds; null if it does not say."""
    valid_to: str | None
    known_from: str
    """Since when it is known here."""
    known_to: str | None
    """When its end became known here; null while it is listed."""


class LabelList(Model):
    __slots__ = ()
    _parts = {
        "rows": ListRows,
    }

    source: str
    """The publisher. Empty for an expected list that never came."""
    dataset: str
    authority: str | None
    """The authority whose own list it is, such as us-ofac; null for any other source."""
    whole: bool
    """All of the authority’s list; false for a part, and for other sources."""
    required: bool
    """Nothing is green while this list is too old, in conflict or absent."""
    list_date: str | None
    """The date that the list states."""
    confirmed_at: str | None
    """When a configured refresh last found it at the authority’s own address."""
    published_at: str | None
    """When this version came into force here; null if none did."""
    age_hours: float | None
    """Hours since the later of `list_date` and `confirmed_at`; null if neither is known. Never below 0."""
    labels: int
    rows: ListRows
    status: str
    """current, old, incomplete, conflict, superseded, withdrawn or missing; as `coverage.labels.lists` of a report."""


class LedgerLeftOut(Model):
    __slots__ = ()

    reason: str
    rows: int


class LedgerImport(Model):
    __slots__ = ()
    _parts = {
        "left_out": LedgerLeftOut,
    }

    import_id: int
    state: str
    """`imported`; `importing`: not complete, and it runs; `interrupted`: not complete until somebody imports the file again."""
    ledger_seq: int | None
    """The number of the state of the ledger; null until it is complete."""
    chain: str
    format: str
    file_name: str
    sha256: str
    covers: tuple[str, ...]
    """Kinds of transfers that the declared range covers."""
    complete_from: int | None
    """First height that is declared complete; null without a range."""
    complete_to: int | None
    replaces: bool
    """Transfers of the range that the file does not contain were retired."""
    rows: int
    """Rows that were read so far."""
    added: int
    """Transfers that no earlier file had."""
    known: int
    retired: int
    left_out: tuple[LedgerLeftOut, ...]
    """Rows that are not counted transfers."""
    first_height: int | None
    last_height: int | None
    asset_table: str
    """Version of the table of assets with which it was read."""
    started_at: str
    imported_at: str | None
    imported_by: str


class LedgerRangeState(Model):
    __slots__ = ()

    from_height: int
    to_height: int
    to_at: str | None
    """Time of the last height; null if no file states it."""
    unreadable_rows: bool
    """True if rows of the range could not be read with certainty."""


class LedgerGap(Model):
    __slots__ = ()

    from_height: int
    to_height: int


class LedgerKind(Model):
    __slots__ = ()
    _parts = {
        "ranges": LedgerRangeState,
        "gaps": LedgerGap,
    }

    kind: str
    """`native`, `internal` or `token`."""
    needed: bool
    """True if no history of the chain is complete without this kind."""
    faults: tuple[str, ...]
    """Why declared ranges make no history complete in this kind: `undeclared`, `late_start`, `gap`, `unreadable_rows`, `in_future`, `no_time`, or `old` under the policy in force. Empty if they do."""
    ranges: tuple[LedgerRangeState, ...]
    """Ranges that are declared complete, ascending; the newest 100."""
    ranges_omitted: int
    gaps: tuple[LedgerGap, ...]
    """Heights before and between the ranges that nobody declared; the newest 100."""
    gaps_omitted: int


class LedgerChain(Model):
    __slots__ = ()
    _parts = {
        "kinds": LedgerKind,
    }

    chain: str
    imports: int
    """Imported files that concern all addresses."""
    open_imports: int
    """Imports that are not complete."""
    outdated_imports: int
    """Files that were read with another table of assets: they may lack transfers of assets that count now."""
    transfers: int
    last_height: int | None
    imported_at: str | None
    kinds: tuple[LedgerKind, ...]


class LedgerFollower(Model):
    __slots__ = ()

    chain: str
    next_height: int
    head_height: int | None
    """Newest block of the node; null before its first answer."""
    lag_blocks: int | None
    lag_s: int | None
    """Age of the last imported block, in seconds; null before the first one."""
    seen_age_ms: float
    """Since it last told its state."""
    fault: str | None
    """Why it does not go on; null if it runs."""


class HistoryProvider(Model):
    """Calls for histories on the UTC day."""
    __slots__ = ()

    provider: str
    calls_today: int
    last_day: str


class HistoryReadings(Model):
    """Histories that were asked for in the last day."""
    __slots__ = ()

    reading: int
    read: int
    failed: int


class LedgerPriceEnd(Model):
    __slots__ = ()

    asset: str
    last_day: str


class LedgerPrices(Model):
    __slots__ = ()
    _parts = {
        "early_ends": LedgerPriceEnd,
    }

    sha256: str
    file_name: str
    prices: int
    assets: tuple[str, ...]
    first_day: str
    last_day: str
    unpriced_days: int
    """Whole UTC days since the last priced one: what moved on them has no value in US dollars."""
    early_ends: tuple[LedgerPriceEnd, ...]
    """Assets whose prices end before the last priced day: what moved of them since has no value."""
    imported_at: str
    imported_by: str


class LedgerState(Model):
    """The contents of the ledger, and the gaps in them."""
    __slots__ = ()
    _parts = {
        "chains": LedgerChain,
        "followers": LedgerFollower,
        "providers": HistoryProvider,
        "readings": HistoryReadings,
        "prices": LedgerPrices,
    }

    looked_at: str
    ledger_seq: int
    """The number of the newest import; 0 if the ledger is empty."""
    max_age_hours: int
    """How old the end of a range may be under the policy in force."""
    asset_table: str
    """Version of the table of assets that count."""
    chains: tuple[LedgerChain, ...]
    followers: tuple[LedgerFollower, ...]
    providers: tuple[HistoryProvider, ...]
    """Providers that were ever asked for a history."""
    readings: HistoryReadings
    prices: LedgerPrices | None
    """The table of prices in force; null without one."""


class ListImportSet(Model):
    __slots__ = ()

    source: str
    dataset: str
    list_date: str | None
    whole: bool
    history_only: bool
    """The file is older than the list in force: it adds history only."""
    labels: int
    """Labels of the set after the import."""
    added: int
    changed: int
    unchanged: int
    ended: int


class LostDesignation(Model):
    __slots__ = ()

    authority: str
    chain: str
    address: str
    entity: str


class ListImportRow(Model):
    __slots__ = ()

    line: int
    reason: str


class ListImportRows(Model):
    __slots__ = ()
    _parts = {
        "rows": ListImportRow,
    }

    count: int
    rows: tuple[ListImportRow, ...]
    """The first of them."""


class ListImportResult(Model):
    __slots__ = ()
    _parts = {
        "sets": ListImportSet,
        "lost": LostDesignation,
        "unreadable": ListImportRows,
        "refused": ListImportRows,
        "skipped": ListImportRows,
    }

    code: str
    """`would_import`, `imported`, `failed`, or why the file is refused, such as `too-many-removals`."""
    detail: str | None
    """One sentence if it is refused or failed."""
    sets: tuple[ListImportSet, ...]
    """The sets that change, or changed; empty if it is refused."""
    removals: int | None
    """Removals that only an import with exactly this `accept_removals` makes; null for none."""
    lost_count: int
    """Addresses that no list of their authority designates any more."""
    lost: tuple[LostDesignation, ...]
    """The first of them."""
    unreadable: ListImportRows
    """Rows of a designating list that do not say whom they designate."""
    refused: ListImportRows
    """Unusable rows."""
    skipped: ListImportRows
    """Entries without an address or a known category."""
    warnings: tuple[str, ...]


class ListImport(Model):
    __slots__ = ()
    _parts = {
        "result": ListImportResult,
    }

    import_id: str
    status: str
    """receiving, checking, checked, importing, imported, refused or failed."""
    format: str
    source: str | None
    dataset: str
    bytes: int
    """Bytes of the file that were received."""
    ordered_by: str
    ordered_at: str
    confirmed_by: str | None
    reason: str | None
    result: ListImportResult | None
    """Of the last look at the file, or of its import; null before."""


class ListRefresh(Model):
    __slots__ = ()

    name: str
    """The name of the list in the plan."""
    due_at: str
    """When it is refreshed next."""
    is_running: bool
    attempted_at: str | None
    """When it was last begun; null for never."""
    succeeded_at: str | None
    """When it last succeeded; null for never."""
    changed_at: str | None
    """When it last brought another file; null for never."""
    outcome: str | None
    """`imported`, `unchanged`, or a code for the failure; null before the first."""
    detail: str | None
    """One sentence, if there is more to say."""
    failures: int
    """Failures in a row."""


class NewShare(Model):
    """With the link, which only this answer shows."""
    __slots__ = ()
    _parts = {
        "created_by": CasePerson,
    }

    share_id: str
    report_id: str
    label: str
    """For whom or what it was made; may be empty."""
    status: str
    """`usable`, `expired` or `revoked`."""
    created_at: str
    """When it was made; UTC, RFC 3339 with milliseconds."""
    created_by: CasePerson
    expires_at: str
    """From then on it opens nothing; UTC, RFC 3339 with milliseconds."""
    revoked_at: str | None
    """When it was revoked; null if it was not."""
    opens: int
    """How often it has been opened."""
    last_opened_at: str | None
    """When it was last opened; null if it never was."""
    url: str
    """The link. It contains the token, and only this answer has it."""


class NewWebhookEndpoint(Model):
    """With the secret, which only this answer shows."""
    __slots__ = ()

    endpoint_id: str
    url: str
    """The URL that is called, normalised, or `mailto:` with the address of e-mail."""
    payload: str
    """`full`, `thin`, `slack` or `email`; others may be added."""
    events: tuple[str, ...] | None
    """Types of the messages that it gets; null: all."""
    status: str
    """`enabled` or `disabled`; deliveries to an endpoint that is disabled or not proven are held, test messages only to a disabled one."""
    disabled_reason: str | None
    """`paused`, `gone` where the receiver answered 410, or `unsubscribed` by the recipient of e-mail; null while it is enabled."""
    proven_at: str | None
    """When the receiver answered a test message at this URL with 2xx, or the recipient of e-mail confirmed, UTC, RFC 3339 with milliseconds; null until then. A new endpoint is sent a test message by itself."""
    created_at: str
    """When it was made, UTC, RFC 3339 with milliseconds."""
    secret: str | None
    """Signs the messages to this endpoint, `whsec_…`. Shown only in this answer. Null for e-mail, which has no signature."""


class OpenedCases(Model):
    __slots__ = ()

    opened: int
    """Cases that this call opened."""
    existing: int
    """Reports of the level that had a case before; it stays as it is."""
    left_out: int
    """Reports of the level that this call did not come to in time: the same call opens the rest."""
    not_done: int
    """Addresses that have no report yet: the job runs."""
    without_report: int
    """Addresses without a report because they failed or were cancelled."""


class OwnLabel(Model):
    __slots__ = ()
    _parts = {
        "stated_by": CasePerson,
    }

    label_id: str
    decision: str
    """`block` or `allow`."""
    category: str | None
    """The category in which a block label has points; null for an allow label."""
    address: str
    """As it was sent."""
    chain: str
    reason: str
    """Why, in your own words. No report contains it."""
    status: str
    """`in_force`, `expired`, `removed`, or `replaced` by another label that was stated about the address."""
    stated_at: str
    """From then on it counts; UTC, RFC 3339 with milliseconds."""
    stated_by: CasePerson
    expires_at: str | None
    """From then on it counts no more; null for never."""
    removed_at: str | None
    """When it was removed or replaced; null if it was neither."""
    replaced_by: str | None
    """The label that took its place; null for none."""


class PeopleRole(Model):
    __slots__ = ()

    key_id: str
    """The key that they act with."""
    account_id: str
    livemode: bool
    scope: str
    """Their rights; each scope holds those before it."""


class PeopleGroup(Model):
    __slots__ = ()
    _parts = {
        "acts_with": PeopleRole,
    }

    group: str
    acts_with: PeopleRole | None
    """Null if the key that the settings name does not work: then nobody of the group signs in."""


class SignedInPerson(Model):
    __slots__ = ()

    person: str
    key_id: str
    """The key that they act with."""
    account_id: str
    livemode: bool
    scope: str
    """Their rights; each scope holds those before it."""
    begun_at: str
    used_at: str


class People(Model):
    __slots__ = ()
    _parts = {
        "groups": PeopleGroup,
        "signed_in": SignedInPerson,
    }

    has_sign_in_service: bool
    groups: tuple[PeopleGroup, ...]
    """Groups of the sign-in service, as the settings map them to keys."""
    signed_in: tuple[SignedInPerson, ...]
    """Persons with a session, the last used first, at most 500."""


class PolicyDocumentLevels(Model):
    """Bands of the level. Below orange an address is green or grey."""
    __slots__ = ()

    orange: float
    """Lowest score of orange. Points above 0 to 100, at most two decimals."""
    red: float
    """Lowest score of red; above orange. Points above 0 to 100, at most two decimals."""


class PolicyDocumentWeights(Model):
    """Factor of each category in the overall score, which is the highest weighted category."""
    __slots__ = ()

    sanctions: float
    """Weight of sanctions. 0 to 1, at most 6 decimals."""
    darknet: float
    """Weight of darknet. 0 to 1, at most 6 decimals."""
    mixer: float
    """Weight of mixer. 0 to 1, at most 6 decimals."""
    scam: float
    """Weight of scam. 0 to 1, at most 6 decimals."""
    stolen: float
    """Weight of stolen. 0 to 1, at most 6 decimals."""


class PolicyDocumentRoles(Model):
    """Factor of each role in a label’s confidence."""
    __slots__ = ()

    owner: float
    """Who controls the address. 0 to 1, at most 6 decimals."""
    participant: float
    """Who used the service with it. 0 to 1, at most 6 decimals."""
    disputed: float
    """Whose part is disputed, such as a whitehat. 0 to 1, at most 6 decimals."""
    infrastructure: float
    """The base of a service, such as its token contract. 0 to 1, at most 6 decimals."""


class PolicyDocumentOwnership(Model):
    """How labels of the address itself count."""
    __slots__ = ()

    minimum_confidence: float
    """Labels below are shown and not used. 0 to 1, at most 6 decimals."""
    combined_from: float
    """Origins from here on are combined. 0 to 1, at most 6 decimals."""
    combined_cap: float
    """The most that several origins together come to. 0 to 1, at most 6 decimals."""


class PolicyDocumentGreen(Model):
    """The facts that green needs."""
    __slots__ = ()

    clean_confidence: float
    """Clean attribution from which an address is green without chain data. 0 to 1, at most 6 decimals."""
    attributed_share: float
    """Share of what came in that clean services or issuance must explain. 0 to 1, at most 6 decimals."""
    doubtful_share: float
    """Share of what came in from which weak sources or illicit dust forbid green. 0 to 1, at most 6 decimals."""


class PolicyDocumentFreshnessRequired(Model):
    __slots__ = ()

    origin: str
    """Origin of the authority whose own list is required, such as us-ofac."""
    when: str
    """always: its absence counts as stale. once_published: required from its first import on."""


class PolicyDocumentFreshness(Model):
    """Lists that must be fresh before anything is green."""
    __slots__ = ()
    _parts = {
        "required": PolicyDocumentFreshnessRequired,
    }
    _records = frozenset({
        "max_age_hours_by_origin",
    })

    required: tuple[PolicyDocumentFreshnessRequired, ...]
    """Lists that must be fresh, in addition to those with a refresh configured."""
    max_age_hours: float
    """Age from which a required list is stale. Hours."""
    max_age_hours_by_origin: Mapping[str, float]
    """The same by origin of the authority. Hours."""


class PolicyDocumentExposureCapsSanctionsDirect(Model):
    """Highest points of direct exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsSanctionsIndirect(Model):
    """Highest points of indirect exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsSanctions(Model):
    __slots__ = ()
    _parts = {
        "direct": PolicyDocumentExposureCapsSanctionsDirect,
        "indirect": PolicyDocumentExposureCapsSanctionsIndirect,
    }

    direct: PolicyDocumentExposureCapsSanctionsDirect
    """Highest points of direct exposure."""
    indirect: PolicyDocumentExposureCapsSanctionsIndirect
    """Highest points of indirect exposure."""


class PolicyDocumentExposureCapsDarknetDirect(Model):
    """Highest points of direct exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsDarknetIndirect(Model):
    """Highest points of indirect exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsDarknet(Model):
    __slots__ = ()
    _parts = {
        "direct": PolicyDocumentExposureCapsDarknetDirect,
        "indirect": PolicyDocumentExposureCapsDarknetIndirect,
    }

    direct: PolicyDocumentExposureCapsDarknetDirect
    """Highest points of direct exposure."""
    indirect: PolicyDocumentExposureCapsDarknetIndirect
    """Highest points of indirect exposure."""


class PolicyDocumentExposureCapsMixerDirect(Model):
    """Highest points of direct exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsMixerIndirect(Model):
    """Highest points of indirect exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsMixer(Model):
    __slots__ = ()
    _parts = {
        "direct": PolicyDocumentExposureCapsMixerDirect,
        "indirect": PolicyDocumentExposureCapsMixerIndirect,
    }

    direct: PolicyDocumentExposureCapsMixerDirect
    """Highest points of direct exposure."""
    indirect: PolicyDocumentExposureCapsMixerIndirect
    """Highest points of indirect exposure."""


class PolicyDocumentExposureCapsScamDirect(Model):
    """Highest points of direct exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsScamIndirect(Model):
    """Highest points of indirect exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsScam(Model):
    __slots__ = ()
    _parts = {
        "direct": PolicyDocumentExposureCapsScamDirect,
        "indirect": PolicyDocumentExposureCapsScamIndirect,
    }

    direct: PolicyDocumentExposureCapsScamDirect
    """Highest points of direct exposure."""
    indirect: PolicyDocumentExposureCapsScamIndirect
    """Highest points of indirect exposure."""


class PolicyDocumentExposureCapsStolenDirect(Model):
    """Highest points of direct exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsStolenIndirect(Model):
    """Highest points of indirect exposure."""
    __slots__ = ()

    in_: float
    """Value that came in. Points from 0 to 100, at most two decimals."""
    out: float
    """Value that went out. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureCapsStolen(Model):
    __slots__ = ()
    _parts = {
        "direct": PolicyDocumentExposureCapsStolenDirect,
        "indirect": PolicyDocumentExposureCapsStolenIndirect,
    }

    direct: PolicyDocumentExposureCapsStolenDirect
    """Highest points of direct exposure."""
    indirect: PolicyDocumentExposureCapsStolenIndirect
    """Highest points of indirect exposure."""


class PolicyDocumentExposureCaps(Model):
    __slots__ = ()
    _parts = {
        "sanctions": PolicyDocumentExposureCapsSanctions,
        "darknet": PolicyDocumentExposureCapsDarknet,
        "mixer": PolicyDocumentExposureCapsMixer,
        "scam": PolicyDocumentExposureCapsScam,
        "stolen": PolicyDocumentExposureCapsStolen,
    }

    sanctions: PolicyDocumentExposureCapsSanctions
    darknet: PolicyDocumentExposureCapsDarknet
    mixer: PolicyDocumentExposureCapsMixer
    scam: PolicyDocumentExposureCapsScam
    stolen: PolicyDocumentExposureCapsStolen


class PolicyDocumentExposureSevere(Model):
    """Ransomware, terrorist financing and child sexual abuse material."""
    __slots__ = ()

    minimum: float
    """Least weighted points of what was paid to them directly. Points from 0 to 100, at most two decimals."""
    cap: float
    """Cap of what was paid to them directly, where the category’s own is lower. Points from 0 to 100, at most two decimals."""


class PolicyDocumentExposureShareSanctions(Model):
    """Share of all value, for sanctions; begins below its end."""
    __slots__ = ()

    from_: float
    """Share at which points begin. 0 to 1, at most 6 decimals."""
    to: float
    """Share of full points. 0 to 1, at most 6 decimals."""


class PolicyDocumentExposureShareOther(Model):
    """Share of all value, for the other categories; begins below its end."""
    __slots__ = ()

    from_: float
    """Share at which points begin. 0 to 1, at most 6 decimals."""
    to: float
    """Share of full points. 0 to 1, at most 6 decimals."""


class PolicyDocumentExposureShare(Model):
    __slots__ = ()
    _parts = {
        "sanctions": PolicyDocumentExposureShareSanctions,
        "other": PolicyDocumentExposureShareOther,
    }

    sanctions: PolicyDocumentExposureShareSanctions
    """Share of all value, for sanctions; begins below its end."""
    other: PolicyDocumentExposureShareOther
    """Share of all value, for the other categories; begins below its end."""


class PolicyDocumentExposureSizeFactor(Model):
    __slots__ = ()

    sanctions: float
    """Worth of the size by itself, for sanctions. 0 to 1, at most 6 decimals."""
    other: float
    """Worth of the size by itself, for the other categories. 0 to 1, at most 6 decimals."""


class PolicyDocumentExposureLimits(Model):
    """Counts, never time: the same ledger gives the same answer on a slow machine."""
    __slots__ = ()

    transfers: int
    """Transfers of the screened address that are read. A whole number from 1 to 20000."""
    intermediaries: int
    """Addresses that paths are followed through. A whole number from 0 to 1000."""
    transfers_per_intermediary: int
    """Transfers of one such address. A whole number from 1 to 5000."""
    transfers_of_intermediaries: int
    """Transfers of all of them together. A whole number from 0 to 50000."""
    hub_counterparties: int
    """Unlabelled addresses with more counterparties end a path. A whole number from 1 to 100000."""
    paths: int
    """Recorded paths of each exposure. A whole number from 0 to 20."""


class PolicyDocumentExposure(Model):
    """How exposure is judged."""
    __slots__ = ()
    _parts = {
        "caps": PolicyDocumentExposureCaps,
        "severe": PolicyDocumentExposureSevere,
        "share": PolicyDocumentExposureShare,
        "size_factor": PolicyDocumentExposureSizeFactor,
        "limits": PolicyDocumentExposureLimits,
    }

    method: str
    """How value is followed through an intermediary."""
    hops: int
    """Transfers between the address and a source, at most. A whole number from 1 to 4."""
    caps: PolicyDocumentExposureCaps
    pre_designation_cap: float
    """Cap of what is known to have moved before the designation. Points from 0 to 100, at most two decimals."""
    direct_sanctions_minimum: float
    """Least points of direct sanctions exposure. Points from 0 to 100, at most two decimals."""
    unproven_maximum: float
    """Most weighted points where the execution of a transfer is not proven. Points from 0 to 100, at most two decimals."""
    severe: PolicyDocumentExposureSevere
    """Ransomware, terrorist financing and child sexual abuse material."""
    coinjoin_maximum: float
    """Most weighted points of value that passed through a CoinJoin. Points from 0 to 100, at most two decimals."""
    source_confidence: float
    """Sources below are shown and not scored. 0 to 1, at most 6 decimals."""
    service_confidence: float
    """Owners of a service from here on end a path. 0 to 1, at most 6 decimals."""
    clean_service_confidence: float
    """Clean services from here on are not scored by what passes through. 0 to 1, at most 6 decimals."""
    share: PolicyDocumentExposureShare
    size_decades: int
    """Powers of ten of dust after which size counts in full. A whole number from 1 to 12."""
    size_factor: PolicyDocumentExposureSizeFactor
    history_max_age_hours: int
    """Hours by which the end of a complete history may lie back. A whole number from 1 to 720."""
    limits: PolicyDocumentExposureLimits
    """Counts, never time: the same ledger gives the same answer on a slow machine."""


class PolicyDocumentCluster(Model):
    """How labels of addresses count that spent together with the screened one."""
    __slots__ = ()

    confidence_factor: float
    """Factor of the confidence of a label of another member. 0 to 1, at most 6 decimals."""
    maximum: float
    """Most weighted points of labels of other members. Points from 0 to 100, at most two decimals."""
    addresses: int
    """Labels of a cluster with more addresses do not count. A whole number from 2 to 1000000."""


class PolicyDocumentTransfersLevels(Model):
    """The recommendation by the level of the counterparty; never better for a worse level."""
    __slots__ = ()

    green: str
    """For a green counterparty. allow, review, reject."""
    grey: str
    """For a grey counterparty. review, reject."""
    orange: str
    """For an orange counterparty. allow, review, reject."""
    red: str
    """For a red counterparty. review, reject."""


class PolicyDocumentTransfers(Model):
    """The recommendations for a transfer. A policy without this part has the default one."""
    __slots__ = ()
    _parts = {
        "levels": PolicyDocumentTransfersLevels,
    }
    _optional = frozenset({
        "unread_hash",
    })

    levels: PolicyDocumentTransfersLevels
    """The recommendation by the level of the counterparty; never better for a worse level."""
    designated: str
    """For a counterparty that an authority itself designates. review, reject."""
    illicit_share: float
    """Share of illicit value in funds like those of the transfer that asks for a review. 0 to 1, at most 6 decimals."""
    unread_hash: str | None
    """For a transaction hash that the ledger does not have; review if it is absent. review, reject."""


class PolicyDocument(Model):
    """Every number of the judgement that is not fixed. The score of a live designation by an authority’s own list is fixed at 100 and red; no setting changes it."""
    __slots__ = ()
    _parts = {
        "levels": PolicyDocumentLevels,
        "weights": PolicyDocumentWeights,
        "roles": PolicyDocumentRoles,
        "ownership": PolicyDocumentOwnership,
        "green": PolicyDocumentGreen,
        "freshness": PolicyDocumentFreshness,
        "exposure": PolicyDocumentExposure,
        "cluster": PolicyDocumentCluster,
        "transfers": PolicyDocumentTransfers,
    }
    _optional = frozenset({
        "transfers",
    })

    id: str
    """Name of the policy."""
    version: int
    """Number of this text; higher with every change."""
    levels: PolicyDocumentLevels
    """Bands of the level. Below orange an address is green or grey."""
    weights: PolicyDocumentWeights
    """Factor of each category in the overall score, which is the highest weighted category."""
    roles: PolicyDocumentRoles
    """Factor of each role in a label’s confidence."""
    ownership: PolicyDocumentOwnership
    """How labels of the address itself count."""
    green: PolicyDocumentGreen
    """The facts that green needs."""
    freshness: PolicyDocumentFreshness
    """Lists that must be fresh before anything is green."""
    exposure: PolicyDocumentExposure
    """How exposure is judged."""
    cluster: PolicyDocumentCluster
    """How labels of addresses count that spent together with the screened one."""
    transfers: PolicyDocumentTransfers | None
    """The recommendations for a transfer. A policy without this part has the default one."""


class Policy(Model):
    """The policy in force."""
    __slots__ = ()
    _parts = {
        "document": PolicyDocument,
    }

    id: str
    version: int
    sha256: str
    """SHA-256, lowercase hex, of the document in RFC 8785 form."""
    activated_at: str | None
    """Since when it is in force; null in the sandbox, whose policy never changes."""
    document: PolicyDocument


class PolicyName(Model):
    __slots__ = ()

    id: str
    version: int
    sha256: str


class PolicyActivation(Model):
    __slots__ = ()
    _parts = {
        "policy": PolicyName,
    }

    policy: PolicyName
    activated_at: str
    activated_by: str
    """The operator: a user of the shell, a key, or `system` for the first start."""
    reason: str


class ProposedChange(Model):
    __slots__ = ()
    _parts = {
        "proposed_by": CasePerson,
        "decided_by": CasePerson,
        "effect": ChangeEffect,
    }
    _records = frozenset({
        "change",
    })

    change_id: str
    status: str
    """`open`, `confirmed`, `refused` or `expired`. Only an open one can be decided."""
    kind: str
    """`issue_key`, `change_key`, `rotate_key`, `confirm_import` or `activate_policy`."""
    account_id: str
    """The account whose key it changes; that of the proposer for a list or a policy."""
    livemode: bool
    change: Mapping[str, Any] | None
    """The change, in the fields of its kind; null if nobody can read it any more."""
    reason: str
    proposed_by: CasePerson
    proposed_at: str
    expires_at: str
    decided_by: CasePerson | None
    """Null while nobody decided."""
    decided_at: str | None
    needs_second_person: bool
    """True if another person must confirm it."""
    may_confirm: bool
    """True if this caller may confirm it now."""
    effect: ChangeEffect | None
    """For an open change of the policy: how it differs from the policy in force."""


class RedeliveredWebhooks(Model):
    __slots__ = ()

    count: int
    """Deliveries that will be sent again."""


class CaseFile(Model):
    __slots__ = ()

    name: str
    media_type: str
    """As the bytes show, whatever the name says."""
    bytes: int
    """Size of the file."""
    sha256: str
    """SHA-256 of the file, in hexadecimal."""
    content_sha256: str
    """SHA-256 of the sealed text that is stored for the file, as the log has it."""


class CaseEntry(Model):
    __slots__ = ()
    _parts = {
        "by": CasePerson,
        "assignee": CaseAssignee,
        "file": CaseFile,
    }
    _optional = frozenset({
        "assignee",
        "due_on",
        "file",
    })

    version: int
    """Place in the history, from 1."""
    kind: str
    """`note`, `disposition_changed`, `disposition_proposed`, `proposal_declined`, `assigned` or `file_attached`; others may be added."""
    at: str
    """When it was made; UTC, RFC 3339 with milliseconds."""
    by: CasePerson
    text: str
    """The note, or the reason of the decision or the assignment; empty for a file."""
    disposition: str | None
    """The disposition that was set, proposed or declined; null for other entries."""
    previous_disposition: str | None
    """The disposition before a change; null for other entries, and where the change opened the case."""
    proposal_version: int | None
    """The entry that this one confirms or declines; null if it does neither."""
    assignee: CaseAssignee | None
    """Who was assigned, null for nobody; absent for other entries."""
    due_on: str | None
    """The day that was set, null for none; absent for other entries."""
    file: CaseFile | None
    """The file that was attached; absent for other entries."""


class ReportCase(Model):
    __slots__ = ()
    _parts = {
        "proposal": CaseProposal,
        "assignee": CaseAssignee,
        "history": CaseEntry,
    }
    _optional = frozenset({
        "assignee",
        "due_on",
        "is_overdue",
    })

    report_id: str
    address: str
    """The screened address, as the report has it."""
    chain: str
    level: str
    """The level of the report."""
    score: float
    """The score of the report."""
    disposition: str | None
    """`open`, `escalated` or `cleared`; null while nobody has worked on the report."""
    version: int
    """Number of entries in the history. Each entry adds one."""
    needs_second_person: bool
    """True if another person must confirm that this report is cleared."""
    proposal: CaseProposal | None
    """The disposition that waits for a second person; null if none does."""
    assignee: CaseAssignee | None
    """Who works on it; null if nobody is assigned."""
    due_on: str | None
    """The day, of UTC, on which the case is due: `2026-12-31`. Null without one."""
    is_overdue: bool | None
    """True if the day has passed and the report is not cleared; absent in documents."""
    opened_at: str | None
    """When the first entry was made; null without one."""
    changed_at: str | None
    """When the last entry was made; null without one."""
    history: tuple[CaseEntry, ...]
    """Oldest first. Nothing is ever removed."""


class RotatedWebhookSecret(Model):
    __slots__ = ()

    secret: str
    """The new secret, `whsec_…`. Shown only in this answer."""
    previous_secret_expires_at: str
    """Until then messages are also signed with the previous secret. UTC, RFC 3339."""


class WebhookAttempt(Model):
    __slots__ = ()

    at: str
    """When it was begun, UTC, RFC 3339 with milliseconds."""
    status_code: int | None
    """Status of the answer, of e-mail the code of the mail server; null if none came."""
    error: str | None
    """Why no answer came, such as `timeout` or `connect_failed`; null if one did."""
    duration_ms: int
    response_excerpt: str | None
    """The beginning of the answer’s body, at most 1,024 characters."""


class SentWebhookDelivery(Model):
    """A delivery with what is sent. `attempts` has the beginning of each answer."""
    __slots__ = ()
    _parts = {
        "attempts": WebhookAttempt,
    }
    _records = frozenset({
        "headers",
    })

    delivery_id: str
    webhook_id: str
    """The `webhook-id` header: the same over all attempts."""
    type: str
    """`bulk.completed`, `bulk.cancelled`, `report.changed`, `watches.digest`, `watch.failed`, `transfer.screened` or `endpoint.test`; others may be added."""
    job_id: str | None
    """The job of the message; null if it concerns none."""
    status: str
    """`pending`, `delivered`, `exhausted` after its last attempt, or `held` while the endpoint is disabled or not proven."""
    next_attempt_at: str | None
    """Time of the next attempt; null if there will be none."""
    created_at: str
    """When it was made, UTC, RFC 3339 with milliseconds."""
    attempts: tuple[WebhookAttempt, ...]
    """Oldest first."""
    payload: str
    """`full`, `thin`, `slack` or `email`: that of the endpoint when it was made."""
    body: str | None
    """As it is sent, in each attempt; null until the results of the job can be read. Of e-mail the JSON of its subject and paragraphs, without the links of the recipient."""
    headers: Mapping[str, str] | None
    """The headers of the last attempt, with its signature and without the secret; null if there was none, and for e-mail."""


class Share(Model):
    """A link to a report, without the link itself."""
    __slots__ = ()
    _parts = {
        "created_by": CasePerson,
    }

    share_id: str
    report_id: str
    label: str
    """For whom or what it was made; may be empty."""
    status: str
    """`usable`, `expired` or `revoked`."""
    created_at: str
    """When it was made; UTC, RFC 3339 with milliseconds."""
    created_by: CasePerson
    expires_at: str
    """From then on it opens nothing; UTC, RFC 3339 with milliseconds."""
    revoked_at: str | None
    """When it was revoked; null if it was not."""
    opens: int
    """How often it has been opened."""
    last_opened_at: str | None
    """When it was last opened; null if it never was."""


class TransferReason(Model):
    __slots__ = ()

    code: str
    recommendation: str
    """The recommendation of this reason by itself."""
    text: str
    remedy: str | None
    """The remedy of a person; null without one."""


class TransferCounterparty(Model):
    __slots__ = ()
    _parts = {
        "categories": CategoryScores,
    }

    address: str
    report_id: str
    report_url: str
    level: str
    """green, orange, red or grey (too little is known to say green)"""
    score: float
    level_reasons: tuple[str, ...]
    score_is_lower_bound: bool
    categories: CategoryScores


class Transfer(Model):
    """The recommendation for a transfer, with its reasons."""
    __slots__ = ()
    _parts = {
        "reasons": TransferReason,
        "asset": TransferAsset,
        "funds": TransferFunds,
        "ledger": TransferLedger,
        "counterparty": TransferCounterparty,
        "policy": PolicyVersion,
    }

    transfer_id: str
    """Also the id of the report of the counterparty."""
    livemode: bool
    reference: str | None
    """Your own reference."""
    recommendation: str
    """allow, review or reject, by the policy; the worst of all reasons."""
    level: str
    """Level of the counterparty."""
    score: float
    reasons: tuple[TransferReason, ...]
    """Why. The worst of them decides; later versions may have more codes."""
    chain: str
    direction: str
    """incoming: the report is of the sender. outgoing: of the receiver."""
    from_: str
    to: str
    transaction_hash: str | None
    planned: bool
    """There is no transaction yet."""
    asset: TransferAsset
    amount: str
    """In whole ones."""
    amount_base_units: str | None
    """Null if the decimals of the token are not known."""
    value_usd: str | None
    """US dollars at the latest price of the ledger’s table."""
    priced_on: str | None
    """Day of that price."""
    funds: TransferFunds | None
    """The word of the counterparty’s exposure on funds in this asset; null if it says nothing."""
    ledger: TransferLedger
    counterparty: TransferCounterparty
    """The sender of an incoming transfer, the receiver of an outgoing one. Its report has the evidence."""
    generated_at: str
    policy: PolicyVersion
    scorer_version: str


class UnreadCount(Model):
    __slots__ = ()

    unread: int
    """Entries that this person, or the holder of this key, has not marked as read."""
    is_lower_bound: bool
    """True if there are older entries than the newest 1,000. Only those are counted."""
    list_reasons: tuple[str, ...]
    """Why the lists let no address be green now, as in a watch; empty if they do."""


class UsagePeriod(Model):
    __slots__ = ()

    calls: int
    """Every call with the key, refused ones included."""
    screens: int
    """Addresses screened one by one; those of bulk jobs are not among them."""
    problems: int
    """Calls that were refused or failed."""
    rate_limited: int
    """Calls over the rate limit (429)."""
    from_: str
    """Begin of the day or month, UTC."""


class UsageDay(Model):
    __slots__ = ()

    calls: int
    """Every call with the key, refused ones included."""
    screens: int
    """Addresses screened one by one; those of bulk jobs are not among them."""
    problems: int
    """Calls that were refused or failed."""
    rate_limited: int
    """Calls over the rate limit (429)."""
    day: str
    """YYYY-MM-DD, UTC."""


class KeyPlan(Model):
    __slots__ = ()

    name: str
    calls_per_second: float
    """Sustained rate."""
    burst: int
    """Calls that may come at once."""
    on_empty: str
    """refuse: further calls are 429. fair-use: they are logged."""


class UsageCounts(Model):
    __slots__ = ()

    calls: int
    """Every call with the key, refused ones included."""
    screens: int
    """Addresses screened one by one; those of bulk jobs are not among them."""
    problems: int
    """Calls that were refused or failed."""
    rate_limited: int
    """Calls over the rate limit (429)."""


class KeyUsage(Model):
    __slots__ = ()
    _parts = {
        "plan": KeyPlan,
        "today": UsageCounts,
        "month": UsageCounts,
    }

    key_id: str
    name: str
    scope: str
    status: str
    """active, expired or revoked."""
    last_used_at: str | None
    """To the minute; null if it was never used."""
    plan: KeyPlan
    today: UsageCounts
    month: UsageCounts


class Usage(Model):
    __slots__ = ()
    _parts = {
        "today": UsagePeriod,
        "month": UsagePeriod,
        "days": UsageDay,
        "keys": KeyUsage,
    }

    today: UsagePeriod
    month: UsagePeriod
    counted_from: str | None
    """Always null: every call of the month is counted."""
    days: tuple[UsageDay, ...]
    """Days of the month with calls, newest first."""
    keys: tuple[KeyUsage, ...]
    """Every key of the environment, in the order of their issue."""


class WatchedReport(Model):
    __slots__ = ()

    report_id: str
    level: str
    score: float
    generated_at: str
    """When it was decided, UTC, RFC 3339 with milliseconds."""


class Watch(Model):
    __slots__ = ()
    _parts = {
        "last_report": WatchedReport,
    }

    watch_id: str
    address: str
    """As it was sent when the watch was made."""
    chain: str
    """Chain code."""
    reference: str | None
    """Your own reference; null if there is none."""
    until: str | None
    """From then on the address is not decided again; null: without an end."""
    threshold: float
    """Points by which the score must move to be a change."""
    digest: bool
    """True if it is part of the daily digest."""
    status: str
    """`active`, or `ended` from its `until` on."""
    created_at: str
    """When it was made, UTC, RFC 3339 with milliseconds."""
    list_reasons: tuple[str, ...]
    """Why the lists let no address be green now, in the words of `level_reasons`; empty while each required list is here and fresh. A list that grows old decides no watch again, so the last report does not say it."""
    last_report: WatchedReport | None
    """The last decision; null until the address was decided for the first time."""


class WebhookDelivery(Model):
    __slots__ = ()
    _parts = {
        "attempts": WebhookAttempt,
    }

    delivery_id: str
    webhook_id: str
    """The `webhook-id` header: the same over all attempts."""
    type: str
    """`bulk.completed`, `bulk.cancelled`, `report.changed`, `watches.digest`, `watch.failed`, `transfer.screened` or `endpoint.test`; others may be added."""
    job_id: str | None
    """The job of the message; null if it concerns none."""
    status: str
    """`pending`, `delivered`, `exhausted` after its last attempt, or `held` while the endpoint is disabled or not proven."""
    next_attempt_at: str | None
    """Time of the next attempt; null if there will be none."""
    created_at: str
    """When it was made, UTC, RFC 3339 with milliseconds."""
    attempts: tuple[WebhookAttempt, ...]
    """Oldest first."""


class WebhookEndpoint(Model):
    __slots__ = ()

    endpoint_id: str
    url: str
    """The URL that is called, normalised, or `mailto:` with the address of e-mail."""
    payload: str
    """`full`, `thin`, `slack` or `email`; others may be added."""
    events: tuple[str, ...] | None
    """Types of the messages that it gets; null: all."""
    status: str
    """`enabled` or `disabled`; deliveries to an endpoint that is disabled or not proven are held, test messages only to a disabled one."""
    disabled_reason: str | None
    """`paused`, `gone` where the receiver answered 410, or `unsubscribed` by the recipient of e-mail; null while it is enabled."""
    proven_at: str | None
    """When the receiver answered a test message at this URL with 2xx, or the recipient of e-mail confirmed, UTC, RFC 3339 with milliseconds; null until then. A new endpoint is sent a test message by itself."""
    created_at: str
    """When it was made, UTC, RFC 3339 with milliseconds."""


class LevelChange(Model):
    __slots__ = ()

    from_: str
    """green, orange, red, grey; later versions may have others."""
    to: str
    """green, orange, red, grey; later versions may have others."""
    count: int


class WhatIfOutcome(Model):
    __slots__ = ()

    level: str
    score: float
    level_reasons: tuple[str, ...]
    decisive: str | None
    """Category and origin of the decisive evidence."""


class WhatIfReport(Model):
    __slots__ = ()
    _parts = {
        "from": WhatIfOutcome,
        "to": WhatIfOutcome,
    }

    report_id: str
    address: str
    chain: str
    generated_at: str
    from_: WhatIfOutcome
    to: WhatIfOutcome
    causes: tuple[str, ...]
    """Settings of which each by itself changes the level; empty if it takes several."""


class WhatIf(Model):
    __slots__ = ()
    _parts = {
        "current": PolicyName,
        "proposed": PolicyName,
        "findings": PolicyFinding,
        "settings": PolicyChange,
        "levels": LevelChange,
        "examples": WhatIfReport,
    }

    current: PolicyName
    proposed: PolicyName
    findings: tuple[PolicyFinding, ...]
    """Warnings about the proposed policy: choices that deserve a second look."""
    settings: tuple[PolicyChange, ...]
    """The settings in which the two policies differ."""
    reports: int
    """Reports that were decided again, the newest of the account."""
    undecidable: int
    """Reports that could not be decided again."""
    since: str | None
    """Time of the oldest of these reports; null without reports."""
    changed_levels: int
    changed_scores: int
    changed_recommendations: int
    """Transfers for which another recommendation follows."""
    levels: tuple[LevelChange, ...]
    """Reports by their level under the current policy and under the proposed one."""
    examples: tuple[WhatIfReport, ...]
    """Reports whose level changes, at most 50."""
    examples_omitted: int
