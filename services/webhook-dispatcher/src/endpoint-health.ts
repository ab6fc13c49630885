/**
 * What a sender knows of each endpoint, so that one that hangs or fails takes nothing from the others: it gets one attempt at
 * a time until it has answered well, a break after some failures, and no more than its share of attempts a second.
 */

export interface EndpointHealth {
  begun(endpointId: string, nowMs: number): void
  ended(endpointId: string, accepted: boolean, nowMs: number): void
  /** Claimed and not tried after all. */
  withdrawn(endpointId: string): void
  /** Whether its last attempt failed. */
  isFailing(endpointId: string): boolean
  /** Endpoints whose last attempt was accepted. */
  trusted(): string[]
  /** Endpoints of which nothing may be claimed now. */
  closed(nowMs: number): string[]
  inFlight(): number
}

export interface HealthLimits {
  /** Attempts a second to one endpoint. */
  readonly attemptsPerSecond: number
}

/** Attempts at once to an endpoint that answers well. */
export const MAX_PER_ENDPOINT = 16
/** Claimed at once for such an endpoint. */
export const PLACES_PER_TRUSTED = 8
/** Attempts at once to all endpoints that failed last: however many there are, the rest of the places stay free. */
const MAX_FAILING_IN_FLIGHT = 128
/** Failures in a row before an endpoint gets a break; the first retries come before that. */
const FAILURES_BEFORE_BREAK = 5
const FIRST_BREAK_MS = 10_000
const LONGEST_BREAK_MS = 60_000
/** What is known of an endpoint that nothing was sent to for so long is forgotten. */
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
      if (begunSinceForgetting >= FORGET_EVERY) forget(nowMs)
    },
    ended(endpointId, accepted, nowMs) {
      const one = of(endpointId, nowMs)
      leave(one)
      // All that is under way moves over with its endpoint.
      const wasFailing = one.last === 'failed'
      one.last = accepted ? 'accepted' : 'failed'
      if (!wasFailing && !accepted) failingInFlight += one.inFlight
      if (wasFailing && accepted) failingInFlight -= one.inFlight
      one.failuresInARow = accepted ? 0 : one.failuresInARow + 1
      one.openAtMs = nowMs + breakMs(one.failuresInARow)
    },
    withdrawn(endpointId) {
      const one = known.get(endpointId)
      if (one !== undefined) leave(one)
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

  function tokensOf({ tokens, tokensAtMs }: Known, nowMs: number): number {
    return Math.min(
      Math.max(1, attemptsPerSecond),
      tokens + ((nowMs - tokensAtMs) / 1_000) * attemptsPerSecond,
    )
  }

  function leave(one: Known): void {
    one.inFlight -= 1
    inFlight -= 1
    if (one.last === 'failed') failingInFlight -= 1
  }

  function of(endpointId: string, nowMs: number): Known {
    const found = known.get(endpointId)
    if (found !== undefined) return found
    const fresh: Known = {
      ...{ inFlight: 0, last: 'nothing', failuresInARow: 0, openAtMs: 0 },
      ...{ tokens: Math.max(1, attemptsPerSecond), tokensAtMs: nowMs },
    }
    known.set(endpointId, fresh)
    return fresh
  }

  function forget(nowMs: number): void {
    begunSinceForgetting = 0
    for (const [endpointId, one] of known)
      if (one.inFlight === 0 && nowMs - one.tokensAtMs > FORGET_AFTER_MS) known.delete(endpointId)
  }
}

function breakMs(failuresInARow: number): number {
  const over = failuresInARow - FAILURES_BEFORE_BREAK
  return over < 0 ? 0 : Math.min(FIRST_BREAK_MS * 2 ** over, LONGEST_BREAK_MS)
}
