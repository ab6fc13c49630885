/**
 * Rebuilds a read model from the start of the log, in new tables beside the live ones, and switches to them in one
 * transaction. The live projector runs meanwhile. A rebuild that is killed at any moment leaves the live tables as they were,
 * and the next rebuild drops its leftovers. A rebuild has no effects: it is a loop over reducers.
 */
import type { Logger } from '@cupel/contracts'
import type { EventCodec, EventLog, LogRecord } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { applyChanges, createReduce, type Reduce } from './apply.js'
import { UnappliableRecordError } from './consume/unappliable-record.js'
import { compareTables, digestTables, type TableComparison } from './compare-tables.js'
import { placeOf } from './checkpoint.js'
import { inParallel } from './in-parallel.js'
import { analyzeTables, createReadModelSchema, recordDefinition, schemaExists } from './read-model-tables.js'
import { readModelGroup, type Change, type ReadModel } from './read-model.js'

/** Records written in one transaction, and partitions read at the same time: some dozen megabytes in memory. */
const MAX_BATCH_RECORDS = 1_000
const MAX_CONCURRENT_PARTITIONS = 4
/** At most about this many records are read while the live projector waits for the switch. */
const CLOSE_ENOUGH_RECORDS = 200
/** Rounds of catching up before the switch, where records arrive faster than a round takes. */
const CATCH_UP_ROUNDS = 5

export interface RebuildOptions {
  readonly readModel: ReadModel
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly onProgress?: (progress: RebuildProgress) => void
  /** Builds and compares, then drops the new tables: the live tables stay. */
  readonly compareOnly?: boolean
}

export interface RebuildProgress {
  readonly phase: 'reading' | 'comparing' | 'catching up' | 'switching'
  readonly records: number
  /** Records in the log when the rebuild last looked. */
  readonly total: number
}

export interface RebuildResult {
  readonly readModel: string
  readonly records: number
  readonly durationMs: number
  /** Live rows against rebuilt rows, both at the same positions of the log; empty where there were no live tables. */
  readonly comparison: readonly TableComparison[]
  readonly switched: boolean
}

/** Another rebuild of this read model is under way. */
export class RebuildInProgressError extends Error {
  override readonly name = 'RebuildInProgressError'
}

/**
 * Rejects with RebuildInProgressError, with UnappliableRecordError where a record cannot be applied (the error names its
 * position, and the live tables stay), and with the error of the log or the database.
 */
export async function rebuildReadModel(options: RebuildOptions): Promise<RebuildResult> {
  const { database, readModel } = options
  return await database.withConnection(async (connection) => {
    const [lock] = await connection.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
      [`cupel.rebuild.${readModel.name}`],
    )
    if (lock?.taken !== true)
      throw new RebuildInProgressError(`A rebuild of ${readModel.name} is already under way`)
    try {
      return await rebuild(options)
    } catch (error) {
      await dropLeftovers(database, readModel).catch((failure: unknown) =>
        options.logger.warn(
          { err: failure },
          'The leftovers of the rebuild could not be dropped; the next rebuild drops them',
        ),
      )
      throw error
    } finally {
      await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [
        `cupel.rebuild.${readModel.name}`,
      ])
    }
  })
}

async function rebuild(options: RebuildOptions): Promise<RebuildResult> {
  const { database, readModel } = options
  const startedAt = performance.now()
  await dropLeftovers(database, readModel)
  await database.transaction({ at: 'projector.install-tables' }, (transaction) =>
    createReadModelSchema(transaction, readModel, freshSchema(readModel)),
  )
  const build = await startBuild(options)
  // Until the comparison the new tables stay behind the live ones, so that both can be read at the same position.
  await build.readTo(await livePositions(database, options), 'reading')
  const comparison = await compareWithLive(options, build)
  if (options.compareOnly !== true) {
    for (let round = 0; round < CATCH_UP_ROUNDS; round += 1) {
      if ((await build.readTo(await build.ends(), 'catching up')) <= CLOSE_ENOUGH_RECORDS) break
    }
    await switchTables(options, build)
  }
  await dropLeftovers(database, readModel)
  return {
    readModel: readModel.name,
    records: build.records(),
    durationMs: performance.now() - startedAt,
    comparison,
    switched: options.compareOnly !== true,
  }
}

/** Offsets by partition, `topic/partition` → next. */
type Positions = ReadonlyMap<string, number>

interface Build {
  readonly records: () => number
  readonly next: (place: { readonly topic: string; readonly partition: number }) => number
  readonly places: readonly { readonly topic: string; readonly partition: number }[]
  ends(): Promise<Positions>
  /** Applies the records before the positions, in its own transactions or in the given one; returns the number of records. */
  readTo(positions: Positions, phase: RebuildProgress['phase'], transaction?: Queryable): Promise<number>
}

async function startBuild({ readModel, log, codec, database, onProgress }: RebuildOptions): Promise<Build> {
  const reduce = createReduce(readModel, codec)
  const places = await placesOf(log, readModel.topics)
  const next = new Map<string, number>()
  for (const place of places) next.set(placeOf(place), await log.startOffset(place.topic, place.partition))
  let records = 0

  return { records: () => records, next: nextOf, places, ends, readTo }

  function nextOf(place: { topic: string; partition: number }): number {
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
    transaction?: Queryable,
  ): Promise<number> {
    const before = records
    // A checkpoint beyond the end of the log is one of the reasons to rebuild: the end limits what is read.
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
        await write(batch, transaction)
        records += batch.length
        onProgress?.({ phase, records, total })
      }
      next.set(placeOf(range), range.to)
    })
    return records - before
  }

  async function write(batch: readonly LogRecord[], transaction?: Queryable): Promise<void> {
    const changes = batch.flatMap((record) => changesOf(reduce, record))
    if (transaction !== undefined) return await applyChanges(transaction, freshSchema(readModel), changes)
    await database.transaction({ at: 'projector.rebuild-batch', synchronousCommit: 'off' }, (own) =>
      applyChanges(own, freshSchema(readModel), changes),
    )
  }
}

function changesOf(reduce: Reduce, record: LogRecord): readonly Change[] {
  try {
    return reduce(record).changes
  } catch (error) {
    throw new UnappliableRecordError(record, error)
  }
}

async function placesOf(
  log: EventLog,
  topics: readonly string[],
): Promise<{ topic: string; partition: number }[]> {
  const found = await Promise.all(
    topics.map(async (topic) =>
      Array.from({ length: await log.partitionCount(topic) }, (_, partition) => ({ topic, partition })),
    ),
  )
  return found.flat()
}

/** Reads the live tables and their positions in one snapshot, brings the new tables to exactly those positions, and compares. */
async function compareWithLive(options: RebuildOptions, build: Build): Promise<TableComparison[]> {
  const { database, readModel } = options
  if (!(await schemaExists(database, readModel.schema))) return []
  options.onProgress?.({ phase: 'comparing', records: build.records(), total: build.records() })
  const live = await database.transaction(
    { at: 'projector.rebuild-compare', isolation: 'repeatable read' },
    async (transaction) => ({
      positions: await livePositions(transaction, options),
      digests: await digestTables(transaction, readModel, readModel.schema),
    }),
  )
  if (live.positions.size === 0) return []
  await build.readTo(live.positions, 'comparing')
  const rebuilt = await database.transaction({ at: 'projector.rebuild-compare' }, (transaction) =>
    digestTables(transaction, readModel, freshSchema(readModel)),
  )
  return compareTables(live.digests, rebuilt)
}

/** The positions of the live tables in this log; a checkpoint of another log counts as none. */
async function livePositions(
  database: Queryable,
  { readModel, log }: Pick<RebuildOptions, 'readModel' | 'log'>,
  lock: '' | 'FOR UPDATE' = '',
): Promise<Positions> {
  const rows = await database.query<{ topic: string; partition: number; next: number }>(
    `SELECT topic, partition, next FROM projection.checkpoint WHERE group_name = $1 AND log = $2
     ORDER BY topic, partition ${lock}`,
    [readModelGroup(readModel), await log.identity()],
  )
  return new Map(rows.map((row) => [placeOf(row), row.next]))
}

/**
 * Locks the checkpoints of the live projector, reads the records it is ahead by, and renames the schemas. A projector that
 * waited for the lock finds either the checkpoint it expects and writes into the new tables, or another one and resumes there.
 */
async function switchTables(options: RebuildOptions, build: Build): Promise<void> {
  const { database, readModel, log } = options
  const identity = await log.identity()
  // Without statistics the first query plans for the large tables would be poor, and would be kept.
  await analyzeTables(database, readModel, freshSchema(readModel))
  options.onProgress?.({ phase: 'switching', records: build.records(), total: build.records() })
  await database.transaction({ at: 'projector.rebuild-switch' }, async (transaction) => {
    await transaction.query('SET LOCAL statement_timeout = 0')
    await build.readTo(await livePositions(transaction, options, 'FOR UPDATE'), 'switching', transaction)
    if (await schemaExists(transaction, readModel.schema)) {
      await transaction.query(`ALTER SCHEMA ${readModel.schema} RENAME TO ${replacedSchema(readModel)}`)
    }
    await transaction.query(`ALTER SCHEMA ${freshSchema(readModel)} RENAME TO ${readModel.schema}`)
    await transaction.execute(
      `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log)
       SELECT $1, topic, partition, next, $2 FROM unnest($3::text[], $4::int4[], $5::int8[]) AS b (topic, partition, next)
       ON CONFLICT (group_name, topic, partition)
       DO UPDATE SET next = excluded.next, log = excluded.log, updated_at = now(), followed_at = NULL`,
      [
        readModelGroup(readModel),
        identity,
        build.places.map((place) => place.topic),
        build.places.map((place) => place.partition),
        build.places.map((place) => build.next(place)),
      ],
    )
    await recordDefinition(transaction, readModel)
  })
}

/** Drops the leftovers of an earlier rebuild: unfinished tables, or tables it had replaced. */
async function dropLeftovers(database: Database, readModel: ReadModel): Promise<void> {
  for (const schema of [freshSchema(readModel), replacedSchema(readModel)]) {
    await database.transaction({ at: 'projector.rebuild-drop' }, async (transaction) => {
      await transaction.query('SET LOCAL statement_timeout = 0')
      await transaction.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    })
  }
}

function freshSchema(readModel: ReadModel): string {
  return `${readModel.schema}_rebuild`
}

function replacedSchema(readModel: ReadModel): string {
  return `${readModel.schema}_replaced`
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
