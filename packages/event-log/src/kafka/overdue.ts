/** How long brokers leave requests unanswered. */
import { REQUEST_TIMEOUT_MS, type Broker } from './kafkajs.js'

/** A request of which nothing is heard for this long after the time that it may take by itself makes its sender ask who leads now. */
const DOUBT_AFTER_MS = 1_000
const DOUBT_PAUSE_MS = 500

/** The time that a request may take by itself, such as a long poll: the limit of each has that of a plain request added. */
const ownTimeMs = (requestTimeout: number): number => Math.max(0, requestTimeout - REQUEST_TIMEOUT_MS)

/** The longest time for which a request to the broker is open beyond the time that it may take by itself; 0 if none is open. */
export function overdueMs({ connectionPool }: Broker): number {
  let longest = 0
  for (const { requestQueue } of connectionPool.pool)
    for (const { sentAt, requestTimeout } of requestQueue.inflight.values())
      longest = Math.max(longest, Date.now() - sentAt - ownTimeMs(requestTimeout))
  return longest
}

/**
 * Waits for an answer, and calls `doubt` again and again while it is overdue. The brokers count a hanging one as dead within seconds and
 * give its partitions to others; metadata without it ends the requests to it at once, long before their limits.
 */
export async function inDoubt<T>(
  answer: Promise<T>,
  requestTimeout: number,
  doubt: () => Promise<void>,
): Promise<T> {
  let isOver = false
  let timer: NodeJS.Timeout
  const later = (ms: number): void => {
    timer = setTimeout(() => void doubt().then(() => !isOver && later(DOUBT_PAUSE_MS)), ms)
  }
  later(ownTimeMs(requestTimeout) + DOUBT_AFTER_MS)
  try {
    return await answer
  } finally {
    isOver = true
    clearTimeout(timer!)
  }
}
