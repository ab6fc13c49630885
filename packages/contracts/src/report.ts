/** The report as callers receive it: one zod schema is validation, type and API description. */
import { z } from 'zod'

/** Enums are open: clients tolerate new values, so the schema names today's without forbidding others. */
export const riskLevels = ['green', 'orange', 'red', 'grey'] as const
export type RiskLevel = (typeof riskLevels)[number]

export const riskCategories = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen'] as const
export type RiskCategory = (typeof riskCategories)[number]
export const categories = [...riskCategories, 'clean_exchange'] as const
export type Category = (typeof categories)[number]

const points = z.number().min(0).max(100)

export const evidenceSchema = z.object({
  category: z.string(),
  relation: z.string().describe('ownership, direct or indirect'),
  direction: z.string().nullable().describe('in or out; null for ownership'),
  hops: z.int().min(0),
  chain: z.string().describe('The chain the label or transfer is on'),
  address: z
    .string()
    .nullable()
    .describe(
      'The labelled address where it differs from the one screened, for example another form of one key; else null',
    ),
  entity: z.string(),
  source: z.string(),
  source_url: z.string(),
  origin: z.string().describe('Who found this out first; restatements of one origin count once'),
  role: z.string(),
  confidence: z.number().min(0).max(1),
  status: z.string().describe('live or ended'),
  observed_at: z.string().nullable(),
  value: z.string().nullable(),
  share: z.number().nullable(),
  path: z.array(z.unknown()),
  contribution: points,
  decisive: z.boolean(),
  used: z.boolean(),
  reason: z.string().nullable().describe('Why the item does not count; null where it does'),
  pre_designation: z.boolean().nullable(),
})

export const reportSchema = z.object({
  report_id: z.string().regex(/^[0-9a-f]{16}$/),
  address: z.string(),
  chain: z.string(),
  candidate_chains: z.array(z.string()).optional(),
  livemode: z.boolean(),
  customer_reference: z.string().max(128).nullable(),
  risk: z.object({
    level: z.string().describe('green, orange, red or grey (too little is known to say green)'),
    score: points,
    level_reasons: z.array(z.string()),
    score_is_lower_bound: z.boolean(),
    conflicts: z.array(
      z.object({ category: z.string(), clean_entity: z.string(), illicit_entity: z.string() }),
    ),
    categories: z.object({
      sanctions: points,
      darknet: points,
      mixer: points,
      scam: points,
      stolen: points,
      clean_exchange: points,
    }),
    evidence: z.array(evidenceSchema),
    evidence_omitted: z.int().min(0),
  }),
  balance: z.string().nullable(),
  balance_base_units: z.string().nullable(),
  tx_count: z.int().nullable(),
  tx_count_kind: z.string().nullable(),
  balances: z.array(z.object({ asset: z.string(), amount: z.string() })),
  report_url: z.string(),
  generated_at: z.string(),
  coverage: z.object({
    labels: z.object({
      status: z.string().describe('complete, partial, stale or unavailable'),
      as_of: z.string().nullable(),
      sources: z.int().min(0),
      missing: z
        .array(z.string())
        .optional()
        .describe('Lists that are refreshed on a schedule and never came: nothing is green without them'),
    }),
    chain_data: z.object({
      status: z.string(),
      source: z.string().nullable(),
      height: z.int().nullable(),
      as_of: z.string().nullable(),
      faults: z
        .array(z.object({ source: z.string(), error: z.string() }))
        .optional()
        .describe('Providers that were asked and did not answer, or not in time'),
      disagreements: z
        .array(
          z.object({
            fact: z.string().describe('block, balance, tx_count, is_contract or token:<asset>'),
            values: z.array(z.object({ source: z.string(), value: z.string() })),
          }),
        )
        .optional()
        .describe('Where providers contradict one another; the one configured first is shown'),
    }),
    exposure: z.object({
      status: z.string(),
      hops_searched: z.int().min(0),
      transfers_examined: z.int().min(0),
      truncated: z.boolean(),
    }),
  }),
  policy: z.object({ id: z.string(), version: z.int().min(1) }),
  scorer_version: z.string(),
  label_snapshot: z.string(),
})

export type Report = z.infer<typeof reportSchema>
export type Evidence = z.infer<typeof evidenceSchema>
