/** The records that a restored database may not know, in the order of each partition. */
import type { DomainEvent, EventType } from '@cupel/contracts'
import { type EventCodec, type EventLog, rangesOf, typeOf } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { RESTORE_GROUP } from '../../health/index.js'
import { loadCheckpoint, lowestCheckpoint, type PartitionPosition } from '@cupel/projections'

export interface SinceBackup {
  readonly transaction: Queryable
  readonly log: EventLog
  readonly codec: EventCodec
}

/**
 * Calls `apply` with each event of the types that the database has not read yet from the topic, and resolves to the ends of the
 * topic. The primary tables had a change before any reader read it, so the position of the earliest reader is early enough.
 */
export async function eachEventSince(
  { transaction, log, codec }: SinceBackup,
  topic: string,
  types: ReadonlySet<EventType>,
  apply: (event: DomainEvent) => Promise<void>,
): Promise<readonly PartitionPosition[]> {
  const identity = await log.identity()
  const positions: PartitionPosition[] = []
  for (const { partition, from: start, to } of await rangesOf(log, [topic])) {
    const restored = await loadCheckpoint(transaction, { group: RESTORE_GROUP, topic, partition })
    const read = await lowestReader({
      transaction,
      identity,
      topic,
      partition,
      restored: restored?.next ?? null,
    })
    const from = Math.max(read, start)
    if (from < to)
      for await (const records of log.read({ topic, partition, from, to }))
        for (const record of records)
          if (types.has(typeOf(record) as EventType)) await apply(codec.decode(record))
    positions.push({ topic, partition, next: to })
  }
  return positions
}

async function lowestReader(of: {
  readonly transaction: Queryable
  readonly identity: string
  readonly topic: string
  readonly partition: number
  readonly restored: number | null
}): Promise<number> {
  const { transaction, identity, topic, partition, restored } = of
  const lowest = await lowestCheckpoint(transaction, {
    ...{ log: identity, topic, partition },
    except: RESTORE_GROUP,
  })
  return Math.max(lowest ?? 0, restored ?? 0)
}
