/** The call as recorded by the event that it makes: such an event is the audit record of its call (docs/adr/0095). */
import type { ApiCall } from '@cupel/contracts'
import type { KeyedCall, TokenCall } from '../http/index.js'

/** `status`: HTTP status of the answer where the call succeeds. The answer is then marked `isRecorded`. */
export function apiCallOf(call: KeyedCall, status: number): ApiCall {
  return {
    requestId: call.requestId,
    keyId: call.caller.keyId,
    scope: call.caller.scope,
    clientAddress: call.clientAddress,
    method: call.method,
    route: call.route,
    status,
    at: arrivalTime(performance.now() - call.receivedMs),
    actor: call.caller.session?.actor ?? '',
  }
}

/** The same for a call with a token in its path: it has no key. */
export function tokenCallOf(call: TokenCall, status: number): ApiCall {
  return {
    ...{ requestId: call.requestId, keyId: '', actor: '', scope: '', clientAddress: call.clientAddress },
    ...{ method: call.method, route: call.route, status },
    at: arrivalTime(performance.now() - call.receivedMs),
  }
}

/** UTC time, RFC 3339 with milliseconds, at which a call arrived that has been going on for `elapsedMs`. */
export function arrivalTime(elapsedMs: number): string {
  return new Date(Date.now() - elapsedMs).toISOString()
}
