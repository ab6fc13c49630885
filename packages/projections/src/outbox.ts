/**
 * The outbox of the primary tables: the event of a change is a row written in the transaction of the change. A relay
 * appends the rows to the log in the order in which they were written.
 *
 * Changes that follow each other keep their order: a transaction that locks the row it changes before it writes its
 * events gets later numbers than the one it waited for. The relay finds rows that are not marked, never by `seq > last`,
 * because a lower number may become visible after a higher one.
 */
import type { DomainEvent, EventType } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'

declare const allowed: unique symbol
/** A type that the program names with `outboxType`. */
export type OutboxType<T extends EventType = EventType> = T & { readonly [allowed]: true }

/**
 * Every type that a program writes to the outbox is the argument of this call, as a literal: `npm run generate` reads there which types the
 * role of a service may write (scripts/database-rights.mjs).
 */
export function outboxType<const T extends EventType>(type: T): OutboxType<T> {
  return type as OutboxType<T>
}

export type OutboxEvent<T extends EventType = EventType> = {
  [K in T]: DomainEvent<K> & { readonly type: OutboxType<K> }
}[T]

export interface OutboxTarget {
  /** Without installation prefix. */
  readonly topic: string
  readonly key: string
  readonly partition?: number | undefined
}

const WRITE = {
  name: 'projection.write-outbox',
  text: 'INSERT INTO projection.outbox (topic, key, partition, event) VALUES ($1, $2, $3, $4)',
}

/**
 * Writes an event in the caller's transaction. This fixes the event's id and time, so that a relay
 * that repeats itself after a crash appends the same bytes.
 */
export async function writeOutbox(
  transaction: Queryable,
  event: OutboxEvent,
  target: OutboxTarget,
): Promise<void> {
  await transaction.execute(WRITE, [
    target.topic,
    target.key,
    target.partition ?? null,
    JSON.stringify(event),
  ])
}

/** Writes several events in the caller's transaction, in their order, in one statement. */
export async function writeOutboxBatch(
  transaction: Queryable,
  entries: readonly { readonly event: OutboxEvent; readonly target: OutboxTarget }[],
): Promise<void> {
  if (entries.length === 0) return
  await transaction.execute(WRITE_BATCH, [
    entries.map(({ target }) => target.topic),
    entries.map(({ target }) => target.key),
    entries.map(({ target }) => target.partition ?? null),
    entries.map(({ event }) => JSON.stringify(event)),
  ])
}

const WRITE_BATCH = {
  name: 'projection.write-outbox-batch',
  text: `INSERT INTO projection.outbox (topic, key, partition, event)
         SELECT topic, key, partition, event
         FROM unnest($1::text[], $2::text[], $3::int4[], $4::json[]) WITH ORDINALITY AS e (topic, key, partition, event, place)
         ORDER BY place`,
}

export interface OutboxRow {
  readonly seq: number
  readonly event: DomainEvent
  readonly target: OutboxTarget
}

/** The oldest rows that are not yet relayed. */
export async function listUnrelayed(database: Queryable, limit: number): Promise<OutboxRow[]> {
  return await database.query<OutboxRow>(
    {
      name: 'projection.list-unrelayed',
      text: `SELECT seq, event, json_strip_nulls(json_build_object('topic', topic, 'key', key, 'partition', partition)) AS target
             FROM projection.outbox WHERE relayed_at IS NULL ORDER BY seq LIMIT $1`,
    },
    [limit],
  )
}

export async function markRelayed(transaction: Queryable, rows: readonly OutboxRow[]): Promise<void> {
  await transaction.execute(
    {
      name: 'projection.mark-relayed',
      text: 'UPDATE projection.outbox SET relayed_at = now() WHERE seq = ANY($1::int8[])',
    },
    [rows.map((row) => row.seq)],
  )
}

/** Number of events waiting to be appended, and the age of the oldest in milliseconds. */
export async function outboxBacklog(database: Queryable): Promise<{ waiting: number; oldestAgeMs: number }> {
  const [row] = await database.query<{ waiting: number; oldestAgeMs: number }>({
    name: 'projection.outbox-backlog',
    text: `SELECT count(*) AS waiting, coalesce((extract(epoch FROM now() - min(written_at)) * 1000)::int8, 0) AS "oldestAgeMs"
           FROM projection.outbox WHERE relayed_at IS NULL`,
  })
  return row!
}

/** Deletes rows relayed longer ago than `keepMs`, at most `limit`; returns how many. */
export async function deleteRelayed(
  database: Queryable,
  { keepMs, limit }: { keepMs: number; limit: number },
): Promise<number> {
  return await database.execute(
    `DELETE FROM projection.outbox WHERE seq IN (
       SELECT seq FROM projection.outbox
       WHERE relayed_at < now() - make_interval(secs => $1::float8 / 1000) ORDER BY relayed_at LIMIT $2)`,
    [keepMs, limit],
  )
}
