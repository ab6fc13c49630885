/** Compares leaves, in the order of their tree, with the records at their positions in the log. */
import {
  type AuthenticLog,
  type EventCodec,
  type ForgeryCheck,
  type LogRange,
  type LogRecord,
  type Place,
  placeOf,
  rangeOf,
  timeOfRecord,
} from '@cupel/event-log'
import { positionOf, recordFinder } from '../place-leaves.js'
import type { LeafRange } from '../accepted-losses.js'
import type { Findings, LeafProblem, TimeBefore } from './findings.js'
import { leafCheck, recordsOf, type LeafCheck, type PlacedLeaf, type ReadLeaf } from './record-check.js'

export interface RecordComparison {
  /** Compares leaves that follow those of the earlier calls. */
  compare(leaves: readonly ReadLeaf[]): Promise<void>
  /** Called after the last leaf; `rows` say up to where records must have leaves, null if only the leaves say so. */
  end(rows: PlaceRows | null): Promise<ComparedRecords>
}

export interface ComparedRecords extends RecordCounts {
  readonly places: readonly ComparedPlace[]
  /** Leaves of records that the log lacks, if nothing says where they were. */
  readonly unplaced: readonly number[]
  /** The time of the first record behind the last leaves; null if there is none. */
  readonly pendingSince: string | null
  readonly timeBefore: TimeBefore
}

/** What the database states about each place, by `topic/partition`. */
export interface PlaceRows {
  /** The offset after the last record that has a leaf. */
  readonly positions: ReadonlyMap<string, number>
  /** Index of its last leaf. */
  readonly lasts: ReadonlyMap<string, number | null>
}

export interface RecordCounts {
  /** Number of records that match their leaves. */
  readonly records: number
  /** Offsets after the last leaf of their partition. */
  readonly pending: number
}

/** What was found of the leaves of one partition. */
export interface ComparedPlace extends Place {
  /** Offsets whose records are gone or are others than the leaves say; null if there are none. */
  readonly lost: { readonly from: number; readonly to: number } | null
  /** Whether a record behind them is the one of its leaf. */
  readonly agreesBehind: boolean
  /** Index of the last leaf whose record agrees; null if none does. */
  readonly last: number | null
  readonly lostLeaves: readonly number[]
}

interface Options {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Every partition of the log. */
  readonly places: readonly Place[]
  /** Leaves whose records an operator accepted as lost: nothing is asked of them. */
  readonly accepted: readonly LeafRange[]
  /** Whether the log may end before the leaves do, as an archive does. */
  readonly endsEarlier: boolean
  /** Whether the time of each record is compared, where the log gives one. */
  readonly checksTimes: boolean
  /** Number of leaves at most. */
  readonly leaves: number
  readonly findings: Findings
}

interface OpenPlace extends Place {
  readonly start: number
  readonly end: number
  /** The offset after the last compared record. */
  next: number
  lost: { from: number; to: number } | null
  agreesBehind: boolean
  last: number | null
  readonly lostLeaves: number[]
}

export async function compareRecords(options: Options): Promise<RecordComparison> {
  const { log, findings, accepted } = options
  const times = new Float64Array(options.leaves)
  const context: Context = {
    ...options,
    times,
    forgeryOf: await log.forgeryCheck(),
    agrees: leafCheck(options),
    counts: { records: 0, pending: 0 },
    unplaced: [],
  }
  const open = await openPlaces(log, options.places)
  const openPlace = (place: Place): OpenPlace => {
    const made = open.get(placeOf(place)) ?? opened(place, 0, 0)
    open.set(placeOf(place), made)
    return made
  }
  const timeBefore: TimeBefore = (leaf) => {
    const time = times.subarray(0, leaf).findLast((each) => each !== 0)
    return time === undefined ? null : new Date(time).toISOString()
  }
  return {
    async compare(leaves) {
      const left = leaves.filter(({ index }) => !isAccepted(accepted, index))
      for (const run of runsOf(await placed(context, [...open.values()], left))) {
        const place = openPlace(run[0]!.record)
        const { offset } = run[0]!.record
        if (offset < place.next && offset >= place.start)
          for (const leaf of run) found(context, place, leaf, 'leaf-order')
        else await compareRun(context, place, run, run.at(-1)!.record.offset + 1)
      }
    },
    async end(rows) {
      for (const each of options.places) {
        const place = openPlace(each)
        if (rows !== null) requireRow(findings, place, rows)
        const position = Math.min(rows?.positions.get(placeOf(place)) ?? place.next, place.end)
        if (position > place.next) await compareRun(context, place, [], position)
        context.counts.pending += Math.max(0, place.end - place.next)
      }
      const { counts, unplaced } = context
      const pendingSince = await firstTime(context, [...open.values()])
      return { ...counts, unplaced, places: [...open.values()], pendingSince, timeBefore }
    },
  }
}

interface Context extends Options {
  readonly forgeryOf: ForgeryCheck
  readonly agrees: LeafCheck
  /** Of the records that agree, by leaf, in milliseconds since 1970. */
  readonly times: Float64Array
  readonly counts: { records: number; pending: number }
  readonly unplaced: number[]
}

const isAccepted = (accepted: readonly LeafRange[], index: number): boolean =>
  accepted.some(({ from, to }) => from <= index && index < to)

function opened(place: Place, start: number, end: number): OpenPlace {
  const { topic, partition } = place
  return {
    topic,
    partition,
    start,
    end,
    next: start,
    lost: null,
    agreesBehind: false,
    last: null,
    lostLeaves: [],
  }
}

async function openPlaces(log: AuthenticLog, places: readonly Place[]): Promise<Map<string, OpenPlace>> {
  const ranges = await Promise.all(places.map((place) => rangeOf(log, place)))
  return new Map(ranges.map((range) => [placeOf(range), opened(range, range.from, range.to)]))
}

/** The leaves with the places of their records: as the rows state them, or where a record with the hash of the leaf is. */
async function placed(
  context: Context,
  places: readonly OpenPlace[],
  leaves: readonly ReadLeaf[],
): Promise<PlacedLeaf[]> {
  const { unplaced, endsEarlier, findings } = context
  if (leaves.every(isPlaced)) return [...leaves]
  const ranges = places.map(({ topic, partition, next, end }): LogRange => {
    return { topic, partition, from: next, to: end }
  })
  const find = recordFinder(ranges, (range) => authenticRecords(context, range))
  const found: PlacedLeaf[] = []
  for (const leaf of leaves) {
    const record = await find(leaf.recordHash)
    if (isPlaced(leaf)) found.push(leaf)
    else if (record !== null) {
      found.push({ ...leaf, record: positionOf(record) })
      if (leaf.stored.row !== undefined)
        findings.fault(
          `The row of leaf ${leaf.index} in the database names no place of the log, and its record is ${placeOf(record)} at ${record.offset}.`,
          leaf.index,
        )
    } else if (!endsEarlier) unplaced.push(leaf.index)
  }
  return found
}

const isPlaced = (leaf: ReadLeaf): leaf is PlacedLeaf => leaf.record !== null

async function* authenticRecords(
  { log, findings, forgeryOf }: Context,
  { topic, partition, from, to }: LogRange,
): AsyncGenerator<LogRecord> {
  for await (const record of recordsOf(log, { topic, partition, next: from }, to, findings))
    if (forgeryOf(record) === null) yield record
}

/** Leaves of one partition in the order of their offsets, none before `place.next`. */
async function compareRun(
  context: Context,
  place: OpenPlace,
  leaves: readonly PlacedLeaf[],
  to: number,
): Promise<void> {
  const { log, findings, forgeryOf, agrees, counts, times } = context
  let at = 0
  for await (const record of recordsOf(log, place, Math.min(to, place.end), findings)) {
    for (; (leaves[at]?.record.offset ?? Infinity) < record.offset; at += 1)
      missing(context, place, leaves[at]!)
    const leaf = leaves[at]
    if (leaf?.record.offset !== record.offset) {
      const { topic, partition, offset } = record
      if (forgeryOf(record) === null)
        findings.problem({
          ...{ kind: 'no-leaf', topic, partition, offset, index: null },
          since: timeOfRecord(record),
        })
      continue
    }
    at += 1
    const wrong = agrees(record, leaf)
    if (wrong !== null) found(context, place, leaf, wrong)
    else {
      counts.records += 1
      times[leaf.index] = Date.parse(timeOfRecord(record) ?? '') || 0
      place.agreesBehind ||= place.lost !== null
      place.last = leaf.index
    }
  }
  for (const leaf of leaves.slice(at)) missing(context, place, leaf)
  place.next = Math.max(place.next, to)
}

/** The earliest time of a record that has no leaf yet. */
async function firstTime(
  { log }: Pick<Context, 'log'>,
  places: readonly OpenPlace[],
): Promise<string | null> {
  const times: string[] = []
  for (const { topic, partition, next: from, end } of places) {
    if (from >= end) continue
    for await (const [record] of log.unchecked.read({ topic, partition, from, to: end })) {
      times.push(...(record === undefined ? [] : [timeOfRecord(record) ?? []].flat()))
      break
    }
  }
  return times.sort()[0] ?? null
}

function missing(context: Context, place: OpenPlace, leaf: PlacedLeaf): void {
  const { offset } = leaf.record
  if (offset < place.start) place.last = leaf.index
  else if (!context.endsEarlier || offset < place.end) found(context, place, leaf, 'no-record')
}

function found(
  { findings }: Context,
  place: OpenPlace,
  { index, record: { offset } }: PlacedLeaf,
  kind: LeafProblem['kind'],
): void {
  const { topic, partition } = place
  findings.problem({ kind, topic, partition, offset, index })
  if (kind === 'leaf-order') return
  place.lost = { from: place.lost?.from ?? offset, to: offset + 1 }
  place.lostLeaves.push(index)
}

/** A position before a leaf would give the records between them a second leaf. */
function requireRow(findings: Findings, place: OpenPlace, { positions, lasts }: PlaceRows): void {
  const position = Math.max(positions.get(placeOf(place)) ?? 0, place.start)
  if (position < place.next)
    findings.fault(
      `The database says that ${placeOf(place)} has leaves up to offset ${position}, and it has them up to ${place.next}.`,
    )
  const last = lasts.get(placeOf(place)) ?? null
  if (place.lost === null && last !== place.last)
    findings.fault(
      `The database says that the last leaf of ${placeOf(place)} is ${last ?? 'none'}, and it is ${place.last ?? 'none'}.`,
    )
}

/** The leaves of each partition in runs, ordered by offset: a new run begins where the order goes back. */
function runsOf(leaves: readonly PlacedLeaf[]): PlacedLeaf[][] {
  const runs: PlacedLeaf[][] = []
  const last = new Map<string, PlacedLeaf[]>()
  for (const leaf of leaves) {
    const run = last.get(placeOf(leaf.record))
    if (run !== undefined && run.at(-1)!.record.offset < leaf.record.offset) run.push(leaf)
    else {
      const begun = [leaf]
      runs.push(begun)
      last.set(placeOf(leaf.record), begun)
    }
  }
  return runs
}
