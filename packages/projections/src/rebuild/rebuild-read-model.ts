/**
 * Rebuilds a read model from the start of the log, in new tables beside the live ones, and switches to them in one
 * transaction. The live projector runs meanwhile. A rebuild that is killed at any moment leaves the live tables unchanged,
 * and the next one goes on with the tables that it filled, or drops them. A rebuild has no side effects: it is a loop over reducers.
 */
import { requestedEventId, topicOf, type Logger } from '@cupel/contracts'
import { LogStoppedError, placeOf, requireFront } from '@cupel/event-log'
import { together } from '@cupel/kit/concurrency'
import type { Database, Queryable } from '@cupel/postgres'
import { UnappliableRecordError } from '../consume/unappliable-record.js'
import { outboxType, writeOutbox, type OutboxEvent } from '../outbox.js'
import { monthsWithoutDocuments } from '../retired-months.js'
import {
  analyzeTables,
  carryRights,
  createReadModelSchema,
  hasCurrentDefinition,
  leaveUnlogged,
  recordDefinition,
  schemaExists,
} from '../read-model-tables.js'
import { readModelGroup, type ReadModel } from '../read-model.js'
import { startBuild, type Build, type BuildOptions, type Positions } from './build.js'
import { beginProgress, endProgress, readProgress, type PlaceProgress } from './rebuild-progress.js'
import {
  areEqual,
  countDifferences,
  digestTables,
  equalTables,
  type TableComparison,
  type TableDigest,
} from './compare-tables.js'

/** Approximate limit of records that are read while the live projector waits for the switch. */
const CLOSE_ENOUGH_RECORDS = 200
/** Maximum rounds of catching up before the switch, if records arrive faster than a round takes. */
const CATCH_UP_ROUNDS = 5

export interface RebuildOptions extends BuildOptions {
  readonly logger: Logger
  /** Builds and compares, then drops the new tables: the live tables stay. */
  readonly compareOnly?: boolean
  /** Without it, the rebuild does not switch to tables that differ from the live ones. */
  readonly accept?: AcceptedDifferences
}

/** An operator's decision to switch to tables with exactly this many differences. It is recorded with the switch. */
export interface AcceptedDifferences {
  readonly differences: number
  readonly by: string
  readonly reason: string
}

export interface RebuildResult {
  readonly readModel: string
  readonly records: number
  /** Unreadable records of work topics, which the live projector skips too. */
  readonly skipped: number
  readonly durationMs: number
  /** Live rows against rebuilt rows, both at the same positions of the log; empty if no tables were live. */
  readonly comparison: readonly TableComparison[]
  /** Rows that exist on one side only, over all tables. */
  readonly differences: number
  /** The live tables are of another version of the read model: differences are expected. */
  readonly isNewDefinition: boolean
  readonly switched: boolean
}

/** Another rebuild of this read model is under way. */
export class RebuildInProgressError extends Error {
  override readonly name = 'RebuildInProgressError'
}

/**
 * The live tables also stay if the comparison finds differences that `accept` does not name. Rejects with
 * RebuildInProgressError, with LogStoppedError if a topic no longer begins at offset 0, with UnappliableRecordError if a
 * record cannot be applied (the error names its position), and with the error of the log or the database.
 */
export async function rebuildReadModel(options: RebuildOptions): Promise<RebuildResult> {
  const { database, readModel } = options
  return await holdTables(database, readModel, async () => {
    try {
      return await rebuild(options)
    } catch (error) {
      if (await canGoOn(options, error)) throw error
      await dropLeftovers(database, readModel).catch((failure: unknown) =>
        options.logger.warn(
          { err: failure },
          'The leftovers of the rebuild could not be dropped; the next rebuild drops them',
        ),
      )
      throw error
    }
  })
}

/** Keeps rebuilds and retention of a read model out until the work is done. Rejects with RebuildInProgressError while one is under way. */
export async function holdTables<T>(
  database: Database,
  readModel: Pick<ReadModel, 'name'>,
  work: () => Promise<T>,
): Promise<T> {
  return await database.withConnection(async (connection) => {
    const [lock] = await connection.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
      [`cupel.rebuild.${readModel.name}`],
    )
    if (lock?.taken !== true)
      throw new RebuildInProgressError(`A rebuild or the retention of ${readModel.name} is already under way`)
    try {
      return await work()
    } finally {
      await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [
        `cupel.rebuild.${readModel.name}`,
      ])
    }
  })
}

async function rebuild(options: RebuildOptions): Promise<RebuildResult> {
  const { database, readModel, log, compareOnly = false } = options
  const startedAt = performance.now()
  await requireFront(log, readModel.topics)
  const build = await startBuild(options, freshSchema(readModel), await freshTables(options))
  // Until the comparison the new tables stay behind the live ones, so that both can be read at the same position.
  await build.readTo(await livePositions(database, options), 'reading')
  build.endProgress()
  await endProgress(database, freshSchema(readModel), { makesIndexes: !compareOnly })
  const isNewDefinition = (await hasCurrentDefinition(database, readModel)) === false
  const comparison = await compareWithLive(options, build)
  const differences = comparison.reduce(
    (sum, { rowsOnlyBefore, rowsOnlyAfter }) => sum + rowsOnlyBefore + rowsOnlyAfter,
    0,
  )
  const mayPass =
    options.accept === undefined
      ? isNewDefinition || differences === 0
      : differences === options.accept.differences
  const switched = !compareOnly && mayPass
  if (switched) await catchUpAndSwitch(options, build, comparison)
  await dropLeftovers(database, readModel)
  const [records, skipped, durationMs] = [build.records(), build.skipped(), performance.now() - startedAt]
  return {
    ...{ readModel: readModel.name, records, skipped, durationMs },
    ...{ comparison, differences, isNewDefinition, switched },
  }
}

/**
 * The new tables: those that a rebuild filled before it was cut off, with how far it came, else empty ones. A comparison by itself trusts no
 * table that it did not fill.
 */
async function freshTables(options: RebuildOptions): Promise<readonly PlaceProgress[]> {
  const { database, readModel, log, compareOnly = false } = options
  const schema = freshSchema(readModel)
  const reached = compareOnly ? null : await readProgress(database, schema, options)
  if (reached !== null) return reached
  await dropLeftovers(database, readModel)
  // A crash of the database empties unlogged tables and keeps the progress: a rebuild that went on with them would lose rows.
  const identity = compareOnly ? null : await log.identity()
  await database.transaction({ at: 'projector.install-tables' }, async (transaction) => {
    await createReadModelSchema(transaction, readModel, schema)
    if (compareOnly) await leaveUnlogged(transaction, readModel, schema)
    await beginProgress(transaction, schema, { readModel, log: identity })
  })
  return []
}

/** Whether the next rebuild can go on with the new tables: a log or a record that stops this one stops that one too. */
async function canGoOn(options: RebuildOptions, error: unknown): Promise<boolean> {
  if (options.compareOnly === true) return false
  if (error instanceof LogStoppedError || error instanceof UnappliableRecordError) return false
  // Without a database nothing can be cleared away either.
  const reached = await readProgress(options.database, freshSchema(options.readModel), options).catch(
    () => [],
  )
  return reached !== null
}

async function catchUpAndSwitch(
  options: RebuildOptions,
  build: Build,
  comparison: readonly TableComparison[],
): Promise<void> {
  for (let round = 0; round < CATCH_UP_ROUNDS; round += 1) {
    if ((await build.readTo(await build.ends(), 'catching up')) <= CLOSE_ENOUGH_RECORDS) break
  }
  await switchTables(options, build, comparison)
}

/** Reads the live tables and their positions in one snapshot, brings the new tables to exactly those positions meanwhile, and compares. */
async function compareWithLive(options: RebuildOptions, build: Build): Promise<TableComparison[]> {
  const { database, readModel } = options
  if (!(await schemaExists(database, readModel.schema))) return []
  options.onProgress?.({ phase: 'comparing', records: build.records(), total: build.records() })
  const live = await database.transaction(
    { at: 'projector.rebuild-compare', isolation: 'repeatable read' },
    async (transaction) => {
      const positions = await livePositions(transaction, options)
      const [digests, rebuilt] = await together([
        digestTables(transaction, readModel, readModel.schema),
        positions.size === 0 ? null : digestsAt(positions, options, build),
      ])
      return { digests, rebuilt }
    },
  )
  if (live.rebuilt === null) {
    if (live.digests.every(({ rows }) => rows === 0)) return []
    // The live rows come from another log: they are compared with all records of this one.
    await build.readTo(await build.ends(), 'comparing')
    await leaveOutRetired(options)
  } else if (areEqual(live.digests, live.rebuilt)) return equalTables(live.digests)
  return await compareRowByRow(options, build)
}

async function digestsAt(
  positions: Positions,
  options: RebuildOptions,
  build: Build,
): Promise<readonly TableDigest[]> {
  const { database, readModel } = options
  await build.readTo(positions, 'comparing')
  await leaveOutRetired(options)
  return await database.transaction({ at: 'projector.rebuild-compare' }, (transaction) =>
    digestTables(transaction, readModel, freshSchema(readModel)),
  )
}

/** Only in months that the log states: a text that is gone from another row is a difference. */
async function leaveOutRetired(options: RebuildOptions): Promise<void> {
  const { database, readModel } = options
  // Tables of another version may not have the columns of the statement.
  if (readModel.retires === undefined || (await hasCurrentDefinition(database, readModel)) === false) return
  const months = [...(await monthsWithoutDocuments(options))]
  if (months.length === 0) return
  const { table, key, column, at } = readModel.retires
  const taken = [column, ...(readModel.macs?.table === table ? [readModel.macs.column] : [])]
  const [live, fresh] = [`${readModel.schema}.${table}`, `${freshSchema(readModel)}.${table}`]
  await database.transaction({ at: 'projector.rebuild-compare' }, async (transaction) => {
    await transaction.query('SET LOCAL statement_timeout = 0')
    await transaction.execute(
      `UPDATE ${fresh} AS f SET ${taken.map((name) => `${name} = NULL`).join(', ')} FROM ${live} AS l
       WHERE l.${key} = f.${key} AND l.${column} IS NULL AND f.${column} IS NOT NULL
         AND to_char(f.${at} AT TIME ZONE 'UTC', 'YYYY-MM') = ANY ($1::text[])`,
      [months],
    )
  })
}

/** The live projector waits meanwhile: its tables and the new ones are at the same positions. */
async function compareRowByRow(options: RebuildOptions, build: Build): Promise<TableComparison[]> {
  const { database, readModel } = options
  return await database.transaction({ at: 'projector.rebuild-compare' }, async (transaction) => {
    await build.readTo(await livePositions(transaction, options, 'FOR UPDATE'), 'comparing', transaction)
    return await countDifferences(transaction, readModel, {
      before: readModel.schema,
      after: freshSchema(readModel),
    })
  })
}

/** The positions of the live tables in this log; a checkpoint of another log is ignored. */
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
 * waited for the lock then either finds the expected checkpoint and writes into the new tables, or finds another and resumes there.
 */
async function switchTables(
  options: RebuildOptions,
  build: Build,
  comparison: readonly TableComparison[],
): Promise<void> {
  const { database, readModel, log } = options
  const identity = await log.identity()
  // Without statistics the first query plans for the large tables would be poor, and would be kept.
  await analyzeTables(database, readModel, freshSchema(readModel))
  options.onProgress?.({ phase: 'switching', records: build.records(), total: build.records() })
  await database.transaction({ at: 'projector.rebuild-switch' }, async (transaction) => {
    await transaction.query('SET LOCAL statement_timeout = 0')
    await holdEveryVersion(transaction, readModel)
    await build.readTo(await livePositions(transaction, options, 'FOR UPDATE'), 'switching', transaction)
    if (await schemaExists(transaction, readModel.schema)) {
      await carryRights(transaction, { from: readModel.schema, to: freshSchema(readModel) })
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
    await recordAcceptance(transaction, options, comparison)
  })
}

/** A projector of another version has its own group. It must not write between the renaming and the end of this transaction. */
async function holdEveryVersion(transaction: Queryable, readModel: ReadModel): Promise<void> {
  const groups = readModelGroup({ ...readModel, version: 0 }).replace(/0$/, '')
  await transaction.query(
    `SELECT 1 FROM projection.checkpoint WHERE starts_with(group_name, $1)
     ORDER BY group_name, topic, partition FOR UPDATE`,
    [groups],
  )
}

/** The audit log records the operator and the accepted differences, if and only if the new tables become live. */
async function recordAcceptance(
  transaction: Queryable,
  { readModel, accept }: RebuildOptions,
  comparison: readonly TableComparison[],
): Promise<void> {
  if (accept === undefined || accept.differences === 0) return
  const [id, acceptedAt] = [requestedEventId(), new Date().toISOString()]
  const { by: acceptedBy, differences, reason } = accept
  const tables = comparison
    .filter(({ isEqual }) => !isEqual)
    .map(({ table, rowsBefore, rowsAfter, rowsOnlyBefore, rowsOnlyAfter }) => ({
      ...{ table, rowsBefore, rowsAfter, rowsOnlyBefore, rowsOnlyAfter },
    }))
  const event: OutboxEvent<'RebuildAccepted'> = {
    type: outboxType('RebuildAccepted'),
    data: { readModel: readModel.name, differences, tables, acceptedAt, acceptedBy, reason },
    envelope: {
      ...{ id, source: 'cupel/projections', time: acceptedAt, subject: readModel.name },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, { topic: topicOf('RebuildAccepted'), key: readModel.name })
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
