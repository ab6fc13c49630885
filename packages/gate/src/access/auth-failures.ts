/**
 * Counts failed authentications by client. A client beyond the limit gets 429 for further failing calls. A call with a valid key is never
 * affected, wherever it comes from. Each instance counts in memory, so no call waits. In the background the instances add up their counts
 * in the database.
 */
import { createBatcher } from '@cupel/kit/concurrency'
import { clientNetwork } from '@cupel/kit/http-edge'

export interface AuthFailures {
  /**
   * Counts a failure. Returns null while the client is within its limit, otherwise the whole seconds until a failing call gets
   * its full answer again. Failures beyond the limit do not prolong that time.
   */
  note(clientAddress: string): number | null
  /** Resolves when the failures counted so far are shared, or when sharing them failed. */
  close(): Promise<void>
}

/** A failure as the other instances see it. */
export interface RecentFailure {
  readonly client: string
  readonly ageMs: number
}

/** A client beyond the limit, counted over all instances, and how long it stays so. */
export interface BlockedClient {
  readonly client: string
  readonly blockedMs: number
}

/** Failures a minute from one client (an IPv4 address, an IPv6 /64) that get a full answer. */
export const MAX_FAILURES_PER_MINUTE = 20
export const FAILURE_WINDOW_MS = 60_000
/** Clients in memory at once; beyond it the client whose last failure is oldest is dropped. */
const MAX_CLIENTS = 20_000
/** At most one statement in this time: other instances learn of a failure at most this much later. */
const SHARE_INTERVAL_MS = 100
/** Failures that wait to be shared; beyond it they count on this instance only. */
const MAX_WAITING_FAILURES = 2_000

export interface AuthFailuresOptions {
  readonly maxPerMinute: number
  /** Shares failures with the other instances; returns the clients that are beyond the limit in sum. */
  readonly share?: (failures: readonly RecentFailure[]) => Promise<readonly BlockedClient[]>
  /** Called once per outage. Until sharing succeeds again, only the failures on this instance count. */
  readonly onSharingFailed?: (error: unknown) => void
  readonly nowMs?: () => number
}

export function createAuthFailures(options: AuthFailuresOptions): AuthFailures {
  const { maxPerMinute, share, nowMs = () => performance.now() } = options
  /** Times of the failures within the window, by client; the client that failed last is at the end. */
  const failures = new Map<string, number[]>()
  let blockedUntilMs = new Map<string, number>()
  let isSharing = true

  const sharing = createBatcher<{ readonly client: string; readonly atMs: number }, null>({
    run: async (recent) => {
      const now = nowMs()
      try {
        const blocked = await share!(
          recent.map(({ client, atMs }) => ({ client, ageMs: Math.round(now - atMs) })),
        )
        blockedUntilMs = new Map(blocked.map(({ client, blockedMs }) => [client, nowMs() + blockedMs]))
        isSharing = true
      } catch (error) {
        if (isSharing) options.onSharingFailed?.(error)
        isSharing = false
      }
      return recent.map(() => null)
    },
    intervalMs: SHARE_INTERVAL_MS,
    maxWaitingItems: MAX_WAITING_FAILURES,
  })

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
      // Too many are waiting, or the gate is closing: this failure counts here only.
      if (share !== undefined) sharing.add({ client, atMs: now }).catch(() => undefined)
      return null
    },
    close: () => sharing.close(),
  }
}
