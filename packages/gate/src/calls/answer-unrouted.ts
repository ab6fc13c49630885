/**
 * Answers requests whose path or method no endpoint serves. With a key such a call is judged, counted and recorded like every other:
 * it has an endpoint of its own that no other call can reach. Without a key the store is not queried.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  keyedEndpoint,
  type Answer,
  type Endpoint,
  createPathTable,
  type KnownPath,
  isRefusal,
  problemAnswer,
  refuse,
  type Refusal,
  type SendAnswer,
} from '../http/index.js'
import { serveCall, type ServeParts } from './serve-call.js'

export type AnswerUnrouted = (request: FastifyRequest, reply: FastifyReply) => void

/** The route of calls whose path no endpoint has. The path itself may hold anything, even a key. */
export const UNKNOWN_ROUTE = '/*'

export function createAnswerUnrouted(
  parts: ServeParts & { readonly endpoints: readonly Endpoint[]; readonly webUrl?: string | undefined },
  send: SendAnswer,
): AnswerUnrouted {
  const paths = createPathTable(parts.endpoints)
  return (request, reply) => {
    const page = pageOf(request, parts.webUrl)
    if (page !== null) return send(request, reply, page, 'page', performance.now())
    const known = paths.find(request.raw.url ?? '')
    if (request.headers.authorization !== undefined)
      return void serveCall(parts, send, endpointFor(request, known), request, reply)
    const result = unrouted(request.method, known)
    const answer = isRefusal(result) ? problemAnswer(result, request.id) : result
    send(request, reply, answer, known?.path ?? UNKNOWN_ROUTE, performance.now())
  }
}

const SEE_OTHER = 303
/** Paths of the console that people try on the API. */
const PAGE_PATH = /^\/(?:reports\/[0-9a-zA-Z]{1,64})?$/

function pageOf({ method, raw }: FastifyRequest, webUrl: string | undefined): Answer | null {
  const [path = ''] = (raw.url ?? '').split('?', 1)
  if (webUrl === undefined || (method !== 'GET' && method !== 'HEAD') || !PAGE_PATH.test(path)) return null
  return { status: SEE_OTHER, headers: { location: webUrl + path }, body: null }
}

function endpointFor({ method }: FastifyRequest, known: KnownPath | null): Endpoint {
  return keyedEndpoint({
    operationId: 'unrouted',
    method: 'GET',
    path: known?.path ?? UNKNOWN_ROUTE,
    tag: 'Documentation',
    ...{ summary: '', description: '', answers: [], problems: [] },
    access: 'read-only',
    querySchema: null,
    handle: () => Promise.resolve(unrouted(method, known)),
  })
}

function unrouted(method: string, known: KnownPath | null): Answer | Refusal {
  const { allow } = known ?? {}
  if (method === 'OPTIONS' && allow !== undefined) return { status: 204, headers: { allow }, body: null }
  // A request with an allowed method arrives here where its path could not be decoded.
  return allow === undefined || allow.split(', ').includes(method)
    ? refuse('not_found', 'There is nothing under this path.')
    : refuse('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } })
}
