// Generated from docs/reference/openapi.json by `npm run generate`. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly ScreenRequest: {
            /** @description The address to screen, in any form that its chain allows. The report repeats it exactly as sent. */
            readonly address: string;
            /** @description Chain code, in any case; absent or null: the chain is detected from the address. */
            readonly chain?: string | null;
            /** @description Your own reference, returned in the report; null is the same as none. */
            readonly customer_reference?: string | null;
            /** @description A past moment, RFC 3339. The answer is then an `AsOfScreening`: what lists, policy and ledger of that moment say. No report is made. */
            readonly as_of?: string | null;
        };
        /**
         * @description The screening of an address as of a past moment; not a report.
         * @example {
         *       "object": "as_of_screening",
         *       "as_of": "2026-11-21T09:00:00.000Z",
         *       "lists": {
         *         "label_snapshot": "42",
         *         "as_of": "2026-11-21T06:00:00.000Z",
         *         "sha256": "2222222222222222222222222222222222222222222222222222222222222222"
         *       },
         *       "policy": {
         *         "id": "default",
         *         "version": 1,
         *         "sha256": "0000000000000000000000000000000000000000000000000000000000000000",
         *         "activated_at": "2026-11-20T09:00:00.000Z"
         *       },
         *       "ledger_snapshot": null,
         *       "left_out": [
         *         "chain_data"
         *       ],
         *       "report": {
         *         "address": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
         *         "chain": "ETH",
         *         "livemode": true,
         *         "customer_reference": null,
         *         "risk": {
         *           "level": "red",
         *           "score": 100,
         *           "level_reasons": [],
         *           "score_is_lower_bound": false,
         *           "conflicts": [],
         *           "categories": {
         *             "sanctions": 100,
         *             "darknet": 0,
         *             "mixer": 0,
         *             "scam": 0,
         *             "stolen": 0,
         *             "clean_exchange": 0
         *           },
         *           "evidence": [
         *             {
         *               "category": "sanctions",
         *               "subcategory": null,
         *               "relation": "ownership",
         *               "direction": null,
         *               "hops": 0,
         *               "chain": "ETH",
         *               "address": null,
         *               "entity": "Lazarus Group",
         *               "source": "ofac_sdn",
         *               "source_url": "https://sanctionssearch.ofac.treas.gov/",
         *               "origin": "us-ofac",
         *               "role": "owner",
         *               "confidence": 1,
         *               "status": "live",
         *               "observed_at": "2026-08-20",
         *               "sanction": {
         *                 "list": "SDN",
         *                 "programmes": [
         *                   "DPRK3"
         *                 ],
         *                 "entity_id": "26307",
         *                 "aliases": [
         *                   "Hidden Cobra"
         *                 ],
         *                 "designated_on": "2022-04-14"
         *               },
         *               "value": null,
         *               "value_usd": null,
         *               "transfers": 0,
         *               "sources": 0,
         *               "first_at": null,
         *               "last_at": null,
         *               "counterparties": [],
         *               "counterparties_omitted": null,
         *               "share": null,
         *               "path": [],
         *               "base": 100,
         *               "factors": [
         *                 {
         *                   "name": "confidence",
         *                   "value": 1
         *                 },
         *                 {
         *                   "name": "role",
         *                   "value": 1
         *                 }
         *               ],
         *               "capped_by": null,
         *               "weight": 1,
         *               "contribution": 100,
         *               "decisive": true,
         *               "used": true,
         *               "reason": null,
         *               "pre_designation": null
         *             }
         *           ],
         *           "evidence_omitted": 0
         *         },
         *         "balance": null,
         *         "balance_base_units": null,
         *         "tx_count": null,
         *         "tx_count_kind": null,
         *         "balances": [],
         *         "generated_at": "2026-11-21T09:00:00.000Z",
         *         "exposure": [],
         *         "cluster": null,
         *         "coverage": {
         *           "not_examined": [
         *             "cross_chain",
         *             "internal_transfers",
         *             "clusters"
         *           ],
         *           "labels": {
         *             "status": "complete",
         *             "as_of": "2026-11-21T06:00:00.000Z",
         *             "sources": 17,
         *             "lists": [
         *               {
         *                 "source": "ofac_sdn",
         *                 "dataset": "sdn_advanced.xml",
         *                 "authority": "us-ofac",
         *                 "whole": true,
         *                 "list_date": "2026-11-20",
         *                 "confirmed_at": "2026-11-21T06:00:00.000Z",
         *                 "labels": 1053,
         *                 "rows": {
         *                   "read": 1055,
         *                   "refused": 0,
         *                   "skipped": 0,
         *                   "unreadable": 2,
         *                   "accepted": 2
         *                 },
         *                 "status": "current"
         *               }
         *             ]
         *           },
         *           "chain_data": {
         *             "status": "unavailable",
         *             "source": null,
         *             "height": null,
         *             "as_of": null
         *           },
         *           "exposure": {
         *             "status": "unavailable",
         *             "reason": "not_configured",
         *             "incomplete": [],
         *             "hops_searched": 0,
         *             "transfers_examined": 0,
         *             "truncated": false
         *           },
         *           "prices": null
         *         },
         *         "policy": {
         *           "id": "default",
         *           "version": 1
         *         },
         *         "scorer_version": "1.0.0",
         *         "label_snapshot": "42"
         *       }
         *     }
         */
        readonly AsOfScreening: {
            /**
             * @description Tells it from a report.
             * @constant
             */
            readonly object: "as_of_screening";
            /**
             * Format: date-time
             * @description The moment, UTC.
             */
            readonly as_of: string;
            readonly lists: components["schemas"]["PastLists"];
            readonly policy: components["schemas"]["PastPolicy"];
            /** @description State of the ledger then; null if there was no ledger. */
            readonly ledger_snapshot: string | null;
            /** @description The facts that nobody can ask about the past: `chain_data` is the word of providers of balance, transactions and code. Later versions may have more words. */
            readonly left_out: readonly string[];
            /** @description The report that would have been made at that moment; `generated_at` is the moment. It has no id and no link, because no report was made. */
            readonly report: components["schemas"]["PastReport"];
        };
        readonly PastLists: {
            /** @description State of the lists then, as reports name it. */
            readonly label_snapshot: string;
            /** @description Time of the newest publication of that state. */
            readonly as_of: string;
            /** @description Hash by which reports name that state in the log. */
            readonly sha256: string;
        };
        readonly PastPolicy: {
            readonly id: string;
            readonly version: number;
            readonly sha256: string;
            /** @description Since when it was in force; null in the sandbox, whose policy never changes. */
            readonly activated_at: string | null;
        };
        readonly JudgedChain: {
            readonly chain: string;
            readonly level: string;
            readonly score: number;
            readonly level_reasons: readonly string[];
        };
        readonly Risk: {
            /**
             * @description green, orange, red or grey (too little is known to say green)
             * @example green
             * @example orange
             * @example red
             * @example grey
             */
            readonly level: string;
            readonly score: number;
            readonly level_reasons: readonly string[];
            readonly score_is_lower_bound: boolean;
            readonly conflicts: readonly components["schemas"]["Conflict"][];
            readonly categories: components["schemas"]["CategoryScores"];
            readonly evidence: readonly components["schemas"]["Evidence"][];
            readonly evidence_omitted: number;
        };
        readonly Conflict: {
            readonly category: string;
            readonly clean_entity: string;
            readonly illicit_entity: string;
        };
        readonly CategoryScores: {
            readonly sanctions: number;
            readonly darknet: number;
            readonly mixer: number;
            readonly scam: number;
            readonly stolen: number;
            readonly clean_exchange: number;
        };
        readonly Evidence: {
            /**
             * @example sanctions
             * @example darknet
             * @example mixer
             * @example scam
             * @example stolen
             * @example clean_exchange
             */
            readonly category: string;
            /** @description For example ransomware, hack or coinjoin */
            readonly subcategory: string | null;
            /** @description ownership, cluster, direct or indirect */
            readonly relation: string;
            /** @description in or out; null for ownership */
            readonly direction: string | null;
            readonly hops: number;
            /** @description The chain the label or transfer is on */
            readonly chain: string;
            /** @description The labelled address where it differs from the one screened, for example another form of one key; else null */
            readonly address: string | null;
            /** @description Null for an exposure to several addresses; counterparties names them */
            readonly entity: string | null;
            /** @description Empty if several lists name the counterparties; each names its own */
            readonly source: string;
            readonly source_url: string;
            /** @description Who found this out first; restatements of one origin count once */
            readonly origin: string;
            readonly role: string;
            readonly confidence: number;
            /** @description live or ended */
            readonly status: string;
            readonly observed_at: string | null;
            /** @description The word of the authority, for a label of an authority’s list */
            readonly sanction: components["schemas"]["Sanction"] | null;
            readonly value: string | null;
            /** @description US dollars at the day of each transfer; null without a price */
            readonly value_usd: string | null;
            readonly share: number | null;
            /** @description Transfers of the screened address that carry the value; 0 for ownership */
            readonly transfers: number;
            /** @description Distinct addresses that the value is attributed to; 0 for ownership */
            readonly sources: number;
            readonly first_at: string | null;
            readonly last_at: string | null;
            /** @description Of most value, at most 20 */
            readonly counterparties: readonly components["schemas"]["EvidenceCounterparty"][];
            /** @description The others together; with counterparties they are the whole value */
            readonly counterparties_omitted: components["schemas"]["OmittedCounterparties"] | null;
            readonly path: readonly unknown[];
            /** @description Points before the factors: 100 for a label, the cap of its kind for an exposure; null if the item does not count */
            readonly base: number | null;
            /** @description The factors of the base: confidence, role, share, size or size_weight */
            readonly factors: readonly components["schemas"]["EvidenceFactor"][];
            /** @description Why the points are limited: execution_unknown, order_unknown, pre_designation, historical, coinjoin or cluster; null if they are not */
            readonly capped_by: string | null;
            /** @description Weight of the category; null if the item does not count */
            readonly weight: number | null;
            /** @description Points of the item after its limit, times the weight */
            readonly contribution: number;
            readonly decisive: boolean;
            readonly used: boolean;
            /** @description Why the item does not count; null if it does */
            readonly reason: string | null;
            readonly pre_designation: boolean | null;
        };
        readonly Sanction: {
            /** @description The authority’s list */
            readonly list: string;
            readonly programmes: readonly string[];
            /** @description Identifier of the entity on that list; empty without one */
            readonly entity_id: string;
            /** @description At most 5 other names */
            readonly aliases: readonly string[];
            readonly designated_on: string | null;
        };
        readonly EvidenceCounterparty: {
            readonly address: string;
            readonly entity: string;
            readonly value: string;
            /** @description US dollars at the day of each transfer; null without a price */
            readonly value_usd: string | null;
            readonly transfers: number;
            /** @description The list that names the address; empty if no list does */
            readonly source: string;
            readonly source_url: string;
        };
        readonly OmittedCounterparties: {
            readonly count: number;
            readonly value: string;
            /** @description US dollars at the day of each transfer; null without a price */
            readonly value_usd: string | null;
        };
        readonly EvidenceFactor: {
            readonly name: string;
            readonly value: number;
        };
        readonly AssetBalance: {
            readonly asset: string;
            readonly amount: string;
        };
        readonly Exposure: {
            /** @description incoming or outgoing */
            readonly direction: string;
            readonly asset: string;
            readonly total: string;
            /** @description US dollars at the day of each transfer; null without a price */
            readonly total_usd: string | null;
            /** @description The total covers the whole history of the address */
            readonly total_complete: boolean;
            readonly by_category: readonly components["schemas"]["ExposureShare"][];
        };
        readonly ExposureShare: {
            /** @description A category, service for an unlabelled hub, or unattributed */
            readonly category: string;
            /** @description direct or indirect; null for unattributed */
            readonly relation: string | null;
            readonly value: string;
            /** @description US dollars at the day of each transfer; null without a price */
            readonly value_usd: string | null;
            /** @description Of the total; null if the total is not complete */
            readonly share: number | null;
            /** @description Of most value, at most 20 */
            readonly counterparties: readonly components["schemas"]["Counterparty"][];
            readonly counterparties_omitted: number;
        };
        readonly Counterparty: {
            readonly address: string;
            readonly entity: string;
            readonly value: string;
            /** @description US dollars at the day of each transfer; null without a price */
            readonly value_usd: string | null;
            readonly transfers: number;
        };
        readonly Cluster: {
            readonly id: string;
            readonly size: number;
            readonly heuristic: string;
            /** @description State of the ledger */
            readonly as_of: string;
            /** @description Why labels of other members do not count, such as too_large or holds_service; null if they do */
            readonly stopped: string | null;
        };
        readonly JudgedTransfer: {
            /** @description allow, review or reject, by the policy; the worst of all reasons */
            readonly recommendation: string;
            readonly reasons: readonly components["schemas"]["TransferReasonCode"][];
            /** @description incoming: the report is of the sender. outgoing: of the receiver */
            readonly direction: string;
            /** @description The other side of the transfer */
            readonly own_address: string;
            readonly transaction_hash: string | null;
            /** @description There is no transaction yet */
            readonly planned: boolean;
            readonly asset: components["schemas"]["TransferAsset"];
            /** @description In whole ones */
            readonly amount: string;
            /** @description Null if the decimals of the token are not known */
            readonly amount_base_units: string | null;
            /** @description US dollars at the latest price of the ledger’s table */
            readonly value_usd: string | null;
            /** @description Day of that price */
            readonly priced_on: string | null;
            /** @description The word of the counterparty’s exposure on funds in this asset; null if it says nothing */
            readonly funds: components["schemas"]["TransferFunds"] | null;
            readonly ledger: components["schemas"]["TransferLedger"];
        };
        readonly TransferReasonCode: {
            /** @description Such as counterparty_red or unknown_token */
            readonly code: string;
            /** @description The recommendation of this reason by itself */
            readonly recommendation: string;
        };
        readonly TransferAsset: {
            /** @description Null if the asset table does not have the token */
            readonly symbol: string | null;
            /** @description Null for the native asset */
            readonly contract: string | null;
            readonly is_known: boolean;
        };
        readonly TransferFunds: {
            /** @description incoming: where funds of the sender came from. outgoing: where those of the receiver went */
            readonly direction: string;
            readonly asset: string;
            readonly total: string;
            /** @description The total covers the whole history of the counterparty */
            readonly total_complete: boolean;
            readonly by_category: readonly components["schemas"]["TransferFundsShare"][];
        };
        readonly TransferFundsShare: {
            readonly category: string;
            readonly relation: string | null;
            /** @description Of the total */
            readonly share: number;
            /** @description The same share of the transfer */
            readonly amount: string;
        };
        readonly TransferLedger: {
            /** @description seen, contradicted, not_seen, not_searched or no_ledger; planned without a transaction hash. Of a provider also failed, unconfirmed, other_senders or disagreement */
            readonly status: string;
            /** @description State of the ledger */
            readonly snapshot: string | null;
            /** @description Who told of the transaction, if not the ledger */
            readonly provider?: string;
            /** @description Why no provider told of it, such as not_found or timeout */
            readonly lookup?: string;
        };
        readonly Coverage: {
            /** @description The facts that this decision does not know: cross_chain, internal_transfers, tokens, swaps, beyond_hops, clusters, token_accounts or amounts */
            readonly not_examined: readonly string[];
            /** @description Stages that were late or failed, on any chain that was judged: history, transaction, chain_data, exposure, clusters. Another screening can know more */
            readonly missing_stages?: readonly string[];
            /** @description The reading of the history of the address from a provider; absent where none is asked */
            readonly history?: components["schemas"]["HistoryCoverage"];
            readonly labels: components["schemas"]["LabelCoverage"];
            readonly chain_data: components["schemas"]["ChainDataCoverage"];
            readonly exposure: components["schemas"]["ExposureCoverage"];
            readonly prices: components["schemas"]["PriceTable"] | null;
        };
        readonly HistoryCoverage: {
            /** @description fresh, reading or failed */
            readonly status: string;
            /** @description Why it failed, such as call_budget, day_budget, account_day_budget or the error of the provider */
            readonly reason: string | null;
            readonly provider: string | null;
            /** @description Pages that were read */
            readonly pages: number;
            /** @description Null if the provider does not tell */
            readonly pages_expected: number | null;
            /** @description Counterparties whose histories are still to be read */
            readonly waiting: number;
            /** @description The chains whose histories are not read; absent if none but that of the report is */
            readonly chains?: readonly string[];
        };
        readonly LabelCoverage: {
            /** @description complete, partial, stale or unavailable */
            readonly status: string;
            /** @description The earliest date among the whole sanctions lists in force; null without one */
            readonly as_of: string | null;
            readonly sources: number;
            /** @description Every list that is required or is an authority’s own */
            readonly lists: readonly components["schemas"]["ListCoverage"][];
            /** @description Lists that are refreshed on a schedule and never came: nothing is green without them */
            readonly missing?: readonly string[];
        };
        readonly ListCoverage: {
            readonly source: string;
            readonly dataset: string;
            readonly authority: string | null;
            readonly whole: boolean;
            /** @description The date that the list states */
            readonly list_date: string | null;
            /** @description When a configured refresh last found it unchanged at the authority’s own address */
            readonly confirmed_at: string | null;
            readonly labels: number;
            readonly rows: components["schemas"]["ListRows"];
            /** @description current, old, incomplete, conflict, withdrawn or missing */
            readonly status: string;
        };
        readonly ListRows: {
            /** @description Gave a label */
            readonly read: number;
            /** @description Unusable */
            readonly refused: number;
            /** @description State no label */
            readonly skipped: number;
            /** @description Designate somebody, and do not say whom */
            readonly unreadable: number;
            /** @description Unreadable rows that an operator accepted. Fewer than all of them: the list is incomplete */
            readonly accepted: number;
        };
        readonly ChainDataCoverage: {
            readonly status: string;
            readonly source: string | null;
            readonly height: number | null;
            readonly as_of: string | null;
            /** @description Providers that were asked and did not answer, or not in time */
            readonly faults?: readonly components["schemas"]["ChainDataFault"][];
            /** @description Where providers contradict one another; the one configured first is shown */
            readonly disagreements?: readonly components["schemas"]["ChainDataDisagreement"][];
        };
        readonly ChainDataFault: {
            readonly source: string;
            readonly error: string;
        };
        readonly ChainDataDisagreement: {
            /** @description block, balance, tx_count, is_contract or token:<asset> */
            readonly fact: string;
            readonly values: readonly components["schemas"]["ChainDataValue"][];
        };
        readonly ChainDataValue: {
            readonly source: string;
            readonly value: string;
        };
        readonly ExposureCoverage: {
            /** @description complete, partial or unavailable */
            readonly status: string;
            /** @description Why it is unavailable: not_configured, late or failed */
            readonly reason: string | null;
            /** @description Why the history is not known to be complete, such as no_traces, range_gap or shortfall */
            readonly incomplete: readonly string[];
            readonly hops_searched: number;
            readonly transfers_examined: number;
            readonly truncated: boolean;
            /** @description The statements of providers on all transfers of the address; absent where none was asked */
            readonly histories?: readonly components["schemas"]["AddressHistory"][];
        };
        readonly AddressHistory: {
            /** @description The address, or another one of its key */
            readonly address: string;
            readonly provider: string;
            /** @description The newest block that the provider knew then */
            readonly height: number;
            /** @description Time of that block */
            readonly as_of: string;
            /** @description Kinds of transfers that were read whole: native, internal, token */
            readonly kinds: readonly string[];
            /** @description Why it is not whole, such as truncated or contradicting_pages; empty if it is */
            readonly incomplete: readonly string[];
        };
        readonly PriceTable: {
            /** @description SHA-256 of the table of daily prices */
            readonly version: string;
        };
        readonly PolicyVersion: {
            readonly id: string;
            readonly version: number;
        };
        readonly PastReport: {
            readonly address: string;
            readonly chain: string;
            readonly candidate_chains?: readonly string[];
            /** @description Candidate chains that know the address, each as judged there; risk is the worst of all */
            readonly other_chains?: readonly components["schemas"]["JudgedChain"][];
            readonly livemode: boolean;
            /** @description true: the report rests on made-up data of the demo */
            readonly demo?: boolean;
            readonly customer_reference: string | null;
            readonly risk: components["schemas"]["Risk"];
            readonly balance: string | null;
            readonly balance_base_units: string | null;
            readonly tx_count: number | null;
            readonly tx_count_kind: string | null;
            readonly balances: readonly components["schemas"]["AssetBalance"][];
            /** Format: date-time */
            readonly generated_at: string;
            /** @description Where all value came from and went to, as far as the ledger knows */
            readonly exposure: readonly components["schemas"]["Exposure"][];
            /** @description Addresses that spent together with the screened one */
            readonly cluster: components["schemas"]["Cluster"] | null;
            /** @description The transfer whose counterparty the address is; only in reports that POST /v1/transfers made */
            readonly transfer?: components["schemas"]["JudgedTransfer"];
            readonly coverage: components["schemas"]["Coverage"];
            readonly policy: components["schemas"]["PolicyVersion"];
            readonly scorer_version: string;
            readonly label_snapshot: string;
        };
        readonly Report: {
            readonly report_id: string;
            readonly address: string;
            readonly chain: string;
            readonly candidate_chains?: readonly string[];
            /** @description Candidate chains that know the address, each as judged there; risk is the worst of all */
            readonly other_chains?: readonly components["schemas"]["JudgedChain"][];
            readonly livemode: boolean;
            /** @description true: the report rests on made-up data of the demo */
            readonly demo?: boolean;
            readonly customer_reference: string | null;
            readonly risk: components["schemas"]["Risk"];
            readonly balance: string | null;
            readonly balance_base_units: string | null;
            readonly tx_count: number | null;
            readonly tx_count_kind: string | null;
            readonly balances: readonly components["schemas"]["AssetBalance"][];
            /** Format: uri */
            readonly report_url: string;
            /** Format: date-time */
            readonly generated_at: string;
            /** @description Where all value came from and went to, as far as the ledger knows */
            readonly exposure: readonly components["schemas"]["Exposure"][];
            /** @description Addresses that spent together with the screened one */
            readonly cluster: components["schemas"]["Cluster"] | null;
            /** @description The transfer whose counterparty the address is; only in reports that POST /v1/transfers made */
            readonly transfer?: components["schemas"]["JudgedTransfer"];
            readonly coverage: components["schemas"]["Coverage"];
            readonly policy: components["schemas"]["PolicyVersion"];
            readonly scorer_version: string;
            readonly label_snapshot: string;
        };
        readonly Problem: {
            /** @description Identifies the kind of problem; relative to this service, where it leads to a page about it. */
            readonly type: string;
            /** @description The kind of problem in words. */
            readonly title: string;
            /** @description The status of the answer. */
            readonly status: number;
            /** @description The fault of this request. */
            readonly detail: string;
            /**
             * @description The kind of problem for programs; one of the published codes, to which others may be added.
             * @example invalid_request
             * @example invalid_address
             * @example invalid_webhook_url
             * @example invalid_key
             * @example scope_required
             * @example ip_not_allowed
             * @example key_required
             * @example sign_in_refused
             * @example https_required
             * @example not_found
             * @example method_not_allowed
             * @example not_acceptable
             * @example request_timeout
             * @example idempotency_in_progress
             * @example too_many_endpoints
             * @example too_many_shares
             * @example too_many_watches
             * @example import_conflict
             * @example key_conflict
             * @example change_conflict
             * @example second_person_required
             * @example case_conflict
             * @example endpoint_disabled
             * @example job_not_ended
             * @example report_retired
             * @example version_mismatch
             * @example payload_too_large
             * @example unsupported_media_type
             * @example unsupported_chain
             * @example as_of_too_early
             * @example chain_mismatch
             * @example transfer_not_found
             * @example transfer_ambiguous
             * @example idempotency_mismatch
             * @example rate_limited
             * @example too_many_streams
             * @example too_many_jobs
             * @example too_many_failures
             * @example head_too_large
             * @example internal_error
             * @example screening_failed
             * @example screening_timeout
             * @example screening_pending
             * @example unavailable
             */
            readonly code: string;
            /** @description The Request-Id of the answer. */
            readonly request_id: string;
            /** @description The members that are at fault: with every 400, and with 422 where one member is. */
            readonly errors?: readonly components["schemas"]["ProblemError"][];
            /** @description The id under which the report can be fetched later, where it has one. */
            readonly report_id?: string;
            /** @description With `report_retired`: the archive that has the report, as the operator named it. */
            readonly archive?: string;
            /** @description With `report_retired`: the month (UTC) of the report, such as 2026-01. */
            readonly month?: string;
            /**
             * Format: date-time
             * @description With `report_retired`: when the reports of that month were cut from the log.
             */
            readonly cut_at?: string;
        };
        readonly ProblemError: {
            /** @description JSON Pointer (RFC 6901) to what is at fault; empty for the whole request. */
            readonly pointer: string;
            readonly detail: string;
        };
        readonly TransferRequest: {
            /** @description Chain code, in any case. */
            readonly chain: string;
            /**
             * @description incoming: `to` is your own address and the sender is screened. outgoing: the reverse.
             * @enum {string}
             */
            readonly direction: "incoming" | "outgoing";
            /** @description The sender. */
            readonly from?: string | null;
            /** @description The receiver. */
            readonly to?: string | null;
            /** @description Symbol of a known asset of the chain, such as ETH or USDT, or the contract of a token. */
            readonly asset?: string | null;
            /** @description Contract of the token whose symbol `asset` is. A symbol that belongs to another contract is named. */
            readonly contract?: string | null;
            /** @description A plain decimal number in whole ones, such as `12.5`. */
            readonly amount?: string | null;
            /** @description Absent for a planned transfer. With it the other side, asset and amount may be absent: they are then those that the ledger has, or else a provider. */
            readonly transaction_hash?: string | null;
            /** @description Your own reference, returned with the transfer. */
            readonly reference?: string | null;
        };
        /**
         * @description The recommendation for a transfer, with its reasons.
         * @example {
         *       "transfer_id": "9f2c4a1be07d6358",
         *       "livemode": true,
         *       "reference": null,
         *       "recommendation": "reject",
         *       "level": "red",
         *       "score": 100,
         *       "reasons": [
         *         {
         *           "code": "designated_counterparty",
         *           "recommendation": "reject",
         *           "text": "An authority’s own current list names the counterparty.",
         *           "remedy": "Do not send or release the amount; report it as your law asks."
         *         },
         *         {
         *           "code": "counterparty_red",
         *           "recommendation": "reject",
         *           "text": "The counterparty is red.",
         *           "remedy": "Read the evidence of its report before anything moves."
         *         }
         *       ],
         *       "chain": "ETH",
         *       "direction": "incoming",
         *       "from": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
         *       "to": "0x00000000219ab540356cBB839Cbe05303d7705Fa",
         *       "transaction_hash": null,
         *       "planned": true,
         *       "asset": {
         *         "symbol": "USDT",
         *         "contract": "0xdac17f958d2ee523a2206206994597c13d831ec7",
         *         "is_known": true
         *       },
         *       "amount": "250.5",
         *       "amount_base_units": "250500000",
         *       "value_usd": "250.52505",
         *       "priced_on": "2026-11-20",
         *       "funds": null,
         *       "ledger": {
         *         "status": "planned",
         *         "snapshot": null
         *       },
         *       "counterparty": {
         *         "address": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
         *         "report_id": "9f2c4a1be07d6358",
         *         "report_url": "https://cupel.example.com/reports/9f2c4a1be07d6358",
         *         "level": "red",
         *         "score": 100,
         *         "level_reasons": [],
         *         "score_is_lower_bound": false,
         *         "categories": {
         *           "sanctions": 100,
         *           "darknet": 0,
         *           "mixer": 0,
         *           "scam": 0,
         *           "stolen": 0,
         *           "clean_exchange": 0
         *         }
         *       },
         *       "generated_at": "2026-11-21T09:00:00.000Z",
         *       "policy": {
         *         "id": "default",
         *         "version": 1
         *       },
         *       "scorer_version": "1.0.0"
         *     }
         */
        readonly Transfer: {
            /** @description Also the id of the report of the counterparty. */
            readonly transfer_id: string;
            readonly livemode: boolean;
            /** @description Your own reference. */
            readonly reference: string | null;
            /** @description allow, review or reject, by the policy; the worst of all reasons */
            readonly recommendation: string;
            /**
             * @description Level of the counterparty.
             * @example green
             * @example orange
             * @example red
             * @example grey
             */
            readonly level: string;
            readonly score: number;
            /** @description Why. The worst of them decides; later versions may have more codes. */
            readonly reasons: readonly components["schemas"]["TransferReason"][];
            readonly chain: string;
            /** @description incoming: the report is of the sender. outgoing: of the receiver */
            readonly direction: string;
            readonly from: string;
            readonly to: string;
            readonly transaction_hash: string | null;
            /** @description There is no transaction yet */
            readonly planned: boolean;
            readonly asset: components["schemas"]["TransferAsset"];
            /** @description In whole ones */
            readonly amount: string;
            /** @description Null if the decimals of the token are not known */
            readonly amount_base_units: string | null;
            /** @description US dollars at the latest price of the ledger’s table */
            readonly value_usd: string | null;
            /** @description Day of that price */
            readonly priced_on: string | null;
            /** @description The word of the counterparty’s exposure on funds in this asset; null if it says nothing */
            readonly funds: components["schemas"]["TransferFunds"] | null;
            readonly ledger: components["schemas"]["TransferLedger"];
            /** @description The sender of an incoming transfer, the receiver of an outgoing one. Its report has the evidence. */
            readonly counterparty: components["schemas"]["TransferCounterparty"];
            /** Format: date-time */
            readonly generated_at: string;
            readonly policy: components["schemas"]["PolicyVersion"];
            readonly scorer_version: string;
        };
        readonly TransferReason: {
            readonly code: string;
            /** @description The recommendation of this reason by itself. */
            readonly recommendation: string;
            readonly text: string;
            /** @description The remedy of a person; null without one. */
            readonly remedy: string | null;
        };
        readonly TransferCounterparty: {
            readonly address: string;
            readonly report_id: string;
            /** Format: uri */
            readonly report_url: string;
            /**
             * @description green, orange, red or grey (too little is known to say green)
             * @example green
             * @example orange
             * @example red
             * @example grey
             */
            readonly level: string;
            readonly score: number;
            readonly level_reasons: readonly string[];
            readonly score_is_lower_bound: boolean;
            readonly categories: components["schemas"]["CategoryScores"];
        };
        readonly TransferPage: {
            readonly items: readonly components["schemas"]["Transfer"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly HistoryProgress: {
            /**
             * @description none: the report does not wait for a history. read: screen again. stopped: whoever read has died; screen again, and the reading goes on
             * @enum {string}
             */
            readonly status: "none" | "reading" | "read" | "failed" | "stopped";
            /** @description Why it failed */
            readonly reason: string | null;
            readonly provider: string | null;
            /** @description Pages that were read of the history that is read now */
            readonly pages: number;
            /** @description Null if the provider does not tell */
            readonly pages_expected: number | null;
            /** @description Further histories that are still to be read */
            readonly waiting: number;
        };
        readonly ReportDifference: {
            /** @description The id of the other report. */
            readonly since: string;
            /** @description Why the explanation is missing: `unreadable` if the record of a report has left the log, `refused` if the two cannot be compared; null if there is one. */
            readonly missing: string | null;
            /** @description The same as a sentence, if there is more to say. */
            readonly detail: string | null;
            readonly before: components["schemas"]["DecidedLevel"] | null;
            readonly after: components["schemas"]["DecidedLevel"] | null;
            /** @description The difference of the scores. */
            readonly added: number | null;
            /** @description In the order in which they are exchanged; their points add up to the difference exactly. */
            readonly parts: readonly components["schemas"]["PartOfChange"][];
            /** @description The exposure counts as funds, although labels of counterparties may have changed it. */
            readonly funds_include_labels: boolean | null;
        };
        readonly DecidedLevel: {
            readonly level: string;
            readonly score: number;
            readonly level_reasons: readonly string[];
        };
        readonly PartOfChange: {
            /** @description labels, funds, policy, scorer, time or not_examined. */
            readonly part: string;
            /** @description True if the inputs of this part differ at all. */
            readonly differs: boolean;
            /** @description Points that the part added, after the parts before it. */
            readonly added: number;
            /** @description Points that the part would have added by itself. */
            readonly alone: number;
        };
        readonly ReportPage: {
            readonly items: readonly components["schemas"]["Report"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly NewShareRequest: {
            /** @description After so many hours the link opens nothing. 168 where absent. */
            readonly expires_in_hours?: number;
            /** @description For whom or what the link is made. Readers do not see it. */
            readonly label?: string;
        };
        /** @description With the link, which only this answer shows. */
        readonly NewShare: {
            readonly share_id: string;
            readonly report_id: string;
            /** @description For whom or what it was made; may be empty. */
            readonly label: string;
            /** @description `usable`, `expired` or `revoked`. */
            readonly status: string;
            /** @description When it was made; UTC, RFC 3339 with milliseconds. */
            readonly created_at: string;
            readonly created_by: components["schemas"]["CasePerson"];
            /** @description From then on it opens nothing; UTC, RFC 3339 with milliseconds. */
            readonly expires_at: string;
            /** @description When it was revoked; null if it was not. */
            readonly revoked_at: string | null;
            /** @description How often it has been opened. */
            readonly opens: number;
            /** @description When it was last opened; null if it never was. */
            readonly last_opened_at: string | null;
            /**
             * Format: uri
             * @description The link. It contains the token, and only this answer has it.
             */
            readonly url: string;
        };
        readonly CasePerson: {
            /** @description The API key of the call. */
            readonly key_id: string;
            /** @description The person, where one was signed in. */
            readonly person: string | null;
            /** @description The name that the key had then; absent if it had none, and in entries of earlier versions. */
            readonly key_name?: string;
        };
        readonly SharePage: {
            readonly items: readonly components["schemas"]["Share"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        /** @description A link to a report, without the link itself. */
        readonly Share: {
            readonly share_id: string;
            readonly report_id: string;
            /** @description For whom or what it was made; may be empty. */
            readonly label: string;
            /** @description `usable`, `expired` or `revoked`. */
            readonly status: string;
            /** @description When it was made; UTC, RFC 3339 with milliseconds. */
            readonly created_at: string;
            readonly created_by: components["schemas"]["CasePerson"];
            /** @description From then on it opens nothing; UTC, RFC 3339 with milliseconds. */
            readonly expires_at: string;
            /** @description When it was revoked; null if it was not. */
            readonly revoked_at: string | null;
            /** @description How often it has been opened. */
            readonly opens: number;
            /** @description When it was last opened; null if it never was. */
            readonly last_opened_at: string | null;
        };
        readonly ReportCase: {
            readonly report_id: string;
            /** @description The screened address, as the report has it. */
            readonly address: string;
            readonly chain: string;
            /** @description The level of the report. */
            readonly level: string;
            /** @description The score of the report. */
            readonly score: number;
            /** @description `open`, `escalated` or `cleared`; null while nobody has worked on the report. */
            readonly disposition: string | null;
            /** @description Number of entries in the history. Each entry adds one. */
            readonly version: number;
            /** @description True if another person must confirm that this report is cleared. */
            readonly needs_second_person: boolean;
            /** @description The disposition that waits for a second person; null if none does. */
            readonly proposal: components["schemas"]["CaseProposal"] | null;
            /** @description Who works on it; null if nobody is assigned. */
            readonly assignee?: components["schemas"]["CaseAssignee"] | null;
            /** @description The day, of UTC, on which the case is due: `2026-12-31`. Null without one. */
            readonly due_on?: string | null;
            /** @description True if the day has passed and the report is not cleared; absent in documents. */
            readonly is_overdue?: boolean;
            /** @description When the first entry was made; null without one. */
            readonly opened_at: string | null;
            /** @description When the last entry was made; null without one. */
            readonly changed_at: string | null;
            /** @description Oldest first. Nothing is ever removed. */
            readonly history: readonly components["schemas"]["CaseEntry"][];
        };
        readonly CaseProposal: {
            readonly disposition: string;
            readonly reason: string;
            readonly by: components["schemas"]["CasePerson"];
            /** @description When it was proposed; UTC, RFC 3339 with milliseconds. */
            readonly at: string;
            /** @description The version of its entry. */
            readonly version: number;
            /** @description True if the caller is another person than the proposer; absent in lists. */
            readonly may_confirm?: boolean;
        };
        readonly CaseAssignee: {
            /** @description The API key that the assignee has, or signs in with. */
            readonly key_id: string;
            /** @description The person; null if the key itself is assigned. */
            readonly person: string | null;
            /** @description The name that the key had then; absent if it had none. */
            readonly key_name?: string;
            /** @description True if no key of the assignee works any more; absent in entries and in documents. */
            readonly has_left?: boolean;
        };
        readonly CaseEntry: {
            /** @description Place in the history, from 1. */
            readonly version: number;
            /** @description `note`, `disposition_changed`, `disposition_proposed`, `proposal_declined`, `assigned` or `file_attached`; others may be added. */
            readonly kind: string;
            /** @description When it was made; UTC, RFC 3339 with milliseconds. */
            readonly at: string;
            readonly by: components["schemas"]["CasePerson"];
            /** @description The note, or the reason of the decision or the assignment; empty for a file. */
            readonly text: string;
            /** @description The disposition that was set, proposed or declined; null for other entries. */
            readonly disposition: string | null;
            /** @description The disposition before a change; null for other entries, and where the change opened the case. */
            readonly previous_disposition: string | null;
            /** @description The entry that this one confirms or declines; null if it does neither. */
            readonly proposal_version: number | null;
            /** @description Who was assigned, null for nobody; absent for other entries. */
            readonly assignee?: components["schemas"]["CaseAssignee"] | null;
            /** @description The day that was set, null for none; absent for other entries. */
            readonly due_on?: string | null;
            /** @description The file that was attached; absent for other entries. */
            readonly file?: components["schemas"]["CaseFile"];
        };
        readonly CaseFile: {
            readonly name: string;
            /** @description As the bytes show, whatever the name says. */
            readonly media_type: string;
            /** @description Size of the file. */
            readonly bytes: number;
            /** @description SHA-256 of the file, in hexadecimal. */
            readonly sha256: string;
            /** @description SHA-256 of the sealed text that is stored for the file, as the log has it. */
            readonly content_sha256: string;
        };
        readonly CaseEntryPage: {
            readonly items: readonly components["schemas"]["CaseEntry"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly NewNoteRequest: {
            readonly text: string;
            /**
             * @description Decides about the report as well; the text is then the reason.
             * @enum {string}
             */
            readonly disposition?: "open" | "escalated" | "cleared";
            /** @description The `version` of the case that the caller has read. Another one now is 412 `version_mismatch`. */
            readonly version?: number;
        };
        readonly DispositionRequest: {
            /** @enum {string} */
            readonly disposition: "open" | "escalated" | "cleared";
            /** @description Why. */
            readonly reason: string;
            /** @description The `version` of the case that the caller has read. Another one now is 412 `version_mismatch`. */
            readonly version: number;
        };
        readonly CaseSummaryPage: {
            readonly items: readonly components["schemas"]["CaseSummary"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly CaseSummary: {
            readonly report_id: string;
            /** @description The screened address, as the report has it. */
            readonly address: string;
            readonly chain: string;
            /** @description The level of the report. */
            readonly level: string;
            /** @description The score of the report. */
            readonly score: number;
            /** @description `open`, `escalated` or `cleared`; null while nobody has worked on the report. */
            readonly disposition: string | null;
            /** @description Number of entries in the history. Each entry adds one. */
            readonly version: number;
            /** @description True if another person must confirm that this report is cleared. */
            readonly needs_second_person: boolean;
            /** @description The disposition that waits for a second person; null if none does. */
            readonly proposal: components["schemas"]["CaseProposal"] | null;
            /** @description Who works on it; null if nobody is assigned. */
            readonly assignee?: components["schemas"]["CaseAssignee"] | null;
            /** @description The day, of UTC, on which the case is due: `2026-12-31`. Null without one. */
            readonly due_on?: string | null;
            /** @description True if the day has passed and the report is not cleared; absent in documents. */
            readonly is_overdue?: boolean;
            /** @description When the first entry was made; null without one. */
            readonly opened_at: string | null;
            /** @description When the last entry was made; null without one. */
            readonly changed_at: string | null;
        };
        readonly CaseAssigneePage: {
            readonly items: readonly components["schemas"]["CaseAssignee"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly CaseAssignmentRequest: {
            /** @description As `GET /v1/cases/assignees` lists them; null for nobody. */
            readonly assignee: components["schemas"]["NamedAssignee"] | null;
            /** @description A day of UTC; null for none. */
            readonly due_on: string | null;
            /** @description Why. */
            readonly reason?: string | null;
            /** @description The `version` of the case that the caller has read. Another one now is 412 `version_mismatch`. */
            readonly version: number;
        };
        readonly NamedAssignee: {
            /** @description A key of the account that works and may change cases. */
            readonly key_id: string;
            /** @description A person who signs in with that key. */
            readonly person?: string | null;
        };
        readonly NewCaseFileRequest: {
            /** @description The name of the file, without a path. It does not decide what the file is. */
            readonly name: string;
            /** @description The file in base64: at most 2000000 bytes. */
            readonly content: string;
            /** @description The `version` of the case that the caller has read. Another one now is 412 `version_mismatch`. */
            readonly version?: number;
        };
        readonly JobCasesRequest: {
            /**
             * @description Reports of this level.
             * @enum {string}
             */
            readonly level: "green" | "orange" | "red" | "grey";
            /** @description The note that opens each case. */
            readonly text: string;
        };
        readonly OpenedCases: {
            /** @description Cases that this call opened. */
            readonly opened: number;
            /** @description Reports of the level that had a case before; it stays as it is. */
            readonly existing: number;
            /** @description Reports of the level that this call did not come to in time: the same call opens the rest. */
            readonly left_out: number;
            /** @description Addresses that have no report yet: the job runs. */
            readonly not_done: number;
            /** @description Addresses without a report because they failed or were cancelled. */
            readonly without_report: number;
        };
        readonly BulkRequest: {
            /** @description Addresses in any form, of any chains. A bad one is the error of its item, not of the job. Either this or `items`. */
            readonly addresses?: readonly string[] | null;
            /** @description The same with a chain and a reference for each address. */
            readonly items?: readonly components["schemas"]["BulkItemRequest"][] | null;
            /** @description Your name of the job; null is the same as none. */
            readonly name?: string | null;
            /** @description Chain code for all that name none, in any case; absent or null: each one’s chain is detected. */
            readonly chain?: string | null;
        };
        readonly BulkItemRequest: {
            /** @description An address in any form. A bad one is the error of this item. */
            readonly address: string;
            /** @description Chain code of this address, in any case; absent or null: that of the job. */
            readonly chain?: string | null;
            /** @description Your own reference of the item: each result has it, and its report has it as `customer_reference`. Null is the same as none. */
            readonly reference?: string | null;
        };
        readonly BulkJob: {
            readonly job_id: string;
            /** @description Your name of the job; null if it has no name. */
            readonly name?: string | null;
            /** @description `queued`, `running`, then `completed`, `completed_with_errors`, `cancelled` or `failed`. */
            readonly status: string;
            readonly livemode: boolean;
            /** @description Items of the job. */
            readonly total: number;
            /** @description Items with a report. */
            readonly completed: number;
            /** @description Items without one, refused addresses among them. */
            readonly failed: number;
            /** @description Items not done when the job was cancelled. */
            readonly cancelled: number;
            /** @description How many of the completed items have which level. */
            readonly levels: components["schemas"]["LevelCounts"];
            /**
             * Format: date-time
             * @description UTC, RFC 3339 with milliseconds.
             */
            readonly created_at: string;
            /** @description When the first item was decided; null before. */
            readonly started_at: string | null;
            /** @description When the job ended, however it did; null before. */
            readonly completed_at: string | null;
            /**
             * Format: uri
             * @description Where the results are, in pages or as a file, also while the job runs.
             */
            readonly results_url: string;
            /** @description In the order of the submission; null until the job has ended. */
            readonly results: readonly components["schemas"]["BulkResult"][] | null;
        };
        readonly LevelCounts: {
            readonly green: number;
            readonly orange: number;
            readonly red: number;
            readonly grey: number;
        };
        readonly BulkResult: {
            /** @description Place of the address in the submission, from 1: the number that pages, files and PDFs show. */
            readonly number: number;
            /** @description Exactly as sent. */
            readonly address: string;
            /** @description Your own reference of the item, where it has one; `erased` after its erasure. */
            readonly reference?: string;
            /** @description `completed`, `failed` or `cancelled`; with `include=pending` also `pending`, for an item that is not done. */
            readonly status: string;
            /** @description Where the item is completed; equal addresses share one. */
            readonly report?: components["schemas"]["Report"];
            /** @description Where the item failed: a code of the problem list, such as `invalid_address`. */
            readonly error?: components["schemas"]["BulkItemError"];
        };
        readonly BulkItemError: {
            readonly code: string;
            readonly detail: string;
        };
        readonly BulkJobSummaryPage: {
            readonly items: readonly components["schemas"]["BulkJobSummary"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        /** @description A job in a list, without its results. */
        readonly BulkJobSummary: {
            readonly job_id: string;
            /** @description Your name of the job; null if it has no name. */
            readonly name?: string | null;
            /** @description `queued`, `running`, then `completed`, `completed_with_errors`, `cancelled` or `failed`. */
            readonly status: string;
            readonly livemode: boolean;
            /** @description Items of the job. */
            readonly total: number;
            /** @description Items with a report. */
            readonly completed: number;
            /** @description Items without one, refused addresses among them. */
            readonly failed: number;
            /** @description Items not done when the job was cancelled. */
            readonly cancelled: number;
            /** @description How many of the completed items have which level. */
            readonly levels: components["schemas"]["LevelCounts"];
            /**
             * Format: date-time
             * @description UTC, RFC 3339 with milliseconds.
             */
            readonly created_at: string;
            /** @description When the job ended, however it did; null before. */
            readonly completed_at: string | null;
            /**
             * Format: uri
             * @description Where the results are, in pages or as a file, also while the job runs.
             */
            readonly results_url: string;
        };
        readonly BulkJobEvent: {
            /** @description `progress` or `ended`; others may be added. */
            readonly event: string;
            readonly id: string;
            /** @description The job as JSON, without its results. */
            readonly data: string;
        };
        readonly BulkResultPage: {
            readonly items: readonly components["schemas"]["BulkResult"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly WatchesRequest: {
            /** @description One or many: all of them are watched, or none. */
            readonly watches: readonly components["schemas"]["NewWatchRequest"][];
        };
        readonly NewWatchRequest: {
            /** @description The address to watch, in any form that its chain allows. */
            readonly address: string;
            /** @description Chain code, in any case; absent or null: detected from the address. */
            readonly chain?: string | null;
            /** @description Your own reference, repeated in what is told of a change; null is the same as none. */
            readonly reference?: string | null;
            /** @description From then on the address is not decided again; RFC 3339, in the future. Absent or null: without an end. */
            readonly until?: string | null;
            /** @description Points by which the score must move, up or down, to be a change; 10 where absent. A changed level is always one. */
            readonly threshold?: number | null;
            /** @description True if the watch is part of the daily digest, the webhook `watches.digest`; absent or null: it is not. */
            readonly digest?: boolean | null;
        };
        readonly MadeWatches: {
            /** @description In the order of the call. */
            readonly items: readonly components["schemas"]["Watch"][];
        };
        readonly Watch: {
            readonly watch_id: string;
            /** @description As it was sent when the watch was made. */
            readonly address: string;
            /** @description Chain code. */
            readonly chain: string;
            /** @description Your own reference; null if there is none. */
            readonly reference: string | null;
            /** @description From then on the address is not decided again; null: without an end. */
            readonly until: string | null;
            /** @description Points by which the score must move to be a change. */
            readonly threshold: number;
            /** @description True if it is part of the daily digest. */
            readonly digest: boolean;
            /** @description `active`, or `ended` from its `until` on. */
            readonly status: string;
            /**
             * Format: date-time
             * @description When it was made, UTC, RFC 3339 with milliseconds.
             */
            readonly created_at: string;
            /** @description Why the lists let no address be green now, in the words of `level_reasons`; empty while each required list is here and fresh. A list that grows old decides no watch again, so the last report does not say it. */
            readonly list_reasons: readonly string[];
            /** @description The last decision; null until the address was decided for the first time. */
            readonly last_report: components["schemas"]["WatchedReport"] | null;
        };
        readonly WatchedReport: {
            readonly report_id: string;
            readonly level: string;
            readonly score: number;
            /**
             * Format: date-time
             * @description When it was decided, UTC, RFC 3339 with milliseconds.
             */
            readonly generated_at: string;
        };
        readonly WatchPage: {
            readonly items: readonly components["schemas"]["Watch"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly InboxEntryPage: {
            readonly items: readonly components["schemas"]["InboxEntry"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly InboxEntry: {
            /** @description The id of the event that the entry tells. */
            readonly entry_id: string;
            /**
             * @description `report_changed`: level or score of a watched address changed. `proposal_waiting`: a disposition waits for a second person, until somebody decides. `watch_failed`: three screenings of a watch in a row ended without a whole report.
             * @enum {string}
             */
            readonly kind: "report_changed" | "proposal_waiting" | "watch_failed";
            /** Format: date-time */
            readonly at: string;
            /** @description True if this person, or the holder of this key, has marked it as read. */
            readonly read: boolean;
            /** @description The report to look at; null for a watch that has no whole report. */
            readonly report_id: string | null;
            readonly address: string;
            /** @description Chain code. */
            readonly chain: string;
            /** @description Null for a proposal. */
            readonly watch_id: string | null;
            /** @description Your reference of the watch; null if there is none. */
            readonly reference: string | null;
            /** @description The report that was told of before a change. */
            readonly previous: components["schemas"]["InboxReport"] | null;
            /** @description The report of a change or a proposal. */
            readonly current: components["schemas"]["InboxReport"] | null;
            /** @description Why the report of a change has its level, in words. */
            readonly why: string | null;
            /** @description Why the report of a change is grey, each reason with its remedy; else empty. */
            readonly reasons: readonly components["schemas"]["InboxReason"][];
            /** @description Of a change: `created`, `labels`, `ledger`, `policy` or `scorer`; others may be added. */
            readonly causes: readonly string[];
            /** @description Of a change: the points of the difference by part, which add up to it exactly. */
            readonly split: {
                readonly [key: string]: number;
            } | null;
            /** @description Why a change has no split: `busy`, `unreadable` or `refused`. */
            readonly split_missing: string | null;
            /** @description The proposed one; null for other kinds. */
            readonly disposition: ("open" | "escalated" | "cleared") | null;
            /** @description Failed screenings in a row; null for other kinds. */
            readonly failures: number | null;
        };
        readonly InboxReport: {
            readonly report_id: string;
            readonly level: string;
            readonly score: number;
        };
        readonly InboxReason: {
            /** @description A code of `risk.level_reasons` of the report. */
            readonly code: string;
            /** @description Its text, and the remedy. */
            readonly text: string;
        };
        readonly UnreadCount: {
            /** @description Entries that this person, or the holder of this key, has not marked as read. */
            readonly unread: number;
            /** @description True if there are older entries than the newest 1,000. Only those are counted. */
            readonly is_lower_bound: boolean;
            /** @description Why the lists let no address be green now, as in a watch; empty if they do. */
            readonly list_reasons: readonly string[];
        };
        readonly InboxMarksRequest: {
            /** @description Entries of the inbox. */
            readonly entry_ids: readonly string[];
            /** @description True marks them as read, false as unread again. */
            readonly read: boolean;
        };
        readonly NewWebhookEndpointRequest: {
            /** @description Where to send: an https URL on port 443 or 8443 whose host is, or resolves to, only globally reachable addresses, without user name, password or fragment; or `mailto:` and one address of e-mail. */
            readonly url: string;
            /**
             * @description `full`: with the results; `thin`: with where they are; `slack`: a text, for an incoming webhook of Slack; `email`: of an address of e-mail, which has no other. A change is for messages that are made after it: those that wait keep their form.
             * @enum {string}
             */
            readonly payload?: "full" | "thin" | "slack" | "email";
            /** @description Types of the messages that it gets; null, the default: all, those that a later version adds too, but `transfer.screened` not for Slack and e-mail. It gets `endpoint.test` in any case. */
            readonly events?: readonly ("bulk.completed" | "bulk.cancelled" | "report.changed" | "watches.digest" | "watch.failed" | "transfer.screened")[] | null;
        };
        /** @description With the secret, which only this answer shows. */
        readonly NewWebhookEndpoint: {
            readonly endpoint_id: string;
            /**
             * Format: uri
             * @description The URL that is called, normalised, or `mailto:` with the address of e-mail.
             */
            readonly url: string;
            /** @description `full`, `thin`, `slack` or `email`; others may be added. */
            readonly payload: string;
            /** @description Types of the messages that it gets; null: all. */
            readonly events: readonly string[] | null;
            /** @description `enabled` or `disabled`; deliveries to an endpoint that is disabled or not proven are held, test messages only to a disabled one. */
            readonly status: string;
            /** @description `paused`, `gone` where the receiver answered 410, or `unsubscribed` by the recipient of e-mail; null while it is enabled. */
            readonly disabled_reason: string | null;
            /** @description When the receiver answered a test message at this URL with 2xx, or the recipient of e-mail confirmed, UTC, RFC 3339 with milliseconds; null until then. A new endpoint is sent a test message by itself. */
            readonly proven_at: string | null;
            /**
             * Format: date-time
             * @description When it was made, UTC, RFC 3339 with milliseconds.
             */
            readonly created_at: string;
            /** @description Signs the messages to this endpoint, `whsec_…`. Shown only in this answer. Null for e-mail, which has no signature. */
            readonly secret: string | null;
        };
        readonly WebhookEndpointPage: {
            readonly items: readonly components["schemas"]["WebhookEndpoint"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly WebhookEndpoint: {
            readonly endpoint_id: string;
            /**
             * Format: uri
             * @description The URL that is called, normalised, or `mailto:` with the address of e-mail.
             */
            readonly url: string;
            /** @description `full`, `thin`, `slack` or `email`; others may be added. */
            readonly payload: string;
            /** @description Types of the messages that it gets; null: all. */
            readonly events: readonly string[] | null;
            /** @description `enabled` or `disabled`; deliveries to an endpoint that is disabled or not proven are held, test messages only to a disabled one. */
            readonly status: string;
            /** @description `paused`, `gone` where the receiver answered 410, or `unsubscribed` by the recipient of e-mail; null while it is enabled. */
            readonly disabled_reason: string | null;
            /** @description When the receiver answered a test message at this URL with 2xx, or the recipient of e-mail confirmed, UTC, RFC 3339 with milliseconds; null until then. A new endpoint is sent a test message by itself. */
            readonly proven_at: string | null;
            /**
             * Format: date-time
             * @description When it was made, UTC, RFC 3339 with milliseconds.
             */
            readonly created_at: string;
        };
        readonly WebhookEndpointChange: {
            /** @description Where to send: an https URL on port 443 or 8443 whose host is, or resolves to, only globally reachable addresses, without user name, password or fragment; or `mailto:` and one address of e-mail. */
            readonly url?: string;
            /**
             * @description `full`: with the results; `thin`: with where they are; `slack`: a text, for an incoming webhook of Slack; `email`: of an address of e-mail, which has no other. A change is for messages that are made after it: those that wait keep their form.
             * @enum {string}
             */
            readonly payload?: "full" | "thin" | "slack" | "email";
            /** @description Types of the messages that it gets; null, the default: all, those that a later version adds too, but `transfer.screened` not for Slack and e-mail. It gets `endpoint.test` in any case. */
            readonly events?: readonly ("bulk.completed" | "bulk.cancelled" | "report.changed" | "watches.digest" | "watch.failed" | "transfer.screened")[] | null;
            /**
             * @description `disabled` pauses: pending deliveries are held. `enabled` resumes: held deliveries are sent.
             * @enum {string}
             */
            readonly status?: "enabled" | "disabled";
        };
        readonly RotatedWebhookSecret: {
            /** @description The new secret, `whsec_…`. Shown only in this answer. */
            readonly secret: string;
            /** @description Until then messages are also signed with the previous secret. UTC, RFC 3339. */
            readonly previous_secret_expires_at: string;
        };
        readonly WebhookDelivery: {
            readonly delivery_id: string;
            /** @description The `webhook-id` header: the same over all attempts. */
            readonly webhook_id: string;
            /** @description `bulk.completed`, `bulk.cancelled`, `report.changed`, `watches.digest`, `watch.failed`, `transfer.screened` or `endpoint.test`; others may be added. */
            readonly type: string;
            /** @description The job of the message; null if it concerns none. */
            readonly job_id: string | null;
            /** @description `pending`, `delivered`, `exhausted` after its last attempt, or `held` while the endpoint is disabled or not proven. */
            readonly status: string;
            /** @description Time of the next attempt; null if there will be none. */
            readonly next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When it was made, UTC, RFC 3339 with milliseconds.
             */
            readonly created_at: string;
            /** @description Oldest first. */
            readonly attempts: readonly components["schemas"]["WebhookAttempt"][];
        };
        readonly WebhookAttempt: {
            /**
             * Format: date-time
             * @description When it was begun, UTC, RFC 3339 with milliseconds.
             */
            readonly at: string;
            /** @description Status of the answer, of e-mail the code of the mail server; null if none came. */
            readonly status_code: number | null;
            /** @description Why no answer came, such as `timeout` or `connect_failed`; null if one did. */
            readonly error: string | null;
            readonly duration_ms: number;
            /** @description The beginning of the answer’s body, at most 1,024 characters. */
            readonly response_excerpt: string | null;
        };
        readonly WebhookDeliveryPage: {
            readonly items: readonly components["schemas"]["WebhookDelivery"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        /** @description A delivery with what is sent. `attempts` has the beginning of each answer. */
        readonly SentWebhookDelivery: {
            readonly delivery_id: string;
            /** @description The `webhook-id` header: the same over all attempts. */
            readonly webhook_id: string;
            /** @description `bulk.completed`, `bulk.cancelled`, `report.changed`, `watches.digest`, `watch.failed`, `transfer.screened` or `endpoint.test`; others may be added. */
            readonly type: string;
            /** @description The job of the message; null if it concerns none. */
            readonly job_id: string | null;
            /** @description `pending`, `delivered`, `exhausted` after its last attempt, or `held` while the endpoint is disabled or not proven. */
            readonly status: string;
            /** @description Time of the next attempt; null if there will be none. */
            readonly next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When it was made, UTC, RFC 3339 with milliseconds.
             */
            readonly created_at: string;
            /** @description Oldest first. */
            readonly attempts: readonly components["schemas"]["WebhookAttempt"][];
            /** @description `full`, `thin`, `slack` or `email`: that of the endpoint when it was made. */
            readonly payload: string;
            /** @description As it is sent, in each attempt; null until the results of the job can be read. Of e-mail the JSON of its subject and paragraphs, without the links of the recipient. */
            readonly body: string | null;
            /** @description The headers of the last attempt, with its signature and without the secret; null if there was none, and for e-mail. */
            readonly headers: {
                readonly [key: string]: string;
            } | null;
        };
        readonly RedeliverRequest: {
            /**
             * Format: date-time
             * @description Deliveries made at this time or later, UTC, RFC 3339.
             */
            readonly since: string;
            /**
             * Format: date-time
             * @description Only those made before this time.
             */
            readonly until?: string;
            /** @description By default what was missed: `exhausted` and `held`. */
            readonly statuses?: readonly ("pending" | "delivered" | "exhausted" | "held")[];
        };
        readonly RedeliveredWebhooks: {
            /** @description Deliveries that will be sent again. */
            readonly count: number;
        };
        readonly LabelListPage: {
            readonly items: readonly components["schemas"]["LabelList"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly LabelList: {
            /** @description The publisher. Empty for an expected list that never came. */
            readonly source: string;
            readonly dataset: string;
            /** @description The authority whose own list it is, such as us-ofac; null for any other source. */
            readonly authority: string | null;
            /** @description All of the authority’s list; false for a part, and for other sources. */
            readonly whole: boolean;
            /** @description Nothing is green while this list is too old, in conflict or absent. */
            readonly required: boolean;
            /** @description The date that the list states. */
            readonly list_date: string | null;
            /** @description When a configured refresh last found it at the authority’s own address. */
            readonly confirmed_at: string | null;
            /** @description When this version came into force here; null if none did. */
            readonly published_at: string | null;
            /** @description Hours since the later of `list_date` and `confirmed_at`; null if neither is known. Never below 0. */
            readonly age_hours: number | null;
            readonly labels: number;
            readonly rows: components["schemas"]["ListRows"];
            /** @description current, old, incomplete, conflict, superseded, withdrawn or missing; as `coverage.labels.lists` of a report. */
            readonly status: string;
        };
        readonly LabelPage: {
            readonly items: readonly components["schemas"]["Label"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly Label: {
            readonly label_id: string;
            /** @description In the notation of the source. */
            readonly address: string;
            readonly chain: string;
            readonly category: string;
            readonly subcategory: string | null;
            /** @description The owner, as the source names it; may be empty. */
            readonly entity: string;
            readonly source: string;
            readonly dataset: string;
            readonly source_url: string;
            /** @description Who found it: lists that restate one origin count once. */
            readonly origin: string;
            readonly role: string;
            readonly kind: string;
            /** @description From 0 to 1. */
            readonly confidence: number;
            /** @description `listed`: the list in force has it. `ended`: it has it no more. `historical`: only an older list had it. */
            readonly status: string;
            /** @description When the source last stated it. */
            readonly observed_at: string | null;
            /** @description Since when the source says that it holds; null if it does not say. */
            readonly valid_from: string | null;
            readonly valid_to: string | null;
            /**
             * Format: date-time
             * @description Since when it is known here.
             */
            readonly known_from: string;
            /** @description When its end became known here; null while it is listed. */
            readonly known_to: string | null;
        };
        readonly NewOwnLabelRequest: {
            /** @description The address, in any form that its chain allows. */
            readonly address: string;
            /** @description Chain code, in any case; absent or null: detected from the address. */
            readonly chain?: string | null;
            /**
             * @description `block` or `allow`.
             * @enum {string}
             */
            readonly decision: "block" | "allow";
            /** @description The statement of a block label on the address; for a block label only. */
            readonly category?: ("sanctions" | "darknet" | "mixer" | "scam" | "stolen") | null;
            /** @description Why, in your own words. No report contains it. */
            readonly reason: string;
            /** @description From then on the label counts no more. Absent or null: never. */
            readonly expires_at?: string | null;
        };
        readonly OwnLabel: {
            readonly label_id: string;
            /** @description `block` or `allow`. */
            readonly decision: string;
            /** @description The category in which a block label has points; null for an allow label. */
            readonly category: string | null;
            /** @description As it was sent. */
            readonly address: string;
            readonly chain: string;
            /** @description Why, in your own words. No report contains it. */
            readonly reason: string;
            /** @description `in_force`, `expired`, `removed`, or `replaced` by another label that was stated about the address. */
            readonly status: string;
            /**
             * Format: date-time
             * @description From then on it counts; UTC, RFC 3339 with milliseconds.
             */
            readonly stated_at: string;
            readonly stated_by: components["schemas"]["CasePerson"];
            /** @description From then on it counts no more; null for never. */
            readonly expires_at: string | null;
            /** @description When it was removed or replaced; null if it was neither. */
            readonly removed_at: string | null;
            /** @description The label that took its place; null for none. */
            readonly replaced_by: string | null;
        };
        readonly OwnLabelPage: {
            readonly items: readonly components["schemas"]["OwnLabel"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly NewListImportRequest: {
            /**
             * @description The layout of the file.
             * @enum {string}
             */
            readonly format: "csv" | "ofac-xml" | "ofac-advanced-xml" | "ofac-csv" | "uk-sanctions-xml" | "ofsi-csv" | "ofsi-xml" | "eu-fsf-xml" | "un-xml" | "tagpack" | "ftm" | "explorer-json";
            /** @description The dataset within the source: importing it again replaces it. */
            readonly dataset: string;
            /** @description The publisher, for files whose rows or format name none. */
            readonly source?: string | null;
            /** @description The list that is fetched from the address at which its authority publishes it, where no file is sent. It is looked at as soon as it is there. */
            readonly fetch?: "ofac" | null;
            /** @description The date of the list, for files that state none. */
            readonly list_date?: string | null;
            /** @description The file is all of an authority’s list; some formats always are. */
            readonly whole?: boolean | null;
            /** @description The file adds to the set, and nothing of it ends. */
            readonly append?: boolean | null;
            /** @description Sets that this one withdraws: SOURCE/DATASET, or DATASET of the same source. */
            readonly replaces?: readonly string[] | null;
            /** @description The category of all rows, for files that state none. */
            readonly category?: ("sanctions" | "darknet" | "mixer" | "scam" | "stolen" | "clean_exchange") | null;
            /** @description The chain of all rows, for files that state none. */
            readonly chain?: string | null;
        };
        readonly ListImport: {
            readonly import_id: string;
            /** @description receiving, checking, checked, importing, imported, refused or failed. */
            readonly status: string;
            readonly format: string;
            readonly source: string | null;
            readonly dataset: string;
            /** @description Bytes of the file that were received. */
            readonly bytes: number;
            readonly ordered_by: string;
            /** Format: date-time */
            readonly ordered_at: string;
            readonly confirmed_by: string | null;
            readonly reason: string | null;
            /** @description Of the last look at the file, or of its import; null before. */
            readonly result: components["schemas"]["ListImportResult"] | null;
        };
        readonly ListImportResult: {
            /** @description `would_import`, `imported`, `failed`, or why the file is refused, such as `too-many-removals`. */
            readonly code: string;
            /** @description One sentence if it is refused or failed. */
            readonly detail: string | null;
            /** @description The sets that change, or changed; empty if it is refused. */
            readonly sets: readonly components["schemas"]["ListImportSet"][];
            /** @description Removals that only an import with exactly this `accept_removals` makes; null for none. */
            readonly removals: number | null;
            /** @description Addresses that no list of their authority designates any more. */
            readonly lost_count: number;
            /** @description The first of them. */
            readonly lost: readonly components["schemas"]["LostDesignation"][];
            /** @description Rows of a designating list that do not say whom they designate. */
            readonly unreadable: components["schemas"]["ListImportRows"];
            /** @description Unusable rows. */
            readonly refused: components["schemas"]["ListImportRows"];
            /** @description Entries without an address or a known category. */
            readonly skipped: components["schemas"]["ListImportRows"];
            readonly warnings: readonly string[];
        };
        readonly ListImportSet: {
            readonly source: string;
            readonly dataset: string;
            readonly list_date: string | null;
            readonly whole: boolean;
            /** @description The file is older than the list in force: it adds history only. */
            readonly history_only: boolean;
            /** @description Labels of the set after the import. */
            readonly labels: number;
            readonly added: number;
            readonly changed: number;
            readonly unchanged: number;
            readonly ended: number;
        };
        readonly LostDesignation: {
            readonly authority: string;
            readonly chain: string;
            readonly address: string;
            readonly entity: string;
        };
        readonly ListImportRow: {
            readonly line: number;
            readonly reason: string;
        };
        readonly ListImportRows: {
            readonly count: number;
            /** @description The first of them. */
            readonly rows: readonly components["schemas"]["ListImportRow"][];
        };
        readonly ListImportPage: {
            readonly items: readonly components["schemas"]["ListImport"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly ListImportPartRequest: {
            /** @description The number of the part, from 0, in order. */
            readonly part: number;
            /** @description The next 524288 bytes of the file at most, in base64. */
            readonly content: string;
        };
        readonly ListImportConfirmationRequest: {
            /** @description Exactly the `removals` of the look, where it named some. */
            readonly accept_removals?: number | null;
            /** @description Exactly the number of unreadable rows, where you looked at each. */
            readonly accept_unreadable?: number | null;
            /** @description Why what you accept is right; the log keeps it. */
            readonly reason?: string | null;
        };
        readonly ListRefreshPage: {
            readonly items: readonly components["schemas"]["ListRefresh"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly ListRefresh: {
            /** @description The name of the list in the plan. */
            readonly name: string;
            /**
             * Format: date-time
             * @description When it is refreshed next.
             */
            readonly due_at: string;
            readonly is_running: boolean;
            /** @description When it was last begun; null for never. */
            readonly attempted_at: string | null;
            /** @description When it last succeeded; null for never. */
            readonly succeeded_at: string | null;
            /** @description When it last brought another file; null for never. */
            readonly changed_at: string | null;
            /** @description `imported`, `unchanged`, or a code for the failure; null before the first. */
            readonly outcome: string | null;
            /** @description One sentence, if there is more to say. */
            readonly detail: string | null;
            /** @description Failures in a row. */
            readonly failures: number;
        };
        readonly ListRefreshRequest: {
            /** @description The name of the list in the plan. */
            readonly name: string;
        };
        readonly Demo: {
            /** @description off, loading, on or removing. */
            readonly status: string;
            /** @description Why the last change came to nothing; null if it did not. */
            readonly fault: string | null;
            /** @description The addresses of the demo, those to begin with first. */
            readonly addresses: readonly components["schemas"]["DemoAddress"][];
        };
        readonly DemoAddress: {
            readonly address: string;
            readonly title: string;
        };
        readonly DemoChangeRequest: {
            readonly is_on: boolean;
        };
        /** @description The contents of the ledger, and the gaps in them. */
        readonly LedgerState: {
            /** Format: date-time */
            readonly looked_at: string;
            /** @description The number of the newest import; 0 if the ledger is empty. */
            readonly ledger_seq: number;
            /** @description How old the end of a range may be under the policy in force. */
            readonly max_age_hours: number;
            /** @description Version of the table of assets that count. */
            readonly asset_table: string;
            readonly chains: readonly components["schemas"]["LedgerChain"][];
            readonly followers: readonly components["schemas"]["LedgerFollower"][];
            /** @description Providers that were ever asked for a history. */
            readonly providers: readonly components["schemas"]["HistoryProvider"][];
            readonly readings: components["schemas"]["HistoryReadings"];
            /** @description The table of prices in force; null without one. */
            readonly prices: components["schemas"]["LedgerPrices"] | null;
        };
        readonly LedgerChain: {
            readonly chain: string;
            /** @description Imported files that concern all addresses. */
            readonly imports: number;
            /** @description Imports that are not complete. */
            readonly open_imports: number;
            /** @description Files that were read with another table of assets: they may lack transfers of assets that count now. */
            readonly outdated_imports: number;
            readonly transfers: number;
            readonly last_height: number | null;
            readonly imported_at: string | null;
            readonly kinds: readonly components["schemas"]["LedgerKind"][];
        };
        readonly LedgerKind: {
            /** @description `native`, `internal` or `token`. */
            readonly kind: string;
            /** @description True if no history of the chain is complete without this kind. */
            readonly needed: boolean;
            /** @description Why declared ranges make no history complete in this kind: `undeclared`, `late_start`, `gap`, `unreadable_rows`, `in_future`, `no_time`, or `old` under the policy in force. Empty if they do. */
            readonly faults: readonly string[];
            /** @description Ranges that are declared complete, ascending; the newest 100. */
            readonly ranges: readonly components["schemas"]["LedgerRangeState"][];
            readonly ranges_omitted: number;
            /** @description Heights before and between the ranges that nobody declared; the newest 100. */
            readonly gaps: readonly components["schemas"]["LedgerGap"][];
            readonly gaps_omitted: number;
        };
        readonly LedgerRangeState: {
            readonly from_height: number;
            readonly to_height: number;
            /** @description Time of the last height; null if no file states it. */
            readonly to_at: string | null;
            /** @description True if rows of the range could not be read with certainty. */
            readonly unreadable_rows: boolean;
        };
        readonly LedgerGap: {
            readonly from_height: number;
            readonly to_height: number;
        };
        readonly LedgerFollower: {
            readonly chain: string;
            readonly next_height: number;
            /** @description Newest block of the node; null before its first answer. */
            readonly head_height: number | null;
            readonly lag_blocks: number | null;
            /** @description Age of the last imported block, in seconds; null before the first one. */
            readonly lag_s: number | null;
            /** @description Since it last told its state. */
            readonly seen_age_ms: number;
            /** @description Why it does not go on; null if it runs. */
            readonly fault: string | null;
        };
        /** @description Calls for histories on the UTC day. */
        readonly HistoryProvider: {
            readonly provider: string;
            readonly calls_today: number;
            readonly last_day: string;
        };
        /** @description Histories that were asked for in the last day. */
        readonly HistoryReadings: {
            readonly reading: number;
            readonly read: number;
            readonly failed: number;
        };
        readonly LedgerPrices: {
            readonly sha256: string;
            readonly file_name: string;
            readonly prices: number;
            readonly assets: readonly string[];
            readonly first_day: string;
            readonly last_day: string;
            /** @description Whole UTC days since the last priced one: what moved on them has no value in US dollars. */
            readonly unpriced_days: number;
            /** @description Assets whose prices end before the last priced day: what moved of them since has no value. */
            readonly early_ends: readonly components["schemas"]["LedgerPriceEnd"][];
            /** Format: date-time */
            readonly imported_at: string;
            readonly imported_by: string;
        };
        readonly LedgerPriceEnd: {
            readonly asset: string;
            readonly last_day: string;
        };
        readonly LedgerImportPage: {
            readonly items: readonly components["schemas"]["LedgerImport"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly LedgerImport: {
            readonly import_id: number;
            /** @description `imported`; `importing`: not complete, and it runs; `interrupted`: not complete until somebody imports the file again. */
            readonly state: string;
            /** @description The number of the state of the ledger; null until it is complete. */
            readonly ledger_seq: number | null;
            readonly chain: string;
            readonly format: string;
            readonly file_name: string;
            readonly sha256: string;
            /** @description Kinds of transfers that the declared range covers. */
            readonly covers: readonly string[];
            /** @description First height that is declared complete; null without a range. */
            readonly complete_from: number | null;
            readonly complete_to: number | null;
            /** @description Transfers of the range that the file does not contain were retired. */
            readonly replaces: boolean;
            /** @description Rows that were read so far. */
            readonly rows: number;
            /** @description Transfers that no earlier file had. */
            readonly added: number;
            readonly known: number;
            readonly retired: number;
            /** @description Rows that are not counted transfers. */
            readonly left_out: readonly components["schemas"]["LedgerLeftOut"][];
            readonly first_height: number | null;
            readonly last_height: number | null;
            /** @description Version of the table of assets with which it was read. */
            readonly asset_table: string;
            /** Format: date-time */
            readonly started_at: string;
            readonly imported_at: string | null;
            readonly imported_by: string;
        };
        readonly LedgerLeftOut: {
            readonly reason: string;
            readonly rows: number;
        };
        /** @description The policy in force. */
        readonly Policy: {
            readonly id: string;
            readonly version: number;
            /** @description SHA-256, lowercase hex, of the document in RFC 8785 form. */
            readonly sha256: string;
            /** @description Since when it is in force; null in the sandbox, whose policy never changes. */
            readonly activated_at: string | null;
            readonly document: components["schemas"]["PolicyDocument"];
        };
        /**
         * Cupel policy
         * @description Every number of the judgement that is not fixed. The score of a live designation by an authority’s own list is fixed at 100 and red; no setting changes it.
         */
        readonly PolicyDocument: {
            /** @description Name of the policy. */
            readonly id: string;
            /** @description Number of this text; higher with every change. */
            readonly version: number;
            /** @description Bands of the level. Below orange an address is green or grey. */
            readonly levels: {
                /** @description Lowest score of orange. Points above 0 to 100, at most two decimals. */
                readonly orange: number;
                /** @description Lowest score of red; above orange. Points above 0 to 100, at most two decimals. */
                readonly red: number;
            };
            /** @description Factor of each category in the overall score, which is the highest weighted category. */
            readonly weights: {
                /** @description Weight of sanctions. 0 to 1, at most 6 decimals. */
                readonly sanctions: number;
                /** @description Weight of darknet. 0 to 1, at most 6 decimals. */
                readonly darknet: number;
                /** @description Weight of mixer. 0 to 1, at most 6 decimals. */
                readonly mixer: number;
                /** @description Weight of scam. 0 to 1, at most 6 decimals. */
                readonly scam: number;
                /** @description Weight of stolen. 0 to 1, at most 6 decimals. */
                readonly stolen: number;
            };
            /** @description Factor of each role in a label’s confidence. */
            readonly roles: {
                /** @description Who controls the address. 0 to 1, at most 6 decimals. */
                readonly owner: number;
                /** @description Who used the service with it. 0 to 1, at most 6 decimals. */
                readonly participant: number;
                /** @description Whose part is disputed, such as a whitehat. 0 to 1, at most 6 decimals. */
                readonly disputed: number;
                /** @description The base of a service, such as its token contract. 0 to 1, at most 6 decimals. */
                readonly infrastructure: number;
            };
            /** @description How labels of the address itself count. */
            readonly ownership: {
                /** @description Labels below are shown and not used. 0 to 1, at most 6 decimals. */
                readonly minimum_confidence: number;
                /** @description Origins from here on are combined. 0 to 1, at most 6 decimals. */
                readonly combined_from: number;
                /** @description The most that several origins together come to. 0 to 1, at most 6 decimals. */
                readonly combined_cap: number;
            };
            /** @description The facts that green needs. */
            readonly green: {
                /** @description Clean attribution from which an address is green without chain data. 0 to 1, at most 6 decimals. */
                readonly clean_confidence: number;
                /** @description Share of what came in that clean services or issuance must explain. 0 to 1, at most 6 decimals. */
                readonly attributed_share: number;
                /** @description Share of what came in from which weak sources or illicit dust forbid green. 0 to 1, at most 6 decimals. */
                readonly doubtful_share: number;
            };
            /** @description Lists that must be fresh before anything is green. */
            readonly freshness: {
                /** @description Lists that must be fresh, in addition to those with a refresh configured. */
                readonly required: readonly {
                    /** @description Origin of the authority whose own list is required, such as us-ofac. */
                    readonly origin: string;
                    /**
                     * @description always: its absence counts as stale. once_published: required from its first import on.
                     * @enum {string}
                     */
                    readonly when: "always" | "once_published";
                }[];
                /** @description Age from which a required list is stale. Hours. */
                readonly max_age_hours: number;
                /** @description The same by origin of the authority. Hours. */
                readonly max_age_hours_by_origin: {
                    readonly [key: string]: number;
                };
            };
            /** @description How exposure is judged. */
            readonly exposure: {
                /**
                 * @description How value is followed through an intermediary.
                 * @enum {string}
                 */
                readonly method: "haircut" | "fifo" | "poison";
                /** @description Transfers between the address and a source, at most. A whole number from 1 to 4. */
                readonly hops: number;
                readonly caps: {
                    readonly sanctions: {
                        /** @description Highest points of direct exposure. */
                        readonly direct: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                        /** @description Highest points of indirect exposure. */
                        readonly indirect: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                    };
                    readonly darknet: {
                        /** @description Highest points of direct exposure. */
                        readonly direct: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                        /** @description Highest points of indirect exposure. */
                        readonly indirect: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                    };
                    readonly mixer: {
                        /** @description Highest points of direct exposure. */
                        readonly direct: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                        /** @description Highest points of indirect exposure. */
                        readonly indirect: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                    };
                    readonly scam: {
                        /** @description Highest points of direct exposure. */
                        readonly direct: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                        /** @description Highest points of indirect exposure. */
                        readonly indirect: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                    };
                    readonly stolen: {
                        /** @description Highest points of direct exposure. */
                        readonly direct: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                        /** @description Highest points of indirect exposure. */
                        readonly indirect: {
                            /** @description Value that came in. Points from 0 to 100, at most two decimals. */
                            readonly in: number;
                            /** @description Value that went out. Points from 0 to 100, at most two decimals. */
                            readonly out: number;
                        };
                    };
                };
                /** @description Cap of what is known to have moved before the designation. Points from 0 to 100, at most two decimals. */
                readonly pre_designation_cap: number;
                /** @description Least points of direct sanctions exposure. Points from 0 to 100, at most two decimals. */
                readonly direct_sanctions_minimum: number;
                /** @description Most weighted points where the execution of a transfer is not proven. Points from 0 to 100, at most two decimals. */
                readonly unproven_maximum: number;
                /** @description Ransomware, terrorist financing and child sexual abuse material. */
                readonly severe: {
                    /** @description Least weighted points of what was paid to them directly. Points from 0 to 100, at most two decimals. */
                    readonly minimum: number;
                    /** @description Cap of what was paid to them directly, where the category’s own is lower. Points from 0 to 100, at most two decimals. */
                    readonly cap: number;
                };
                /** @description Most weighted points of value that passed through a CoinJoin. Points from 0 to 100, at most two decimals. */
                readonly coinjoin_maximum: number;
                /** @description Sources below are shown and not scored. 0 to 1, at most 6 decimals. */
                readonly source_confidence: number;
                /** @description Owners of a service from here on end a path. 0 to 1, at most 6 decimals. */
                readonly service_confidence: number;
                /** @description Clean services from here on are not scored by what passes through. 0 to 1, at most 6 decimals. */
                readonly clean_service_confidence: number;
                readonly share: {
                    /** @description Share of all value, for sanctions; begins below its end. */
                    readonly sanctions: {
                        /** @description Share at which points begin. 0 to 1, at most 6 decimals. */
                        readonly from: number;
                        /** @description Share of full points. 0 to 1, at most 6 decimals. */
                        readonly to: number;
                    };
                    /** @description Share of all value, for the other categories; begins below its end. */
                    readonly other: {
                        /** @description Share at which points begin. 0 to 1, at most 6 decimals. */
                        readonly from: number;
                        /** @description Share of full points. 0 to 1, at most 6 decimals. */
                        readonly to: number;
                    };
                };
                /** @description Powers of ten of dust after which size counts in full. A whole number from 1 to 12. */
                readonly size_decades: number;
                readonly size_factor: {
                    /** @description Worth of the size by itself, for sanctions. 0 to 1, at most 6 decimals. */
                    readonly sanctions: number;
                    /** @description Worth of the size by itself, for the other categories. 0 to 1, at most 6 decimals. */
                    readonly other: number;
                };
                /** @description Hours by which the end of a complete history may lie back. A whole number from 1 to 720. */
                readonly history_max_age_hours: number;
                /** @description Counts, never time: the same ledger gives the same answer on a slow machine. */
                readonly limits: {
                    /** @description Transfers of the screened address that are read. A whole number from 1 to 20000. */
                    readonly transfers: number;
                    /** @description Addresses that paths are followed through. A whole number from 0 to 1000. */
                    readonly intermediaries: number;
                    /** @description Transfers of one such address. A whole number from 1 to 5000. */
                    readonly transfers_per_intermediary: number;
                    /** @description Transfers of all of them together. A whole number from 0 to 50000. */
                    readonly transfers_of_intermediaries: number;
                    /** @description Unlabelled addresses with more counterparties end a path. A whole number from 1 to 100000. */
                    readonly hub_counterparties: number;
                    /** @description Recorded paths of each exposure. A whole number from 0 to 20. */
                    readonly paths: number;
                };
            };
            /** @description How labels of addresses count that spent together with the screened one. */
            readonly cluster: {
                /** @description Factor of the confidence of a label of another member. 0 to 1, at most 6 decimals. */
                readonly confidence_factor: number;
                /** @description Most weighted points of labels of other members. Points from 0 to 100, at most two decimals. */
                readonly maximum: number;
                /** @description Labels of a cluster with more addresses do not count. A whole number from 2 to 1000000. */
                readonly addresses: number;
            };
            /** @description The recommendations for a transfer. A policy without this part has the default one. */
            readonly transfers?: {
                /** @description The recommendation by the level of the counterparty; never better for a worse level. */
                readonly levels: {
                    /**
                     * @description For a green counterparty. allow, review, reject.
                     * @enum {string}
                     */
                    readonly green: "allow" | "review" | "reject";
                    /**
                     * @description For a grey counterparty. review, reject.
                     * @enum {string}
                     */
                    readonly grey: "review" | "reject";
                    /**
                     * @description For an orange counterparty. allow, review, reject.
                     * @enum {string}
                     */
                    readonly orange: "allow" | "review" | "reject";
                    /**
                     * @description For a red counterparty. review, reject.
                     * @enum {string}
                     */
                    readonly red: "review" | "reject";
                };
                /**
                 * @description For a counterparty that an authority itself designates. review, reject.
                 * @enum {string}
                 */
                readonly designated: "review" | "reject";
                /** @description Share of illicit value in funds like those of the transfer that asks for a review. 0 to 1, at most 6 decimals. */
                readonly illicit_share: number;
                /**
                 * @description For a transaction hash that the ledger does not have; review if it is absent. review, reject.
                 * @enum {string}
                 */
                readonly unread_hash?: "review" | "reject";
            };
        };
        readonly WhatIfRequest: {
            readonly policy: components["schemas"]["PolicyDocument"];
            /** @description Newest reports to decide again; 200 where it is absent. */
            readonly max_reports?: number;
        };
        readonly WhatIf: {
            readonly current: components["schemas"]["PolicyName"];
            readonly proposed: components["schemas"]["PolicyName"];
            /** @description Warnings about the proposed policy: choices that deserve a second look. */
            readonly findings: readonly components["schemas"]["PolicyFinding"][];
            /** @description The settings in which the two policies differ. */
            readonly settings: readonly components["schemas"]["PolicyChange"][];
            /** @description Reports that were decided again, the newest of the account. */
            readonly reports: number;
            /** @description Reports that could not be decided again. */
            readonly undecidable: number;
            /** @description Time of the oldest of these reports; null without reports. */
            readonly since: string | null;
            readonly changed_levels: number;
            readonly changed_scores: number;
            /** @description Transfers for which another recommendation follows. */
            readonly changed_recommendations: number;
            /** @description Reports by their level under the current policy and under the proposed one. */
            readonly levels: readonly components["schemas"]["LevelChange"][];
            /** @description Reports whose level changes, at most 50. */
            readonly examples: readonly components["schemas"]["WhatIfReport"][];
            readonly examples_omitted: number;
        };
        readonly PolicyName: {
            readonly id: string;
            readonly version: number;
            readonly sha256: string;
        };
        readonly PolicyFinding: {
            readonly severity: string;
            readonly rule: string;
            readonly path: string;
            readonly message: string;
        };
        readonly PolicyChange: {
            readonly path: string;
            readonly from: unknown;
            readonly to: unknown;
        };
        readonly LevelChange: {
            /** @description green, orange, red, grey; later versions may have others. */
            readonly from: string;
            /** @description green, orange, red, grey; later versions may have others. */
            readonly to: string;
            readonly count: number;
        };
        readonly WhatIfReport: {
            readonly report_id: string;
            readonly address: string;
            readonly chain: string;
            readonly generated_at: string;
            readonly from: components["schemas"]["WhatIfOutcome"];
            readonly to: components["schemas"]["WhatIfOutcome"];
            /** @description Settings of which each by itself changes the level; empty if it takes several. */
            readonly causes: readonly string[];
        };
        readonly WhatIfOutcome: {
            readonly level: string;
            readonly score: number;
            readonly level_reasons: readonly string[];
            /** @description Category and origin of the decisive evidence. */
            readonly decisive: string | null;
        };
        readonly PolicyActivationPage: {
            readonly items: readonly components["schemas"]["PolicyActivation"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly PolicyActivation: {
            readonly policy: components["schemas"]["PolicyName"];
            /** Format: date-time */
            readonly activated_at: string;
            /** @description The operator: a user of the shell, a key, or `system` for the first start. */
            readonly activated_by: string;
            readonly reason: string;
        };
        readonly ApiKeyPage: {
            readonly items: readonly components["schemas"]["ApiKey"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly ApiKey: {
            readonly key_id: string;
            readonly account_id: string;
            /** @description False for a key of the sandbox. */
            readonly livemode: boolean;
            /** @description read-only, read-write, admin or operator; each holds those before it. */
            readonly scope: string;
            readonly plan: string;
            readonly name: string;
            /** @description Where the key may be used from; empty: anywhere. */
            readonly allowed_ips: readonly string[];
            /** @description True if the key may change webhook endpoints. */
            readonly webhook_admin: boolean;
            /** @description active, ending (rotated, and works until `revoked_at`), revoked or expired. */
            readonly status: string;
            /** @description The key that this one replaces; null for none. */
            readonly rotated_from: string | null;
            /** Format: date-time */
            readonly issued_at: string;
            /** @description When it expires or expired; null for never. */
            readonly expires_at: string | null;
            /** @description When it stopped working, or will; null for neither. */
            readonly revoked_at: string | null;
            /** @description To the minute; null if it was never used. */
            readonly last_used_at: string | null;
        };
        readonly NewApiKeyRequest: {
            /**
             * @description The rights of the key; each scope holds those before it.
             * @enum {string}
             */
            readonly scope: "read-only" | "read-write" | "admin";
            /** @description That of the calling key where absent. */
            readonly plan?: ("pro" | "enterprise") | null;
            readonly name?: string | null;
            /** @description Addresses and CIDR ranges from which the key may be used. Absent: those of the calling key. */
            readonly allowed_ips?: readonly string[] | null;
            /** @description True if the key may change webhook endpoints; false where absent. */
            readonly webhook_admin?: boolean | null;
            /** @description When the key expires. Absent: when the calling key does, if it does. */
            readonly expires_at?: string | null;
            /** @description For operators: the account of the key. */
            readonly account_id?: string | null;
            /** @description For operators: false for a key of the sandbox. */
            readonly livemode?: boolean | null;
            /** @description Why, for the audit log. */
            readonly reason?: string | null;
        };
        /** @description With the key itself, which only this answer shows. */
        readonly NewApiKey: {
            readonly key_id: string;
            readonly account_id: string;
            /** @description False for a key of the sandbox. */
            readonly livemode: boolean;
            /** @description read-only, read-write, admin or operator; each holds those before it. */
            readonly scope: string;
            readonly plan: string;
            readonly name: string;
            /** @description Where the key may be used from; empty: anywhere. */
            readonly allowed_ips: readonly string[];
            /** @description True if the key may change webhook endpoints. */
            readonly webhook_admin: boolean;
            /** @description active, ending (rotated, and works until `revoked_at`), revoked or expired. */
            readonly status: string;
            /** @description The key that this one replaces; null for none. */
            readonly rotated_from: string | null;
            /** Format: date-time */
            readonly issued_at: string;
            /** @description When it expires or expired; null for never. */
            readonly expires_at: string | null;
            /** @description When it stopped working, or will; null for neither. */
            readonly revoked_at: string | null;
            /** @description To the minute; null if it was never used. */
            readonly last_used_at: string | null;
            /** @description The key itself; only this answer shows it. */
            readonly key: string;
        };
        readonly ApiKeyChange: {
            readonly scope?: ("read-only" | "read-write" | "admin") | null;
            readonly plan?: ("pro" | "enterprise") | null;
            readonly name?: string | null;
            readonly allowed_ips?: readonly string[] | null;
            readonly webhook_admin?: boolean | null;
            /** @description When the key expires; null for never. */
            readonly expires_at?: string | null;
            /** @description Why, for the audit log. */
            readonly reason?: string | null;
        };
        readonly ApiKeyRotationRequest: {
            /** @description For so long the old key works as well; 0 ends it at once. 24 where absent. */
            readonly overlap_hours?: number | null;
            /** @description Why, for the audit log. */
            readonly reason?: string | null;
        };
        readonly ApiKeyRevocationRequest: {
            /** @description Why, for the audit log. */
            readonly reason?: string | null;
        };
        readonly NewProposedChangeRequest: {
            /** @description A key to issue, as for `POST /v1/keys`. */
            readonly issue_key?: components["schemas"]["ProposedKey"] | null;
            /** @description Other rights or another name of a key, as for `PATCH /v1/keys/{key_id}`. */
            readonly change_key?: components["schemas"]["ProposedKeyChange"] | null;
            /** @description A successor of a key, as for `POST /v1/keys/{key_id}/rotate`. */
            readonly rotate_key?: components["schemas"]["ProposedRotation"] | null;
            /** @description For operators: the import of a list, as for `POST /v1/list-imports/{import_id}/confirm`. */
            readonly confirm_import?: components["schemas"]["ProposedImport"] | null;
            /** @description For operators with a live key: a policy to put in force. Screenings of all accounts are decided by it within seconds; reports that exist stay as they are. */
            readonly activate_policy?: components["schemas"]["PolicyDocument"] | null;
            /** @description Why, for whoever confirms it. */
            readonly reason: string;
        };
        readonly ProposedKey: {
            /**
             * @description The rights of the key; each scope holds those before it.
             * @enum {string}
             */
            readonly scope: "read-only" | "read-write" | "admin";
            /** @description That of the calling key where absent. */
            readonly plan?: ("pro" | "enterprise") | null;
            readonly name?: string | null;
            /** @description Addresses and CIDR ranges from which the key may be used. Absent: those of the calling key. */
            readonly allowed_ips?: readonly string[] | null;
            /** @description True if the key may change webhook endpoints; false where absent. */
            readonly webhook_admin?: boolean | null;
            /** @description When the key expires. Absent: when the calling key does, if it does. */
            readonly expires_at?: string | null;
            /** @description For operators: the account of the key. */
            readonly account_id?: string | null;
            /** @description For operators: false for a key of the sandbox. */
            readonly livemode?: boolean | null;
        };
        readonly ProposedKeyChange: {
            /** @description The id of the key: the first 8 characters behind its prefix. */
            readonly key_id: string;
            readonly scope?: ("read-only" | "read-write" | "admin") | null;
            readonly plan?: ("pro" | "enterprise") | null;
            readonly name?: string | null;
            readonly allowed_ips?: readonly string[] | null;
            readonly webhook_admin?: boolean | null;
            /** @description When the key expires; null for never. */
            readonly expires_at?: string | null;
        };
        readonly ProposedRotation: {
            /** @description The id of the key: the first 8 characters behind its prefix. */
            readonly key_id: string;
            /** @description For so long the old key works as well; 0 ends it at once. 24 where absent. */
            readonly overlap_hours?: number | null;
        };
        readonly ProposedImport: {
            readonly import_id: string;
            readonly accept_removals?: number | null;
            readonly accept_unreadable?: number | null;
        };
        readonly ProposedChange: {
            readonly change_id: string;
            /** @description `open`, `confirmed`, `refused` or `expired`. Only an open one can be decided. */
            readonly status: string;
            /** @description `issue_key`, `change_key`, `rotate_key`, `confirm_import` or `activate_policy`. */
            readonly kind: string;
            /** @description The account whose key it changes; that of the proposer for a list or a policy. */
            readonly account_id: string;
            readonly livemode: boolean;
            /** @description The change, in the fields of its kind; null if nobody can read it any more. */
            readonly change: {
                readonly [key: string]: unknown;
            } | null;
            readonly reason: string;
            readonly proposed_by: components["schemas"]["CasePerson"];
            /** Format: date-time */
            readonly proposed_at: string;
            /** Format: date-time */
            readonly expires_at: string;
            /** @description Null while nobody decided. */
            readonly decided_by: components["schemas"]["CasePerson"] | null;
            readonly decided_at: string | null;
            /** @description True if another person must confirm it. */
            readonly needs_second_person: boolean;
            /** @description True if this caller may confirm it now. */
            readonly may_confirm: boolean;
            /** @description For an open change of the policy: how it differs from the policy in force. */
            readonly effect: components["schemas"]["ChangeEffect"] | null;
        };
        readonly ChangeEffect: {
            /** @description True if another policy came into force since: then the proposal cannot be confirmed. */
            readonly is_outdated: boolean;
            readonly settings: readonly components["schemas"]["PolicyChange"][];
            /** @description Warnings: choices that deserve a second look. With an error it cannot be confirmed. */
            readonly findings: readonly components["schemas"]["PolicyFinding"][];
        };
        readonly ProposedChangePage: {
            readonly items: readonly components["schemas"]["ProposedChange"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly ProposedChangeDecisionRequest: {
            /** @enum {string} */
            readonly decision: "confirm" | "refuse";
        };
        readonly DecidedChange: {
            readonly change_id: string;
            /** @description `open`, `confirmed`, `refused` or `expired`. Only an open one can be decided. */
            readonly status: string;
            /** @description `issue_key`, `change_key`, `rotate_key`, `confirm_import` or `activate_policy`. */
            readonly kind: string;
            /** @description The account whose key it changes; that of the proposer for a list or a policy. */
            readonly account_id: string;
            readonly livemode: boolean;
            /** @description The change, in the fields of its kind; null if nobody can read it any more. */
            readonly change: {
                readonly [key: string]: unknown;
            } | null;
            readonly reason: string;
            readonly proposed_by: components["schemas"]["CasePerson"];
            /** Format: date-time */
            readonly proposed_at: string;
            /** Format: date-time */
            readonly expires_at: string;
            /** @description Null while nobody decided. */
            readonly decided_by: components["schemas"]["CasePerson"] | null;
            readonly decided_at: string | null;
            /** @description True if another person must confirm it. */
            readonly needs_second_person: boolean;
            /** @description True if this caller may confirm it now. */
            readonly may_confirm: boolean;
            /** @description For an open change of the policy: how it differs from the policy in force. */
            readonly effect: components["schemas"]["ChangeEffect"] | null;
            /** @description The key that a confirmation issued, which only this answer shows; null for none. */
            readonly new_key: components["schemas"]["NewApiKey"] | null;
        };
        readonly AccountPage: {
            readonly items: readonly components["schemas"]["Account"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly Account: {
            readonly account_id: string;
            readonly name: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Keys of both environments that are neither revoked nor expired. */
            readonly working_keys: number;
            /** @description The plans of those keys, each once. */
            readonly plans: readonly string[];
            /** @description To the minute; null if none of its keys was ever used. */
            readonly last_used_at: string | null;
        };
        readonly NewAccountRequest: {
            readonly name: string;
            /** @description Why, for the audit log. */
            readonly reason?: string | null;
        };
        readonly People: {
            readonly has_sign_in_service: boolean;
            /** @description Groups of the sign-in service, as the settings map them to keys. */
            readonly groups: readonly components["schemas"]["PeopleGroup"][];
            /** @description Persons with a session, the last used first, at most 500. */
            readonly signed_in: readonly components["schemas"]["SignedInPerson"][];
        };
        readonly PeopleGroup: {
            readonly group: string;
            /** @description Null if the key that the settings name does not work: then nobody of the group signs in. */
            readonly acts_with: components["schemas"]["PeopleRole"] | null;
        };
        readonly PeopleRole: {
            /** @description The key that they act with. */
            readonly key_id: string;
            readonly account_id: string;
            readonly livemode: boolean;
            /** @description Their rights; each scope holds those before it. */
            readonly scope: string;
        };
        readonly SignedInPerson: {
            readonly person: string;
            /** @description The key that they act with. */
            readonly key_id: string;
            readonly account_id: string;
            readonly livemode: boolean;
            /** @description Their rights; each scope holds those before it. */
            readonly scope: string;
            /** Format: date-time */
            readonly begun_at: string;
            /** Format: date-time */
            readonly used_at: string;
        };
        readonly NewSession: {
            readonly account_id: string;
            /** @description The key that the call counts as. */
            readonly key_id: string;
            readonly livemode: boolean;
            /** @description The rights of the key: read-only, read-write, admin or operator; each holds those before it. */
            readonly scope: string;
            /** @description The plan of the key, whose bucket the call draws from. */
            readonly plan: string;
            /** @description True if webhook endpoints may be changed. */
            readonly webhook_admin: boolean;
            /** @description Name of the person, where a sign-in service vouches for it; null otherwise. */
            readonly actor: string | null;
            /** @description When the session ends at the latest; null if the call carries a key. UTC, RFC 3339. */
            readonly expires_at: string | null;
            /** @description The token; only this answer shows it. */
            readonly session_token: string;
        };
        readonly OidcSessionRequest: {
            /** @description The ID token, as the sign-in service signed it for the configured client in the last five minutes. */
            readonly id_token: string;
            /** @description The secret whose SHA-256 in base64url is the `nonce` of the ID token. */
            readonly nonce: string;
            /** @description The key to act with, where the groups of the person are mapped to several. */
            readonly key_id?: string | null;
        };
        readonly SignInChoice: {
            readonly choices: readonly components["schemas"]["SignInKey"][];
        };
        readonly SignInKey: {
            readonly key_id: string;
            readonly key_name: string;
            readonly account_id: string;
            readonly account_name: string;
            readonly livemode: boolean;
            readonly scope: string;
        };
        readonly Session: {
            readonly account_id: string;
            /** @description The key that the call counts as. */
            readonly key_id: string;
            readonly livemode: boolean;
            /** @description The rights of the key: read-only, read-write, admin or operator; each holds those before it. */
            readonly scope: string;
            /** @description The plan of the key, whose bucket the call draws from. */
            readonly plan: string;
            /** @description True if webhook endpoints may be changed. */
            readonly webhook_admin: boolean;
            /** @description Name of the person, where a sign-in service vouches for it; null otherwise. */
            readonly actor: string | null;
            /** @description When the session ends at the latest; null if the call carries a key. UTC, RFC 3339. */
            readonly expires_at: string | null;
        };
        readonly Usage: {
            readonly today: components["schemas"]["UsagePeriod"];
            readonly month: components["schemas"]["UsagePeriod"];
            /** @description Always null: every call of the month is counted. */
            readonly counted_from: string | null;
            /** @description Days of the month with calls, newest first. */
            readonly days: readonly components["schemas"]["UsageDay"][];
            /** @description Every key of the environment, in the order of their issue. */
            readonly keys: readonly components["schemas"]["KeyUsage"][];
        };
        readonly UsagePeriod: {
            /** @description Every call with the key, refused ones included. */
            readonly calls: number;
            /** @description Addresses screened one by one; those of bulk jobs are not among them. */
            readonly screens: number;
            /** @description Calls that were refused or failed. */
            readonly problems: number;
            /** @description Calls over the rate limit (429). */
            readonly rate_limited: number;
            /**
             * Format: date-time
             * @description Begin of the day or month, UTC.
             */
            readonly from: string;
        };
        readonly UsageDay: {
            /** @description Every call with the key, refused ones included. */
            readonly calls: number;
            /** @description Addresses screened one by one; those of bulk jobs are not among them. */
            readonly screens: number;
            /** @description Calls that were refused or failed. */
            readonly problems: number;
            /** @description Calls over the rate limit (429). */
            readonly rate_limited: number;
            /** @description YYYY-MM-DD, UTC. */
            readonly day: string;
        };
        readonly KeyUsage: {
            readonly key_id: string;
            readonly name: string;
            readonly scope: string;
            /** @description active, expired or revoked */
            readonly status: string;
            /** @description To the minute; null if it was never used. */
            readonly last_used_at: string | null;
            readonly plan: components["schemas"]["KeyPlan"];
            readonly today: components["schemas"]["UsageCounts"];
            readonly month: components["schemas"]["UsageCounts"];
        };
        readonly KeyPlan: {
            readonly name: string;
            /** @description Sustained rate. */
            readonly calls_per_second: number;
            /** @description Calls that may come at once. */
            readonly burst: number;
            /** @description refuse: further calls are 429. fair-use: they are logged. */
            readonly on_empty: string;
        };
        readonly UsageCounts: {
            /** @description Every call with the key, refused ones included. */
            readonly calls: number;
            /** @description Addresses screened one by one; those of bulk jobs are not among them. */
            readonly screens: number;
            /** @description Calls that were refused or failed. */
            readonly problems: number;
            /** @description Calls over the rate limit (429). */
            readonly rate_limited: number;
        };
        readonly KeyUsageDayPage: {
            readonly items: readonly components["schemas"]["KeyUsageDay"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly KeyUsageDay: {
            /** @description Every call with the key, refused ones included. */
            readonly calls: number;
            /** @description Addresses screened one by one; those of bulk jobs are not among them. */
            readonly screens: number;
            /** @description Calls that were refused or failed. */
            readonly problems: number;
            /** @description Calls over the rate limit (429). */
            readonly rate_limited: number;
            /** @description YYYY-MM-DD, UTC. */
            readonly day: string;
            readonly key_id: string;
        };
        readonly AuditEntryPage: {
            readonly items: readonly components["schemas"]["AuditEntry"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly AuditEntry: {
            /**
             * Format: date-time
             * @description When the call came; UTC, RFC 3339 with milliseconds.
             */
            readonly at: string;
            /** @description `Request-Id` of the answer. */
            readonly request_id: string;
            /** @description Id of the key of the call; the key itself is stored nowhere. */
            readonly key_id: string;
            /** @description Scope of that key. */
            readonly scope: string;
            /** @description Name of the person who called, where a sign-in service vouches for it; null otherwise. */
            readonly actor: string | null;
            /** @description Address the call came from. */
            readonly client_address: string;
            readonly method: string;
            /** @description Path of the endpoint, with the names of its parameters; `/*` where no endpoint has it. */
            readonly route: string;
            /** @description HTTP status of the answer. */
            readonly status: number;
            /** @description Code of the problem; null for a success. */
            readonly code: string | null;
            /** @description Ids of the objects that the call concerned or made, such as a report. */
            readonly subject_ids: readonly string[];
            /** @description From the head of the request to its outcome. */
            readonly latency_ms: number;
            readonly livemode: boolean;
        };
        readonly InstallationHealth: {
            /** @description `healthy`; `fault`: something has stopped or waits; `unknown`: nothing is known to be wrong, and something could not be read. */
            readonly state: string;
            /** Format: date-time */
            readonly looked_at: string;
            readonly services: readonly components["schemas"]["ServiceHealth"][];
            /** @description Services that no process runs. */
            readonly missing_services: readonly string[];
            /** @description The parts that have stopped or stand still. */
            readonly faults: readonly components["schemas"]["HealthFault"][];
            readonly projections: readonly components["schemas"]["ProjectionHealth"][];
            /** @description Readers of the log. */
            readonly groups: readonly components["schemas"]["GroupLag"][];
            readonly dead_letters: readonly components["schemas"]["DeadLetterCount"][];
            /** @description The parts that could not be read, so that nothing is known of them. */
            readonly not_read: readonly string[];
            /** @description The parts that this process cannot see. `cupel doctor` looks at them, on the machine on which it runs. */
            readonly not_looked_at: readonly string[];
        };
        readonly ServiceHealth: {
            readonly name: string;
            /** @description `ready`, `not_ready`, or `not_seen` for a process whose heartbeats ended. */
            readonly state: string;
            /** @description Its checks that fail. */
            readonly failing: readonly string[];
            readonly host: string;
            readonly release: string;
            /** Format: date-time */
            readonly started_at: string;
            /** @description Since its last heartbeat. */
            readonly seen_age_ms: number;
        };
        readonly HealthFault: {
            readonly part: string;
            readonly detail: string;
            /** @description The remedy, or the page that says it. */
            readonly remedy: string;
        };
        readonly ProjectionHealth: {
            readonly name: string;
            readonly state: string;
            readonly error: string | null;
            readonly seen_age_ms: number;
        };
        /** @description Records that the group has not processed yet. */
        readonly GroupLag: {
            readonly group: string;
            readonly lag: number;
        };
        readonly DeadLetterCount: {
            readonly topic: string;
            readonly records: number;
        };
        readonly Health: {
            readonly status: string;
        };
        readonly Readiness: {
            readonly status: string;
        };
        readonly ChainPage: {
            readonly items: readonly components["schemas"]["Chain"][];
            /** @description Token for the next page; null at the end. */
            readonly next_page_token: string | null;
        };
        readonly Chain: {
            /** @description The value of `chain` in requests and reports. */
            readonly code: string;
            readonly name: string;
            /** @description Chains of one family have the same form and checksum of addresses. */
            readonly family: string;
            /** @description Symbol of the native asset. */
            readonly symbol: string;
            /** @description Digits between the base unit and one whole native asset. */
            readonly decimals: number;
            /** @description How a mistyped address is detected. */
            readonly checksum: string;
            /** @description A public explorer; `{address}` stands for the address. Null if none shows addresses. */
            readonly explorer_url: string | null;
        };
        readonly BulkCompletedWebhook: {
            /** @constant */
            readonly type: "bulk.completed";
            /**
             * Format: date-time
             * @description When it happened; equal in every attempt.
             */
            readonly timestamp: string;
            readonly data: components["schemas"]["EndedJob"];
        };
        readonly EndedJob: {
            readonly job_id: string;
            /** @description Null if the job has no name. */
            readonly name: string | null;
            /** @description False for the sandbox. */
            readonly livemode: boolean;
            /** @description `completed`, `completed_with_errors`, `cancelled` or `failed`. */
            readonly status: string;
            readonly total: number;
            readonly completed: number;
            readonly failed: number;
            readonly cancelled: number;
            /** Format: uri */
            readonly results_url: string;
            /** @description Absent where the endpoint has the payload `thin`; without reports where the message would be larger than 4 MiB. */
            readonly results?: readonly (components["schemas"]["ToldResult"] | components["schemas"]["BulkResult"])[];
        };
        readonly ToldResult: {
            readonly number: number;
            readonly address: string;
            readonly reference?: string;
            readonly status: string;
            readonly report_id: string | null;
            readonly level: string | null;
            readonly score: number | null;
        };
        readonly BulkCancelledWebhook: {
            /** @constant */
            readonly type: "bulk.cancelled";
            /**
             * Format: date-time
             * @description When it happened; equal in every attempt.
             */
            readonly timestamp: string;
            readonly data: components["schemas"]["EndedJob"];
        };
        readonly ReportChangedWebhook: {
            /** @constant */
            readonly type: "report.changed";
            /**
             * Format: date-time
             * @description When it happened; equal in every attempt.
             */
            readonly timestamp: string;
            readonly data: components["schemas"]["ChangedReport"];
        };
        readonly ChangedReport: {
            readonly watch_id: string;
            readonly address: string;
            readonly chain: string;
            readonly reference: string | null;
            readonly previous: components["schemas"]["ToldReport"];
            readonly current: components["schemas"]["ToldReport"];
            /** @description Why the current report has its level, in words. Empty for a change of an earlier version. */
            readonly why: string;
            /** @description Why the current report is grey, each reason with its remedy; empty for other levels. */
            readonly reasons: readonly components["schemas"]["LevelReason"][];
            /** @description `created`, `labels`, `ledger`, `policy` or `scorer`; others may be added. */
            readonly causes: readonly string[];
            /** @description The points of the difference by part; null if they were not computed. */
            readonly split: {
                readonly [key: string]: number;
            } | null;
            /** @description Why there is no split: `busy`, `unreadable` or `refused`. */
            readonly split_missing: string | null;
        };
        readonly ToldReport: {
            readonly report_id: string;
            readonly level: string;
            readonly score: number;
        };
        readonly LevelReason: {
            /** @description A code of `risk.level_reasons` of the report. */
            readonly code: string;
            /** @description Its text, and the remedy. */
            readonly text: string;
        };
        readonly WatchesDigestWebhook: {
            /** @constant */
            readonly type: "watches.digest";
            /**
             * Format: date-time
             * @description When it happened; equal in every attempt.
             */
            readonly timestamp: string;
            readonly data: components["schemas"]["DigestOfWatches"];
        };
        readonly DigestOfWatches: {
            /** @description UTC, YYYY-MM-DD. */
            readonly day: string;
            /** Format: date-time */
            readonly from: string;
            /** Format: date-time */
            readonly until: string;
            readonly watched: number;
            readonly changed: number;
            readonly unchanged: number;
            /** @description Watches without any report yet. */
            readonly undecided: number;
            /** @description Watches without a known change whose last screening failed, or whose next one is due or has not ended. They do not count as unchanged. */
            readonly unknown: number;
            /** @description Watches whose last screenings ended without a report. */
            readonly failing: number;
            readonly changes: readonly components["schemas"]["DigestedReport"][];
            /** @description Path of the list of all changes, where `changes` has not all. */
            readonly more: string | null;
            readonly failures: readonly components["schemas"]["FailingScreening"][];
        };
        readonly DigestedReport: {
            readonly watch_id: string;
            readonly address: string;
            readonly chain: string;
            readonly previous: components["schemas"]["ToldReport"];
            readonly current: components["schemas"]["ToldReport"];
        };
        readonly FailingScreening: {
            readonly watch_id: string;
            readonly address: string;
            readonly chain: string;
            readonly failures: number;
        };
        readonly WatchFailedWebhook: {
            /** @constant */
            readonly type: "watch.failed";
            /**
             * Format: date-time
             * @description When it happened; equal in every attempt.
             */
            readonly timestamp: string;
            readonly data: components["schemas"]["FailedWatch"];
        };
        readonly FailedWatch: {
            readonly watch_id: string;
            readonly address: string;
            readonly chain: string;
            readonly reference: string | null;
            /** @description Id of the third screening. There is a report only if a stage of it was missing. */
            readonly report_id: string;
            /** @description Screenings in a row that ended without a whole report. */
            readonly failures: number;
        };
        readonly TransferScreenedWebhook: {
            /** @constant */
            readonly type: "transfer.screened";
            /**
             * Format: date-time
             * @description When it happened; equal in every attempt.
             */
            readonly timestamp: string;
            readonly data: components["schemas"]["ScreenedTransfer"];
        };
        readonly ScreenedTransfer: {
            /** @description Also the id of the report of the counterparty. */
            readonly transfer_id: string;
            /** @description False for the sandbox. */
            readonly livemode: boolean;
            /** @description `completed`, or `failed` if it could not be screened. */
            readonly status: string;
            /** @description `allow`, `review` or `reject`; null if it could not be screened. */
            readonly recommendation: string | null;
            /** @description Level of the counterparty. */
            readonly level: string | null;
            readonly score: number | null;
            /** @description Why it could not be screened; null if it was. */
            readonly error: components["schemas"]["TransferError"] | null;
            /** @description Path of the transfer. */
            readonly transfer_path: string;
            /** @description Absent if the endpoint has the payload `thin`, or the transfer could not be screened. */
            readonly transfer?: components["schemas"]["Transfer"];
        };
        readonly TransferError: {
            readonly code: string;
            readonly detail: string;
        };
        readonly EndpointTestWebhook: {
            /** @constant */
            readonly type: "endpoint.test";
            /**
             * Format: date-time
             * @description When it happened; equal in every attempt.
             */
            readonly timestamp: string;
            readonly data: components["schemas"]["TestedEndpoint"];
        };
        readonly TestedEndpoint: {
            readonly endpoint_id: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
