/**
 * How many entries of the inbox a person has not read, for the navigation of every page. A count is asked for once in a while; a page of the
 * inbox asks again. A count that the API does not give is not shown: it neither fails a page nor becomes zero.
 */
import { createApiClient } from '../api/api-client.js'
import type { ApiConnection } from '../api/api-connection.js'
import { ApiDown, ApiProblem } from '../api/api-problem.js'
import type { UnreadCount } from '../api/inbox-answers.js'
import type { Session } from './session-cookie.js'

export const COUNTED_FOR_MS = 30_000
const MAX_COUNTS = 10_000

export interface UnreadCounts {
  /** As text; null if there are none, or if it is not known. */
  of(session: Session, clientAddress: string): Promise<string | null>
  /** The next page asks again. */
  forget(session: Session): void
}

interface Counted {
  readonly text: string | null
  readonly untilMs: number
}

export function createUnreadCounts(connection: ApiConnection): UnreadCounts {
  /** By the token of the session; the oldest first. */
  const counted = new Map<string, Counted>()
  return {
    async of({ token, accountId }, clientAddress) {
      const known = counted.get(token)
      if (known !== undefined && known.untilMs > performance.now()) return known.text
      counted.delete(token)
      const api = createApiClient(connection, { credentials: token, clientAddress, accountId })
      const count = await api.get<UnreadCount>('/v1/inbox/unread').catch((error: unknown) => {
        if (error instanceof ApiProblem || error instanceof ApiDown) return null
        throw error
      })
      const text = count === null || !(count.unread > 0) ? null : textOf(count)
      const [oldest] = counted.keys()
      if (counted.size >= MAX_COUNTS && oldest !== undefined) counted.delete(oldest)
      counted.set(token, { text, untilMs: performance.now() + COUNTED_FOR_MS })
      return text
    },
    forget({ token }) {
      counted.delete(token)
    },
  }
}

const textOf = ({ unread, is_lower_bound }: UnreadCount): string => `${unread}${is_lower_bound ? '+' : ''}`
