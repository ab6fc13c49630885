/** The HTTP server of the console: limits of connections, the pages, the assets, and answers to all other requests. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { constants, gzipSync } from 'node:zlib'
import { requestedEventId } from '@cupel/contracts'
import {
  connectionLimits,
  createAnswers,
  headFaultOf,
  limitConnections,
  serverOptionsOf,
  takesGzip,
  type Answers,
  type ConnectionLimits,
  type TlsIdentity,
} from '@cupel/kit/http-edge'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Asset } from './assets.js'
import { isAnsweredEarly } from './form.js'
import { createServePage, type ServePageParts } from './serve-page.js'
import { webHeaders } from './web-headers.js'

export interface WebAppParts extends Omit<ServePageParts, 'isClosing' | 'answers'> {
  readonly tls: TlsIdentity | null
  readonly limits?: Partial<ConnectionLimits>
}

export interface WebApp {
  readonly fastify: FastifyInstance
  /** For this long pages are served as before, but every answer ends its connection, so that callers go elsewhere. */
  drain(durationMs: number): Promise<void>
  close(): Promise<void>
}

const YEAR = 'public, max-age=31536000, immutable'

export function buildWebApp(parts: WebAppParts): WebApp {
  let isClosing = false
  const limits = { ...connectionLimits, ...parts.limits }
  const fastify = Fastify({
    logger: false,
    genReqId: requestedEventId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: true,
    connectionTimeout: limits.silenceTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    routerOptions: { maxParamLength: limits.maxHeaderBytes },
    ...serverOptionsOf(limits, parts.tls),
    frameworkErrors: (_error, request, reply) => serve.unrouted(request, reply),
    clientErrorHandler: answerBroken,
  }) as FastifyInstance
  const answers = createAnswers(parts.transport, parts.metrics)
  answers.guard(fastify.server)
  refuseMalformedHead(fastify)
  const serve = createServePage({ ...parts, answers, isClosing: () => isClosing })
  // The frame itself reads forms, after it has judged the transport.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
  limitConnections(fastify.server, limits, (socket) => parts.transport.isTrustedPeer(socket), parts.metrics)
  for (const one of parts.pages) {
    fastify.route({
      method: one.method === 'GET' ? ['GET', 'HEAD'] : [one.method],
      url: one.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => void serve.page(one, request, reply),
    })
  }
  for (const asset of Object.values(parts.assets) as Asset[]) serveAsset(fastify, answers, asset)
  fastify.get('/healthz', (request, reply) =>
    sendPlain(request, reply, answers, { contentType: 'text/plain', body: Buffer.from('ok\n') }),
  )
  fastify.setNotFoundHandler(serve.unrouted)
  fastify.setErrorHandler((error, request, reply) => serve.failed(error, request, reply))
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

/** Judges only the head, before anything is done for it. */
function refuseMalformedHead(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const fault = headFaultOf(request.raw)
    if (fault === null) return done()
    reply.hijack()
    const status = fault.code === 'head_too_large' ? 431 : 400
    reply.raw.writeHead(status, { ...webHeaders, connection: 'close', 'content-length': 0 }).end()
  })
}

/** Packed once. Pages are not packed: the length of a packed page tells about a secret in it next to text of others. */
function serveAsset(fastify: FastifyInstance, answers: Answers, { path, contentType, body }: Asset): void {
  const packed = gzipSync(body, { level: constants.Z_BEST_COMPRESSION })
  const headers = { 'cache-control': YEAR, vary: 'accept-encoding' }
  fastify.route({
    method: ['GET', 'HEAD'],
    url: path,
    handler: (request, reply) => {
      const answer = takesGzip(request.headers['accept-encoding'])
        ? { body: packed, headers: { ...headers, 'content-encoding': 'gzip' } }
        : { body, headers }
      sendPlain(request, reply, answers, { contentType, ...answer })
    },
  })
}

function sendPlain(
  request: FastifyRequest,
  reply: FastifyReply,
  answers: Answers,
  {
    contentType,
    body,
    headers = {},
  }: Omit<Asset, 'path'> & { readonly headers?: Readonly<Record<string, string>> },
): void {
  reply.hijack()
  const length = { 'content-type': contentType, 'content-length': body.length }
  reply.raw.writeHead(200, { ...webHeaders, ...length, ...headers }).end(body)
  answers.hold(request.raw, reply.raw, body.length)
}

/** Bytes that are no HTTP request, or come too slowly: answered below the router, on the bare socket. */
function answerBroken(error: Error & { readonly code?: string }, socket: Socket): void {
  if (
    error.code === 'ECONNRESET' ||
    !socket.writable ||
    isAnsweredEarly(socket) ||
    /^ERR_(?:TLS|SSL|OSSL)_/.test(error.code ?? '')
  ) {
    socket.destroy()
    return
  }
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  const status = brokenStatuses[error.code ?? ''] ?? '400 Bad Request'
  const headers = Object.entries(webHeaders).map(([name, value]) => `${name}: ${value}`)
  socket.end(
    [`HTTP/1.1 ${status}`, 'Connection: close', 'Content-Length: 0', ...headers, '', ''].join('\r\n'),
  )
}

/** Time the answer has to arrive before the connection ends for good. */
const LINGER_MS = 1_000
const brokenStatuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}
