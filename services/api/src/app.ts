/**
 * The HTTP server around the endpoints: request ids, limits of connections, routes, and answers to requests that no endpoint
 * serves. Access and errors are handled here and in serve-call.ts, never in a route.
 */
import { METHODS } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestedEventId, type Logger, type Metrics } from '@cupel/contracts'
import {
  connectionLimits,
  createAnswers,
  headFaultOf,
  limitConnections,
  serverOptionsOf,
  type ConnectionLimits,
  type TlsIdentity,
} from '@cupel/kit/http-edge'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import {
  answerBrokenRequest,
  type Endpoint,
  problemAnswer,
  refuse,
  createSendAnswer,
  type SendAnswer,
} from '@cupel/gate/http'
import {
  createAnswerUnrouted,
  type AnswerUnrouted,
  faultOf,
  serveCall,
  type ServeParts,
} from '@cupel/gate/calls'

export interface AppParts extends ServeParts {
  readonly endpoints: readonly Endpoint[]
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: plain HTTP. */
  readonly tls?: TlsIdentity | null
  readonly limits?: Partial<ConnectionLimits>
  /** Where the console is served, without a slash at the end; undefined where it is not. */
  readonly webUrl?: string | undefined
}

export interface App {
  readonly fastify: FastifyInstance
  /** For this long calls are answered as before, but every answer ends its connection, so that callers go elsewhere. */
  drain(durationMs: number): Promise<void>
  /** Ends keep-alive connections with their next answer; calls that were accepted are still answered. */
  close(): Promise<void>
}

export function buildApp(parts: AppParts): App {
  let isClosing = false
  const { logger, metrics, transport } = parts
  const answers = createAnswers(transport, metrics)
  const send = createSendAnswer({
    ...{ logger, metrics, answers },
    isSecure: (request) => transport.isSecure(request),
    isClosing: () => isClosing,
  })
  const answerUnrouted = createAnswerUnrouted(parts, send)
  const fastify = openServer(parts, answerUnrouted)
  answers.guard(fastify.server)
  refuseMalformedHead(fastify, send)
  ignoreUnknownExpectations(fastify)
  fastify.setNotFoundHandler(answerUnrouted)
  fastify.setErrorHandler((error, request, reply) => {
    const answer = problemAnswer(faultOf(error, request.id, logger), request.id)
    send(request, reply, answer, 'framework', performance.now())
  })
  for (const endpoint of parts.endpoints) {
    fastify.route({
      method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method],
      url: routeOf(endpoint),
      handler: (request, reply) => {
        if (endpoint.lastParameterTakesSlashes === true) nameRest(endpoint, request)
        void serveCall(parts, send, endpoint, request, reply)
      },
    })
  }
  return {
    fastify,
    async drain(durationMs) {
      isClosing = true
      await sleep(durationMs, undefined, { ref: false })
    },
    async close() {
      isClosing = true
      await fastify.close()
    },
  }
}

const LAST_PARAMETER = /\{(\w+)\}$/

function routeOf({ path, lastParameterTakesSlashes }: Endpoint): string {
  const last = lastParameterTakesSlashes === true ? path.replace(LAST_PARAMETER, '*') : path
  return last.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** The router gives the rest of the path no name. */
function nameRest({ path }: Endpoint, request: FastifyRequest): void {
  const [, name = ''] = LAST_PARAMETER.exec(path) ?? []
  const { '*': rest, ...others } = request.params as Record<string, string>
  request.params = { ...others, [name]: rest }
}

/** Every method Fastify would read a body for; Node may not know the newest. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']

function openServer(parts: AppParts, answerUnrouted: AnswerUnrouted): FastifyInstance {
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
    frameworkErrors: (_error, request, reply) => answerUnrouted(request, reply),
    clientErrorHandler: answerBrokenRequest,
  }) as FastifyInstance
  // Fastify must not read bodies: how it reads them depends on the spelling of Content-Type (docs/adr/0095).
  for (const method of METHODS_WITH_BODY)
    if (METHODS.includes(method)) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  limitConnections(fastify.server, limits, (socket) => parts.transport.isTrustedPeer(socket), parts.metrics)
  return fastify
}

/** Judges only the head, before anything is looked up for it. */
function refuseMalformedHead(fastify: FastifyInstance, send: SendAnswer): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const fault = headFaultOf(request.raw)
    if (fault === null) return done()
    send(
      request,
      reply,
      problemAnswer(refuse(fault.code, fault.detail), request.id),
      'unknown',
      performance.now(),
    )
  })
}

/** RFC 9110, section 10.1.1 allows to ignore an unknown expectation; Node would answer 417 without a body. */
function ignoreUnknownExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
