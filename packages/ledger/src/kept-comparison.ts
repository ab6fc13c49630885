/**
 * What a process compared of segments and prices, kept for the next one: its start reads what is new, and not the whole log. Its MAC with the record
 * keys covers the text, the log and the form of the text. Whatever else is in the row is not used, and everything is compared.
 */
import type { EventCodec, EventLog, TextMacs } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { sumsOf, sumsText, type RowSums } from './row-sums.js'
import { nothingLeft, type SegmentStatement } from './segment-event.js'
import { LEDGER_PLACE } from './ledger-place.js'
import type { PriceStatement, StatedLedger } from './stated-ledger.js'

/** What comparisons of segments, prices and their events found. */
export interface CheckedLedger {
  /** The newest state whose every segment the log states; 0 if the ledger is empty. */
  readonly ledgerSeq: number
  /** SHA-256 of the table of prices in force; null without one. */
  readonly pricesSha256: string | null
  /** Why the rows must not be used, as a sentence; null if they may be. */
  readonly fault: string | null
  /** A row that no event states (yet) and that is not used, as a sentence; null without one. */
  readonly unstated: string | null
  /** The sums of all rows of imports that the log states. */
  readonly rowSums: RowSums
  /** How often segments were stated again under numbers that others had: what was read before may be of others. */
  readonly replacements: number
}

/** What was compared, with the hash of each slice of rows that the log states. */
export interface Compared {
  readonly slices: ReadonlyMap<number, string>
  readonly state: CheckedLedger
}

export interface KeptComparison extends Compared {
  /** Of the newest slices. */
  readonly stated: StatedLedger
  /** First offset that was not read. */
  readonly next: number
}

export interface KeptComparisonDeps {
  readonly log: Pick<EventLog, 'endOffset' | 'read'> & Partial<Pick<EventLog, 'identity' | 'macs'>>
  readonly codec: EventCodec
  readonly database: Queryable
}

const FORM = 'cupel ledger comparison v1'
/** A release that states other fields compares everything. */
const FIELDS = Object.keys(nothingLeft('')).join(' ')

/** Null if this process believes nothing that was kept. */
export async function readComparison(
  { log, codec, database }: KeptComparisonDeps,
  sliceRows: number,
): Promise<KeptComparison | null> {
  const binding = await bindingOf(log, sliceRows)
  if (binding === null) return null
  const [row] = await database.query<{ text: string; mac: string }>({
    name: 'ledger.read-compared',
    text: 'SELECT text, mac FROM ledger.compared',
  })
  if (row === undefined || !binding.macs.isMac(row.mac, binding.purpose, row.text)) return null
  const kept = comparisonOf(row.text)
  return (await lastEventId({ log, codec }, kept.next)) === kept.stated.lastEventId ? kept : null
}

/** Replaces what was kept. */
export async function keepComparison(
  { log, database }: Pick<KeptComparisonDeps, 'log' | 'database'>,
  sliceRows: number,
  kept: KeptComparison,
): Promise<void> {
  const binding = await bindingOf(log, sliceRows)
  if (binding === null) return
  const text = textOf(kept)
  await database.execute(
    {
      name: 'ledger.keep-compared',
      text: `INSERT INTO ledger.compared (one, text, mac) VALUES (true, $1, $2)
             ON CONFLICT (one) DO UPDATE SET text = excluded.text, mac = excluded.mac`,
    },
    [text, binding.macs.macOf(binding.purpose, text)],
  )
}

async function bindingOf(
  log: KeptComparisonDeps['log'],
  sliceRows: number,
): Promise<{ readonly macs: TextMacs; readonly purpose: string } | null> {
  const { macs } = log
  const identity = await log.identity?.()
  return macs === undefined || identity === undefined
    ? null
    : { macs, purpose: `${FORM} ${identity} ${sliceRows} ${FIELDS}` }
}

/** The id of the event before an offset; null if the log does not have it. */
async function lastEventId(
  { log, codec }: Pick<KeptComparisonDeps, 'log' | 'codec'>,
  next: number,
): Promise<string | null> {
  if (next < 1 || next > (await log.endOffset(LEDGER_PLACE.topic, LEDGER_PLACE.partition))) return null
  for await (const [record] of log.read({ ...LEDGER_PLACE, from: next - 1, to: next }))
    if (record !== undefined) return codec.decode(record).envelope.id
  return null
}

interface Text {
  readonly next: number
  readonly segments: readonly SegmentStatement[]
  readonly prices: readonly PriceStatement[]
  readonly replacements: number
  readonly lastEventId: string
  readonly slices: readonly (readonly [number, string])[]
  readonly state: Pick<CheckedLedger, 'ledgerSeq' | 'pricesSha256'>
  readonly rowSums: string
}

const textOf = ({
  stated,
  next,
  slices,
  state: { ledgerSeq, pricesSha256, rowSums },
}: KeptComparison): string =>
  JSON.stringify({
    ...{ next, segments: [...stated.segments.values()], prices: stated.prices },
    ...{ replacements: stated.replacements, lastEventId: stated.lastEventId, slices: [...slices] },
    ...{ state: { ledgerSeq, pricesSha256 }, rowSums: sumsText(rowSums) },
  } satisfies Text)

function comparisonOf(text: string): KeptComparison {
  const {
    next,
    segments,
    prices,
    replacements,
    lastEventId: last,
    slices,
    state,
    rowSums,
  } = JSON.parse(text) as Text
  return {
    ...{ next, slices: new Map(slices) },
    stated: {
      segments: new Map(segments.map((one) => [one.ledgerSeq, one])),
      ...{ lost: [], prices, replacements, lastEventId: last },
    },
    state: { ...state, fault: null, unstated: null, rowSums: sumsOf(rowSums), replacements },
  }
}
