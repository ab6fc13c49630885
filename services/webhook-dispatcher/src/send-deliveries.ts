/** Claims what is due, sends it, records what came of it; keeps the leases of what is under way. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { OutboundClient } from '@cupel/outbound'
import type { Database } from '@cupel/postgres'
import {
  claimDeliveries,
  loadBody,
  recordAttempts,
  releaseClaims,
  renewClaims,
  type AttemptRecord,
  type ClaimedDelivery,
  type SecretBox,
} from '@cupel/webhooks'
import { attemptDelivery } from './attempt-delivery.js'
import { createBodyStore, type BodyStore } from './body-store.js'
import { createEndpointHealth, PLACES_PER_TRUSTED } from './endpoint-health.js'
import { createRecordQueue } from './record-queue.js'
import { createWake } from './wake.js'

export interface SendingOptions {
  readonly database: Database
  readonly secrets: SecretBox
  readonly client: Pick<OutboundClient, 'post'>
  readonly logger: Logger
  readonly metrics: Metrics
  readonly attemptsPerSecond: number
}

export interface Sending {
  /** There may be something to claim. */
  wake(): void
  /** Null while all is well, else why claiming or recording last failed. */
  error(): string | null
  /** Claims no more, lets what is under way end for a while, and gives the rest back. */
  stop(): Promise<void>
}

/** A retry that fell due, or a delivery made by another process, waits at most this long. */
const LOOK_INTERVAL_MS = 200
const MAX_IN_FLIGHT = 1_024
const MAX_CLAIM = 128
/** What a killed sender held is sent by another, or the next, within this. */
const LEASE_MS = 10_000
const RENEW_INTERVAL_MS = 3_000
/** Time to finish for what is under way when the service stops. */
const STOP_GRACE_MS = 3_000
const BODY_BUDGET_BYTES = 192 * 1_024 * 1_024
/** Bodies for endpoints that failed last, apart from the others, so that these never wait for room that those hold. */
const FAILING_BODY_BUDGET_BYTES = 64 * 1_024 * 1_024
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export function startSending(options: SendingOptions): Sending {
  const { database, secrets, client, logger, metrics } = options
  const attempts = metrics.counter('webhook_attempts_total', 'Webhooks sent, by what came of it.', [
    'outcome',
  ])
  const seconds = metrics.histogram('webhook_attempt_seconds', 'Time an attempt took.', ATTEMPT_BUCKETS)
  const inFlightGauge = metrics.gauge('webhook_in_flight', 'Attempts under way.')
  const health = createEndpointHealth({ attemptsPerSecond: options.attemptsPerSecond })
  const load = (bodyId: string) => loadBody(database, bodyId)
  const bodies = createBodyStore({ load, budgetBytes: BODY_BUDGET_BYTES })
  const failingBodies = createBodyStore({ load, budgetBytes: FAILING_BODY_BUDGET_BYTES })
  const records = createRecordQueue({ record: (batch) => recordAttempts(database, batch), logger })
  const wake = createWake()
  const stopping = new AbortController()
  /** What this process holds, until it is recorded. */
  const held = new Map<string, ClaimedDelivery>()
  const working = new Set<Promise<void>>()
  let isStopping = false
  let error: string | null = null

  const running = run()
  const renewing = setInterval(() => void renew(), RENEW_INTERVAL_MS)

  return {
    wake: () => wake.now(),
    error: () => error ?? records.error(),
    async stop() {
      isStopping = true
      wake.now()
      await running
      const grace = setTimeout(() => {
        stopping.abort()
        records.giveUp()
      }, STOP_GRACE_MS)
      await Promise.all(working)
      clearTimeout(grace)
      clearInterval(renewing)
    },
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      const claimed = await claim()
      for (const delivery of claimed) begin(delivery)
      inFlightGauge.set(health.inFlight())
      if (claimed.length === 0) await wake.wait(LOOK_INTERVAL_MS)
    }
  }

  async function claim(): Promise<ClaimedDelivery[]> {
    const limit = Math.min(MAX_CLAIM, MAX_IN_FLIGHT - health.inFlight())
    if (limit <= 0) return []
    try {
      const claimed = await claimDeliveries(database, secrets, {
        trusted: health.trusted(),
        placesPerTrusted: PLACES_PER_TRUSTED,
        closed: health.closed(performance.now()),
        limit,
        leaseMs: LEASE_MS,
      })
      error = null
      // Where a lease could not be renewed, what is under way here may come back: it is not sent beside itself.
      return claimed.filter(({ deliveryId }) => !held.has(deliveryId))
    } catch (caught) {
      const reason = caught instanceof Error ? caught.message : String(caught)
      if (reason !== error) logger.warn({ err: caught }, `Webhooks wait to be claimed: ${reason}`)
      error = reason
      return []
    }
  }

  function begin(delivery: ClaimedDelivery): void {
    held.set(delivery.deliveryId, delivery)
    const store = health.isFailing(delivery.endpointId) ? failingBodies : bodies
    health.begun(delivery.endpointId, performance.now())
    const work = send(delivery, store).finally(() => {
      held.delete(delivery.deliveryId)
      working.delete(work)
      wake.now()
    })
    working.add(work)
  }

  async function send(delivery: ClaimedDelivery, store: BodyStore): Promise<void> {
    const record = await attempt(delivery, store)
    if (record === null) {
      health.withdrawn(delivery.endpointId)
      await giveBack(delivery)
      return
    }
    health.ended(delivery.endpointId, record.decision.kind === 'delivered', performance.now())
    attempts.inc({ outcome: record.decision.kind })
    seconds.observe(record.durationMs / 1_000)
    await records.add(record)
  }

  /** Null where no attempt was made. */
  async function attempt(delivery: ClaimedDelivery, store: BodyStore): Promise<AttemptRecord | null> {
    try {
      const body = await store.hold(delivery.bodyId, delivery.bodyBytes)
      try {
        return isStopping ? null : await attemptDelivery(client, delivery, body, stopping.signal)
      } finally {
        store.release(delivery.bodyId)
      }
    } catch (caught) {
      logger.warn(
        { err: caught, deliveryId: delivery.deliveryId },
        'A webhook could not be prepared; it will be tried again',
      )
      return null
    }
  }

  async function giveBack(delivery: ClaimedDelivery): Promise<void> {
    try {
      await releaseClaims(database, [delivery])
    } catch (caught) {
      logger.debug(
        { err: caught, deliveryId: delivery.deliveryId },
        'A claim could not be given back; it ends with its lease',
      )
    }
  }

  async function renew(): Promise<void> {
    try {
      await renewClaims(database, [...held.values()], LEASE_MS)
    } catch (caught) {
      logger.warn({ err: caught }, 'Claims could not be renewed; what they are for may be sent twice')
    }
  }
}
