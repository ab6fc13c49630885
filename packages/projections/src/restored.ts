/** Reconciles the checkpoints and the outbox of a database that was restored from a backup with the log. */
import type { LogIdentity } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'

export interface PartitionPosition {
  readonly topic: string
  readonly partition: number
  readonly next: number
}

/** Sets checkpoints of a group to the given positions, whatever is stored. No member of the group may run. */
export async function putCheckpoints(
  transaction: Queryable,
  {
    group,
    log,
    positions,
  }: { readonly group: string; readonly log: LogIdentity; readonly positions: readonly PartitionPosition[] },
): Promise<void> {
  await transaction.execute(
    `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log)
     SELECT $1, topic, partition, next, $2 FROM unnest($3::text[], $4::int4[], $5::int8[]) AS p (topic, partition, next)
     ON CONFLICT (group_name, topic, partition)
     DO UPDATE SET next = excluded.next, log = excluded.log, updated_at = now(), followed_at = NULL`,
    [
      ...[group, log, positions.map(({ topic }) => topic), positions.map(({ partition }) => partition)],
      positions.map(({ next }) => next),
    ],
  )
}

/** Makes groups read the log from the beginning again. Running members do so with their next batch. Resolves to whether any had begun. */
export async function forgetCheckpoints(transaction: Queryable, groups: readonly string[]): Promise<boolean> {
  const removed = await transaction.execute(
    'DELETE FROM projection.checkpoint WHERE group_name = ANY($1::text[]) AND next > 0',
    [groups],
  )
  return removed > 0
}

/** The first record that a reader of the partition has not read, according to the database; null if the partition has no reader. */
export async function lowestCheckpoint(
  transaction: Queryable,
  place: {
    readonly log: LogIdentity
    readonly topic: string
    readonly partition: number
    /** A group that is left out. */
    readonly except: string
  },
): Promise<number | null> {
  const [row] = await transaction.query<{ next: number | null }>(
    'SELECT min(next) AS next FROM projection.checkpoint WHERE log = $1 AND topic = $2 AND partition = $3 AND group_name <> $4',
    [place.log, place.topic, place.partition, place.except],
  )
  return row?.next ?? null
}

/** If the tables of a read model are empty although its checkpoints moved, refills it from the beginning. Resolves to whether it did. */
export async function restartEmptied(
  transaction: Queryable,
  {
    schema,
    tables,
    group,
  }: { readonly schema: string; readonly tables: readonly string[]; readonly group: string },
): Promise<boolean> {
  for (const table of tables)
    if ((await transaction.query(`SELECT 1 FROM ${schema}.${table} LIMIT 1`)).length > 0) return false
  const removed = await transaction.execute(
    'DELETE FROM projection.checkpoint WHERE group_name = $1 AND next > 0',
    [group],
  )
  return removed > 0
}

/** Ids of the events that wait to be appended, by topic. */
export async function unrelayedEvents(transaction: Queryable): Promise<Map<string, Set<string>>> {
  const rows = await transaction.query<{ topic: string; id: string }>(
    `SELECT topic, event->'envelope'->>'id' AS id FROM projection.outbox WHERE relayed_at IS NULL`,
  )
  const byTopic = new Map<string, Set<string>>()
  for (const { topic, id } of rows) byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(id))
  return byTopic
}

/** Marks events that are in the log, so that they are not appended again. */
export async function markFoundInLog(transaction: Queryable, ids: readonly string[]): Promise<number> {
  return await transaction.execute(
    `UPDATE projection.outbox SET relayed_at = now() WHERE relayed_at IS NULL AND event->'envelope'->>'id' = ANY($1::text[])`,
    [ids],
  )
}
