/**
 * Failed authentications by client: past the limit, further failing calls are told to come later. Callers with a valid key are
 * judged by their key alone, wherever they come from. Each instance counts in memory and never makes a call wait; the counts of
 * all instances are added up in the background.
 */
import { clientNetwork } from './ip-range.js'

export interface AuthFailures {
  /**
   * Notes a failure. Null while the client is within its limit; else the whole seconds until a failing call would be answered
   * in full again. Failures beyond the limit do not prolong it.
   */
  note(clientAddress: string): number | null
  /** Ends the exchange; what was not told yet stays untold. */
  close(): Promise<void>
}

/** A failure as it is told to the other instances. */
export interface ToldFailure {
  readonly client: string
  readonly ageMs: number
}

/** Who is past the limit, counted over all instances, and for how long. */
export interface BlockedClient {
  readonly client: string
  readonly blockedMs: number
}

/** Failures a minute from one client (an IPv4 address, an IPv6 /64) that are answered in full. */
export const MAX_FAILURES_PER_MINUTE = 20
export const FAILURE_WINDOW_MS = 60_000
/** Clients remembered at once; the one whose last failure is oldest is forgotten first. */
const MAX_CLIENTS = 20_000
/** Failures wait this long for others before they are told; a limit reached on another instance is known here as soon. */
const EXCHANGE_DELAY_MS = 100
/** Failures told at once; a storm from more clients than that is counted here alone. */
const MAX_TOLD = 2_000

export interface AuthFailuresOptions {
  readonly maxPerMinute: number
  /** Tells failures to the other instances and returns who is past the limit in sum. */
  readonly exchange?: (failures: readonly ToldFailure[]) => Promise<readonly BlockedClient[]>
  /** Told once per outage: counts are this instance's own until the exchange succeeds again. */
  readonly onExchangeFailed?: (error: unknown) => void
  readonly nowMs?: () => number
}

export function createAuthFailures(options: AuthFailuresOptions): AuthFailures {
  const { maxPerMinute, nowMs = () => performance.now() } = options
  // Insertion order is the order of the last failure.
  const failures = new Map<string, number[]>()
  let blockedUntilMs = new Map<string, number>()
  let untold: { client: string; atMs: number }[] = []
  let timer: NodeJS.Timeout | null = null
  let exchanging: Promise<void> | null = null
  let works = true
  let closed = false

  const exchange = async (): Promise<void> => {
    const now = nowMs()
    const told = untold.map(({ client, atMs }) => ({ client, ageMs: Math.round(now - atMs) }))
    untold = []
    try {
      const blocked = await options.exchange!(told)
      blockedUntilMs = new Map(blocked.map(({ client, blockedMs }) => [client, nowMs() + blockedMs]))
      works = true
    } catch (error) {
      if (works) options.onExchangeFailed?.(error)
      works = false
    } finally {
      exchanging = null
      if (untold.length > 0) schedule()
    }
  }
  const schedule = (): void => {
    if (options.exchange === undefined || timer !== null || exchanging !== null || closed) return
    timer = setTimeout(() => {
      timer = null
      exchanging = exchange()
    }, EXCHANGE_DELAY_MS)
    timer.unref()
  }
  const count = (client: string, now: number): number | null => {
    const recent = (failures.get(client) ?? []).filter((at) => at > now - FAILURE_WINDOW_MS)
    failures.delete(client)
    failures.set(client, recent)
    if (recent.length >= maxPerMinute) return recent[recent.length - maxPerMinute]! + FAILURE_WINDOW_MS - now
    recent.push(now)
    if (failures.size > MAX_CLIENTS) failures.delete(failures.keys().next().value!)
    return null
  }

  return {
    note(clientAddress) {
      const client = clientNetwork(clientAddress)
      const now = nowMs()
      const elsewhereMs = (blockedUntilMs.get(client) ?? now) - now
      const waitMs = elsewhereMs > 0 ? elsewhereMs : count(client, now)
      if (waitMs !== null) return Math.max(1, Math.ceil(waitMs / 1000))
      if (untold.length < MAX_TOLD) untold.push({ client, atMs: now })
      schedule()
      return null
    },
    async close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      await exchanging
    },
  }
}
