/**
 * What the log states about imports. A row of the ledger can be altered without the log; the log cannot without its keys. The events are
 * reduced in their order, because a ledger that lost segments is imported again under the same numbers.
 */
import { isDeepStrictEqual } from 'node:util'
import type { DomainEvent, EventData } from '@cupel/contracts'
import type { PriceImport } from './prices/read-prices.js'
import { NOTHING_LEFT, segmentEvent, type SegmentStatement } from './segment-event.js'
import type { Segment } from './segments.js'

export type PriceStatement = EventData['PriceTableImported']

export interface StatedLedger {
  /** The newest statement of each number. */
  readonly segments: ReadonlyMap<number, SegmentStatement>
  /** Segments whose numbers other files have now, and that were not imported again. */
  readonly lost: readonly SegmentStatement[]
  /** The tables of prices, by their numbers; the last one is in force. */
  readonly prices: readonly PriceStatement[]
  /** How often segments were stated again under numbers that others had. */
  readonly replacements: number
  /** An append can be repeated. */
  readonly lastEventId: string
}

export const nothingStated: StatedLedger = {
  segments: new Map(),
  lost: [],
  prices: [],
  replacements: 0,
  lastEventId: '',
}

/** The state after one more event of the topic. */
export function stating(ledger: StatedLedger, { envelope, type, data }: DomainEvent): StatedLedger {
  if (envelope.id === ledger.lastEventId) return ledger
  const next = { ...ledger, lastEventId: envelope.id }
  if (type === 'PriceTableImported') {
    const told = data as PriceStatement
    const kept = ledger.prices.filter(({ priceSeq }) => priceSeq < told.priceSeq)
    return { ...next, prices: [...kept, told] }
  }
  if (type !== 'LedgerSegmentImported') return next
  const told = plain(data as SegmentStatement)
  const kept = [...ledger.segments.values()].filter(({ ledgerSeq }) => ledgerSeq < told.ledgerSeq)
  const replaced = [...ledger.segments.values()].filter(({ ledgerSeq }) => ledgerSeq >= told.ledgerSeq)
  const numbered = told.ledgerSeq === NOTHING_LEFT ? kept : [...kept, told]
  return {
    ...next,
    segments: new Map(numbered.map((one) => [one.ledgerSeq, one])),
    replacements: ledger.replacements + Number(replaced.length > 0 || told.ledgerSeq === NOTHING_LEFT),
    lost: isAcceptance(told, ledger)
      ? []
      : [...ledger.lost, ...replaced].filter((one) => !isDeepStrictEqual(importOf(one), importOf(told))),
  }
}

/** The state after these events. Histories are many: those that only add the next number share one copy of the others. */
export function statingAll(ledger: StatedLedger, events: readonly DomainEvent[]): StatedLedger {
  let state = ledger
  let shared: Map<number, SegmentStatement> | null = null
  let newest = newestStated(ledger).ledgerSeq
  for (const event of events) {
    const told = event.data as SegmentStatement
    const isNext =
      event.type === 'LedgerSegmentImported' && told.ledgerSeq > newest && state.lost.length === 0
    if (isNext && event.envelope.id !== state.lastEventId) {
      shared ??= new Map(state.segments)
      shared.set(told.ledgerSeq, plain(told))
      newest = told.ledgerSeq
      state = { ...state, segments: shared, lastEventId: event.envelope.id }
    } else {
      shared = null
      state = stating(state, event)
      newest = newestStated(state).ledgerSeq
    }
  }
  return state
}

/** The segments that a later state adds; null if anything else of it is new. */
export function segmentsAfter(before: StatedLedger, after: StatedLedger): readonly SegmentStatement[] | null {
  const { ledgerSeq: newest } = newestStated(before)
  const added: SegmentStatement[] = []
  for (let seq = newest + 1; seq <= newestStated(after).ledgerSeq; seq += 1) {
    const one = after.segments.get(seq)
    if (one === undefined) return null
    added.push(one)
  }
  const isSame =
    after.lost.length === 0 &&
    before.prices === after.prices &&
    after.segments.size === before.segments.size + added.length &&
    after.replacements === before.replacements
  return isSame ? added : null
}

/** The statements from a number on, and in any case the newest one. */
export function newestOf(ledger: StatedLedger, from: number): StatedLedger {
  const first = Math.min(from, newestStated(ledger).ledgerSeq)
  return { ...ledger, segments: new Map([...ledger.segments].filter(([seq]) => seq >= first)) }
}

/** A decoded record has a class of its own, which no row equals. */
const plain = ({ history, ...told }: SegmentStatement): SegmentStatement => ({
  ...told,
  history: history === null ? null : { ...history },
})

/** A restore whose operator accepts what the ledger lost states its last segment again. */
const isAcceptance = (told: SegmentStatement, { segments }: StatedLedger): boolean =>
  told.ledgerSeq === NOTHING_LEFT || segments.get(told.ledgerSeq)?.importedAt === told.importedAt

const importOf = ({
  chain,
  format,
  sha256,
  covers,
  completeFrom,
  completeTo,
  replaces,
  history,
}: SegmentStatement) => ({
  ...{ chain, format, sha256, covers, completeFrom, completeTo, replaces, history },
})

/** The rows of published segments, and those of prices. */
export interface LedgerRows {
  readonly segments: readonly Segment[]
  readonly prices: readonly PriceImport[]
}

/** Why the rows, those of segments from a number on, must not be used, as a sentence; null if they have everything that the log states, unchanged. Rows beyond it are not used yet. */
export function ledgerContradiction(
  { segments, prices }: LedgerRows,
  stated: StatedLedger,
  from = 1,
  to = Infinity,
): string | null {
  const [lost] = stated.lost
  if (lost !== undefined) return lacks(lost)
  const { ledgerSeq: newest } = newestStated(stated)
  const bySeq = new Map(segments.map((row) => [row.ledgerSeq, row]))
  const second = segments.find((row) => bySeq.get(row.ledgerSeq) !== row)
  if (second !== undefined) return `The ledger has two segments ${second.ledgerSeq}.`
  const tables = new Map(prices.map((row) => [row.priceSeq, row]))
  const secondTable = prices.find((row) => tables.get(row.priceSeq) !== row)
  if (secondTable !== undefined) return `The ledger has two price tables ${secondTable.priceSeq}.`
  for (let seq = from; seq <= Math.min(to, newest); seq += 1) {
    const statement = stated.segments.get(seq)
    if (statement === undefined) return `The log does not state segment ${seq} of the ledger.`
    const row = bySeq.get(seq)
    if (row === undefined) return lacks(statement)
    const fields = differingFields(segmentEvent(row, statement.reason), statement)
    if (fields !== '') return `The ledger has segment ${seq} with another ${fields} than the log.`
  }
  const unnumbered = segments.find(({ ledgerSeq }) => ledgerSeq! < 1)
  if (unnumbered !== undefined)
    return `The ledger has a segment ${unnumbered.ledgerSeq}, which no event of the log states.`
  const unnumberedTable = prices.find(({ priceSeq }) => priceSeq < 1)
  if (unnumberedTable !== undefined)
    return `The ledger has a price table ${unnumberedTable.priceSeq}, which no event of the log states.`
  for (const statement of stated.prices) {
    const fault = priceContradiction(prices, statement)
    if (fault !== null) return fault
  }
  return null
}

/** The numbers of the last segment and the last table of prices; 0 without one. */
export function newestStated({ segments, prices }: StatedLedger): { ledgerSeq: number; priceSeq: number } {
  let ledgerSeq = 0
  for (const seq of segments.keys()) ledgerSeq = Math.max(ledgerSeq, seq)
  return { ledgerSeq, priceSeq: prices.at(-1)?.priceSeq ?? 0 }
}

/** A row beyond what the log states, as a sentence; null without one. It is not used: an import writes its row before its event is in the log. */
export function unstatedRow({ segments, prices }: LedgerRows, stated: StatedLedger): string | null {
  const newest = newestStated(stated)
  const segment = segments.find(({ ledgerSeq }) => ledgerSeq! > newest.ledgerSeq)
  if (segment !== undefined)
    return `The ledger has a segment ${segment.ledgerSeq} (${segment.fileName}), which no event of the log states.`
  const table = prices.find(({ priceSeq }) => priceSeq > newest.priceSeq)
  return table === undefined
    ? null
    : `The ledger has a price table ${table.priceSeq} (${table.fileName}), which no event of the log states.`
}

function priceContradiction(rows: readonly PriceImport[], stated: PriceStatement): string | null {
  const row = rows.find(({ priceSeq }) => priceSeq === stated.priceSeq)
  if (row === undefined)
    return `The ledger lacks the price table ${stated.fileName} (${stated.sha256}), which the log states: import it again.`
  const fields = differingFields({ ...row, reason: stated.reason }, stated)
  return fields === ''
    ? null
    : `The ledger has price table ${row.priceSeq} with another ${fields} than the log.`
}

const lacks = ({ ledgerSeq, chain, fileName, sha256 }: SegmentStatement): string =>
  `The ledger lacks segment ${ledgerSeq} (${chain}, ${fileName}, sha256 ${sha256}), which the log states: import the file again.`

const differingFields = <T extends object>(row: T, stated: T): string =>
  (Object.keys(stated) as (keyof T & string)[])
    .filter((field) => !isDeepStrictEqual(row[field], stated[field]))
    .join(', ')
