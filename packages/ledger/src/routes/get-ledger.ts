/** GET /v1/ledger: what the ledger holds of each chain, what is missing, who follows nodes, and the prices in force. */
import { instant } from '@cupel/contracts'
import { ASSET_TABLE_VERSION, type CompiledPolicy } from '@cupel/domain'
import {
  followerFault,
  listEarlyEnds,
  listFollowers,
  listPriceImports,
  readLedgerOverview,
  type EarlyEnd,
  type KindOverview,
  type LedgerOverview,
  type PriceImport,
  type SeenFollower,
} from '../index.js'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  refuse,
  type Answer,
  type Endpoint,
  type PageTokens,
  type Refusal,
} from '@cupel/gate/http'
import type { Caller } from '@cupel/gate/access'

export interface LedgerParts {
  readonly database: Database
  readonly tokens: PageTokens
  /** Null before the first activation. */
  readonly policyInForce: (caller: Caller) => Promise<{ readonly policy: CompiledPolicy } | null>
}

/** Ranges, and gaps, of a kind that an answer shows: the newest. */
const SHOWN = 100
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const heights = { from_height: z.int(), to_height: z.int() }
const rangeComponent = z
  .object({
    ...heights,
    to_at: instant.nullable().describe('Time of the last height; null if no file states it.'),
    unreadable_rows: z.boolean().describe('True if rows of the range could not be read with certainty.'),
  })
  .meta({ id: 'LedgerRangeState' })

const kindComponent = z
  .object({
    kind: z.string().describe('`native`, `internal` or `token`.'),
    needed: z.boolean().describe('True if no history of the chain is complete without this kind.'),
    faults: z
      .array(z.string())
      .describe(
        'Why declared ranges make no history complete in this kind: `undeclared`, `late_start`, `gap`, `unreadable_rows`, `in_future`, `no_time`, or `old` under the policy in force. Empty if they do.',
      ),
    ranges: z
      .array(rangeComponent)
      .describe(`Ranges that are declared complete, ascending; the newest ${SHOWN}.`),
    ranges_omitted: z.int().min(0),
    gaps: z
      .array(z.object(heights).meta({ id: 'LedgerGap' }))
      .describe(`Heights before and between the ranges that nobody declared; the newest ${SHOWN}.`),
    gaps_omitted: z.int().min(0),
  })
  .meta({ id: 'LedgerKind' })

const chainComponent = z
  .object({
    chain: z.string(),
    imports: z.int().min(0).describe('Imported files that concern all addresses.'),
    open_imports: z.int().min(0).describe('Imports that are not complete.'),
    outdated_imports: z
      .int()
      .min(0)
      .describe(
        'Files that were read with another table of assets: they may lack transfers of assets that count now.',
      ),
    transfers: z.int().min(0),
    last_height: z.int().nullable(),
    imported_at: instant.nullable(),
    kinds: z.array(kindComponent),
  })
  .meta({ id: 'LedgerChain' })

const followerComponent = z
  .object({
    chain: z.string(),
    next_height: z.int(),
    head_height: z.int().nullable().describe('Newest block of the node; null before its first answer.'),
    lag_blocks: z.int().nullable(),
    lag_s: z
      .int()
      .nullable()
      .describe('Age of the last imported block, in seconds; null before the first one.'),
    seen_age_ms: z.number().describe('Since it last told its state.'),
    fault: z.string().nullable().describe('Why it does not go on; null if it runs.'),
  })
  .meta({ id: 'LedgerFollower' })

const pricesComponent = z
  .object({
    sha256: z.string(),
    file_name: z.string(),
    prices: z.int(),
    assets: z.array(z.string()),
    first_day: z.string(),
    last_day: z.string(),
    unpriced_days: z
      .int()
      .min(0)
      .describe('Whole UTC days since the last priced one: what moved on them has no value in US dollars.'),
    early_ends: z
      .array(z.object({ asset: z.string(), last_day: z.string() }).meta({ id: 'LedgerPriceEnd' }))
      .describe('Assets whose prices end before the last priced day: what moved of them since has no value.'),
    imported_at: instant,
    imported_by: z.string(),
  })
  .meta({ id: 'LedgerPrices' })

const ledgerComponent = z
  .object({
    looked_at: instant,
    ledger_seq: z.int().min(0).describe('The number of the newest import; 0 if the ledger is empty.'),
    max_age_hours: z.int().describe('How old the end of a range may be under the policy in force.'),
    asset_table: z.string().describe('Version of the table of assets that count.'),
    chains: z.array(chainComponent),
    followers: z.array(followerComponent),
    providers: z
      .array(
        z
          .object({ provider: z.string(), calls_today: z.int().min(0), last_day: z.string() })
          .meta({ id: 'HistoryProvider', description: 'Calls for histories on the UTC day.' }),
      )
      .describe('Providers that were ever asked for a history.'),
    readings: z.object({ reading: z.int().min(0), read: z.int().min(0), failed: z.int().min(0) }).meta({
      id: 'HistoryReadings',
      description: 'Histories that were asked for in the last day.',
    }),
    prices: pricesComponent.nullable().describe('The table of prices in force; null without one.'),
  })
  .meta({ id: 'LedgerState', description: 'The contents of the ledger, and the gaps in them.' })

const example: z.infer<typeof ledgerComponent> = {
  looked_at: '2026-11-21T09:00:00.000Z',
  ledger_seq: 12,
  max_age_hours: 24,
  asset_table: ASSET_TABLE_VERSION,
  chains: [
    {
      ...{ chain: 'ETH', imports: 12, open_imports: 0, outdated_imports: 0, transfers: 48_211_903 },
      ...{ last_height: 21_400_000, imported_at: '2026-11-21T08:55:00.000Z' },
      kinds: [
        {
          ...{ kind: 'native', needed: true, faults: [], ranges_omitted: 0, gaps: [], gaps_omitted: 0 },
          ranges: [
            {
              ...{ from_height: 0, to_height: 21_400_000, unreadable_rows: false },
              to_at: '2026-11-21T08:54:47.000Z',
            },
          ],
        },
        {
          ...{ kind: 'internal', needed: true, faults: ['undeclared'], ranges: [], ranges_omitted: 0 },
          ...{ gaps: [], gaps_omitted: 0 },
        },
        {
          ...{ kind: 'token', needed: true, faults: ['gap'], ranges_omitted: 0, gaps_omitted: 0 },
          ranges: [
            {
              ...{ from_height: 0, to_height: 18_000_000, unreadable_rows: false },
              to_at: '2024-08-26T16:21:23.000Z',
            },
            {
              ...{ from_height: 18_500_000, to_height: 21_400_000, unreadable_rows: false },
              to_at: '2026-11-21T08:54:47.000Z',
            },
          ],
          gaps: [{ from_height: 18_000_001, to_height: 18_499_999 }],
        },
      ],
    },
  ],
  followers: [
    {
      ...{ chain: 'ETH', next_height: 21_400_001, head_height: 21_400_012, lag_blocks: 12, lag_s: 156 },
      ...{ seen_age_ms: 800, fault: null },
    },
  ],
  providers: [{ provider: 'etherscan', calls_today: 412, last_day: '2026-11-21' }],
  readings: { reading: 1, read: 34, failed: 2 },
  prices: {
    ...{ sha256: '3f'.repeat(32), file_name: 'prices.csv', prices: 9_125, assets: ['BTC', 'ETH'] },
    ...{ first_day: '2014-01-01', last_day: '2026-11-20', unpriced_days: 0, early_ends: [] },
    ...{ imported_at: '2026-11-21T00:30:00.000Z', imported_by: 'operator:ledger' },
  },
}

export function getLedger({ database, policyInForce }: LedgerParts): Endpoint {
  return keyedEndpoint({
    operationId: 'getLedgerState',
    method: 'GET',
    path: '/v1/ledger',
    tag: 'Ledger',
    summary: 'See what the ledger holds',
    description:
      'The declared heights of each chain with their gaps, the followers of nodes, the calls to providers of histories, and the prices in force. What is unknown or too old is a fault under the policy in force. For operators: all accounts share the ledger.',
    access: 'operator',
    answers: [
      {
        status: 200,
        description: 'The ledger.',
        contentType: 'application/json',
        schema: ledgerComponent,
        example,
      },
    ],
    problems: ['unavailable'],
    async handle({ caller }): Promise<Answer | Refusal> {
      // The ledger is judged as for live reports, whatever the environment of the key.
      const inForce = await policyInForce({ ...caller, livemode: true })
      if (inForce === null)
        return refuse('unavailable', 'No policy is in force yet.', { retryAfterSeconds: 1 })
      const maxAgeHours = inForce.policy.exposure.document.history_max_age_hours
      const now = new Date()
      const [overview, followers, prices] = await Promise.all([
        readLedgerOverview(database, { nowS: now.getTime() / 1_000, maxAgeHours }),
        listFollowers(database),
        listPriceImports(database),
      ])
      const [inForcePrices = null] = prices
      const earlyEnds = inForcePrices === null ? [] : await listEarlyEnds(database, inForcePrices)
      const found = { overview, followers, prices: inForcePrices, earlyEnds, maxAgeHours, now }
      return jsonAnswer(200, JSON.stringify(documentOf(found)))
    },
  })
}

interface Found {
  readonly overview: LedgerOverview
  readonly followers: readonly SeenFollower[]
  readonly prices: PriceImport | null
  readonly earlyEnds: readonly EarlyEnd[]
  readonly maxAgeHours: number
  readonly now: Date
}

function documentOf({
  overview,
  followers,
  prices,
  earlyEnds,
  maxAgeHours,
  now,
}: Found): z.infer<typeof ledgerComponent> {
  return {
    looked_at: now.toISOString(),
    ledger_seq: overview.ledgerSeq,
    max_age_hours: maxAgeHours,
    asset_table: ASSET_TABLE_VERSION,
    chains: overview.chains.map((one) => ({
      chain: one.chain,
      imports: one.imports,
      open_imports: one.openImports,
      outdated_imports: one.outdatedImports,
      transfers: one.transfers,
      last_height: one.lastHeight,
      imported_at: one.importedAt,
      kinds: one.kinds.map(kindDocument),
    })),
    followers: followers.map((one) => ({
      ...{ chain: one.chain, next_height: one.nextHeight, head_height: one.headHeight },
      ...{ lag_blocks: one.lagBlocks, lag_s: one.lagS, seen_age_ms: one.seenAgeMs },
      fault: followerFault(one),
    })),
    providers: overview.providers.map(({ provider, callsToday, day }) => ({
      ...{ provider, calls_today: callsToday, last_day: day },
    })),
    readings: { ...overview.readings },
    prices: prices === null ? null : pricesDocument(prices, earlyEnds, now),
  }
}

function kindDocument({ kind, isNeeded, faults, ranges, gaps }: KindOverview): z.infer<typeof kindComponent> {
  return {
    kind,
    needed: isNeeded,
    faults: [...faults],
    ranges: ranges.slice(-SHOWN).map(({ fromHeight, toHeight, toAtS, hasUnreadableRows }) => ({
      ...{ from_height: fromHeight, to_height: toHeight, unreadable_rows: hasUnreadableRows === true },
      to_at: toAtS === null ? null : new Date(toAtS * 1_000).toISOString(),
    })),
    ranges_omitted: Math.max(0, ranges.length - SHOWN),
    gaps: gaps.slice(-SHOWN).map(({ from, to }) => ({ from_height: from, to_height: to })),
    gaps_omitted: Math.max(0, gaps.length - SHOWN),
  }
}

function pricesDocument(
  prices: PriceImport,
  earlyEnds: readonly EarlyEnd[],
  now: Date,
): z.infer<typeof pricesComponent> {
  const endedDays = Math.floor(now.getTime() / DAY_MS) - 1 - Math.floor(Date.parse(prices.lastDay) / DAY_MS)
  return {
    ...{
      sha256: prices.sha256,
      file_name: prices.fileName,
      prices: prices.prices,
      assets: [...prices.assets],
    },
    ...{ first_day: prices.firstDay, last_day: prices.lastDay, unpriced_days: Math.max(0, endedDays) },
    early_ends: earlyEnds.map(({ asset, lastDay }) => ({ asset, last_day: lastDay })),
    ...{ imported_at: prices.importedAt, imported_by: prices.importedBy },
  }
}
