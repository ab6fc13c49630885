/** Claims deliveries that are due, sends them, records the outcomes, and renews the leases of deliveries under way. */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { AdmitPlace, OutboundClient } from '@cupel/kit/outbound'
import { maySeal, type PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { createTrouble, type Trouble } from '@cupel/projections'
import {
  accountOfBody,
  claimDeliveries,
  loadBody,
  recipientOf,
  recordAttempts,
  releaseClaims,
  renewClaims,
  type ClaimedDelivery,
  type SecretBox,
} from '../index.js'
import { attemptDelivery } from './attempt-delivery.js'
import type { Attempted, NotAttempted } from './attempted.js'
import type { MailSending } from './attempt-mail.js'
import { createBodyStore, type BodyStore } from './body-store.js'
import { createEndpointHealth, PLACES_PER_TRUSTED, type EndpointHealth } from './endpoint-health.js'
import { createRecordQueue, type RecordQueue } from './record-queue.js'

export interface SendingOptions {
  readonly database: Database
  readonly secrets: SecretBox
  readonly client: Pick<OutboundClient, 'post'>
  /** Whether a place may be called now. */
  readonly admit: AdmitPlace
  readonly mail: MailSending
  readonly logger: Logger
  readonly metrics: Metrics
  /** Opens the sealed parts of a body. */
  readonly personalData: Pick<PersonalData, 'openJson'>
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  readonly attemptsPerSecond: number
}

export interface Sending {
  /** There may be something to claim. */
  wake(): void
  /** Null while all is well, else why claiming or recording last failed. */
  error(): string | null
  /** Claims no more, gives running attempts a short time to end, and releases the other claims. */
  stop(): Promise<void>
}

/** A delivery that a call asks for, or that another process made, waits at most this long. */
const LEFTOVERS_INTERVAL_MS = 1_000
/** A closed endpoint is claimed from at most this long after it opens, and a failed claim is repeated after this time. */
const REOPEN_INTERVAL_MS = 200
const MAX_IN_FLIGHT = 1_024
const MAX_CLAIM = 128
/** After this time another sender can claim the deliveries of a killed one. */
const LEASE_MS = 10_000
const RENEW_INTERVAL_MS = 3_000
/** Time that running attempts have to end when the service stops. */
const STOP_GRACE_MS = 3_000
const BODY_BUDGET_BYTES = 192 * 1_024 * 1_024
/** Budget of the bodies for endpoints whose last attempt failed: they never take room from the others. */
const FAILING_BODY_BUDGET_BYTES = 64 * 1_024 * 1_024
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export function startSending(options: SendingOptions): Sending {
  const sending = openSending(options)
  const loop = startLoop({
    step: () => claimAndBegin(sending, () => loop.wake()),
    restMs: REOPEN_INTERVAL_MS,
    onError(error) {
      if (sending.trouble.failed('claiming', error))
        options.logger.warn({ err: error }, `Webhooks wait to be claimed: ${String(error)}`)
    },
  })
  const renewing = setInterval(() => void renew(sending), RENEW_INTERVAL_MS)
  return {
    wake: () => loop.wake(),
    error: () => sending.trouble.reason() ?? sending.records.error(),
    async stop() {
      sending.isStopping = true
      await loop.stop()
      const grace = setTimeout(() => {
        sending.stopping.abort()
        sending.records.giveUp()
      }, STOP_GRACE_MS)
      await Promise.all(sending.working)
      clearTimeout(grace)
      clearInterval(renewing)
    },
  }
}

interface Sender extends SendingOptions {
  readonly health: EndpointHealth
  readonly bodies: BodyStore
  readonly failingBodies: BodyStore
  readonly records: RecordQueue
  readonly trouble: Trouble
  readonly figures: Figures
  /** Claims of this process whose outcome is not recorded yet, by delivery id. */
  readonly held: Map<string, ClaimedDelivery>
  readonly working: Set<Promise<void>>
  /** Aborts running attempts. */
  readonly stopping: AbortController
  /** No attempt is begun any more. */
  isStopping: boolean
}

function openSending(options: SendingOptions): Sender {
  const { database, logger, personalData } = options
  const load = async (bodyId: string): Promise<string | null> => {
    const body = await loadBody(database, bodyId)
    if (body === null || !maySeal(body)) return body
    const accountId = await accountOfBody(database, bodyId)
    return accountId === null ? body : await personalData.openJson(body, accountId)
  }
  return {
    ...options,
    health: createEndpointHealth({ attemptsPerSecond: options.attemptsPerSecond }),
    bodies: createBodyStore({ load, budgetBytes: BODY_BUDGET_BYTES }),
    failingBodies: createBodyStore({ load, budgetBytes: FAILING_BODY_BUDGET_BYTES }),
    records: createRecordQueue({ record: (batch) => recordAttempts(database, batch), logger }),
    trouble: createTrouble(),
    figures: createFigures(options.metrics),
    held: new Map(),
    working: new Set(),
    stopping: new AbortController(),
    isStopping: false,
  }
}

interface Figures {
  ended(attempted: Attempted): void
  postponed(): void
  inFlight(attempts: number): void
}

function createFigures(metrics: Metrics): Figures {
  const attempts = metrics.counter('webhook_attempts_total', 'Webhooks sent, by what came of it.', [
    'outcome',
  ])
  const seconds = metrics.histogram('webhook_attempt_seconds', 'Time an attempt took.', ATTEMPT_BUCKETS)
  const postponed = metrics.counter(
    'webhook_postponed_total',
    'Webhooks that waited because their host or address had as many as it may have.',
  )
  const inFlight = metrics.gauge('webhook_in_flight', 'Attempts under way.')
  const mails = metrics.counter('mail_attempts_total', 'Messages sent by e-mail, by what came of it.', [
    'outcome',
  ])
  return {
    ended({ decision, delivery, durationMs, trace }) {
      if (recipientOf(delivery.url) !== null) mails.inc({ outcome: decision.kind })
      attempts.inc({ outcome: decision.kind })
      seconds.observe(durationMs / 1_000, {}, trace)
    },
    postponed: () => postponed.inc(),
    inFlight: (count) => inFlight.set(count),
  }
}

/** Resolves to the rest before the next claim. Work that is made in this process, or ends, wakes the loop. */
async function claimAndBegin(sender: Sender, onEnded: () => void): Promise<number> {
  const { claimed, restMs } = await claim(sender)
  for (const delivery of claimed) begin(sender, delivery, onEnded)
  sender.figures.inFlight(sender.health.inFlight())
  return restMs
}

interface Taken {
  readonly claimed: readonly ClaimedDelivery[]
  readonly restMs: number
}

async function claim({ database, secrets, health, held, trouble }: Sender): Promise<Taken> {
  const limit = Math.min(MAX_CLAIM, MAX_IN_FLIGHT - health.inFlight())
  if (limit <= 0) return { claimed: [], restMs: REOPEN_INTERVAL_MS }
  const closed = health.closed(performance.now())
  const claims = await claimDeliveries(database, secrets, {
    trusted: health.trusted(),
    placesPerTrusted: PLACES_PER_TRUSTED,
    closed,
    limit,
    leaseMs: LEASE_MS,
  })
  trouble.over('claiming')
  // Where a lease could not be renewed, a delivery that is being sent here may be claimed again: it is not sent twice at once.
  const claimed = claims.claimed.filter(({ deliveryId }) => !held.has(deliveryId))
  // There may be more.
  if (claimed.length > 0) return { claimed, restMs: 0 }
  const isLimited = closed.length > 0 || claims.claimed.length > 0
  const longestMs = isLimited ? REOPEN_INTERVAL_MS : LEFTOVERS_INTERVAL_MS
  return { claimed, restMs: restUntil(claims.nextDueInMs, longestMs) }
}

/** Until the next delivery falls due. Never 0: a delivery that another sender has locked would be asked for without a rest. */
function restUntil(nextDueInMs: number | null, longestMs: number): number {
  return Math.min(Math.max(Math.ceil(nextDueInMs ?? Infinity), 1), longestMs)
}

function begin(sender: Sender, delivery: ClaimedDelivery, onEnded: () => void): void {
  const { health, held, working } = sender
  held.set(delivery.deliveryId, delivery)
  const store = health.isFailing(delivery.endpointId) ? sender.failingBodies : sender.bodies
  health.begun(delivery.endpointId, performance.now())
  const work = send(sender, delivery, store).finally(() => {
    held.delete(delivery.deliveryId)
    working.delete(work)
    onEnded()
  })
  working.add(work)
}

async function send(sender: Sender, delivery: ClaimedDelivery, store: BodyStore): Promise<void> {
  const { health, figures, records } = sender
  const record = await attempt(sender, delivery, store)
  if ('waitMs' in record) {
    const closedMs = record.isOnlyDelivery === true ? 0 : record.waitMs
    health.withdrawn(delivery.endpointId, performance.now() + closedMs)
    if (record.waitMs > 0) figures.postponed()
    await giveBack(sender, delivery, record.waitMs)
    return
  }
  health.ended(delivery.endpointId, record.decision.kind === 'delivered', performance.now())
  figures.ended(record)
  await records.add(record)
}

async function attempt(
  sender: Sender,
  delivery: ClaimedDelivery,
  store: BodyStore,
): Promise<Attempted | NotAttempted> {
  try {
    const body = await store.hold(delivery.bodyId, delivery.bodyBytes)
    try {
      return sender.isStopping
        ? { waitMs: 0 }
        : await attemptDelivery(sender, delivery, body, sender.stopping.signal)
    } finally {
      store.release(delivery.bodyId)
    }
  } catch (error) {
    sender.logger.warn(
      { err: error, deliveryId: delivery.deliveryId },
      'A webhook could not be prepared; it will be tried again',
    )
    return { waitMs: 0 }
  }
}

async function giveBack(
  { database, logger }: Sender,
  delivery: ClaimedDelivery,
  waitMs: number,
): Promise<void> {
  try {
    await releaseClaims(database, [delivery], waitMs)
  } catch (error) {
    logger.debug(
      { err: error, deliveryId: delivery.deliveryId },
      'A claim could not be given back; it ends with its lease',
    )
  }
}

async function renew({ database, held, logger }: Sender): Promise<void> {
  try {
    await renewClaims(database, [...held.values()], LEASE_MS)
  } catch (error) {
    logger.warn({ err: error }, 'Claims could not be renewed; their deliveries may be sent twice')
  }
}
