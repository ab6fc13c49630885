/**
 * Failed authentications by client: past the limit, further failing calls are told to come later. Callers with a valid key are
 * judged by their key alone, wherever they come from.
 */
import { clientNetwork } from './ip-range.js'

export interface AuthFailures {
  /**
   * Notes a failure. Null while the client is within its limit; else the whole seconds until a failing call would be answered
   * in full again. Failures beyond the limit do not prolong it.
   */
  note(clientAddress: string): number | null
}

/** Failures a minute from one client (an IPv4 address, an IPv6 /64) that are answered in full. */
export const MAX_FAILURES_PER_MINUTE = 20
const WINDOW_MS = 60_000
/** Clients remembered at once; the one whose last failure is oldest is forgotten first. */
const MAX_CLIENTS = 20_000

export function createAuthFailures(options: { maxPerMinute: number; nowMs?: () => number }): AuthFailures {
  const { maxPerMinute, nowMs = () => performance.now() } = options
  // Insertion order is the order of the last failure.
  const failures = new Map<string, number[]>()

  return {
    note(clientAddress) {
      const client = clientNetwork(clientAddress)
      const now = nowMs()
      const recent = (failures.get(client) ?? []).filter((at) => at > now - WINDOW_MS)
      failures.delete(client)
      failures.set(client, recent)
      if (recent.length >= maxPerMinute)
        return Math.max(1, Math.ceil((recent[recent.length - maxPerMinute]! + WINDOW_MS - now) / 1000))
      recent.push(now)
      if (failures.size > MAX_CLIENTS) failures.delete(failures.keys().next().value!)
      return null
    },
  }
}
