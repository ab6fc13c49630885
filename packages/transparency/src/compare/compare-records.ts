/** Compares leaves, in the order of their tree, with the records at their positions in the log. */
import {
  type AuthenticLog,
  type EventCodec,
  type ForgeryCheck,
  type Place,
  placeOf,
  rangeOf,
} from '@cupel/event-log'
import type { Findings, LeafProblem } from './findings.js'
import { leafCheck, recordsOf, type LeafCheck, type PlacedLeaf } from './record-check.js'

/** Records that an operator accepted as lost: others may be at their offsets, with their own leaves. */
export interface LostRecords extends Place {
  readonly from: number
  readonly to: number
}

export interface RecordComparison {
  /** Compares leaves that follow those of the earlier calls. */
  compare(leaves: readonly PlacedLeaf[]): Promise<void>
  /** Called after the last leaf; `positions` say up to where records must have leaves, null if only the leaves say so. */
  end(positions: ReadonlyMap<string, number> | null): Promise<RecordCounts>
}

export interface RecordCounts {
  /** Number of records that match their leaves, as far as the leaves can show it. */
  readonly records: number
  /** Those among them whose salted hash was compared: its salt is in the database alone. */
  readonly hashed: number
  /** Offsets after the last leaf of their partition. */
  readonly pending: number
}

interface Options {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Every partition of the log. */
  readonly places: readonly Place[]
  readonly lost: readonly LostRecords[]
  /** Whether the log may end before the leaves do, as an archive does. */
  readonly endsEarlier: boolean
  readonly findings: Findings
}

interface OpenPlace extends Place {
  readonly start: number
  readonly end: number
  /** The offset after the last compared record. */
  next: number
  /** Findings for records accepted as lost: they are problems unless other records, or none, are at their offsets now. */
  held: Omit<LeafProblem, 'to'>[]
}

export async function compareRecords(options: Options): Promise<RecordComparison> {
  const { log, findings, lost } = options
  const context: Context = {
    ...options,
    forgeryOf: await log.forgeryCheck(),
    agrees: leafCheck(options.codec),
    counts: { records: 0, hashed: 0, pending: 0 },
  }
  const open = await openPlaces(log, options.places)
  const openPlace = ({ topic, partition }: Place): OpenPlace => {
    const known = open.get(placeOf({ topic, partition }))
    if (known !== undefined) return known
    const made = { topic, partition, start: 0, end: 0, next: 0, held: [] }
    open.set(placeOf(made), made)
    return made
  }
  return {
    async compare(leaves) {
      for (const run of runsOf(leaves)) {
        const place = openPlace(run[0]!)
        const { offset, index } = run[0]!
        if (offset < place.next && offset >= place.start) {
          if (!isLost(lost, place, offset)) {
            for (const leaf of run) found(context, place, { ...leaf, kind: 'leaf-order' })
            continue
          }
          // An operator accepted the earlier records as lost; these leaves replace them.
          place.held = place.held.filter((held) => held.offset < offset || held.index! > index)
          place.next = offset
        }
        await compareRun(context, place, run, run.at(-1)!.offset + 1)
      }
    },
    async end(positions) {
      for (const each of options.places) {
        const place = openPlace(each)
        if (positions !== null) requirePosition(context, place, positions.get(placeOf(place)) ?? 0)
        const position = Math.min(positions?.get(placeOf(place)) ?? place.next, place.end)
        if (position > place.next) await compareRun(context, place, [], position)
        context.counts.pending += Math.max(0, place.end - place.next)
      }
      for (const { held, end } of open.values())
        for (const problem of held) if (problem.offset < end) findings.problem(problem)
      return context.counts
    },
  }
}

interface Context extends Options {
  readonly forgeryOf: ForgeryCheck
  readonly agrees: LeafCheck
  readonly counts: { records: number; hashed: number; pending: number }
}

async function openPlaces(log: AuthenticLog, places: readonly Place[]): Promise<Map<string, OpenPlace>> {
  const opened = await Promise.all(
    places.map(async (place): Promise<OpenPlace> => {
      const { from: start, to: end } = await rangeOf(log, place)
      return { ...place, start, end, next: start, held: [] }
    }),
  )
  return new Map(opened.map((place) => [placeOf(place), place]))
}

/** Leaves of one partition in the order of their offsets, none before `place.next`. */
async function compareRun(
  context: Context,
  place: OpenPlace,
  leaves: readonly PlacedLeaf[],
  to: number,
): Promise<void> {
  const { log, findings, forgeryOf, agrees, counts } = context
  let at = 0
  for await (const record of recordsOf(log, place, Math.min(to, place.end), findings)) {
    for (; (leaves[at]?.offset ?? Infinity) < record.offset; at += 1) missing(context, place, leaves[at]!)
    const leaf = leaves[at]
    if (leaf?.offset !== record.offset) {
      const { offset } = record
      if (forgeryOf(record) === null) found(context, place, { kind: 'no-leaf', offset, index: null })
      continue
    }
    at += 1
    const wrong = agrees(record, leaf)
    if (wrong !== null) found(context, place, { kind: wrong, offset: leaf.offset, index: leaf.index })
    else counts.records += 1
    if (wrong === null && (leaf.stored.seed ?? null) !== null) counts.hashed += 1
  }
  for (const leaf of leaves.slice(at)) missing(context, place, leaf)
  place.next = Math.max(place.next, to)
}

function missing(context: Context, place: OpenPlace, { offset, index }: PlacedLeaf): void {
  if (offset < place.start || (context.endsEarlier && offset >= place.end)) return
  found(context, place, { kind: 'no-record', offset, index })
}

function found(
  { findings, lost }: Context,
  { topic, partition, held }: OpenPlace,
  { kind, offset, index }: Pick<LeafProblem, 'kind' | 'offset' | 'index'>,
): void {
  const problem = { kind, topic, partition, offset, index }
  if (index !== null && isLost(lost, { topic, partition }, offset)) held.push(problem)
  else findings.problem(problem)
}

/** A position before a leaf would give the records between them a second leaf. */
function requirePosition({ findings, lost }: Context, place: OpenPlace, position: number): void {
  if (Math.max(position, place.start) >= place.next || isLost(lost, place, position)) return
  findings.fault(
    `The database says that ${placeOf(place)} has leaves up to offset ${position}, and it has them up to ${place.next}.`,
  )
}

const isLost = (lost: readonly LostRecords[], { topic, partition }: Place, offset: number): boolean =>
  lost.some(
    (range) =>
      range.topic === topic && range.partition === partition && range.from <= offset && offset < range.to,
  )

/** The leaves of each partition in runs, ordered by offset: a new run begins where the order goes back. */
function runsOf(leaves: readonly PlacedLeaf[]): PlacedLeaf[][] {
  const runs: PlacedLeaf[][] = []
  const last = new Map<string, PlacedLeaf[]>()
  for (const leaf of leaves) {
    const run = last.get(placeOf(leaf))
    if (run !== undefined && run.at(-1)!.offset < leaf.offset) run.push(leaf)
    else {
      const begun = [leaf]
      runs.push(begun)
      last.set(placeOf(leaf), begun)
    }
  }
  return runs
}
