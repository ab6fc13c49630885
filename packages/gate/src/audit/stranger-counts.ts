/**
 * Counts the calls without a known key, by client. A number of calls a minute is recorded in full, the rest as one count, so that
 * many guesses do not fill the log.
 */

export interface StrangerCount {
  readonly clientNetwork: string
  readonly count: number
  /** Beginning of the minute, and the last call counted; milliseconds since 1970. */
  readonly fromMs: number
  readonly toMs: number
}

export interface StrangerCounts {
  /** Counts a call; returns whether it is to be recorded in full. */
  note(clientNetwork: string): boolean
  /** The counts of minutes that are over; with `now`, of the current one too. Each count is returned once. */
  take(which?: 'ended' | 'now'): readonly StrangerCount[]
}

/** Calls a minute of one client (an IPv4 address, an IPv6 /64) that are recorded in full. */
export const MAX_TOLD_PER_MINUTE = 20
const MINUTE_MS = 60_000
/** Clients counted at once. Beyond this number the count of the oldest client is returned early and starts again. */
const MAX_CLIENTS = 20_000

interface Counting {
  told: number
  counted: number
  lastMs: number
}

export function createStrangerCounts(nowMs: () => number = Date.now): StrangerCounts {
  const clients = new Map<string, Counting>()
  let ended: StrangerCount[] = []
  let minuteMs = minuteOf(nowMs())

  const end = (clientNetwork: string, { counted, lastMs }: Counting): void => {
    if (counted > 0) ended.push({ clientNetwork, count: counted, fromMs: minuteMs, toMs: lastMs })
  }
  const endAll = (): void => {
    for (const [network, counting] of clients) end(network, counting)
    clients.clear()
  }
  const turnMinute = (now: number): void => {
    if (minuteOf(now) === minuteMs) return
    endAll()
    minuteMs = minuteOf(now)
  }

  return {
    note(clientNetwork) {
      const now = nowMs()
      turnMinute(now)
      let counting = clients.get(clientNetwork)
      if (counting === undefined) {
        const [longestKnown] = clients.size >= MAX_CLIENTS ? clients : []
        if (longestKnown !== undefined) {
          end(...longestKnown)
          clients.delete(longestKnown[0])
        }
        clients.set(clientNetwork, (counting = { told: 0, counted: 0, lastMs: now }))
      }
      counting.lastMs = now
      if (counting.told < MAX_TOLD_PER_MINUTE) {
        counting.told += 1
        return true
      }
      counting.counted += 1
      return false
    },
    take(which = 'ended') {
      turnMinute(nowMs())
      if (which === 'now') endAll()
      const taken = ended
      ended = []
      return taken
    },
  }
}

function minuteOf(timeMs: number): number {
  return timeMs - (timeMs % MINUTE_MS)
}
