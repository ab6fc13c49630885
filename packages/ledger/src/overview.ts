/** The ledger at a glance: which heights of each chain are declared, which imports are not complete, and how often providers were asked. */
import { ASSET_TABLE_VERSION, neededKinds, type DeclaredRange, type HistoryKind } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { currentLedger, ledgerChains } from './current-ledger.js'
import { historyKinds } from './declared-range.js'
import { BLOCKS } from './formats/blocks.js'
import { DEAD_AFTER_S, KEPT_HOURS } from './history-progress.js'
import { declaredRanges, type HeightRange } from './segments.js'

export interface LedgerOverview {
  /** The number of the newest published segment; 0 if the ledger is empty. */
  readonly ledgerSeq: number
  readonly chains: readonly ChainOverview[]
  readonly providers: readonly ProviderCalls[]
  /** Readings of histories that were told in the last day. One that died with its process has failed. */
  readonly readings: { readonly reading: number; readonly read: number; readonly failed: number }
}

export interface ChainOverview {
  readonly chain: string
  /** Published files that concern all addresses. */
  readonly imports: number
  /** Imports that are not complete, whether or not they run. */
  readonly openImports: number
  readonly transfers: number
  readonly lastHeight: number | null
  /** UTC, RFC 3339. */
  readonly importedAt: string | null
  /** Published files that were read with another table of assets than the one in force: they may lack transfers. */
  readonly outdatedImports: number
  /** Kinds that the chain needs, and others that were declared. */
  readonly kinds: readonly KindOverview[]
}

export interface KindOverview {
  readonly kind: HistoryKind
  readonly isNeeded: boolean
  /** Ascending; those that touch are one. */
  readonly ranges: readonly DeclaredRange[]
  /** From the first block up to the last range. */
  readonly gaps: readonly HeightRange[]
  /** Why no history of the chain is whole in this kind; empty if histories can be. */
  readonly faults: readonly KindFault[]
}

export type KindFault =
  | 'undeclared'
  | 'late_start'
  | 'gap'
  | 'unreadable_rows'
  | 'in_future'
  | 'no_time'
  | 'old'

export interface ProviderCalls {
  readonly provider: string
  /** UTC day of the last call. */
  readonly day: string
  /** Calls on the UTC day of the question. */
  readonly callsToday: number
}

/** A history may begin at the genesis block or at the one after it, as the judgement has it. */
const LAST_FIRST_HEIGHT = 1
const HOUR_S = 3_600

/** `nowS`: seconds since 1970. `maxAgeHours`: how old the end of a range may be under the policy in force. */
export async function readLedgerOverview(
  database: Queryable,
  age: { readonly nowS: number; readonly maxAgeHours: number },
): Promise<LedgerOverview> {
  const { ledgerSeq } = await currentLedger(database)
  const facts = new Map((await factsOfChains(database)).map((row) => [row.chain, row]))
  const chains: ChainOverview[] = []
  for (const chain of [...new Set([...(await ledgerChains(database)), ...facts.keys()])].sort()) {
    const ranges = await declaredRanges(database, { chain, ledgerSeq })
    chains.push({ ...nothing, ...facts.get(chain), chain, kinds: kindsOf(chain, ranges, age) })
  }
  return { ledgerSeq, chains, ...(await providersAsked(database)) }
}

const nothing: Omit<ChainOverview, 'chain' | 'kinds'> = {
  ...{ imports: 0, openImports: 0, transfers: 0, lastHeight: null, importedAt: null, outdatedImports: 0 },
}

async function factsOfChains(
  database: Queryable,
): Promise<readonly (Omit<ChainOverview, 'kinds'> & Record<string, unknown>)[]> {
  return await database.query(
    {
      name: 'ledger.overview',
      text: `SELECT chain, count(ledger_seq)::int8 AS imports, (count(*) - count(ledger_seq))::int8 AS "openImports",
               coalesce(sum((counts->>'added')::int8) FILTER (WHERE ledger_seq IS NOT NULL), 0)::int8 AS transfers,
               max(last_height) FILTER (WHERE ledger_seq IS NOT NULL) AS "lastHeight", max(published_at) AS "importedAt",
               count(ledger_seq) FILTER (WHERE asset_table_version <> $1 AND format <> $2)::int8 AS "outdatedImports"
             FROM ledger.segment WHERE history_address IS NULL GROUP BY chain`,
    },
    [ASSET_TABLE_VERSION, BLOCKS],
  )
}

export function kindsOf(
  chain: string,
  ranges: readonly DeclaredRange[],
  age: { readonly nowS: number; readonly maxAgeHours: number },
): readonly KindOverview[] {
  const needed = neededKinds(chain)
  return historyKinds.flatMap((kind) => {
    const own = ranges.filter((range) => range.kind === kind)
    const isNeeded = needed.includes(kind)
    if (!isNeeded && own.length === 0) return []
    return [{ kind, isNeeded, ranges: own, gaps: gapsOf(own), faults: faultsOf(own, age) }]
  })
}

function gapsOf(ascending: readonly DeclaredRange[]): readonly HeightRange[] {
  return ascending.flatMap(({ fromHeight }, index) => {
    const before = ascending[index - 1]
    const from = before === undefined ? 0 : before.toHeight + 1
    return before === undefined && fromHeight <= LAST_FIRST_HEIGHT ? [] : [{ from, to: fromHeight - 1 }]
  })
}

function faultsOf(
  ascending: readonly DeclaredRange[],
  { nowS, maxAgeHours }: { readonly nowS: number; readonly maxAgeHours: number },
): readonly KindFault[] {
  const [first, last] = [ascending[0], ascending.at(-1)]
  if (first === undefined || last === undefined) return ['undeclared']
  const { toAtS } = last
  const found: readonly (readonly [KindFault, boolean])[] = [
    ['late_start', first.fromHeight > LAST_FIRST_HEIGHT],
    ['gap', ascending.length > 1],
    ['unreadable_rows', ascending.some(({ hasUnreadableRows }) => hasUnreadableRows === true)],
    ['in_future', ascending.some((range) => range.toAtS !== null && range.toAtS > nowS)],
    ['no_time', toAtS === null],
    ['old', toAtS !== null && toAtS < nowS - maxAgeHours * HOUR_S],
  ]
  return found.flatMap(([fault, isThere]) => (isThere ? [fault] : []))
}

async function providersAsked(database: Queryable): Promise<Pick<LedgerOverview, 'providers' | 'readings'>> {
  const providers = await database.query<ProviderCalls & Record<string, unknown>>({
    name: 'ledger.provider-calls',
    text: `SELECT provider, day::text AS day,
             CASE WHEN day = (clock_timestamp() AT TIME ZONE 'UTC')::date THEN calls ELSE 0 END AS "callsToday"
           FROM ledger.history_call ORDER BY provider`,
  })
  const [readings] = await database.query<LedgerOverview['readings'] & Record<string, unknown>>({
    name: 'ledger.readings',
    text: `SELECT count(*) FILTER (WHERE is_reading)::int8 AS reading, count(*) FILTER (WHERE state = 'read')::int8 AS read,
             count(*) FILTER (WHERE state <> 'read' AND NOT is_reading)::int8 AS failed
           FROM (SELECT state, state = 'reading' AND told_at >= clock_timestamp() - make_interval(secs => ${DEAD_AFTER_S}) AS is_reading
                 FROM ledger.history_progress WHERE told_at >= clock_timestamp() - make_interval(hours => ${KEPT_HOURS})) AS told`,
  })
  return { providers, readings: readings! }
}
