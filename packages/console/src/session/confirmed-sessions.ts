/**
 * Whether the API knows a session. A cookie of the right form can be made by anybody, so nothing is read or shown for one before this. A
 * confirmed session counts for a while; the API judges every call for itself.
 */
import { createApiClient } from '../api/api-client.js'
import type { ApiConnection } from '../api/api-connection.js'
import { ApiProblem } from '../api/api-problem.js'
import type { Session } from './session-cookie.js'

export const CONFIRMED_FOR_MS = 30_000
const MAX_CONFIRMED = 10_000

/** Rejects like every call of the API. */
export type ConfirmSession = (session: Session, clientAddress: string) => Promise<void>

export function createConfirmSession(connection: ApiConnection): ConfirmSession {
  /** Maps a session and the address of its browser to the clock reading until which they count; the oldest first. */
  const confirmed = new Map<string, number>()
  return async ({ token, accountId }, clientAddress) => {
    const name = `${token} ${accountId} ${clientAddress}`
    if ((confirmed.get(name) ?? 0) > performance.now()) return
    confirmed.delete(name)
    const api = createApiClient(connection, { credentials: token, clientAddress, accountId })
    const known = await api.get<{ readonly account_id: string }>('/v1/sessions/current')
    if (known.account_id !== accountId) throw new ApiProblem(401, {}, undefined)
    const [oldest] = confirmed.keys()
    if (confirmed.size >= MAX_CONFIRMED && oldest !== undefined) confirmed.delete(oldest)
    confirmed.set(name, performance.now() + CONFIRMED_FOR_MS)
  }
}
