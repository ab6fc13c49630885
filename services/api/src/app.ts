/**
 * The frame every call runs in, whatever its endpoint: request id, transport rule, key, body, handler, answer.
 * Nothing about access or errors is left to a route.
 */
import { METHODS } from 'node:http'
import { requestedEventId, type Logger, type Metrics } from '@cupel/contracts'
import { isUnavailable } from '@cupel/postgres'
import { LogUnavailableError } from '@cupel/event-log'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { answerCall, nothingKnown, type CallParts, type KnownOfCall } from './answer-call.js'
import type { AuditTrail } from './audit/audit-trail.js'
import { ClientGone } from './http/body-reader.js'
import type { Answer, Endpoint } from './http/endpoint.js'
import { isRefusal, problemAnswer, refuse, type Refusal } from './http/problem.js'
import {
  connectionLimits,
  limitConnections,
  serverOptionsOf,
  type ConnectionLimits,
  type TlsIdentity,
} from './http/connections.js'
import { createPathTable } from './http/path-table.js'
import { answerBrokenRequest } from './http/broken-request.js'
import { securityHeaders, STRICT_TRANSPORT_SECURITY } from './http/security-headers.js'

export interface AppParts extends CallParts {
  readonly endpoints: readonly Endpoint[]
  readonly audit: Pick<AuditTrail, 'record'>
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: plain HTTP. */
  readonly tls?: TlsIdentity | null
  readonly limits?: Partial<ConnectionLimits>
}

export interface App {
  readonly fastify: FastifyInstance
  /** Ends keep-alive connections with their next answer; what was accepted is still answered. */
  close(): Promise<void>
}

/** Every method Fastify would read a body for; Node may not know the newest. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function buildApp(parts: AppParts): App {
  const requestSeconds = parts.metrics.histogram(
    'http_request_seconds',
    'Time from the head of a request to its answer.',
    LATENCY_BUCKETS,
    ['method', 'route', 'status'],
  )
  let closing = false
  const limits = { ...connectionLimits, ...parts.limits }

  const fastify = Fastify({
    logger: false,
    genReqId: requestedEventId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    connectionTimeout: limits.silenceTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    // An id of any length reaches its endpoint, which knows the form of an id.
    routerOptions: { maxParamLength: limits.maxHeaderBytes },
    ...serverOptionsOf(limits, parts.tls ?? null),
    frameworkErrors: (_error, request, reply) => void answerUnrouted(request, reply),
    clientErrorHandler: answerBrokenRequest,
  }) as FastifyInstance
  // Fastify must not read bodies: its reading depends on how Content-Type is spelled (docs/adr/0070).
  for (const method of METHODS_WITH_BODY)
    if (METHODS.includes(method)) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  limitConnections(fastify.server, limits, (socket) => parts.transport.isTrustedPeer(socket), parts.metrics)

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
    route: string,
    receivedMs: number,
  ): void => {
    // Past Fastify's own sending: it would add a charset to JSON, which has none (RFC 8259), and costs a hook run per answer.
    reply.hijack()
    const { raw } = reply
    if (!raw.destroyed && !raw.headersSent)
      raw.writeHead(answer.status, headersOf(answer, request)).end(answer.body)
    const seconds = (performance.now() - receivedMs) / 1000
    requestSeconds.observe(seconds, { method: request.method, route, status: String(answer.status) })
    parts.logger.debug(
      { requestId: request.id, method: request.method, route, status: answer.status, seconds },
      'Answered',
    )
  }

  const headersOf = (answer: Answer, request: FastifyRequest): Record<string, string | number> => {
    const headers: Record<string, string | number> = { ...securityHeaders, 'request-id': request.id }
    if (answer.contentType !== undefined) headers['content-type'] = answer.contentType
    if (answer.body !== null) headers['content-length'] = Buffer.byteLength(answer.body)
    if (closing) headers['connection'] = 'close'
    if (parts.transport.isSecure(request.raw))
      headers['strict-transport-security'] = STRICT_TRANSPORT_SECURITY
    return Object.assign(headers, answer.headers)
  }
  const serve = async (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const receivedMs = performance.now()
    const known = nothingKnown()
    let result: Answer | Refusal
    try {
      result = await answerCall(parts, endpoint, request, receivedMs, known)
    } catch (error) {
      if (error instanceof ClientGone) {
        request.raw.destroy()
        return
      }
      result = faultOf(error, request.id)
    }
    if (!(await isRecorded(endpoint, request, known, result, receivedMs))) result = notRecorded()
    const answer = isRefusal(result) ? problemAnswer(result, request.id) : result
    const headers = { ...known.headers, ...answer.headers }
    send(request, reply, { ...answer, headers }, endpoint.path, receivedMs)
  }
  /** Recorded with its outcome, so before the answer and not beside the work: what is told of a call is true. */
  const isRecorded = (
    endpoint: Endpoint,
    request: FastifyRequest,
    { clientAddress, caller, refusedBecause }: KnownOfCall,
    result: Answer | Refusal,
    receivedMs: number,
  ): Promise<boolean> | true => {
    if (endpoint.access === 'open') return true
    return parts.audit.record({
      endpoint,
      requestId: request.id,
      method: request.method,
      params: request.params,
      peerAddress: request.raw.socket.remoteAddress,
      clientAddress,
      caller,
      refusedBecause,
      result,
      latencyMs: performance.now() - receivedMs,
    })
  }
  const faultOf = (error: unknown, requestId: string): Refusal => {
    if (isUnavailable(error) || error instanceof LogUnavailableError) {
      parts.logger.warn({ err: error, requestId }, 'A call could not be served: a dependency is down')
      return refuse('unavailable', 'The service cannot answer right now.', { retryAfterSeconds: 1 })
    }
    parts.logger.error({ err: error, requestId }, 'A call failed unexpectedly')
    return refuse('internal_error', 'Something went wrong here; the request id helps to find out what.')
  }

  const paths = createPathTable(parts.endpoints)
  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply): void => {
    const allow = paths.allowedMethods(request.raw.url ?? '')
    const route = allow === null ? 'unknown' : 'known'
    send(request, reply, unroutedAnswer(request, allow), route, performance.now())
  }
  fastify.setNotFoundHandler(answerUnrouted)
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.raw.httpVersion !== '1.1' || request.raw.headers.host !== undefined) return done()
    // RFC 9112, section 3.2: such a request is answered 400, as who it is meant for is not known.
    const refusal = refuse('invalid_request', 'The Host header is missing.')
    send(request, reply, problemAnswer(refusal, request.id), 'unknown', performance.now())
  })
  // An expectation we do not know is ignored (RFC 9110, section 10.1.1); Node would answer 417 without a word.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  )
  fastify.setErrorHandler((error, request, reply) => {
    send(
      request,
      reply,
      problemAnswer(faultOf(error, request.id), request.id),
      'framework',
      performance.now(),
    )
  })
  for (const endpoint of parts.endpoints) {
    fastify.route({
      method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method],
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => void serve(endpoint, request, reply),
    })
  }
  return {
    fastify,
    async close() {
      closing = true
      await fastify.close()
    },
  }
}

/** Nothing of what was done is shown where nothing would show that it was done. */
function notRecorded(): Refusal {
  const detail = 'The call could not be recorded in the audit log; its answer is withheld.'
  return refuse('unavailable', detail, { retryAfterSeconds: 1 })
}

function unroutedAnswer(request: { method: string; id: string }, allow: string | null): Answer {
  if (request.method === 'OPTIONS' && allow !== null) return { status: 204, headers: { allow }, body: null }
  // A method that is allowed comes here where the path could not be decoded.
  const refusal =
    allow === null || allow.split(', ').includes(request.method)
      ? refuse('not_found', 'There is nothing under this path.')
      : refuse('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } })
  return problemAnswer(refusal, request.id)
}
