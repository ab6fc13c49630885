/**
 * Decides screens as of a past moment, from the read models and the ledger, while the call waits. Only the audit record of the call
 * is appended. The read models must contain everything that the log had when the call arrived: a view without a list looks like a
 * view of an earlier moment.
 */
import type { Caller } from '@cupel/gate/access'
import { topicOf, type Metrics } from '@cupel/contracts'
import type { ScreenedAddress } from '@cupel/domain'
import { endsOf, type EventCodec, type EventLog, missingFront, type Position } from '@cupel/event-log'
import { knownDifference } from '@cupel/projections/heartbeats'
import type { Database } from '@cupel/postgres'
import { loadCheckpoint, readModelGroup, waitUntilProjected, type ReadModel } from '@cupel/projections'
import {
  createPastSource,
  InputsDifferError,
  screenAsOf,
  type AsOfScreening,
  type NotYet,
  type PastSource,
} from '@cupel/evidence/proofs'
import { labelView } from '@cupel/labels/read-model'
import { policyView } from '@cupel/policy/read-model'

export interface AsOfOrder extends ScreenedAddress {
  readonly caller: Pick<Caller, 'accountId' | 'livemode'>
  readonly customerReference: string | null
  /** UTC, RFC 3339 with milliseconds, not in the future. */
  readonly asOf: string
}

export type AsOfOutcome =
  | { readonly kind: 'screened'; readonly screening: AsOfScreening }
  /** What did not exist at that moment. */
  | { readonly kind: 'not-yet'; readonly missing: NotYet }
  /** Nothing was decided; `because` is a sentence. */
  | { readonly kind: 'unavailable'; readonly because: string }

export interface AsOfScreens {
  screen(order: AsOfOrder): Promise<AsOfOutcome>
  /** The time of the installation. Earlier moments are past. */
  now(): Date
}

export interface AsOfScreensOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly metrics: Metrics
  readonly now: () => Date
  /** How long a call waits for the read models, in milliseconds. */
  readonly readWaitMs: number
}

export interface AsOfLimits {
  /** Number of such screens that an instance decides at once, so that other screens keep their core and connections. */
  readonly maxRunning: number
  readonly maxRunningPerAccount: number
  /** Time for one of them, in milliseconds. A screen that takes longer is given up as a whole; no part of it is left out. */
  readonly budgetMs: number
}

export const asOfLimits: AsOfLimits = { maxRunning: 4, maxRunningPerAccount: 2, budgetMs: 10_000 }

/** Longest work without a rest for other calls, in milliseconds. */
const SLICE_MS = 3

class LateError extends Error {
  override readonly name = 'LateError'
}

export function createAsOfScreens(options: AsOfScreensOptions, limits: AsOfLimits = asOfLimits): AsOfScreens {
  const outcomes = options.metrics.counter(
    'api_as_of_screens_total',
    'Screens as of a past moment by outcome.',
    ['outcome'],
  )
  const past = createPastSource(options)
  const running = new Map<string, number>()
  let runningOfAll = 0
  const change = (accountId: string, by: 1 | -1): void => {
    runningOfAll += by
    const count = (running.get(accountId) ?? 0) + by
    if (count === 0) running.delete(accountId)
    else running.set(accountId, count)
  }

  async function screen(order: AsOfOrder): Promise<AsOfOutcome> {
    const { accountId } = order.caller
    if (runningOfAll >= limits.maxRunning || (running.get(accountId) ?? 0) >= limits.maxRunningPerAccount)
      return unavailable('As many screens as of a past moment are running as may run at once.')
    change(accountId, 1)
    try {
      return await decide(past, order, limits.budgetMs)
    } finally {
      change(accountId, -1)
    }
  }

  return {
    now: options.now,
    async screen(order) {
      const outcome = await screen(order)
      outcomes.inc({ outcome: outcome.kind })
      return outcome
    },
  }
}

const unavailable = (because: string): AsOfOutcome => ({ kind: 'unavailable', because })

async function decide(
  options: AsOfScreensOptions & PastSource,
  { caller: { accountId, livemode }, ...order }: AsOfOrder,
  budgetMs: number,
): Promise<AsOfOutcome> {
  const behind = livemode
    ? ((await knownDifference(options.database)) ?? (await whatIsBehind(options)))
    : null
  if (behind !== null) return unavailable(behind)
  try {
    const found = await screenAsOf(options, { ...order, accountId, livemode }, paceFor(budgetMs))
    return typeof found === 'string'
      ? { kind: 'not-yet', missing: found }
      : { kind: 'screened', screening: found }
  } catch (error) {
    if (error instanceof LateError) return unavailable('The ledger could not be followed in time.')
    if (error instanceof InputsDifferError) return unavailable(error.message)
    throw error
  }
}

/** A sentence about what the read models lack, or may lack; null if they have everything. */
async function whatIsBehind({ log, database, readWaitMs }: AsOfScreensOptions): Promise<string | null> {
  const views = [
    [labelView, topicOf('LabelSetPublished')],
    [policyView, topicOf('PolicyActivated')],
  ] as const
  const truncated = await missingFront(
    log,
    views.map(([, topic]) => topic),
  )
  if (truncated !== null) return truncated
  const identity = await log.identity()
  const lacking = await Promise.all(
    views.map(async ([view, topic]) => {
      const ends = await endsOf(log, [topic])
      const ready = await Promise.all(
        ends.map((end) => hasEverything({ database, readWaitMs }, { view, end, identity })),
      )
      return ready.every(Boolean) ? null : view.name
    }),
  )
  const name = lacking.find((one) => one !== null)
  return name === undefined || name === null ? null : `The ${name} has not followed the log yet.`
}

async function hasEverything(
  { database, readWaitMs }: Pick<AsOfScreensOptions, 'database' | 'readWaitMs'>,
  of: { readonly view: ReadModel; readonly end: Position; readonly identity: string },
): Promise<boolean> {
  const { topic, partition, offset } = of.end
  if (offset === 0) return true
  const place = { group: readModelGroup(of.view), topic, partition }
  if (!(await waitUntilProjected({ database, ...place, offset, timeoutMs: readWaitMs }))) return false
  // A view of another log holds other lists, whatever its position is.
  return (await loadCheckpoint(database, place))?.log === of.identity
}

/** Rests after a slice of work, and ends the work with a LateError once its time is over. */
function paceFor(budgetMs: number): () => Promise<void> | null {
  const endsAtMs = performance.now() + budgetMs
  let beganAtMs = performance.now()
  const rest = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    beganAtMs = performance.now()
  }
  return () => {
    const nowMs = performance.now()
    if (nowMs >= endsAtMs) throw new LateError()
    return nowMs - beganAtMs < SLICE_MS ? null : rest()
  }
}
