/** The leaves of new records, in the order of topics, partitions and offsets; those of keys come last. */
import { turnsOnly, type Pauses } from '@cupel/kit/concurrency'
import { topicOf } from '@cupel/contracts'
import { placeOf, type EventCodec, type EventLog, type Place } from '@cupel/event-log'
import type { CheckpointMove } from '@cupel/projections'
import { knownStart } from './known-start.js'
import { leafOfRecord, documentDecoder } from './leaf-of-record.js'
import type { NewLeaf } from './state.js'
import { shorterLog } from './transparency-stopped.js'

/** Approximate limit of new leaves in one checkpoint; the rest makes the next checkpoint at once. */
export const MAX_NEW_LEAVES = 20_000

export interface NewLeaves {
  readonly leaves: readonly NewLeaf[]
  readonly moves: readonly CheckpointMove[]
  readonly hasMore: boolean
}

export interface LeafParts {
  /** Returns only the records of this installation: a forged record has no leaf. */
  readonly log: EventLog
  readonly codec: EventCodec
  readonly places: readonly Place[]
  readonly maxLeaves?: number
  /** Taken between the records; turns of the event loop by default. */
  readonly pauses?: Pauses
}

/** Throws TransparencyStoppedError if the log ends before records that have a leaf. */
export async function newLeaves(
  { log, codec, places: given, maxLeaves = MAX_NEW_LEAVES, pauses = turnsOnly() }: LeafParts,
  positions: ReadonlyMap<string, number>,
): Promise<NewLeaves> {
  const places = keysLast(given)
  const ends = await Promise.all(places.map(({ topic, partition }) => log.endOffset(topic, partition)))
  const fresh = places.filter((place, at) => ends[at]! !== (positions.get(placeOf(place)) ?? 0))
  const starts = new Map(
    await Promise.all(fresh.map(async (place) => [placeOf(place), await knownStart(log, place)] as const)),
  )
  const documentOf = documentDecoder(codec)
  const [leaves, moves]: [NewLeaf[], CheckpointMove[]] = [[], []]
  let left = maxLeaves
  for (const [at, { topic, partition }] of places.entries()) {
    const expected = positions.get(placeOf({ topic, partition })) ?? 0
    const end = ends[at]!
    if (end < expected) throw shorterLog({ topic, partition }, end, expected)
    if (end === expected) continue
    if (left === 0) return { leaves, moves, hasMore: true }
    const from = Math.max(expected, starts.get(placeOf({ topic, partition }))!)
    const next = Math.min(end, from + left)
    left -= next - from
    for await (const records of log.read({ topic, partition, from, to: next, asAppended: true }))
      for (const record of records) {
        leaves.push({
          ...leafOfRecord(record, documentOf),
          record: { topic, partition, offset: record.offset },
        })
        await pauses.next()
      }
    moves.push({ topic, partition, expected, next, atEnd: next === end })
  }
  return { leaves, moves, hasMore: left === 0 }
}

/** So that the records from before a key have their leaves before it. */
function keysLast(places: readonly Place[]): readonly Place[] {
  const isOfKeys = ({ topic }: Place): boolean => topic === topicOf('SigningKeyPublished')
  return [...places.filter((place) => !isOfKeys(place)), ...places.filter(isOfKeys)]
}
