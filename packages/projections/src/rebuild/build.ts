/** Fills the tables of a rebuild from the log, up to the given positions. */
import { isUnknownSchema } from '../consume/schema-patience.js'
import {
  type EventCodec,
  type EventLog,
  type LogRecord,
  type Place,
  placeOf,
  placesOf,
} from '@cupel/event-log'
import type { Database, Transaction } from '@cupel/postgres'
import { applyChanges, createReduce, type ReducedRecord } from '../apply.js'
import { UnappliableRecordError } from '../consume/unappliable-record.js'
import { inParallel } from '../in-parallel.js'
import type { ReadModel } from '../read-model.js'
import { storeProgress, type PlaceProgress } from './rebuild-progress.js'

/** Records written in one transaction, and partitions read at the same time: a few dozen megabytes in memory. */
const MAX_BATCH_RECORDS = 1_000
const MAX_CONCURRENT_PARTITIONS = 4

export interface RebuildProgress {
  readonly phase: 'reading' | 'comparing' | 'catching up' | 'switching'
  readonly records: number
  /** Number of records in the log at the rebuild's last check. */
  readonly total: number
}

/** Offsets by partition, `topic/partition` → next. */
export type Positions = ReadonlyMap<string, number>

export interface Build {
  readonly places: readonly Place[]
  records(): number
  /** Unreadable records of work topics, which the live projector skips too. */
  skipped(): number
  next(place: Place): number
  /** Positions are no longer stored: an interrupted rebuild cannot go on from here. */
  endProgress(): void
  ends(): Promise<Positions>
  /** Applies the records before the positions, in its own transactions or in the given one; returns the number of records. */
  readTo(positions: Positions, phase: RebuildProgress['phase'], transaction?: Transaction): Promise<number>
}

export interface BuildOptions {
  readonly readModel: ReadModel
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly onProgress?: (progress: RebuildProgress) => void
}

/** Writes into `schema`, from what an interrupted rebuild reached on: from offset 0 of a partition without it. */
export async function startBuild(
  options: BuildOptions,
  schema: string,
  reached: readonly PlaceProgress[],
): Promise<Build> {
  const { readModel, log, database, onProgress } = options
  const reduce = createReduction(options)
  const places = await placesOf(log, readModel.topics)
  const next = new Map(reached.map((one) => [placeOf(one), one.next]))
  let storesProgress = true
  let records = reached.reduce((sum, one) => sum + one.records, 0)
  let skipped = reached.reduce((sum, one) => sum + one.skipped, 0)

  return {
    ...{ records: () => records, skipped: () => skipped, next: nextOf, places, ends, readTo },
    endProgress: () => void (storesProgress = false),
  }

  function nextOf(place: Place): number {
    return next.get(placeOf(place)) ?? 0
  }

  async function ends(): Promise<Positions> {
    const found = await Promise.all(
      places.map(
        async (place) => [placeOf(place), await log.endOffset(place.topic, place.partition)] as const,
      ),
    )
    return new Map(found)
  }

  async function readTo(
    positions: Positions,
    phase: RebuildProgress['phase'],
    transaction?: Transaction,
  ): Promise<number> {
    const before = records
    // A checkpoint beyond the end of the log is one of the reasons to rebuild, so the end limits the reading.
    const end = await ends()
    const ranges = places
      .map((place) => ({
        ...place,
        from: nextOf(place),
        to: Math.min(positions.get(placeOf(place)) ?? 0, end.get(placeOf(place)) ?? 0),
      }))
      .filter(({ from, to }) => to > from)
    const total = records + ranges.reduce((sum, { from, to }) => sum + to - from, 0)
    await inParallel(ranges, MAX_CONCURRENT_PARTITIONS, async (range) => {
      for await (const batch of inBatches(log.read(range), MAX_BATCH_RECORDS)) {
        const written = { place: range, records: batch, transaction, storesProgress }
        skipped += await writeBatch(reduce, { database, schema }, written)
        records += batch.length
        onProgress?.({ phase, records, total })
      }
      next.set(placeOf(range), range.to)
    })
    return records - before
  }
}

interface Batch {
  readonly place: Place
  readonly records: readonly LogRecord[]
  /** Writes into the given transaction, if there is one. */
  readonly transaction: Transaction | undefined
  readonly storesProgress: boolean
}

/** Resolves to the number of records that were skipped. */
async function writeBatch(
  reduce: ReturnType<typeof createReduction>,
  { database, schema }: { readonly database: Database; readonly schema: string },
  { place: { topic, partition }, records, transaction, storesProgress }: Batch,
): Promise<number> {
  const reduced: ReducedRecord[] = []
  for (const record of records) reduced.push(await reduce(record))
  const skipped = reduced.filter(({ type }) => type === null).length
  const changes = reduced.flatMap((each) => each.changes)
  if (transaction !== undefined) await applyChanges(transaction, schema, changes)
  else
    await database.transaction({ at: 'projector.rebuild-batch', synchronousCommit: 'off' }, async (own) => {
      await applyChanges(own, schema, changes)
      const place = { topic, partition, next: records.at(-1)!.offset + 1 }
      if (storesProgress) await storeProgress(own, schema, { ...place, records: records.length, skipped })
    })
  return skipped
}

/**
 * Skips and stops like the live projector. That projector waits for a schema that it does not know. Here the catalogue is
 * read once more, and a schema that is still unknown then never becomes known.
 */
function createReduction({
  readModel,
  codec,
  log,
}: BuildOptions): (record: LogRecord) => ReducedRecord | Promise<ReducedRecord> {
  const source = { codec, macs: log.macs }
  const reduce = createReduce(readModel, source, isUnknownSchema)
  const reduceAtLast = createReduce(readModel, source, () => false)
  return (record) => {
    try {
      return reduce(record)
    } catch (error) {
      if (!isUnknownSchema(error)) throw new UnappliableRecordError(record, error)
      return codec.refreshSchemas().then(() => {
        try {
          return reduceAtLast(record)
        } catch (lastError) {
          throw new UnappliableRecordError(record, lastError)
        }
      })
    }
  }
}

async function* inBatches<T>(
  pages: AsyncIterable<readonly T[]>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let batch: T[] = []
  for await (const page of pages) {
    batch.push(...page)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
