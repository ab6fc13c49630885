/** Compares leaves, in the order of their tree, with the records at their positions in the log. */
import {
  type AuthenticLog,
  type EventCodec,
  type ForgeryCheck,
  type LogRange,
  type LogRecord,
  type Place,
  placeOf,
  type Position,
  rangeOf,
  timeOfRecord,
} from '@cupel/event-log'
import { inParallel } from '@cupel/projections'
import { positionOf, recordFinder } from '../place-leaves.js'
import type { LeafRange } from '../accepted-losses.js'
import type { Leaf } from '../format/leaf.js'
import {
  createRunComparison,
  recordsOf,
  type ComparedRun,
  type CompareRun,
  type LeafRun,
  type RunLeaf,
} from './record-check.js'
import type { Findings, TimeBefore } from './findings.js'
import type { KeptPlace } from './kept-head.js'
import type { StoredLeaf } from './stored-leaves.js'

export interface ReadLeaf extends Leaf {
  readonly index: number
  readonly stored: StoredLeaf
  /** Where its record is; null if the source does not state it. */
  readonly record: Position | null
}

interface PlacedLeaf extends ReadLeaf {
  readonly record: Position
}

export interface RecordComparison {
  /** Compares leaves that follow those of the earlier calls. */
  compare(leaves: readonly ReadLeaf[]): Promise<void>
  /** How far the records of each partition were compared, by `topic/partition`. */
  reached(): ReadonlyMap<string, KeptPlace>
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
  /** Index of the first leaf, and how far earlier leaves were compared, by `topic/partition`; none by default. */
  readonly from?: number
  readonly before?: ReadonlyMap<string, KeptPlace>
  /** The index after the last leaf, at most. */
  readonly leaves: number
  readonly findings: Findings
  /** Compares one run, in a thread of its own perhaps; several are asked for at once. */
  readonly compareRun?: CompareRun
}

/** Runs of different partitions that are compared at once. */
const RUNS_AT_ONCE = 8

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
  const { log, findings, accepted, from = 0 } = options
  const times = new Float64Array(Math.max(0, options.leaves - from))
  const context: Context = {
    ...options,
    from,
    times,
    forgeryOf: await log.forgeryCheck(),
    compareRun: options.compareRun ?? (await createRunComparison(options)),
    counts: { records: 0, pending: 0 },
    unplaced: [],
  }
  const open = await openPlaces(options)
  const openPlace = (place: Place): OpenPlace => {
    const made = open.get(placeOf(place)) ?? opened({ ...place, from: 0, to: 0 }, options.before)
    open.set(placeOf(place), made)
    return made
  }
  const timeBefore: TimeBefore = (leaf) => {
    const time = times.subarray(0, Math.max(0, leaf - from)).findLast((each) => each !== 0)
    return time === undefined ? null : new Date(time).toISOString()
  }
  return {
    async compare(leaves) {
      const left = leaves.filter(({ index }) => !isAccepted(accepted, index))
      const runs = runsOf(await placed(context, [...open.values()], left))
      const work = runs.map((run) => planned(context, openPlace(run[0]!.record), run))
      await compareAll(context, work)
    },
    reached: () => new Map([...open].map(([place, { next, last }]) => [place, { next, last }])),
    async end(rows) {
      const work: Work[] = []
      for (const each of options.places) {
        const place = openPlace(each)
        if (rows !== null) requireRow(findings, place, rows)
        const position = Math.min(rows?.positions.get(placeOf(place)) ?? place.next, place.end)
        if (position > place.next) work.push(workOf(context, place, [], position))
      }
      await compareAll(context, work)
      const { counts, unplaced } = context
      for (const place of options.places.map(openPlace)) counts.pending += Math.max(0, place.end - place.next)
      const pendingSince = await firstTime(context, [...open.values()])
      return { ...counts, unplaced, places: [...open.values()], pendingSince, timeBefore }
    },
  }
}

interface Context extends Options {
  readonly from: number
  readonly forgeryOf: ForgeryCheck
  readonly compareRun: CompareRun
  /** Of the records that agree, by leaf from `from` on, in milliseconds since 1970. */
  readonly times: Float64Array
  readonly counts: { records: number; pending: number }
  readonly unplaced: number[]
}

const isAccepted = (accepted: readonly LeafRange[], index: number): boolean =>
  accepted.some(({ from, to }) => from <= index && index < to)

function opened({ topic, partition, from: start, to: end }: LogRange, before: Options['before']): OpenPlace {
  const kept = before?.get(placeOf({ topic, partition }))
  return {
    topic,
    partition,
    start,
    end,
    next: Math.max(start, kept?.next ?? 0),
    lost: null,
    agreesBehind: false,
    last: kept?.last ?? null,
    lostLeaves: [],
  }
}

async function openPlaces({ log, places, before }: Options): Promise<Map<string, OpenPlace>> {
  const ranges = await Promise.all(places.map((place) => rangeOf(log, place)))
  return new Map(ranges.map((range) => [placeOf(range), opened(range, before)]))
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
  for await (const record of recordsOf(log, { topic, partition, next: from }, to, findings.fault))
    if (forgeryOf(record) === null) yield record
}

/** A run of leaves that has a second leaf of a record, or the work to compare it. */
type Work = { readonly place: OpenPlace; readonly leaves: readonly PlacedLeaf[] } & (
  | { readonly run: LeafRun }
  | { readonly run: null }
)

/** Moves the place behind the run: where the next one begins does not depend on what is found. */
function planned(context: Context, place: OpenPlace, leaves: readonly PlacedLeaf[]): Work {
  const { offset } = leaves[0]!.record
  if (offset < place.next && offset >= place.start) return { place, leaves, run: null }
  return workOf(context, place, leaves, leaves.at(-1)!.record.offset + 1)
}

function workOf(
  { checksTimes, endsEarlier }: Context,
  place: OpenPlace,
  leaves: readonly PlacedLeaf[],
  to: number,
): Work {
  const { topic, partition, start, end, next } = place
  place.next = Math.max(next, to)
  return {
    ...{ place, leaves },
    run: {
      ...{ topic, partition, start, end, next, to, checksTimes, endsEarlier },
      leaves: leaves.map(({ index, record, stored: { entry, row } }): RunLeaf => {
        const document = row === undefined ? {} : { row: { documentId: row.documentId, salt: row.salt } }
        return { index, offset: record.offset, entry, ...document }
      }),
    },
  }
}

/** Runs are compared in any order, and their results count in the order of the tree. */
async function compareAll(context: Context, work: readonly Work[]): Promise<void> {
  const compared = new Map<Work, ComparedRun>()
  await inParallel(work, RUNS_AT_ONCE, async (each) => {
    if (each.run !== null) compared.set(each, await context.compareRun(each.run))
  })
  for (const each of work) {
    const result = compared.get(each)
    if (result === undefined) noteSecondLeaves(context, each)
    else note(context, each, result)
  }
}

function noteSecondLeaves({ findings }: Context, { place, leaves }: Work): void {
  const { topic, partition } = place
  for (const { index, record } of leaves)
    findings.problem({ kind: 'leaf-order', topic, partition, offset: record.offset, index })
}

function note(
  { findings, counts, times, from }: Context,
  { place, leaves }: Work,
  result: ComparedRun,
): void {
  const { topic, partition } = place
  counts.records += result.records
  for (const fault of result.faults) findings.fault(fault)
  for (const [at, { index }] of leaves.entries()) times[index - from] = result.times[at]!
  for (const problem of result.problems) {
    findings.problem({ topic, partition, ...problem })
    if (problem.index === null) continue
    place.lost = { from: place.lost?.from ?? problem.offset, to: problem.offset + 1 }
    place.lostLeaves.push(problem.index)
  }
  place.agreesBehind ||= place.lost !== null && (result.lastOffset ?? -1) > place.lost.from
  place.last = result.last ?? place.last
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
