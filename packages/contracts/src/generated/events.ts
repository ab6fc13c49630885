// Generated from schemas/ and deploy/topics.json by `npm run generate`. Do not edit.

/** A customer asked for one address to be screened. */
export interface ScreenRequested {
  /** 16 lowercase hex characters; the last two name the partition of the report topic. */
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Exactly as the caller sent it. */
  readonly address: string
  /** The one form under which this address is looked up. */
  readonly canonicalAddress: string
  /** Chain code as resolved, upper case. */
  readonly chain: string
  /** Every chain the address fits, where the caller named none and it fits several; else empty. */
  readonly candidateChains: readonly string[]
  readonly customerReference: null | string
  /** interactive or bulk. */
  readonly lane: string
  /** UTC time until which a caller waits for the answer; null if none waits. */
  readonly answerByAt: null | string
  /** UTC time until which late stages are waited for; null: as long as their budgets. */
  readonly stagesByAt: null | string
  /** UTC time the request was accepted. */
  readonly requestedAt: string
  /** Link to the web page of the report, as configured when the request was accepted. */
  readonly reportUrl: string
  readonly jobId: null | string
  readonly jobIndex: null | number
  /** The transfer whose counterparty the address is; null where an address is screened by itself. */
  readonly transfer: null | TransferTerms
  /** The call that asked for the screening; null for the screening of a bulk item. */
  readonly call: null | ApiCall
}

/** A transfer between an address of the caller and the screened one, as stated or as the ledger has it. */
export interface TransferTerms {
  /** incoming: the screened address is the sender. outgoing: it is the receiver. */
  readonly direction: string
  /** The address of the caller, as sent. */
  readonly ownAddress: string
  readonly ownCanonicalAddress: string
  /** Canonical contract of the token; empty for the native asset. */
  readonly contract: null | string
  /** The caller named the symbol of another asset than the contract has. */
  readonly symbolLies: boolean
  /** In whole ones, a plain decimal number. */
  readonly amount: string
  /** Null for a planned transfer. */
  readonly txHash: null | string
  /** The word of the ledger, or of the provider in toldBy, on the transaction: seen, contradicted, failed, unconfirmed, other_senders, disagreement, not_seen, not_searched, no_ledger, or planned without a hash. */
  readonly seen: string
  /** The state of the ledger that was read; 0 if there is none, and for a planned transfer. */
  readonly ledgerSeq: number
  /** Price of one whole, in millionths of a US dollar; null without a price. */
  readonly microUsd: null | string
  /** UTC day of that price, YYYY-MM-DD. */
  readonly pricedOn: null | string
  /** The provider that told of the transaction, or several joined by +; empty if only the ledger was asked. */
  readonly toldBy: string
  /** Why no provider told of the transaction, such as not_found, timeout or not_allowed; empty if one did, and if none was asked. */
  readonly lookup: string
  /** The fields that the caller left to the transaction: counterparty, asset or amount. The ledger did not have it, so that a provider told it. In a request without a counterparty the screened address is the one of the caller. */
  readonly unstated: readonly string[]
}

/** The call of the API that an event records. The event is the audit record of the call: no ApiRequestAudited is appended as well. */
export interface ApiCall {
  /** Request-Id of the answer. */
  readonly requestId: string
  readonly keyId: string
  /** Scope of the key. */
  readonly scope: string
  /** Address of the client; an IPv4-mapped address is written as IPv4. */
  readonly clientAddress: string
  readonly method: string
  /** Path of the endpoint with the names of its parameters, as in the API description. */
  readonly route: string
  /** HTTP status of the answer where the call succeeds. */
  readonly status: number
  /** When the call came; UTC, RFC 3339 with milliseconds. */
  readonly at: string
  /** Name of the person who called, where a sign-in service vouches for it; empty otherwise. */
  readonly actor: string
}

/** A screening was decided. The first record with a report id in its partition is the report. */
export interface ReportGenerated {
  readonly reportId: string
  /** The report exactly as callers receive it: UTF-8 JSON, never rewritten. */
  readonly report: string
  readonly accountId: string
  readonly livemode: boolean
  readonly address: string
  readonly canonicalAddress: string
  readonly chain: string
  readonly candidateChains: readonly string[]
  readonly customerReference: null | string
  readonly level: string
  readonly score: number
  readonly categories: CategoryScores
  readonly levelReasons: readonly string[]
  readonly scoreIsLowerBound: boolean
  readonly generatedAt: string
  readonly reportUrl: string
  readonly jobId: null | string
  readonly jobIndex: null | number
  /** The transfer whose counterparty the address is; null where an address is screened by itself. */
  readonly transfer: null | TransferTerms
  /** allow, review or reject for a transfer; null where an address is screened by itself. */
  readonly recommendation: null | string
  /** SHA-256, lowercase hex, of the RFC 8785 form of the report. */
  readonly reportSha256: string
  readonly inputs: JudgementInputs
}

/** Points from 0 to 100 per category, at most two decimals. */
export interface CategoryScores {
  readonly sanctions: number
  readonly darknet: number
  readonly mixer: number
  readonly scam: number
  readonly stolen: number
  readonly cleanExchange: number
}

/** Everything that the decision used, so that it can be recomputed from the log. Facts that many reports share are separate events, named by hash. */
export interface JudgementInputs {
  readonly labelSetSeq: number
  /** current, lagging or missing. */
  readonly labelView: string
  /** Names the LabelStateRecorded event with the state of every list. That event is in the log before this report. */
  readonly labelStateSha256: string
  readonly labels: readonly ConsideredLabel[]
  /** Labels of the own address of a transfer; empty for an address that is screened by itself. */
  readonly ownAddressLabels: readonly ConsideredLabel[]
  /** Null for an address in no cluster, and on chains without clusters. */
  readonly cluster: null | ClusterRecord
  readonly policyId: string
  readonly policyVersion: number
  /** Names the policy document. Its PolicyActivated event is in the log before this report; the sandbox uses the default policy of the scorer. */
  readonly policySha256: string
  readonly chainTableVersion: string
  readonly originTableVersion: string
  readonly assetTableVersion: string
  readonly scorerVersion: string
  /** How the stage of chain data ended: answered, failed or late; empty where no provider was queried. */
  readonly chainStage: string
  /** One for each queried provider, in the order of the configuration. */
  readonly chainFacts: readonly ChainFact[]
  /** Null where no provider is asked for histories. */
  readonly historyReading: null | HistoryReading
  /** Null where no ledger was queried. */
  readonly exposure: null | ExposureRecord
  /** The other chains that were judged, where the caller named none: those on which labels, the ledger or a provider know the address. */
  readonly candidates: readonly CandidateRecord[]
}

/** A label that was considered, with all its facts and its use in the decision. */
export interface ConsideredLabel {
  readonly labelId: string
  readonly source: string
  readonly dataset: string
  readonly chain: string
  readonly address: string
  readonly category: string
  /** A finer kind, such as ransomware; empty without one. */
  readonly subcategory: string
  readonly role: string
  readonly entity: string
  readonly origin: string
  readonly kind: string
  /** Confidence in parts per million. */
  readonly confidencePpm: number
  readonly sourceUrl: string
  readonly observedAt: null | string
  readonly validFrom: null | string
  readonly validTo: null | string
  readonly sanction: null | LabelSanction
  /** UTC time this label became visible here. */
  readonly knownFrom: string
  /** UTC time it was retired here. */
  readonly knownTo: null | string
  /** live or ended. */
  readonly status: string
  /** A designation on an authority’s own current list. */
  readonly isLiveDesignation: boolean
  readonly used: boolean
  /** Why it was not used; empty where it was. */
  readonly reason: string
}

/** The word of an authority on a designation. */
export interface LabelSanction {
  /** Name of the authority’s list. */
  readonly list: string
  /** Sanctions programmes or regimes. */
  readonly programmes: readonly string[]
  /** Identifier of the entity on that list. */
  readonly entityId: string
  /** At most 5 other names. */
  readonly aliases: readonly string[]
  /** Date of the designation, where the list states it. */
  readonly designatedOn: null | string
}

/** Addresses that spent together with the screened one. */
export interface ClusterRecord {
  /** The smallest member address by code units: the same members give the same name. */
  readonly clusterId: string
  /** Number of addresses. */
  readonly size: number
  /** State of the ledger. */
  readonly ledgerSeq: number
  /** Why its labels do not count: too_large, holds_service or failed; empty where they do. */
  readonly stopped: string
  readonly labels: readonly ClusterLabel[]
}

/** ClusterLabel */
export interface ClusterLabel {
  /** Canonical address of the labelled member. */
  readonly member: string
  /** A transaction that joined the member to the cluster. */
  readonly txHash: string
  readonly label: ConsideredLabel
}

/** The answer of one provider of chain data about the address, or the reason for none. */
export interface ChainFact {
  readonly chain: string
  /** Name of the provider in the configuration. */
  readonly provider: string
  /** The request, without secrets. */
  readonly request: string
  /** Block the answer is of, in decimals. */
  readonly height: null | string
  readonly blockHash: null | string
  /** UTC time of the answer, rounded down. */
  readonly fetchedAt: string
  readonly balanceBaseUnits: null | string
  readonly txCount: null | number
  /** total or outgoing. */
  readonly txCountKind: null | string
  /** The address has code; the delegation of an account is not code. */
  readonly isContract: null | boolean
  readonly tokens: readonly TokenBalance[]
  /** Hash of the provider’s answer; empty without one. */
  readonly responseSha256: string
  /** Why there is no answer; null where there is one. */
  readonly error: null | string
}

/** A token of the asset table. */
export interface TokenBalance {
  readonly asset: string
  readonly amountBaseUnits: string
  /** Digits between the base unit and one whole token. */
  readonly decimals: number
}

/** How far the reading of the history of the address was, where a provider is asked for histories. */
export interface HistoryReading {
  /** fresh, reading or failed. */
  readonly status: string
  /** Why it failed; empty where it did not. */
  readonly reason: string
  readonly provider: string
  /** Pages that were read. */
  readonly pages: number
  readonly pagesExpected: null | number
  /** Counterparties whose histories are still to be read. */
  readonly waiting: number
  /** The chains whose histories are not read. */
  readonly chains: readonly string[]
}

/** Exposure as measured on the ledger. */
export interface ExposureRecord {
  /** examined, absent (a ledger without this address), late or failed. */
  readonly status: string
  /** Names the state of the ledger: the number of the newest imported segment. */
  readonly ledgerSeq: number
  /** haircut, fifo or poison. */
  readonly method: string
  readonly limits: ExposureLimitsUsed
  readonly ranges: readonly LedgerRange[]
  readonly histories: readonly ExposureHistory[]
  /** Counted transfers that were read. */
  readonly transfersExamined: number
  /** Transfers of the address itself. */
  readonly ownTransfers: number
  readonly hopsSearched: number
  /** A limit was reached. */
  readonly truncated: boolean
  /** Every transfer of the address is known. */
  readonly historyComplete: boolean
  /** Why the history is not known to be complete, such as no_traces, range_gap or balance_mismatch. */
  readonly incomplete: readonly string[]
  /** The balance that the ledger explains: base units of the native asset that came in less those that went out, fees of account chains not counted; null where it is not known. */
  readonly netBaseUnits: null | string
  /** The balances of tokens that the ledger explains; one that it does not name is 0. */
  readonly nets: readonly ExposureNet[]
  readonly measures: readonly ExposureMeasure[]
  readonly breakdown: readonly ExposureBreakdown[]
  readonly cut: readonly ExposureCut[]
  /** How many more there are. */
  readonly cutOmitted: number
  /** SHA-256 of the full set of transfers that were read. */
  readonly edgesSha256: string
  /** Names the table of prices; empty without one. */
  readonly priceTableSha256: string
  /** Why the stage failed; empty where it did not. */
  readonly error: string
}

/** Counts that the search was bounded by. */
export interface ExposureLimitsUsed {
  readonly hops: number
  readonly transfers: number
  readonly intermediaries: number
  readonly transfersPerIntermediary: number
  readonly transfersOfIntermediaries: number
  readonly hubCounterparties: number
  readonly paths: number
}

/** Heights over which a ledger is declared to hold every transfer of a kind. */
export interface LedgerRange {
  /** native, internal or token. */
  readonly kind: string
  readonly fromHeight: number
  readonly toHeight: number
  /** UTC time of the last height. */
  readonly toAt: null | string
}

/** The statement of one provider on all transfers of the address, as the ledger has it. */
export interface ExposureHistory {
  /** The address, or another one of its key. */
  readonly address: string
  readonly provider: string
  /** The newest block that the provider knew then. */
  readonly height: number
  /** Hash of that block; empty if the provider does not tell it. */
  readonly hash: string
  /** UTC time of that block. */
  readonly at: string
  /** Kinds of transfers that were read whole: native, internal, token. */
  readonly kinds: readonly string[]
  /** Why it is not whole; empty if it is. */
  readonly incomplete: readonly string[]
}

/** The amount of a token that came in less the amount that went out. */
export interface ExposureNet {
  /** Symbol. */
  readonly asset: string
  readonly decimals: number
  readonly baseUnits: string
}

/** Value of one asset that moved between the address and sources of one category. */
export interface ExposureMeasure {
  /** A risk category, or unattributed for what passed through an unlabelled hub. */
  readonly category: string
  /** A subcategory that is scored by rules of its own; else empty. */
  readonly subcategory: string
  /** direct or indirect. */
  readonly relation: string
  /** in or out. */
  readonly direction: string
  /** Symbol. */
  readonly asset: string
  /** Contract of the token; empty for the native asset. */
  readonly contract: string
  readonly decimals: number
  /** Base units, from the asset table. */
  readonly dust: string
  /** Moved before the designation: known to be, known not to be, or null where a date is missing. */
  readonly preDesignation: null | boolean
  /** The sources are attributed too weakly to be scored. */
  readonly isWeak: boolean
  /** Only other members of the sources' clusters are labelled. */
  readonly isCluster: boolean
  /** The designation was in force at the time and has ended since. */
  readonly isHistorical: boolean
  /** V: base units attributed to these sources. */
  readonly amount: string
  /** Value in millionths of a US dollar at the day of each transfer; null where a price is missing. */
  readonly microUsd: null | string
  /** Base units before a designation date divides them; dust is judged on this. */
  readonly wholeAmount: string
  /** The part of it that rests on transfers of proven execution and known order alone. */
  readonly provenAmount: string
  /** The largest unproven part rests on transfers of proven execution in unknown order. */
  readonly isOrderUnknown: boolean
  /** T: all counted base units of the address in this direction. */
  readonly total: string
  /** T covers the whole history. */
  readonly totalComplete: boolean
  /** Mean confidence of the sources, weighted by value, parts per million. */
  readonly confidencePpm: number
  readonly provenConfidencePpm: number
  /** Transfers of the address that carry it. */
  readonly transfers: number
  /** Distinct sources. */
  readonly sources: number
  /** Longest way. */
  readonly hops: number
  /** UTC time of the first transfer; null where a time is missing. */
  readonly firstAt: null | string
  readonly lastAt: null | string
  /** The sources of most value, at most 20. */
  readonly counterparties: readonly ExposureCounterparty[]
  readonly counterpartiesOmitted: number
  /** Base units of the sources that are not listed; with the listed ones they are the whole amount. */
  readonly counterpartiesOmittedAmount: string
  readonly counterpartiesOmittedMicroUsd: null | string
  /** The source of most value. */
  readonly sourceAddress: string
  readonly sourceChain: string
  readonly entity: string
  /** The list that names it. */
  readonly source: string
  readonly sourceUrl: string
  readonly origin: string
  readonly role: string
  /** The word of the authority on the source of most value. */
  readonly sanction: null | LabelSanction
  readonly observedAt: null | string
  /** The paths of most value. */
  readonly paths: readonly ExposurePath[]
}

/** An address that value is attributed to. */
export interface ExposureCounterparty {
  readonly address: string
  readonly entity: string
  /** The list that names it; empty in a breakdown. */
  readonly source: string
  readonly sourceUrl: string
  /** Base units. */
  readonly amount: string
  /** Value in millionths of a US dollar at the day of each transfer; null where a price is missing. */
  readonly microUsd: null | string
  readonly transfers: number
}

/** One way value took between a source and the address; its transfers stand for all between the same addresses. */
export interface ExposurePath {
  /** Base units that are attributed to the source by this way. */
  readonly amount: string
  readonly hops: number
  readonly steps: readonly ExposureStep[]
}

/** One transfer of a path, in the order in which value moved. */
export interface ExposureStep {
  readonly from: string
  readonly to: string
  /** Empty where the source does not say. */
  readonly txHash: string
  readonly blockNumber: null | number
  /** UTC time. */
  readonly occurredAt: null | string
  /** Base units of the whole transfer. */
  readonly amount: string
  /** Its execution is proven. */
  readonly proven: boolean
}

/** All value of one asset that moved in one direction, divided by what it is attributed to. The parts add up to the total. */
export interface ExposureBreakdown {
  /** in or out. */
  readonly direction: string
  /** Symbol. */
  readonly asset: string
  readonly contract: string
  readonly decimals: number
  /** Base units. */
  readonly total: string
  /** Value in millionths of a US dollar at the day of each transfer; null where a price is missing. */
  readonly microUsd: null | string
  readonly totalComplete: boolean
  readonly parts: readonly ExposurePart[]
}

/** ExposurePart */
export interface ExposurePart {
  /** A category, service for an unlabelled hub, or unattributed. */
  readonly category: string
  /** direct, indirect; empty for unattributed. */
  readonly relation: string
  readonly amount: string
  /** Value in millionths of a US dollar at the day of each transfer; null where a price is missing. */
  readonly microUsd: null | string
  /** Those of most value, at most 20. */
  readonly counterparties: readonly ExposureCounterparty[]
  readonly counterpartiesOmitted: number
}

/** An address at which paths ended. */
export interface ExposureCut {
  readonly address: string
  /** service, hub, contract, too_many_transfers or limit. */
  readonly reason: string
  readonly hops: number
}

/** The facts about the address on another chain that it is possible on. */
export interface CandidateRecord {
  readonly chain: string
  /** The canonical form on this chain. */
  readonly canonicalAddress: string
  readonly labels: readonly ConsideredLabel[]
  readonly cluster: null | ClusterRecord
  readonly chainStage: string
  readonly chainFacts: readonly ChainFact[]
  readonly exposure: null | ExposureRecord
}

/** A screening could not be decided and is not retried automatically. */
export interface ScreeningFailed {
  readonly reportId: string
  readonly accountId: string
  readonly livemode: boolean
  /** One of the published error codes. */
  readonly code: string
  readonly detail: string
  /** True if POST /v1/transfers asked for the screening. */
  readonly isTransfer: boolean
  readonly jobId: null | string
  readonly jobIndex: null | number
  readonly failedAt: string
}

/** The latest report of an account about an address on a chain: state, not history. It names no person and repeats no reference of the account. */
export interface LatestReportRecorded {
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Code of the chain, such as ETH. */
  readonly chain: string
  /** The address in the one form that its chain compares. The key of the record is accountId/chain/canonicalAddress. */
  readonly canonicalAddress: string
  /** The address as it was screened. */
  readonly address: string
  readonly reportId: string
  /** green, orange, red or grey. */
  readonly level: string
  readonly score: number
  /** When the report was decided; UTC, RFC 3339 with milliseconds. Of two reports the one with the later generatedAt is the latest, and of two with one generatedAt the one whose reportId is greater by its bytes. */
  readonly generatedAt: string
  /** The bulk job, where the report is one of its items. */
  readonly jobId: null | string
  /** Partition of the topic of reports where ReportGenerated stands. */
  readonly reportPartition: number
  /** Its offset there. */
  readonly reportOffset: number
}

/** The state of every list of labels, stated once for all reports that use it. Repeats of one hash have the same bytes. */
export interface LabelStateRecorded {
  /** SHA-256, lowercase hex, of the RFC 8785 form of the other fields. Names this state; also the key of the record. */
  readonly sha256: string
  /** Number of the newest publication. */
  readonly labelSetSeq: number
  /** UTC time of the newest published set; empty where no set was published. */
  readonly labelsAsOf: string
  readonly labelSets: readonly LabelSetState[]
}

/** One published set of labels. A list that is required and never came has an empty publishedAt. */
export interface LabelSetState {
  readonly source: string
  readonly dataset: string
  /** Hash of the imported file. */
  readonly sha256: string
  readonly importId: string
  /** Sequence number under which this version became visible. */
  readonly labelSetSeq: number
  readonly publishedAt: string
  /** Date the list itself states. */
  readonly asOf: null | string
  /** UTC time of the last refresh that found the list unchanged at the authority’s own address. */
  readonly confirmedAt: null | string
  /** The origin whose own list this set is, for example us-ofac; empty for every other set. */
  readonly authorityOrigin: string
  /** The set is all of the authority’s list. */
  readonly whole: boolean
  /** The set is refreshed on a schedule, so a report requires it to be fresh. */
  readonly refreshConfigured: boolean
  /** Number of labels that the publication states. */
  readonly total: number
  /** Number of its labels that were visible when it was published. A different total means that labels are missing. */
  readonly visible: number
  /** The changes were computed from an older state of the authority’s sets: the list must be imported again. */
  readonly staleBase: boolean
  /** The rows of the document, by what became of them. */
  readonly rows: LabelSetRows
  /** Other sets, as source/dataset, that were versions of the same list when this one was published. */
  readonly versionOf: readonly string[]
  /** Names, and other names, of those whom an authority’s own list designates; empty for every other set. */
  readonly parties: readonly string[]
}

/** LabelSetRows */
export interface LabelSetRows {
  /** Rows of the document that gave a label. */
  readonly read: number
  /** Unusable rows. */
  readonly refused: number
  /** Complete rows that state no label. */
  readonly skipped: number
  /** Rows of a designating list that do not say whom they designate. */
  readonly unreadable: number
  /** Unreadable rows that an operator has seen and accepted. Fewer than all of them: the set is incomplete. */
  readonly accepted: number
}

/** A customer submitted addresses to be screened as one job. The first with a job id in its partition is the job. */
export interface BulkSubmitted {
  readonly jobId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** The name that the caller gave the job, sealed; null if it has no name. */
  readonly name: null | string
  readonly items: readonly BulkItem[]
  /** The beginning of the links to the web pages of the reports, as configured when the job was accepted. */
  readonly reportPageUrl: string
  /** UTC time the job was accepted. */
  readonly submittedAt: string
  /** The call that submitted the job. */
  readonly call: null | ApiCall
}

/** One address of a bulk job; its index is its place. */
export interface BulkItem {
  /** Exactly as the caller sent it; empty if it is refused. */
  readonly address: string
  /** The customer reference of the item, sealed; null if it has none. */
  readonly reference: null | string
  /** The text that the caller sent in the place of an address, sealed: a text that is not an address may name a person. Null if it is screened. */
  readonly refusedText: null | string
  /** Items with equal address, chain and reference share one; null if the address is refused. */
  readonly reportId: null | string
  /** The one form under which this address is looked up; empty if the address is refused. */
  readonly canonicalAddress: string
  /** Chain code as resolved, upper case; empty if the address is refused. */
  readonly chain: string
  /** Every chain the address fits, where the caller named none and it fits several; else empty. */
  readonly candidateChains: readonly string[]
  /** Why the address is refused: one of the published error codes; null if it is screened. */
  readonly errorCode: null | string
  readonly errorDetail: null | string
}

/** A customer requested the cancellation of a job. Items that had ended keep their results. */
export interface BulkCancelRequested {
  readonly jobId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  readonly requestedAt: string
  /** The call that asked for the cancellation. */
  readonly call: null | ApiCall
}

/** A job ended before all its items were done. */
export interface BulkCancelled {
  readonly jobId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Items of the job. */
  readonly total: number
  /** Items with a report. */
  readonly completed: number
  /** Items without a report, for example because of an invalid address. */
  readonly failed: number
  /** Items that were not done when the job was cancelled. */
  readonly cancelled: number
  /** The items that are cancelled, ascending; whatever is recorded of them later does not count. */
  readonly cancelledIndices: readonly number[]
  readonly cancelledAt: string
}

/** Every item of a job has ended. */
export interface BulkCompleted {
  readonly jobId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** completed, completed_with_errors or failed. */
  readonly status: string
  /** Items of the job. */
  readonly total: number
  /** Items with a report. */
  readonly completed: number
  /** Items without a report, for example because of an invalid address. */
  readonly failed: number
  /** Items that were not done when the job was cancelled. */
  readonly cancelled: number
  /** UTC time at which the last item ended. */
  readonly completedAt: string
}

/** An account watches addresses. A watch of an address that was watched before replaces the settings of that one and keeps its id. */
export interface WatchesCreated {
  /** Names the call that made them. */
  readonly batchId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  readonly watches: readonly CreatedWatch[]
  /** The beginning of the address of a report's page, before its id. */
  readonly reportPageUrl: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly createdAt: string
  /** Id of the API key. */
  readonly createdBy: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The call that made them. */
  readonly call: null | ApiCall
}

/** CreatedWatch */
export interface CreatedWatch {
  readonly watchId: string
  /** As the call named it. */
  readonly address: string
  readonly canonicalAddress: string
  readonly chain: string
  readonly candidateChains: readonly string[]
  /** Finds the labels of the address, also those of other chains that share it. */
  readonly lookupKey: string
  /** The account’s own reference. */
  readonly reference: null | string
  /** From then on the address is not watched; UTC, RFC 3339 with milliseconds. Null: without an end. */
  readonly until: null | string
  /** Hundredths of a point by which the score must move. */
  readonly thresholdHundredths: number
  /** Part of the daily digest. */
  readonly digest: boolean
}

/** An account watches an address no more. */
export interface WatchRemoved {
  readonly watchId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** UTC, RFC 3339 with milliseconds. */
  readonly removedAt: string
  /** Id of the API key. */
  readonly removedBy: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The call that removed it. */
  readonly call: null | ApiCall
}

/** A watched address was decided again, and its level changed or its score moved by at least the threshold of the watch. One event per change: a repeat has the same id. */
export interface ReportChanged {
  readonly watchId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  readonly address: string
  readonly canonicalAddress: string
  readonly chain: string
  /** The reference of the watch. */
  readonly reference: null | string
  /** The report that the account was told of last, or the first one of the watch. */
  readonly previousReportId: string
  readonly previousLevel: string
  /** 0 to 100, at most two decimals. */
  readonly previousScore: number
  readonly reportId: string
  readonly level: string
  /** 0 to 100, at most two decimals. */
  readonly score: number
  /** The causes of the decision: created, labels, ledger, policy or scorer. Several where they came before it was made. */
  readonly causes: readonly string[]
  /** When the later report was decided; UTC, RFC 3339 with milliseconds. */
  readonly changedAt: string
  /** How much of the difference of the scores each part makes, in points; the parts add up to it exactly. Null if it was not computed. */
  readonly split: null | ScoreSplit
  /** Why split is null. busy: more changes came at once than are split. unreadable: the log has one of the reports, or an event that it names, no more. refused: a report does not follow from its record, or the version that decided the change does not contain its scorer. Others may be added. */
  readonly splitMissing: null | string
  /** Why the later report has its level, in English, as its page says it. */
  readonly why: string
  /** Why the later report is grey; empty for any other level. */
  readonly reasons: readonly ReasonInWords[]
}

/** ScoreSplit */
export interface ScoreSplit {
  readonly labels: number
  readonly funds: number
  readonly policy: number
  readonly scorer: number
  readonly time: number
  /** Of stages that only one of the reports has: the other one was decided without them. */
  readonly notExamined: number
}

/** ReasonInWords */
export interface ReasonInWords {
  /** A level reason of the later report. */
  readonly code: string
  /** Its text and the remedy, in English. */
  readonly text: string
}

/** The third screening in a row of a watched address ended without a whole report. One event for each such row of failures: a repeat has the same id. */
export interface WatchFailed {
  readonly watchId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  readonly address: string
  readonly chain: string
  /** The reference of the watch. */
  readonly reference: null | string
  /** Id of the third screening. There is a report only if a stage of it was missing. */
  readonly reportId: string
  /** Screenings in a row that ended without a whole report. */
  readonly failures: number
  /** When the third screening ended; UTC, RFC 3339 with milliseconds. */
  readonly failedAt: string
}

/** How the watches of an account in one of its environments stand that ask for a digest. One event a day: a repeat has the same id. */
export interface WatchesDigested {
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Of the end, UTC, YYYY-MM-DD. An account has one digest for a day in each environment. */
  readonly day: string
  /** Where the digest before ended; UTC, RFC 3339 with milliseconds. */
  readonly from: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly until: string
  /** Watches that ask for a digest and have not ended. */
  readonly watched: number
  /** Those among them whose account was told of a change since the digest before. */
  readonly changed: number
  /** Those that have a report and did not change; none of the unknown ones. */
  readonly unchanged: number
  /** Those without any report yet. */
  readonly undecided: number
  /** Watches without a known change whose last screening failed, or whose next one is due or has not ended. */
  readonly unknown: number
  /** Those whose last screenings, three or more in a row, ended without a report. They count among the others too. */
  readonly failing: number
  /** The highest scores first, at most 100. */
  readonly changes: readonly DigestedChange[]
  /** Those that keep failing, the longest first, at most 100. */
  readonly failures: readonly FailingWatch[]
}

/** DigestedChange */
export interface DigestedChange {
  readonly watchId: string
  readonly address: string
  readonly chain: string
  /** The report where the digest before left off, or the first one. */
  readonly previousReportId: string
  readonly previousLevel: string
  readonly previousScore: number
  /** The report that the account was told of last. */
  readonly reportId: string
  readonly level: string
  readonly score: number
}

/** FailingWatch */
export interface FailingWatch {
  readonly watchId: string
  readonly address: string
  readonly chain: string
  /** Screenings in a row that ended without a report. */
  readonly failures: number
}

/** An account stated a label of its own about an address. It counts for the screens of this account only. */
export interface OwnLabelStated {
  readonly labelId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** block or allow. */
  readonly decision: string
  /** The category of a block label; clean_exchange for an allow label, which has no points. */
  readonly category: string
  readonly chain: string
  /** Exactly as the caller sent it. */
  readonly address: string
  readonly canonicalAddress: string
  /** The keys under which a screen finds the label. */
  readonly lookupKeys: readonly string[]
  /** Why, in the words of the account. */
  readonly reason: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly statedAt: string
  /** From this time on the label counts no more: UTC, RFC 3339; null for never. */
  readonly expiresAt: null | string
  /** Id of the API key that stated it. */
  readonly statedBy: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The call that stated the label. */
  readonly call: null | ApiCall
}

/** An account removed a label of its own, or stated another one about the address in its place. */
export interface OwnLabelRemoved {
  readonly labelId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** The label that was stated in its place; null if it was removed. */
  readonly replacedBy: null | string
  /** Why, in the words of the account; may be empty. */
  readonly reason: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly removedAt: string
  /** Id of the API key that removed it. */
  readonly removedBy: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The call that removed the label; null if another label took its place. */
  readonly call: null | ApiCall
}

/** A source states labels of addresses. Visible from the LabelSetPublished of the same import. */
export interface LabelsAsserted {
  readonly importId: string
  readonly source: string
  readonly dataset: string
  readonly labels: readonly AssertedLabel[]
}

/** One label of an address. */
export interface AssertedLabel {
  readonly labelId: string
  readonly chain: string
  /** As the source writes it. */
  readonly address: string
  readonly canonicalAddress: string
  /** Family and canonical address: what look-ups compare. */
  readonly lookupKey: string
  readonly category: string
  /** A finer kind, such as ransomware; empty without one. */
  readonly subcategory: string
  readonly role: string
  readonly entity: string
  readonly origin: string
  readonly kind: string
  /** Confidence in parts per million. */
  readonly confidencePpm: number
  readonly sourceUrl: string
  readonly observedAt: null | string
  readonly validFrom: null | string
  readonly validTo: null | string
  readonly sanction: null | LabelSanction
}

/** A label vanished from its set. Takes effect with the LabelSetPublished of the same import. */
export interface LabelRetired {
  readonly labelId: string
  readonly importId: string
  readonly source: string
  readonly dataset: string
  /** Date from which the source no longer says so. */
  readonly validTo: string
}

/** All labels of one import became visible at once. */
export interface LabelSetPublished {
  readonly importId: string
  readonly source: string
  readonly dataset: string
  readonly sha256: string
  readonly asOf: null | string
  readonly publishedAt: string
  /** Older than the set already published: adds history, changes nothing current. */
  readonly historical: boolean
  /** Nothing was retired because the import only adds. */
  readonly appended: boolean
  /** The origin whose own list this set is, for example us-ofac; empty for every other set. */
  readonly authorityOrigin: string
  /** The set is all of the authority’s list. False: a part, which ends nothing. */
  readonly whole: boolean
  /** Sets that this one replaces: from here on they are withdrawn. */
  readonly replaces: readonly LabelSetName[]
  /** Number of the newest publication when the changes were computed. An older state of the authority’s sets makes this a conflict. */
  readonly basedOnSeq: number
  /** UTC time of the last refresh that found this list unchanged at the authority’s own address. */
  readonly confirmedAt: null | string
  /** The list as the document names it, for example SDN; empty where it names none. */
  readonly list: string
  /** Other sets, as source/dataset, that were versions of the same list when this one was published. */
  readonly versionOf: readonly string[]
  readonly total: number
  readonly added: number
  readonly unchanged: number
  readonly retired: number
  /** Addresses that are no longer designated by any set of the authority. */
  readonly lostDesignations: number
  readonly refused: number
  /** The rows of the document, by what became of them. */
  readonly rows: LabelSetRows
  readonly acceptedRemovals: null | number
  readonly reason: null | string
  readonly importedBy: string
  /** The set is refreshed on a schedule: from here on it is required to be fresh. */
  readonly refreshConfigured: boolean
}

/** LabelSetName */
export interface LabelSetName {
  readonly source: string
  readonly dataset: string
}

/** A list was configured to be refreshed on a schedule: it is required to be fresh, also before it first arrives. */
export interface LabelSetExpected {
  readonly expectationId: string
  /** Source of the list; empty if only its rows name it. */
  readonly source: string
  readonly dataset: string
  /** False: the list is no longer expected. */
  readonly expected: boolean
  readonly expectedAt: string
  readonly expectedBy: string
  /** Reason given by the operator; empty for a scheduled refresh. */
  readonly reason: string
}

/** The transfers of one file became visible at once. The ledger is rebuilt from these files, not from the log. */
export interface LedgerSegmentImported {
  readonly segmentId: string
  /** Names the state of the ledger from here on. A restore that accepts what the ledger lost states the last segment again; 0 if none is left. */
  readonly ledgerSeq: number
  readonly chain: string
  /** csv, ethereum-etl, bitcoin-etl, or blocks for a file that gives times to blocks. */
  readonly format: string
  readonly fileName: string
  /** Hash of the file. */
  readonly sha256: string
  /** Kinds that the declared range covers: native, internal, token. */
  readonly covers: readonly string[]
  /** First height from which the file is declared to hold everything. */
  readonly completeFrom: null | number
  readonly completeTo: null | number
  /** UTC time of the last height of the file; null without a declared range or a time. */
  readonly completeToAt: null | string
  /** Transfers of the declared range that the file does not hold were retired. */
  readonly replaces: boolean
  readonly rows: number
  /** Transfers that were new. */
  readonly added: number
  /** Transfers that another file, or this one, already contained. */
  readonly known: number
  /** Transfers that got a time from this file of blocks. */
  readonly timed: number
  readonly retired: number
  /** Rows that are not a counted transfer, by reason. */
  readonly leftOut: Readonly<Record<string, number>>
  readonly firstHeight: null | number
  readonly lastHeight: null | number
  readonly assetTableVersion: string
  readonly importedAt: string
  readonly importedBy: string
  /** Reason given by the operator who imported it; empty without one. */
  readonly reason: string
  /** The change of the sums of all rows of the ledger by the import: their number, and the SHA-256 of each row as four whole numbers of 64 bits, each added up. Five numbers, separated by commas. */
  readonly rowSums: string
  /** Null for a file that concerns all addresses. Else the declared range holds for this address only. */
  readonly history: null | AddressHistoryFacts
}

/** The statement of a provider on all transfers of one address. */
export interface AddressHistoryFacts {
  /** Canonical. */
  readonly address: string
  readonly provider: string
  /** The newest block that the provider knew then. */
  readonly height: number
  /** Hash of that block; empty if the provider does not tell it. */
  readonly hash: string
  /** UTC time of that block. */
  readonly at: string
  /** Why it is not whole, such as truncated or contradicting_pages; empty if it is. */
  readonly incomplete: readonly string[]
}

/** A table of daily prices came into force. Reports name it by hash; amounts in dollars come from it and from nothing else. */
export interface PriceTableImported {
  /** SHA-256 of the prices, sorted, lowercase hex. Names the table. */
  readonly sha256: string
  /** 1, 2, 3 … in the order of the imports; the highest is in force. */
  readonly priceSeq: number
  readonly fileName: string
  /** Number of prices. */
  readonly prices: number
  /** Symbols with at least one price. */
  readonly assets: readonly string[]
  /** UTC day. */
  readonly firstDay: string
  readonly lastDay: string
  readonly importedAt: string
  readonly importedBy: string
  /** Reason given by the operator; empty without one. */
  readonly reason: string
}

/** From here on screenings are decided under this policy. */
export interface PolicyActivated {
  readonly policyId: string
  readonly version: number
  /** RFC 8785 JSON. */
  readonly document: string
  readonly sha256: string
  readonly activatedBy: string
  readonly reason: string
  readonly activatedAt: string
}

/** A customer account was opened. */
export interface AccountCreated {
  readonly accountId: string
  readonly name: string
  readonly createdAt: string
  readonly createdBy: string
  /** Reason given by the operator who opened it; empty without one. */
  readonly reason: string
}

/** Keys of personal data were destroyed: what they sealed can never be read again. The records of the log stay as they are. */
export interface PersonalDataErased {
  /** `account`: everything of the account; `reference`: what is sealed for one of its customer references, which is not named; `client-addresses`: those of a month. */
  readonly scope: string
  /** Empty for client addresses of all accounts whose retention is over. */
  readonly accountId: string
  /** The month of the client addresses, as 2026-11; empty for everything of the account. */
  readonly period: string
  /** The destroyed keys, as sealed texts name them; none where they had been destroyed before. */
  readonly keyIds: readonly string[]
  /** Records of the account in the log that hold personal data as it is, from before keys were used: they are not erased. Null if nobody counted them. */
  readonly plainRecords: null | number
  /** UTC, RFC 3339 with milliseconds. */
  readonly erasedAt: string
  /** The operator, or the service that keeps the retention. */
  readonly erasedBy: string
  /** Reason given by the operator, sealed: with a key of the installation if the account was erased, else with the key of the account. The retention states its days. */
  readonly reason: string
}

/** The rights or the name of an API key were changed; its secret stays. States the whole key as it is from then on. */
export interface ApiKeyChanged {
  readonly keyId: string
  readonly accountId: string
  readonly scope: string
  readonly plan: string
  readonly name: string
  readonly allowedIps: readonly string[]
  readonly expiresAt: null | string
  readonly webhookAdmin: boolean
  /** True if the allowlist became another one. */
  readonly areAddressesChanged: boolean
  readonly changedAt: string
  readonly changedBy: string
  /** Reason given by whoever changed it; empty without one. */
  readonly reason: string
}

/** An operator decided whether providers may be asked for the addresses of an account. */
export interface AccountChanged {
  readonly accountId: string
  /** false: no address that the account screens is sent to a provider of chain data or histories. */
  readonly asksProviders: boolean
  readonly changedAt: string
  readonly changedBy: string
  readonly reason: string
}

/** Somebody proposed a change of a key, of a list or of the policy. It changes nothing until a person confirms it. */
export interface ChangeProposed {
  /** Begins with chg_. */
  readonly changeId: string
  /** The account of the proposer, whose key sealed actor and subject. */
  readonly accountId: string
  /** The account whose key it changes; that of the proposer for a list or a policy, which all accounts share. */
  readonly ofAccountId: string
  readonly livemode: boolean
  /** issue_key, change_key, rotate_key, confirm_import or activate_policy. */
  readonly kind: string
  /** JSON of the change, sealed with the key of ofAccountId. */
  readonly change: string
  /** SHA-256 of what the look at a list found, of the rights of the key that it changes, or of the policy in force: the proposal counts while that is so. Empty for a new key. */
  readonly basedOn: string
  /** Why, in the words of whoever proposed it, sealed with the key of ofAccountId. */
  readonly reason: string
  /** Id of the API key that proposed it. */
  readonly proposedBy: string
  /** The first key in the chain of rotations of that key. */
  readonly holder: string
  /** The person, sealed, where one was signed in; else empty. */
  readonly actor: string
  /** The permanent identifier of that person, sealed: it tells one person from another. Empty if no person was signed in. */
  readonly subject: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly proposedAt: string
}

/** Somebody confirmed or refused a proposed change. */
export interface ProposedChangeDecided {
  readonly changeId: string
  /** The account whose key sealed the texts of this event. */
  readonly accountId: string
  /** confirm or refuse. */
  readonly decision: string
  /** Id of the API key that decided it. */
  readonly decidedBy: string
  /** The person, sealed, where one was signed in; else empty. */
  readonly actor: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly decidedAt: string
}

/** An API key was issued. Neither the key nor its digest is ever part of an event. */
export interface ApiKeyIssued {
  readonly keyId: string
  readonly accountId: string
  /** live or test. */
  readonly environment: string
  readonly scope: string
  readonly plan: string
  readonly name: string
  readonly allowedIps: readonly string[]
  readonly expiresAt: null | string
  readonly webhookAdmin: boolean
  readonly rotatedFrom: null | string
  readonly issuedAt: string
  readonly issuedBy: string
  /** Reason given by the operator who issued it; empty without one. */
  readonly reason: string
}

/** An API key stopped working. */
export interface ApiKeyRevoked {
  readonly keyId: string
  readonly accountId: string
  readonly revokedAt: string
  readonly revokedBy: string
  readonly reason: string
}

/** A call with an API key was answered, or refused. Neither the key nor anything of a body is ever part of it. */
export interface ApiRequestAudited {
  /** Account of the key; empty if the key is not known. */
  readonly accountId: string
  /** live or test; empty if the key is not known. */
  readonly environment: string
  readonly livemode: boolean
  /** Empty if the key is not known. */
  readonly keyId: string
  /** Scope of the key. */
  readonly scope: string
  /** Address of the client, IPv4-mapped addresses as IPv4. */
  readonly clientAddress: string
  readonly method: string
  /** Path of the endpoint with the names of its parameters, as in the API description. */
  readonly route: string
  /** HTTP status of the answer. */
  readonly status: number
  /** Problem code of the answer; empty for a success. */
  readonly code: string
  /** Why access was refused, told apart further than the answer does; empty if it was granted. */
  readonly refusedBecause: string
  readonly requestId: string
  /** Ids of what the call was about or made. */
  readonly subjectIds: readonly string[]
  /** From the head of the request to its outcome; the acknowledgement of this event comes on top. */
  readonly latencyMs: number
  /** When the call came; UTC, RFC 3339 with milliseconds. */
  readonly at: string
  /** Name of the person who called, where a sign-in service vouches for it; empty otherwise. */
  readonly actor: string
}

/** Further calls without a known key from one client within a minute, counted instead of recorded one by one. */
export interface RefusedRequestsCounted {
  /** IPv4 address, or the /64 of an IPv6 address. */
  readonly clientNetwork: string
  readonly count: number
  /** Beginning of the minute; UTC, RFC 3339 with milliseconds. */
  readonly from: string
  /** Time of the last call counted. */
  readonly to: string
  /** Instance of the API that counted; each counts what it answered. */
  readonly countedBy: string
}

/** An operator hands the reports of a month to an archive. From then on a row of the month may be without its document, or the log without its records. */
export interface MonthRetired {
  /** A month of UTC, such as 2026-01, by the end of the screenings. */
  readonly month: string
  /** The source of its reports: database (the documents in their rows) or log (their records). */
  readonly store: string
  /** Reports of the month that the archive gives with the same bytes. */
  readonly reports: number
  /** The folder, or s3://bucket/prefix, as the operator named it. */
  readonly archive: string
  /** Number of the last manifest of the archive. */
  readonly manifest: number
  /** Leaves of the signed tree head that the archive names: every report of the month has one of them. */
  readonly treeSize: number
  /** The root of that tree, in base64. */
  readonly treeRoot: string
  /** Where the log is cut; empty if the store is the database. */
  readonly cuts: readonly LogCut[]
  /** UTC, RFC 3339 with milliseconds. */
  readonly retiredAt: string
  readonly retiredBy: string
  /** Reason given by the operator. */
  readonly reason: string
}

/** LogCut */
export interface LogCut {
  readonly topic: string
  readonly partition: number
  /** The first offset that stays. */
  readonly before: number
}

/** An operator put a rebuilt read model into service although its rows differ from those that were in service. */
export interface RebuildAccepted {
  /** Name of the read model. */
  readonly readModel: string
  /** Rows that only one side had, over all tables: a changed row counts twice. Exactly the number that the operator accepted. */
  readonly differences: number
  /** The tables that differ. */
  readonly tables: readonly RebuiltTable[]
  /** UTC, RFC 3339 with milliseconds. */
  readonly acceptedAt: string
  readonly acceptedBy: string
  /** Reason given by the operator. */
  readonly reason: string
}

/** RebuiltTable */
export interface RebuiltTable {
  readonly table: string
  /** Rows in service before. */
  readonly rowsBefore: number
  /** Rows of the rebuild. */
  readonly rowsAfter: number
  /** Rows in service that the rebuild does not have. */
  readonly rowsOnlyBefore: number
  /** Rows of the rebuild that were not in service. */
  readonly rowsOnlyAfter: number
}

/** An operator registered record keys: no process starts without them. */
export interface RecordKeysRegistered {
  /** The record keys that every process must have; only their ids. */
  readonly keyIds: readonly string[]
  /** UTC, RFC 3339 with milliseconds. */
  readonly registeredAt: string
  readonly registeredBy: string
  /** Reason given by the operator. */
  readonly reason: string
}

/** An account created a webhook endpoint. */
export interface WebhookEndpointCreated {
  readonly endpointId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Scheme, host and port of the receiver; the rest of a URL may hold a secret and stays out of events. `mailto:` for an address of e-mail. */
  readonly origin: string
  /** Address of e-mail, sealed; empty for a URL. */
  readonly recipient: string
  /** full, thin, slack or email. */
  readonly payload: string
  /** Types of messages that it gets; null for all. */
  readonly events: null | readonly string[]
  /** enabled or disabled. */
  readonly status: string
  readonly createdAt: string
  /** Key id or operator. */
  readonly createdBy: string
  /** Reason given by the operator; empty if the account did it. */
  readonly reason: string
  /** The call that created the endpoint; null if an operator did. */
  readonly call: null | ApiCall
}

/** A webhook endpoint was changed, paused, resumed or got another secret. */
export interface WebhookEndpointChanged {
  readonly endpointId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Scheme, host and port of the receiver; the rest of a URL may hold a secret and stays out of events. `mailto:` for an address of e-mail. */
  readonly origin: string
  /** Address of e-mail, sealed; empty for a URL. */
  readonly recipient: string
  /** full, thin, slack or email. */
  readonly payload: string
  /** Types of messages that it gets; null for all. */
  readonly events: null | readonly string[]
  /** enabled or disabled. */
  readonly status: string
  /** paused by its owner, gone: the receiver answered 410, or unsubscribed: the recipient of e-mail wants no more; null while it is enabled. */
  readonly disabledReason: null | string
  /** When the receiver accepted a test message at the present URL, or the recipient of e-mail confirmed; null until then. */
  readonly provenAt: null | string
  /** Time until which messages are also signed with the previous secret; null without one. */
  readonly previousSecretExpiresAt: null | string
  readonly changedAt: string
  /** Key id, operator, cupel/webhook-dispatcher, or recipient: by a link of an e-mail. */
  readonly changedBy: string
  /** Reason given by the operator; empty if the account did it. */
  readonly reason: string
  /** The call that changed the endpoint; null if an operator or the dispatcher did. */
  readonly call: null | ApiCall
}

/** An account deleted a webhook endpoint and dropped its open deliveries. */
export interface WebhookEndpointDeleted {
  readonly endpointId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  readonly deletedAt: string
  /** Key id or operator. */
  readonly deletedBy: string
  /** Reason given by the operator; empty if the account did it. */
  readonly reason: string
  /** The call that deleted the endpoint; null if an operator did. */
  readonly call: null | ApiCall
}

/** An attempt to send a webhook ended, with any result. */
export interface WebhookAttempted {
  readonly deliveryId: string
  /** The webhook-id header, the same over all attempts. */
  readonly webhookId: string
  readonly endpointId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Type of the webhook, such as bulk.completed. */
  readonly type: string
  /** null if it is not about a job. */
  readonly jobId: null | string
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** null if no answer came. */
  readonly statusCode: null | number
  /** Why no answer came: timeout, connect_failed and so on; null if there was one. */
  readonly error: null | string
  readonly durationMs: number
  /** When it is tried again; null if it is not. */
  readonly nextAttemptAt: null | string
  readonly attemptedAt: string
}

/** A receiver accepted a webhook. */
export interface WebhookDelivered {
  readonly deliveryId: string
  /** The webhook-id header, the same over all attempts. */
  readonly webhookId: string
  readonly endpointId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Type of the webhook, such as bulk.completed. */
  readonly type: string
  /** null if it is not about a job. */
  readonly jobId: null | string
  /** Attempts it took in all. */
  readonly attempts: number
  readonly deliveredAt: string
}

/** A webhook was not accepted by its last attempt. It is still listed and can be sent again. */
export interface WebhookExhausted {
  readonly deliveryId: string
  /** The webhook-id header, the same over all attempts. */
  readonly webhookId: string
  readonly endpointId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** Type of the webhook, such as bulk.completed. */
  readonly type: string
  /** null if it is not about a job. */
  readonly jobId: null | string
  /** Attempts made in all. */
  readonly attempts: number
  readonly exhaustedAt: string
}

/** An account made a link under which one report can be read without a key, until it expires or is revoked. */
export interface ReportShareCreated {
  readonly shareId: string
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** For whom or what the link was made, in the words of the account; may be empty. */
  readonly label: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly createdAt: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly expiresAt: string
  /** Id of the API key that made it. */
  readonly createdBy: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The call that made the link. */
  readonly call: null | ApiCall
}

/** A share link was ended by its account. */
export interface ReportShareRevoked {
  readonly shareId: string
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** UTC, RFC 3339 with milliseconds. */
  readonly revokedAt: string
  /** Id of the API key that revoked it. */
  readonly revokedBy: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The call that revoked the link. */
  readonly call: null | ApiCall
}

/** A report was shown to somebody who had a share link. */
export interface ReportShareOpened {
  readonly shareId: string
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** UTC, RFC 3339 with milliseconds. */
  readonly openedAt: string
  /** Address of the client; an IPv4-mapped address is written as IPv4. */
  readonly clientAddress: string
  /** The number of this opening among those of the link, from 1. */
  readonly opens: number
  /** The call that opened the link; it has no key. */
  readonly call: null | ApiCall
}

/** Somebody wrote a note to a report. The first entry of a case opens it: its disposition is then open. */
export interface ReportNoteAdded {
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** The place of this entry in the history of the case, from 1. */
  readonly version: number
  readonly text: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly addedAt: string
  /** Id of the API key that wrote it. */
  readonly addedBy: string
  /** The name of that key at the time, sealed; empty if it has none. */
  readonly keyName: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The permanent identifier of that person, sealed: it tells one person from another after a restore. Empty if no person was signed in. */
  readonly subject: string
  /** The call that added the note. */
  readonly call: null | ApiCall
}

/** A disposition was proposed that a second person must confirm. The disposition stays as it was; a case that this entry opens is open. */
export interface DispositionProposed {
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** The place of this entry in the history of the case, from 1. */
  readonly version: number
  /** open, escalated or cleared. */
  readonly disposition: string
  readonly reason: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly proposedAt: string
  /** Id of the API key that proposed it. */
  readonly proposedBy: string
  /** The name of that key at the time, sealed; empty if it has none. */
  readonly keyName: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The permanent identifier of that person, sealed: it tells one person from another after a restore. Empty if no person was signed in. */
  readonly subject: string
  /** The call that proposed the disposition. */
  readonly call: null | ApiCall
}

/** A proposed disposition was declined, or withdrawn by the person who had proposed it. The disposition stays as it was. */
export interface DispositionProposalDeclined {
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** The place of this entry in the history of the case, from 1. */
  readonly version: number
  /** The disposition that had been proposed. */
  readonly disposition: string
  /** The version of the proposal. */
  readonly proposalVersion: number
  readonly reason: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly declinedAt: string
  /** Id of the API key that declined it. */
  readonly declinedBy: string
  /** The name of that key at the time, sealed; empty if it has none. */
  readonly keyName: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The permanent identifier of that person, sealed: it tells one person from another after a restore. Empty if no person was signed in. */
  readonly subject: string
  /** The call that declined the proposal. */
  readonly call: null | ApiCall
}

/** The disposition of a report was changed. A proposal that was pending has ended with it. */
export interface DispositionChanged {
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** The place of this entry in the history of the case, from 1. */
  readonly version: number
  /** Empty if this entry opens the case. */
  readonly previousDisposition: string
  /** open, escalated or cleared. */
  readonly disposition: string
  readonly reason: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly changedAt: string
  /** Id of the API key that changed it. */
  readonly changedBy: string
  /** The name of that key at the time, sealed; empty if it has none. */
  readonly keyName: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The permanent identifier of that person, sealed: it tells one person from another after a restore. Empty if no person was signed in. */
  readonly subject: string
  /** The version of the proposal that this change confirms; 0 if it confirms none. */
  readonly proposalVersion: number
  /** The call that changed the disposition. */
  readonly call: null | ApiCall
}

/** Somebody said who works on a case, and until when. The fields are those of the case from then on. */
export interface CaseAssigned {
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** The place of this entry in the history of the case, from 1. */
  readonly version: number
  /** Id of the API key of the assignee; empty if nobody is assigned. */
  readonly assigneeKey: string
  /** The first key in the chain of rotations of that key; empty if nobody is assigned. */
  readonly assigneeHolder: string
  /** The person or the name of the key at the time, sealed; empty if it has none. */
  readonly assigneeName: string
  /** The permanent identifier of the person, sealed; empty for a key. */
  readonly assigneeSubject: string
  /** A day of UTC, such as 2026-12-31; empty without one. */
  readonly dueOn: string
  /** Why, sealed; may be empty. */
  readonly text: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly assignedAt: string
  /** Id of the API key that assigned it. */
  readonly assignedBy: string
  /** The name of that key at the time, sealed; empty if it has none. */
  readonly keyName: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The permanent identifier of that person, sealed: it tells one person from another after a restore. Empty if no person was signed in. */
  readonly subject: string
  /** The call that assigned the case. */
  readonly call: null | ApiCall
}

/** Somebody attached a file to a case. The file is stored sealed in the database, under the report and this version. */
export interface CaseFileAttached {
  readonly reportId: string
  readonly accountId: string
  /** false for the sandbox environment of the account. */
  readonly livemode: boolean
  /** The place of this entry in the history of the case, from 1. */
  readonly version: number
  /** Sealed. */
  readonly fileName: string
  /** As its first bytes show, not as its name says. */
  readonly mediaType: string
  /** Size of the file. */
  readonly bytes: number
  /** SHA-256 of the file in hexadecimal, sealed: it would confirm a guess of an erased file. */
  readonly fileSha256: string
  /** SHA-256 of the stored text in hexadecimal: it shows without any key that the file is the one that was attached. */
  readonly contentSha256: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly attachedAt: string
  /** Id of the API key that attached it. */
  readonly attachedBy: string
  /** The name of that key at the time, sealed; empty if it has none. */
  readonly keyName: string
  /** The person, where one was signed in; else empty. */
  readonly actor: string
  /** The permanent identifier of that person, sealed: it tells one person from another after a restore. Empty if no person was signed in. */
  readonly subject: string
  /** The call that attached the file. */
  readonly call: null | ApiCall
}

/** The installation signs with this key from now on, or did so earlier. A key that only the log names proves nothing: compare it with one that came another way. */
export interface SigningKeyPublished {
  /** Name of the installation in signatures. */
  readonly keyName: string
  /** First four bytes of SHA-256(keyName, newline, 0x01, public key) in hex, as in C2SP signed-note. */
  readonly keyId: string
  /** keyName+keyId+base64(0x01, Ed25519 public key): a verifier key of C2SP signed-note. */
  readonly verifierKey: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly createdAt: string
}

/** An operator brought the database and the log together after one of them was restored from a backup. */
export interface InstallationRestored {
  /** Identity of the log. */
  readonly log: string
  /** True if the log told of changes that the database did not have. */
  readonly olderDatabase: boolean
  /** The changes, one sentence each. */
  readonly changes: readonly string[]
  /** The facts that the backup does not hold, one sentence each; the first ones of a long list. */
  readonly lost: readonly string[]
  /** UTC, RFC 3339 with milliseconds. */
  readonly restoredAt: string
  readonly restoredBy: string
  /** Reason given by the operator. */
  readonly reason: string
}

/** An operator took a copy of the log in place of the log, after its records were compared with the leaves of the transparency log, or made the log of a signed archive. */
export interface LogAdopted {
  /** Identity of the log from now on. */
  readonly log: string
  /** Identity of the log before. */
  readonly replaces: string
  /** Leaves of the transparency log that the records were compared with; 0 for an archive. */
  readonly leaves: number
  /** Partitions with signed records. All of them agree. */
  readonly partitions: number
  /** Number of the last manifest of the archive that the log was made of, for a database that followed no log; 0 if leaves were compared. */
  readonly manifest: number
  /** UTC, RFC 3339 with milliseconds. */
  readonly adoptedAt: string
  readonly adoptedBy: string
  /** Reason given by the operator. */
  readonly reason: string
}

/** An operator accepted that the log no longer holds records that were signed. */
export interface ShorterLogAccepted {
  /** Identity of the log. */
  readonly log: string
  /** Empty if only the database was older than the published files. */
  readonly lost: readonly LostRecords[]
  /** Leaves of the transparency log whose records are gone. */
  readonly leaves: readonly LeafRange[]
  /** UTC, RFC 3339 with milliseconds. */
  readonly acceptedAt: string
  readonly acceptedBy: string
  /** Reason given by the operator. */
  readonly reason: string
  /** Signed note with the key of the checkpoints: log, leaves, time, operator and reason. */
  readonly signature: string
}

/** LostRecords */
export interface LostRecords {
  readonly topic: string
  readonly partition: number
  /** Offset of the first record that is gone. */
  readonly from: number
  /** Offset behind the last one. */
  readonly to: number
}

/** LeafRange */
export interface LeafRange {
  /** Index of the first leaf. */
  readonly from: number
  /** Index behind the last one. */
  readonly to: number
}

/** An instance of the API makes report ids from the numbers of this epoch. The first claim of an epoch counts; every other claimant takes another epoch. */
export interface ReportEpochClaimed {
  /** The numbers from epoch × 2^30 on, 2^30 of them. */
  readonly epoch: number
  /** Random name of the process that claims it. */
  readonly claimant: string
  /** CUPEL_INSTANCE of the process. */
  readonly instance: number
  /** UTC, RFC 3339 with milliseconds. */
  readonly claimedAt: string
}

export interface EventData {
  readonly ScreenRequested: ScreenRequested
  readonly ReportGenerated: ReportGenerated
  readonly ScreeningFailed: ScreeningFailed
  readonly LatestReportRecorded: LatestReportRecorded
  readonly LabelStateRecorded: LabelStateRecorded
  readonly BulkSubmitted: BulkSubmitted
  readonly BulkCancelRequested: BulkCancelRequested
  readonly BulkCancelled: BulkCancelled
  readonly BulkCompleted: BulkCompleted
  readonly WatchesCreated: WatchesCreated
  readonly WatchRemoved: WatchRemoved
  readonly ReportChanged: ReportChanged
  readonly WatchFailed: WatchFailed
  readonly WatchesDigested: WatchesDigested
  readonly OwnLabelStated: OwnLabelStated
  readonly OwnLabelRemoved: OwnLabelRemoved
  readonly LabelsAsserted: LabelsAsserted
  readonly LabelRetired: LabelRetired
  readonly LabelSetPublished: LabelSetPublished
  readonly LabelSetExpected: LabelSetExpected
  readonly LedgerSegmentImported: LedgerSegmentImported
  readonly PriceTableImported: PriceTableImported
  readonly PolicyActivated: PolicyActivated
  readonly AccountCreated: AccountCreated
  readonly PersonalDataErased: PersonalDataErased
  readonly ApiKeyChanged: ApiKeyChanged
  readonly AccountChanged: AccountChanged
  readonly ChangeProposed: ChangeProposed
  readonly ProposedChangeDecided: ProposedChangeDecided
  readonly ApiKeyIssued: ApiKeyIssued
  readonly ApiKeyRevoked: ApiKeyRevoked
  readonly ApiRequestAudited: ApiRequestAudited
  readonly RefusedRequestsCounted: RefusedRequestsCounted
  readonly MonthRetired: MonthRetired
  readonly RebuildAccepted: RebuildAccepted
  readonly RecordKeysRegistered: RecordKeysRegistered
  readonly WebhookEndpointCreated: WebhookEndpointCreated
  readonly WebhookEndpointChanged: WebhookEndpointChanged
  readonly WebhookEndpointDeleted: WebhookEndpointDeleted
  readonly WebhookAttempted: WebhookAttempted
  readonly WebhookDelivered: WebhookDelivered
  readonly WebhookExhausted: WebhookExhausted
  readonly ReportShareCreated: ReportShareCreated
  readonly ReportShareRevoked: ReportShareRevoked
  readonly ReportShareOpened: ReportShareOpened
  readonly ReportNoteAdded: ReportNoteAdded
  readonly DispositionProposed: DispositionProposed
  readonly DispositionProposalDeclined: DispositionProposalDeclined
  readonly DispositionChanged: DispositionChanged
  readonly CaseAssigned: CaseAssigned
  readonly CaseFileAttached: CaseFileAttached
  readonly SigningKeyPublished: SigningKeyPublished
  readonly InstallationRestored: InstallationRestored
  readonly LogAdopted: LogAdopted
  readonly ShorterLogAccepted: ShorterLogAccepted
  readonly ReportEpochClaimed: ReportEpochClaimed
}
