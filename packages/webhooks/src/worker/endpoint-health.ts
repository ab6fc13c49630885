/**
 * Tracks the health of each endpoint, so that an endpoint that hangs or fails delays no other. An endpoint gets one attempt at
 * a time until it has accepted one, a break after some failures, and a limited number of attempts a second.
 */

export interface EndpointHealth {
  begun(endpointId: string, nowMs: number): void
  ended(endpointId: string, accepted: boolean, nowMs: number): void
  /** The attempt did not take place. Nothing is claimed for the endpoint until `openAtMs`. */
  withdrawn(endpointId: string, openAtMs: number): void
  /** Whether its last attempt failed. */
  isFailing(endpointId: string): boolean
  /** Endpoints whose last attempt was accepted. */
  trusted(): string[]
  /** Endpoints whose deliveries must not be claimed now. */
  closed(nowMs: number): string[]
  inFlight(): number
}

export interface HealthLimits {
  /** Attempts a second to one endpoint. */
  readonly attemptsPerSecond: number
}

/** Attempts at once to an endpoint whose last attempt was accepted. */
export const MAX_PER_ENDPOINT = 16
/** Deliveries claimed at once for such an endpoint. */
export const PLACES_PER_TRUSTED = 8
/** Attempts at once to all endpoints whose last attempt failed: the other places stay free for the rest. */
const MAX_FAILING_IN_FLIGHT = 128
/** Failures in a row before an endpoint gets a break; the first retries come sooner. */
const FAILURES_BEFORE_BREAK = 5
const FIRST_BREAK_MS = 10_000
const LONGEST_BREAK_MS = 60_000
/** An endpoint without an attempt for this long is forgotten. */
const FORGET_AFTER_MS = 600_000
const FORGET_EVERY = 1_000

interface Known {
  inFlight: number
  last: 'nothing' | 'accepted' | 'failed'
  failuresInARow: number
  openAtMs: number
  tokens: number
  tokensAtMs: number
}

export function createEndpointHealth({ attemptsPerSecond }: HealthLimits): EndpointHealth {
  const known = new Map<string, Known>()
  let inFlight = 0
  let failingInFlight = 0
  let begunSinceForgetting = 0

  return {
    begun(endpointId, nowMs) {
      const one = of(endpointId, nowMs)
      one.tokens = tokensOf(one, nowMs) - 1
      one.tokensAtMs = nowMs
      one.inFlight += 1
      inFlight += 1
      if (one.last === 'failed') failingInFlight += 1
      begunSinceForgetting += 1
      if (begunSinceForgetting < FORGET_EVERY) return
      begunSinceForgetting = 0
      forgetIdle(known, nowMs)
    },
    ended(endpointId, accepted, nowMs) {
      const one = of(endpointId, nowMs)
      leave(one)
      // The attempts that are still under way count with their endpoint.
      const wasFailing = one.last === 'failed'
      one.last = accepted ? 'accepted' : 'failed'
      if (!wasFailing && !accepted) failingInFlight += one.inFlight
      if (wasFailing && accepted) failingInFlight -= one.inFlight
      one.failuresInARow = accepted ? 0 : one.failuresInARow + 1
      one.openAtMs = nowMs + breakMs(one.failuresInARow)
    },
    withdrawn(endpointId, openAtMs) {
      const one = known.get(endpointId)
      if (one === undefined) return
      leave(one)
      one.openAtMs = Math.max(one.openAtMs, openAtMs)
    },
    isFailing: (endpointId) => known.get(endpointId)?.last === 'failed',
    trusted: () => [...known].flatMap(([endpointId, { last }]) => (last === 'accepted' ? [endpointId] : [])),
    closed: (nowMs) => [...known].flatMap(([endpointId, one]) => (isClosed(one, nowMs) ? [endpointId] : [])),
    inFlight: () => inFlight,
  }

  function isClosed(one: Known, nowMs: number): boolean {
    const isFull =
      one.last === 'accepted' ? one.inFlight > MAX_PER_ENDPOINT - PLACES_PER_TRUSTED : one.inFlight > 0
    const isCrowded = one.last === 'failed' && failingInFlight >= MAX_FAILING_IN_FLIGHT
    return isFull || isCrowded || one.openAtMs > nowMs || tokensOf(one, nowMs) < 1
  }

  function tokensOf(one: Known, nowMs: number): number {
    return tokensAt(one, nowMs, attemptsPerSecond)
  }

  function leave(one: Known): void {
    one.inFlight -= 1
    inFlight -= 1
    if (one.last === 'failed') failingInFlight -= 1
  }

  function of(endpointId: string, nowMs: number): Known {
    const found = known.get(endpointId)
    if (found !== undefined) return found
    const fresh = nothingKnown(nowMs, attemptsPerSecond)
    known.set(endpointId, fresh)
    return fresh
  }
}

function nothingKnown(nowMs: number, attemptsPerSecond: number): Known {
  return {
    ...{ inFlight: 0, last: 'nothing', failuresInARow: 0, openAtMs: 0 },
    ...{ tokens: Math.max(1, attemptsPerSecond), tokensAtMs: nowMs },
  }
}

/** Attempts that may begin now. */
function tokensAt({ tokens, tokensAtMs }: Known, nowMs: number, attemptsPerSecond: number): number {
  const refilled = tokens + ((nowMs - tokensAtMs) / 1_000) * attemptsPerSecond
  return Math.min(Math.max(1, attemptsPerSecond), refilled)
}

function forgetIdle(known: Map<string, Known>, nowMs: number): void {
  for (const [endpointId, one] of known)
    if (one.inFlight === 0 && nowMs - one.tokensAtMs > FORGET_AFTER_MS) known.delete(endpointId)
}

function breakMs(failuresInARow: number): number {
  const over = failuresInARow - FAILURES_BEFORE_BREAK
  return over < 0 ? 0 : Math.min(FIRST_BREAK_MS * 2 ** over, LONGEST_BREAK_MS)
}
