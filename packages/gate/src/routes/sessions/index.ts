/** Sessions of people, for sign-in and sign-out in the console. */
import type { Endpoint } from '../../http/index.js'
import { createOidcSession } from './create-oidc-session.js'
import { createSession } from './create-session.js'
import { endSession } from './end-session.js'
import { getSession } from './get-session.js'
import type { SessionParts } from './session-description.js'

export function sessionEndpoints(parts: SessionParts): readonly Endpoint[] {
  return [createSession(parts), createOidcSession(parts), getSession(), endSession(parts)]
}
