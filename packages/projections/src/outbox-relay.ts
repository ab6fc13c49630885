/** Appends the events of the outbox in order. Only one of several relays works at a time. */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { createTrouble } from './consume/trouble.js'
import { onNudge } from './nudges.js'
import { deleteRelayed, listUnrelayed, markRelayed, outboxBacklog } from './outbox.js'

/** The database nudges this group when it commits a row of the outbox. */
const OUTBOX_GROUP = 'outbox'
/** Time between two checks of an empty outbox: a change whose nudge gets lost reaches the log up to this much later. */
const LOOK_INTERVAL_MS = 5_000
/** Pause before an attempt that failed is repeated. */
const RETRY_MS = 1_000
const MAX_BATCH_EVENTS = 200
/** The server ends the transaction of a relay that hangs, so that another relay can take over. */
const STUCK_AFTER_MS = 30_000
/** Relayed rows stay this long, so that an operator can look up what was appended. */
const KEEP_RELAYED_MS = 24 * 3_600_000
const SWEEP_INTERVAL_MS = 60_000
const MAX_SWEEP_ROWS = 10_000
const RELAY_LOCK = 'cupel.outbox-relay'

export interface OutboxRelay {
  /** Null if the last attempt succeeded, otherwise the reason of its failure. */
  error(): string | null
  /** Finishes the current batch. */
  stop(): Promise<void>
}

export interface OutboxRelayOptions {
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  readonly logger: Logger
  readonly metrics: Metrics
  readonly lookIntervalMs?: number
  readonly keepRelayedMs?: number
  readonly sweepIntervalMs?: number
}

export function startOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const trouble = createTrouble()
  const figures = createFigures(options.metrics)
  const sweepIntervalMs = options.sweepIntervalMs ?? SWEEP_INTERVAL_MS
  let nextSweepAt = 0

  const loop = startLoop({
    restMs: options.lookIntervalMs ?? LOOK_INTERVAL_MS,
    async step() {
      const backlog = await outboxBacklog(options.database)
      figures.backlog(backlog)
      const count = backlog.waiting === 0 ? 0 : await relayBatch(options)
      figures.relayed(count)
      if (performance.now() >= nextSweepAt) {
        nextSweepAt = performance.now() + sweepIntervalMs
        const keepMs = options.keepRelayedMs ?? KEEP_RELAYED_MS
        await deleteRelayed(options.database, { keepMs, limit: MAX_SWEEP_ROWS })
      }
      trouble.over('relaying')
      return count === MAX_BATCH_EVENTS ? 0 : undefined
    },
    onError(error) {
      if (trouble.failed('relaying', error))
        options.logger.warn({ err: error }, `The outbox relay will try again: ${String(error)}`)
      return RETRY_MS
    },
  })
  const nudged = onNudge(options.database, { group: OUTBOX_GROUP, hurry: () => loop.wake() }, options.logger)
  return {
    error: () => trouble.reason(),
    async stop() {
      await nudged.stop()
      await loop.stop()
    },
  }
}

function createFigures(metrics: Metrics) {
  const relayed = metrics.counter('outbox_relayed_total', 'Events of the outbox appended to the log')
  const waiting = metrics.gauge('outbox_waiting_events', 'Events of the outbox not yet appended')
  const oldest = metrics.gauge('outbox_oldest_seconds', 'Age of the oldest event not yet appended')
  return {
    relayed: (events: number) => relayed.inc({}, events),
    backlog(backlog: { readonly waiting: number; readonly oldestAgeMs: number }) {
      waiting.set(backlog.waiting)
      oldest.set(backlog.oldestAgeMs / 1_000)
    },
  }
}

/**
 * Returns the number of events relayed. The lock lasts as long as the transaction, and the rows are marked in it. If the
 * connection breaks between append and mark, the relay loses the lock, and the next one appends the same bytes once more.
 */
async function relayBatch({ database, log, codec }: OutboxRelayOptions): Promise<number> {
  return await database.transaction({ at: 'outbox.mark-relayed' }, async (transaction) => {
    await transaction.query(`SET LOCAL idle_in_transaction_session_timeout = ${STUCK_AFTER_MS}`)
    const [lock] = await transaction.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
      [RELAY_LOCK],
    )
    if (lock?.taken !== true) return 0
    const rows = await listUnrelayed(transaction, MAX_BATCH_EVENTS)
    if (rows.length === 0) return 0
    await log.append(
      'outbox.relay',
      rows.map(({ event, target }) => codec.encode(event, withPartition(target))),
    )
    await markRelayed(transaction, rows)
    return rows.length
  })
}

function withPartition({
  topic,
  key,
  partition,
}: {
  topic: string
  key: string
  partition?: number | undefined
}) {
  return partition === undefined ? { topic, key } : { topic, key, partition }
}
