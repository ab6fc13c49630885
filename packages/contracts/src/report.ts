/** The report as callers receive it: one zod schema is validation, type and API description. */
import { z } from 'zod'
import { addressHistoriesSchema, historyCoverageSchema } from './report-histories.js'

/** Enums are open: clients tolerate new values, so the schema names the current ones without forbidding others. */
export const riskLevels = ['green', 'orange', 'red', 'grey'] as const
export type RiskLevel = (typeof riskLevels)[number]

export const riskCategories = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen'] as const
export const categories = [...riskCategories, 'clean_exchange'] as const
export type Category = (typeof categories)[number]

const points = z.number().min(0).max(100)

/** A time: UTC, RFC 3339 with milliseconds. */
export const instant = z.string().meta({ format: 'date-time' })

const usd = z.string().nullable().describe('US dollars at the day of each transfer; null without a price')

/** One address that value came from or went to. */
export const counterpartySchema = z
  .object({
    address: z.string(),
    entity: z.string(),
    value: z.string(),
    value_usd: usd,
    transfers: z.int().min(0),
  })
  .meta({ id: 'Counterparty' })

/** One address that value of an evidence item came from or went to, with the source of what is said of it. */
export const evidenceCounterpartySchema = counterpartySchema
  .extend({
    source: z.string().describe('The list that names the address; empty if no list does'),
    source_url: z.string(),
  })
  .meta({ id: 'EvidenceCounterparty' })

export const sanctionSchema = z
  .object({
    list: z.string().describe('The authority’s list'),
    programmes: z.array(z.string()),
    entity_id: z.string().describe('Identifier of the entity on that list; empty without one'),
    aliases: z.array(z.string()).describe('At most 5 other names'),
    designated_on: z.string().nullable(),
  })
  .meta({ id: 'Sanction' })

export const evidenceSchema = z
  .object({
    category: z.string().meta({ examples: [...categories] }),
    subcategory: z.string().nullable().describe('For example ransomware, hack or coinjoin'),
    relation: z.string().describe('ownership, cluster, direct or indirect'),
    direction: z.string().nullable().describe('in or out; null for ownership'),
    hops: z.int().min(0),
    chain: z.string().describe('The chain the label or transfer is on'),
    address: z
      .string()
      .nullable()
      .describe(
        'The labelled address where it differs from the one screened, for example another form of one key; else null',
      ),
    entity: z
      .string()
      .nullable()
      .describe('Null for an exposure to several addresses; counterparties names them'),
    source: z.string().describe('Empty if several lists name the counterparties; each names its own'),
    source_url: z.string(),
    origin: z.string().describe('Who found this out first; restatements of one origin count once'),
    role: z.string(),
    confidence: z.number().min(0).max(1),
    status: z.string().describe('live or ended'),
    observed_at: z.string().nullable(),
    sanction: sanctionSchema
      .nullable()
      .describe('The word of the authority, for a label of an authority’s list'),
    value: z.string().nullable(),
    value_usd: usd,
    share: z.number().nullable(),
    transfers: z
      .int()
      .min(0)
      .describe('Transfers of the screened address that carry the value; 0 for ownership'),
    sources: z.int().min(0).describe('Distinct addresses that the value is attributed to; 0 for ownership'),
    first_at: z.string().nullable(),
    last_at: z.string().nullable(),
    counterparties: z.array(evidenceCounterpartySchema).describe('Of most value, at most 20'),
    counterparties_omitted: z
      .object({ count: z.int().min(0), value: z.string(), value_usd: usd })
      .meta({ id: 'OmittedCounterparties' })
      .nullable()
      .describe('The others together; with counterparties they are the whole value'),
    path: z.array(z.unknown()),
    base: points
      .nullable()
      .describe(
        'Points before the factors: 100 for a label, the cap of its kind for an exposure; null if the item does not count',
      ),
    factors: z
      .array(z.object({ name: z.string(), value: z.number().min(0).max(1) }).meta({ id: 'EvidenceFactor' }))
      .describe('The factors of the base: confidence, role, share, size or size_weight'),
    capped_by: z
      .string()
      .nullable()
      .describe(
        'Why the points are limited: execution_unknown, order_unknown, pre_designation, historical, coinjoin or cluster; null if they are not',
      ),
    weight: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Weight of the category; null if the item does not count'),
    contribution: points.describe('Points of the item after its limit, times the weight'),
    decisive: z.boolean(),
    used: z.boolean(),
    reason: z.string().nullable().describe('Why the item does not count; null if it does'),
    pre_designation: z.boolean().nullable(),
  })
  .meta({ id: 'Evidence' })

/** All value of one asset that moved in one direction, divided by attribution. */
export const exposureSchema = z
  .object({
    direction: z.string().describe('incoming or outgoing'),
    asset: z.string(),
    total: z.string(),
    total_usd: usd,
    total_complete: z.boolean().describe('The total covers the whole history of the address'),
    by_category: z.array(
      z
        .object({
          category: z.string().describe('A category, service for an unlabelled hub, or unattributed'),
          relation: z.string().nullable().describe('direct or indirect; null for unattributed'),
          value: z.string(),
          value_usd: usd,
          share: z.number().nullable().describe('Of the total; null if the total is not complete'),
          counterparties: z.array(counterpartySchema).describe('Of most value, at most 20'),
          counterparties_omitted: z.int().min(0),
        })
        .meta({ id: 'ExposureShare' }),
    ),
  })
  .meta({ id: 'Exposure' })

/** The rows of a list's document, by what became of them. Those read, refused, skipped and unreadable are all of them. */
export const listRowsSchema = z
  .object({
    read: z.int().min(0).describe('Gave a label'),
    refused: z.int().min(0).describe('Unusable'),
    skipped: z.int().min(0).describe('State no label'),
    unreadable: z.int().min(0).describe('Designate somebody, and do not say whom'),
    accepted: z
      .int()
      .min(0)
      .describe('Unreadable rows that an operator accepted. Fewer than all of them: the list is incomplete'),
  })
  .meta({ id: 'ListRows' })

/** A list that is required, or that an authority itself publishes. */
export const labelListSchema = z
  .object({
    source: z.string(),
    dataset: z.string(),
    authority: z.string().nullable(),
    whole: z.boolean(),
    list_date: z.string().nullable().describe('The date that the list states'),
    confirmed_at: z
      .string()
      .nullable()
      .describe('When a configured refresh last found it unchanged at the authority’s own address'),
    labels: z.int().min(0),
    rows: listRowsSchema,
    status: z.string().describe('current, old, incomplete, conflict, withdrawn or missing'),
  })
  .meta({ id: 'ListCoverage' })

const riskSchema = z
  .object({
    level: z
      .string()
      .meta({ examples: [...riskLevels] })
      .describe('green, orange, red or grey (too little is known to say green)'),
    score: points,
    level_reasons: z.array(z.string()),
    score_is_lower_bound: z.boolean(),
    conflicts: z.array(
      z
        .object({ category: z.string(), clean_entity: z.string(), illicit_entity: z.string() })
        .meta({ id: 'Conflict' }),
    ),
    categories: z
      .object({
        sanctions: points,
        darknet: points,
        mixer: points,
        scam: points,
        stolen: points,
        clean_exchange: points,
      })
      .meta({ id: 'CategoryScores' }),
    evidence: z.array(evidenceSchema),
    evidence_omitted: z.int().min(0),
  })
  .meta({ id: 'Risk' })

const coverageSchema = z
  .object({
    not_examined: z
      .array(z.string())
      .describe(
        'The facts that this decision does not know: cross_chain, internal_transfers, tokens, swaps, beyond_hops, clusters, token_accounts or amounts',
      ),
    missing_stages: z
      .array(z.string())
      .optional()
      .describe(
        'Stages that were late or failed, on any chain that was judged: history, transaction, chain_data, exposure, clusters. Another screening can know more',
      ),
    history: historyCoverageSchema,
    labels: z
      .object({
        status: z.string().describe('complete, partial, stale or unavailable'),
        as_of: z
          .string()
          .nullable()
          .describe('The earliest date among the whole sanctions lists in force; null without one'),
        sources: z.int().min(0),
        lists: z.array(labelListSchema).describe('Every list that is required or is an authority’s own'),
        missing: z
          .array(z.string())
          .optional()
          .describe('Lists that are refreshed on a schedule and never came: nothing is green without them'),
      })
      .meta({ id: 'LabelCoverage' }),
    chain_data: z
      .object({
        status: z.string(),
        source: z.string().nullable(),
        height: z.int().nullable(),
        as_of: z.string().nullable(),
        faults: z
          .array(z.object({ source: z.string(), error: z.string() }).meta({ id: 'ChainDataFault' }))
          .optional()
          .describe('Providers that were asked and did not answer, or not in time'),
        disagreements: z
          .array(
            z
              .object({
                fact: z.string().describe('block, balance, tx_count, is_contract or token:<asset>'),
                values: z.array(
                  z.object({ source: z.string(), value: z.string() }).meta({ id: 'ChainDataValue' }),
                ),
              })
              .meta({ id: 'ChainDataDisagreement' }),
          )
          .optional()
          .describe('Where providers contradict one another; the one configured first is shown'),
      })
      .meta({ id: 'ChainDataCoverage' }),
    exposure: z
      .object({
        status: z.string().describe('complete, partial or unavailable'),
        reason: z.string().nullable().describe('Why it is unavailable: not_configured, late or failed'),
        incomplete: z
          .array(z.string())
          .describe('Why the history is not known to be complete, such as no_traces, range_gap or shortfall'),
        hops_searched: z.int().min(0),
        transfers_examined: z.int().min(0),
        truncated: z.boolean(),
        histories: addressHistoriesSchema,
      })
      .meta({ id: 'ExposureCoverage' }),
    prices: z
      .object({ version: z.string().describe('SHA-256 of the table of daily prices') })
      .meta({ id: 'PriceTable' })
      .nullable(),
  })
  .meta({ id: 'Coverage' })

export const judgedTransferSchema = z
  .object({
    recommendation: z.string().describe('allow, review or reject, by the policy; the worst of all reasons'),
    reasons: z.array(
      z
        .object({
          code: z.string().describe('Such as counterparty_red or unknown_token'),
          recommendation: z.string().describe('The recommendation of this reason by itself'),
        })
        .meta({ id: 'TransferReasonCode' }),
    ),
    direction: z.string().describe('incoming: the report is of the sender. outgoing: of the receiver'),
    own_address: z.string().describe('The other side of the transfer'),
    transaction_hash: z.string().nullable(),
    planned: z.boolean().describe('There is no transaction yet'),
    asset: z
      .object({
        symbol: z.string().nullable().describe('Null if the asset table does not have the token'),
        contract: z.string().nullable().describe('Null for the native asset'),
        is_known: z.boolean(),
      })
      .meta({ id: 'TransferAsset' }),
    amount: z.string().describe('In whole ones'),
    amount_base_units: z.string().nullable().describe('Null if the decimals of the token are not known'),
    value_usd: z.string().nullable().describe('US dollars at the latest price of the ledger’s table'),
    priced_on: z.string().nullable().describe('Day of that price'),
    funds: z
      .object({
        direction: z
          .string()
          .describe(
            'incoming: where funds of the sender came from. outgoing: where those of the receiver went',
          ),
        asset: z.string(),
        total: z.string(),
        total_complete: z.boolean().describe('The total covers the whole history of the counterparty'),
        by_category: z.array(
          z
            .object({
              category: z.string(),
              relation: z.string().nullable(),
              share: z.number().describe('Of the total'),
              amount: z.string().describe('The same share of the transfer'),
            })
            .meta({ id: 'TransferFundsShare' }),
        ),
      })
      .meta({ id: 'TransferFunds' })
      .nullable()
      .describe('The word of the counterparty’s exposure on funds in this asset; null if it says nothing'),
    ledger: z
      .object({
        status: z
          .string()
          .describe(
            'seen, contradicted, not_seen, not_searched or no_ledger; planned without a transaction hash. Of a provider also failed, unconfirmed, other_senders or disagreement',
          ),
        snapshot: z.string().nullable().describe('State of the ledger'),
        provider: z.string().optional().describe('Who told of the transaction, if not the ledger'),
        lookup: z.string().optional().describe('Why no provider told of it, such as not_found or timeout'),
      })
      .meta({ id: 'TransferLedger' }),
  })
  .meta({ id: 'JudgedTransfer' })

export const reportSchema = z.object({
  report_id: z.string().regex(/^[0-9a-f]{16}$/),
  address: z.string(),
  chain: z.string(),
  candidate_chains: z.array(z.string()).optional(),
  other_chains: z
    .array(
      z
        .object({ chain: z.string(), level: z.string(), score: points, level_reasons: z.array(z.string()) })
        .meta({ id: 'JudgedChain' }),
    )
    .optional()
    .describe('Candidate chains that know the address, each as judged there; risk is the worst of all'),
  livemode: z.boolean(),
  demo: z.boolean().optional().describe('true: the report rests on made-up data of the demo'),
  customer_reference: z.string().max(128).nullable(),
  risk: riskSchema,
  balance: z.string().nullable(),
  balance_base_units: z.string().nullable(),
  tx_count: z.int().nullable(),
  tx_count_kind: z.string().nullable(),
  balances: z.array(z.object({ asset: z.string(), amount: z.string() }).meta({ id: 'AssetBalance' })),
  report_url: z.string().meta({ format: 'uri' }),
  generated_at: instant,
  exposure: z
    .array(exposureSchema)
    .describe('Where all value came from and went to, as far as the ledger knows'),
  cluster: z
    .object({
      id: z.string(),
      size: z.int().min(2),
      heuristic: z.string(),
      as_of: z.string().describe('State of the ledger'),
      stopped: z
        .string()
        .nullable()
        .describe(
          'Why labels of other members do not count, such as too_large or holds_service; null if they do',
        ),
    })
    .meta({ id: 'Cluster' })
    .nullable()
    .describe('Addresses that spent together with the screened one'),
  transfer: judgedTransferSchema
    .optional()
    .describe('The transfer whose counterparty the address is; only in reports that POST /v1/transfers made'),
  coverage: coverageSchema,
  policy: z.object({ id: z.string(), version: z.int().min(1) }).meta({ id: 'PolicyVersion' }),
  scorer_version: z.string(),
  label_snapshot: z.string(),
})

export type Report = z.infer<typeof reportSchema>
export type Evidence = z.infer<typeof evidenceSchema>
