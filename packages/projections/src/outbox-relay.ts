/** Appends what the outbox holds, in order, one relay at a time however many run. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { deleteRelayed, listUnrelayed, markRelayed, outboxBacklog } from './outbox.js'

/** Between two looks at an empty outbox: how late an account or key change reaches the log. */
const LOOK_INTERVAL_MS = 200
const MAX_BATCH_EVENTS = 200
/** A relay that hangs in the middle of its work is cut off, so that another can take over. */
const STUCK_AFTER_MS = 30_000
/** Relayed rows stay this long, for whoever has to find out what was sent. */
const KEEP_RELAYED_MS = 24 * 3_600_000
const SWEEP_INTERVAL_MS = 60_000
const MAX_SWEEP_ROWS = 10_000
const RELAY_LOCK = 'cupel.outbox-relay'

export interface OutboxRelay {
  /** Null while all is well, else why the last attempt failed. */
  error(): string | null
  /** Finishes the batch in hand. */
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
  const { database, log, codec, logger } = options
  const relayed = options.metrics.counter('outbox_relayed_total', 'Events of the outbox appended to the log')
  const waiting = options.metrics.gauge('outbox_waiting_events', 'Events of the outbox not yet appended')
  const oldest = options.metrics.gauge('outbox_oldest_seconds', 'Age of the oldest event not yet appended')
  const sweepIntervalMs = options.sweepIntervalMs ?? SWEEP_INTERVAL_MS
  let stopping = false
  let wake: () => void = () => undefined
  let error: string | null = null
  let nextSweepAt = 0
  const running = run()

  return {
    error: () => error,
    async stop() {
      stopping = true
      wake()
      await running
    },
  }

  async function run(): Promise<void> {
    while (!stopping) {
      const count = await attempt()
      if (count < MAX_BATCH_EVENTS && !stopping) await pause(options.lookIntervalMs ?? LOOK_INTERVAL_MS)
    }
  }

  async function attempt(): Promise<number> {
    try {
      const backlog = await outboxBacklog(database)
      waiting.set(backlog.waiting)
      oldest.set(backlog.oldestAgeMs / 1_000)
      const count = backlog.waiting === 0 ? 0 : await relayBatch()
      await sweep()
      error = null
      return count
    } catch (caught) {
      const reason = caught instanceof Error ? caught.message : String(caught)
      if (reason !== error) logger.warn({ err: caught }, `The outbox relay will try again: ${reason}`)
      error = reason
      return 0
    }
  }

  /**
   * The lock lasts as long as the transaction, and the rows are marked in it: a relay whose connection breaks between
   * append and mark lets go of the lock, and the next one appends the same bytes once more.
   */
  async function relayBatch(): Promise<number> {
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
      relayed.inc({}, rows.length)
      return rows.length
    })
  }

  async function sweep(): Promise<void> {
    if (performance.now() < nextSweepAt) return
    nextSweepAt = performance.now() + sweepIntervalMs
    await deleteRelayed(database, { keepMs: options.keepRelayedMs ?? KEEP_RELAYED_MS, limit: MAX_SWEEP_ROWS })
  }

  async function pause(durationMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, durationMs)
      wake = () => (clearTimeout(timer), resolve())
    })
  }
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
