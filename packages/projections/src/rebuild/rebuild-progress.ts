/**
 * How far a rebuild came, in its own schema beside the new tables: written in the transactions that fill these, and dropped before they come into
 * service. A rebuild that was cut off goes on from there.
 */
import type { EventLog, LogIdentity } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { definitionSha256 } from '../read-model-tables.js'
import type { ReadModel } from '../read-model.js'

export interface PlaceProgress {
  readonly topic: string
  readonly partition: number
  /** The offset after the last applied record. */
  readonly next: number
  readonly records: number
  /** Unreadable records of work topics. */
  readonly skipped: number
}

/** Of the schema of a rebuild that other tables of the same name may not use. */
const TABLES = ['rebuild_begun', 'rebuild_place', 'rebuild_index'] as const

/**
 * Puts the indexes that no write needs aside: one that is made over all rows takes a fraction of the time. `log`: null if no rebuild may go
 * on with the tables.
 */
export async function beginProgress(
  transaction: Queryable,
  schema: string,
  { readModel, log }: { readonly readModel: ReadModel; readonly log: LogIdentity | null },
): Promise<void> {
  await transaction.query(
    `CREATE TABLE ${schema}.rebuild_begun (log text NOT NULL, definition text NOT NULL);
     CREATE TABLE ${schema}.rebuild_place (topic text, partition int4, next int8 NOT NULL, records int8 NOT NULL, skipped int8 NOT NULL,
       PRIMARY KEY (topic, partition));
     CREATE TABLE ${schema}.rebuild_index (definition text NOT NULL)`,
  )
  if (log !== null)
    await transaction.execute(`INSERT INTO ${schema}.rebuild_begun VALUES ($1, $2)`, [
      log,
      definitionSha256(readModel),
    ])
  if (readModel.writesByKey !== true) return
  const indexes = await transaction.query<{ name: string; definition: string }>(
    `SELECT format('%I.%I', schemaname, indexname) AS name, indexdef AS definition FROM pg_indexes
     JOIN pg_index ON indexrelid = format('%I.%I', schemaname, indexname)::regclass
     WHERE schemaname = $1 AND tablename = ANY ($2) AND NOT indisunique ORDER BY indexname`,
    [schema, readModel.tables],
  )
  for (const { name, definition } of indexes) {
    await transaction.execute(`INSERT INTO ${schema}.rebuild_index VALUES ($1)`, [definition])
    await transaction.query(`DROP INDEX ${name}`)
  }
}

/** Null if there is none, if it is of another log or another definition, or if it has records that this log does not have. */
export async function readProgress(
  database: Queryable,
  schema: string,
  {
    readModel,
    log,
  }: { readonly readModel: ReadModel; readonly log: Pick<EventLog, 'identity' | 'endOffset'> },
): Promise<readonly PlaceProgress[] | null> {
  const [has] = await database.query<{ has: boolean }>('SELECT to_regclass($1) IS NOT NULL AS has', [
    `${schema}.rebuild_begun`,
  ])
  if (has?.has !== true) return null
  const begun = await database.query(
    `SELECT FROM ${schema}.rebuild_begun WHERE log = $1 AND definition = $2`,
    [await log.identity(), definitionSha256(readModel)],
  )
  if (begun.length === 0) return null
  const reached = await database.query<PlaceProgress & Record<string, unknown>>(
    `SELECT topic, partition, next, records, skipped FROM ${schema}.rebuild_place`,
  )
  for (const { topic, partition, next } of reached)
    if (next > (await log.endOffset(topic, partition))) return null
  return reached
}

/** Adds the records of a batch, in its transaction. */
export async function storeProgress(
  transaction: Queryable,
  schema: string,
  { topic, partition, next, records, skipped }: PlaceProgress,
): Promise<void> {
  await transaction.execute(
    `INSERT INTO ${schema}.rebuild_place AS known (topic, partition, next, records, skipped) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (topic, partition) DO UPDATE SET next = excluded.next, records = known.records + excluded.records,
       skipped = known.skipped + excluded.skipped`,
    [topic, partition, next, records, skipped],
  )
}

/** Makes the indexes, in one transaction, and drops the progress. Tables that are compared and dropped need no further index. */
export async function endProgress(
  database: Database,
  schema: string,
  { makesIndexes }: { readonly makesIndexes: boolean },
): Promise<void> {
  await database.transaction({ at: 'projector.rebuild-batch' }, async (transaction) => {
    await transaction.query('SET LOCAL statement_timeout = 0')
    const indexes = makesIndexes
      ? await transaction.query<{ definition: string }>(`SELECT definition FROM ${schema}.rebuild_index`)
      : []
    for (const { definition } of indexes) await transaction.query(definition)
    await transaction.query(`DROP TABLE ${TABLES.map((table) => `${schema}.${table}`).join(', ')}`)
  })
}
