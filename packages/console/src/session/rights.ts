/** What a session may do, by the scope of its key. The API decides; pages leave out what it would refuse. */
import { holdsScope } from '@cupel/domain'
import type { Session } from './session-cookie.js'

export const mayChange = (session: Session | null): boolean => holds(session, 'read-write')
export const mayAdminister = (session: Session | null): boolean => holds(session, 'admin')
export const mayOperate = (session: Session | null): boolean => holds(session, 'operator')

const holds = (session: Session | null, needed: Parameters<typeof holdsScope>[1]): boolean =>
  session !== null && holdsScope(session.scope, needed)
