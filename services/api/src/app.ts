/**
 * The frame every call runs in, whatever its endpoint: request id, transport rule, key, body, handler, answer.
 * Nothing about access or errors is left to a route.
 */
import { METHODS } from 'node:http'
import { requestedEventId, type Logger, type Metrics } from '@cupel/contracts'
import { isUnavailable } from '@cupel/postgres'
import { LogUnavailableError } from '@cupel/event-log'
import type { AdmissionGate } from '@cupel/access'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { refusalOf } from './access/refusal-of.js'
import type { Transport } from './access/transport.js'
import { ClientGone, readJsonBody, type Body } from './http/body-reader.js'
import type { Answer, Call, Endpoint } from './http/endpoint.js'
import { faultsOf } from './http/faults.js'
import { isRefusal, problemAnswer, refuse, type Refusal } from './http/problem.js'
import { readQuery } from './http/query.js'
import { createPathTable } from './http/path-table.js'
import { answerBrokenRequest } from './http/broken-request.js'

export interface AppParts {
  readonly endpoints: readonly Endpoint[]
  readonly gate: AdmissionGate
  readonly transport: Transport
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface App {
  readonly fastify: FastifyInstance
  /** Ends keep-alive connections with their next answer; what was accepted is still answered. */
  close(): Promise<void>
}

/** Time a client may take to send the head of a request. */
const HEADERS_TIMEOUT_MS = 10_000
/** Time a client may take to send a whole request, body included. */
const REQUEST_TIMEOUT_MS = 30_000
/** How often both are looked at. */
const TIMEOUT_CHECK_INTERVAL_MS = 2_000
/** Idle time after which a kept connection is closed; above the minute common among load balancers. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** Longest head of a request. */
const MAX_HEADER_BYTES = 16_384
/** Connections one instance holds at once. */
const MAX_CONNECTIONS = 8_192
/** Every method Fastify would read a body for; Node may not know the newest. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']
/** A stored document may be fetched again by its owner alone: no shared cache may keep it. */
const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function buildApp(parts: AppParts): App {
  const requestSeconds = parts.metrics.histogram(
    'http_request_seconds',
    'Time from the head of a request to its answer.',
    LATENCY_BUCKETS,
    ['method', 'route', 'status'],
  )
  let closing = false

  const fastify = Fastify({
    logger: false,
    genReqId: requestedEventId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // An id of any length reaches its endpoint, which knows the form of an id.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A missing Host is refused below, with a problem like everything else.
      requireHostHeader: false,
    },
    frameworkErrors: (_error, request, reply) => void answerUnrouted(request, reply),
    clientErrorHandler: answerBrokenRequest,
  })
  // Fastify must not read bodies: its reading depends on how Content-Type is spelled (docs/adr/0070).
  for (const method of METHODS_WITH_BODY)
    if (METHODS.includes(method)) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  fastify.server.maxConnections = MAX_CONNECTIONS

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
      raw.writeHead(answer.status, headersOf(answer, request.id)).end(answer.body)
    const seconds = (performance.now() - receivedMs) / 1000
    requestSeconds.observe(seconds, { method: request.method, route, status: String(answer.status) })
    parts.logger.debug(
      { requestId: request.id, method: request.method, route, status: answer.status, seconds },
      'Answered',
    )
  }

  const headersOf = (answer: Answer, requestId: string): Record<string, string | number> => {
    const headers: Record<string, string | number> = { ...COMMON_HEADERS, 'request-id': requestId }
    if (answer.contentType !== undefined) headers['content-type'] = answer.contentType
    if (answer.body !== null) headers['content-length'] = Buffer.byteLength(answer.body)
    if (closing) headers['connection'] = 'close'
    if (parts.transport.isEncrypted) headers['strict-transport-security'] = 'max-age=31536000'
    return Object.assign(headers, answer.headers)
  }
  const serve = async (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const receivedMs = performance.now()
    try {
      const result = await answerCall(parts, endpoint, request, receivedMs)
      send(
        request,
        reply,
        isRefusal(result) ? problemAnswer(result, request.id) : result,
        endpoint.path,
        receivedMs,
      )
    } catch (error) {
      if (error instanceof ClientGone) {
        request.raw.destroy()
        return
      }
      send(request, reply, problemAnswer(faultOf(error, request.id), request.id), endpoint.path, receivedMs)
    }
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

/** Order matters: transport before key, key before everything the caller sent, so that a stranger learns nothing. */
async function answerCall(
  parts: AppParts,
  endpoint: Endpoint,
  request: FastifyRequest,
  receivedMs: number,
): Promise<Answer | Refusal> {
  const call: Call = { requestId: request.id, headers: request.headers, receivedMs }
  if (endpoint.access === 'open') {
    const inputs = readInputs(endpoint, request, null)
    return isRefused(inputs) ? inputs : await endpoint.handle(call, { ...inputs, body: undefined })
  }
  const origin = parts.transport.judge(request.raw)
  if (!origin.ok)
    return refuse('https_required', 'Plain HTTP is accepted from this host and from trusted proxies alone.')
  const body = endpoint.bodySchema === undefined ? null : await readJsonBody(request.raw)
  const admission = await parts.gate.admit({
    authorization: request.headers.authorization,
    clientAddress: origin.clientAddress,
    requiredScope: endpoint.access,
  })
  if (!admission.admitted) return refusalOf(admission)
  const inputs = readInputs(endpoint, request, body)
  return isRefused(inputs) ? inputs : await endpoint.handle({ ...call, caller: admission.caller }, inputs)
}

interface ReadInputs {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
}

function readInputs(endpoint: Endpoint, request: FastifyRequest, body: Body | null): ReadInputs | Refusal {
  const path = endpoint.pathSchema?.safeParse(request.params)
  if (path?.success === false) return refuse('not_found', 'There is nothing under this path.')
  const query = endpoint.querySchema === undefined ? null : readQuery(endpoint.querySchema, request.raw)
  if (query?.ok === false) return invalid(query.faults)
  if (body?.ok === false) return refuse(body.code, body.detail, { errors: body.errors })
  const parsedBody = endpoint.bodySchema?.safeParse(body?.value)
  if (parsedBody?.success === false) return invalid(faultsOf(parsedBody.error))
  return { path: path?.data, query: query?.value, body: parsedBody?.data }
}

function isRefused(inputs: ReadInputs | Refusal): inputs is Refusal {
  return 'code' in inputs
}

function invalid(errors: NonNullable<Refusal['errors']>): Refusal {
  return refuse('invalid_request', 'The request does not have the form this endpoint takes; see errors.', {
    errors,
  })
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
