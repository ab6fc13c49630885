/** What providers said of single addresses: the newest reading of each, and the ranges that it and the readings that it continues hold. */
import type { AddressHistory, DeclaredRange, HistoryKind } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { MAX_AHEAD_S } from './clock.js'

interface HistoryRow extends Record<string, unknown> {
  readonly address: string
  readonly provider: string
  readonly covers: readonly HistoryKind[]
  readonly complete_from: number | null
  readonly complete_to: number | null
  readonly height: number
  readonly hash: string
  readonly at_s: number
  readonly incomplete: readonly string[]
  readonly imported_at_s: number
  readonly has_unreadable: boolean
}

const HISTORIES = {
  name: 'ledger.histories',
  text: `
    SELECT s.history_address AS address, s.history_provider AS provider, s.covers, s.complete_from, s.complete_to,
      s.history_height AS height, s.history_hash AS hash, s.history_at_s AS at_s, s.history_incomplete AS incomplete,
      extract(epoch FROM s.published_at::timestamptz)::int8 AS imported_at_s,
      EXISTS (SELECT FROM ledger.unreadable_row u WHERE u.segment_id = s.segment_id) AS has_unreadable
    FROM ledger.segment s
    WHERE s.chain = $1 AND s.ledger_seq <= $2 AND s.history_address = ANY ($3::text[])
    ORDER BY s.history_address, s.history_provider, s.ledger_seq`,
}

/** The first height of a reading that continues no earlier one. */
const FIRST_HEIGHT = 1

export interface ReadHistory extends AddressHistory {
  /** When it was imported, in seconds since 1970. */
  readonly readAtS: number
}

/** The gap of a history that only one provider told, where two must agree, and that of one on which two do not. */
export const UNCONFIRMED = 'unconfirmed'
export const DISAGREEMENT = 'disagreement'

/** No name of a provider has it. */
const AND = '+'
/** The name under which the ledger has what two providers state. */
export const jointName = (providers: readonly string[]): string => providers.join(AND)
export const isJoint = (provider: string): boolean => provider.includes(AND)

/** One history for each address and provider that read it, in their order. */
export async function addressHistories(
  database: Queryable,
  {
    chain,
    ledgerSeq,
    addresses,
  }: { readonly chain: string; readonly ledgerSeq: number; readonly addresses: readonly string[] },
): Promise<readonly ReadHistory[]> {
  if (addresses.length === 0) return []
  const rows = await database.query<HistoryRow>(HISTORIES, [chain, ledgerSeq, addresses])
  const groups = new Map<string, HistoryRow[]>()
  for (const row of rows) {
    const name = `${row.address} ${row.provider}`
    // A reading from the beginning makes up for whatever was wrong with earlier ones.
    const isFirst = row.complete_from === null || row.complete_from <= FIRST_HEIGHT
    groups.set(name, isFirst ? [row] : [...(groups.get(name) ?? []), row])
  }
  const histories = [...groups.values()].map(historyOf)
  return histories.filter((one) => !histories.some((joint) => confirms(joint, one)))
}

/** Whether what two providers say has what one of them said before. */
const confirms = (joint: ReadHistory, { address, provider, incomplete }: ReadHistory): boolean =>
  incomplete.includes(UNCONFIRMED) &&
  joint.address === address &&
  isJoint(joint.provider) &&
  joint.provider.split(AND).includes(provider)

/** Gaps of a kind of transfers leave the other kinds whole. */
const OF_KINDS: ReadonlySet<string> = new Set(['no_traces', 'no_tokens'])

function historyOf(readings: readonly HistoryRow[]): ReadHistory {
  const { address, provider, height, hash, at_s: atS, ...newest } = readings.at(-1)!
  const incomplete = [
    ...newest.incomplete,
    ...(readings.some((one) => one.has_unreadable) ? ['unreadable_rows'] : []),
    ...(atS > newest.imported_at_s + MAX_AHEAD_S ? ['in_future'] : []),
  ]
  const isBroken = incomplete.some((gap) => !OF_KINDS.has(gap))
  return {
    ...{ address, provider, height, hash, atS, kinds: newest.covers },
    incomplete: [...new Set(incomplete)],
    readAtS: newest.imported_at_s,
    ranges: isBroken ? [] : readings.flatMap(rangesOf),
  }
}

function rangesOf(reading: HistoryRow): readonly DeclaredRange[] {
  const { covers, complete_from: fromHeight, complete_to: toHeight } = reading
  if (fromHeight === null || toHeight === null) return []
  const toAtS = Math.min(reading.at_s, reading.imported_at_s)
  return covers.map((kind) => ({ kind, fromHeight, toHeight, toAtS }))
}

/** Whether any file of the chain is what a provider said of one address, in the state with the ledger_seq. */
export async function hasHistories(
  database: Queryable,
  { chain, ledgerSeq }: { readonly chain: string; readonly ledgerSeq: number },
): Promise<boolean> {
  const rows = await database.query(
    {
      name: 'ledger.has-histories',
      text: `SELECT FROM ledger.segment WHERE chain = $1 AND ledger_seq <= $2 AND history_address IS NOT NULL LIMIT 1`,
    },
    [chain, ledgerSeq],
  )
  return rows.length > 0
}
