/** Writes answers to the socket, with the headers that every answer carries, and measures them. */
import type { Logger, Metrics, Trace } from '@cupel/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from './answer.js'
import { type Answers, securityHeaders, STRICT_TRANSPORT_SECURITY } from '@cupel/kit/http-edge'

/** `route`: path template for the metric. `receivedMs`: clock reading (performance.now) when the head had arrived. */
export type SendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  route: string,
  receivedMs: number,
  trace?: Trace,
) => void

export interface SendAnswerOptions {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly answers: Pick<Answers, 'hold'>
  /** Whether the call came over TLS. */
  readonly isSecure: (request: FastifyRequest['raw']) => boolean
  /** While it is true, connections end with their next answer. */
  readonly isClosing: () => boolean
}

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createSendAnswer(options: SendAnswerOptions): SendAnswer {
  const requestSeconds = options.metrics.histogram(
    'http_request_seconds',
    'Time from the head of a request to its answer, or to the head of a streamed one.',
    LATENCY_BUCKETS,
    ['method', 'route', 'status'],
  )
  const headersOf = (answer: Answer, request: FastifyRequest): Record<string, string | number> => {
    const headers: Record<string, string | number> = { ...securityHeaders, 'request-id': request.id }
    if (answer.contentType !== undefined) headers['content-type'] = answer.contentType
    if (answer.body !== null && answer.stream === undefined)
      headers['content-length'] = Buffer.byteLength(answer.body)
    if (options.isClosing()) headers['connection'] = 'close'
    if (options.isSecure(request.raw)) headers['strict-transport-security'] = STRICT_TRANSPORT_SECURITY
    return Object.assign(headers, answer.headers)
  }

  return (request, reply, answer, route, receivedMs, trace) => {
    // Fastify's own sending is bypassed: it adds a charset to JSON, which has none (RFC 8259), and runs hooks for each answer.
    reply.hijack()
    const { raw } = reply
    const { method } = request
    const { status } = answer
    const isSent = !raw.destroyed && !raw.headersSent
    if (isSent) raw.writeHead(status, headersOf(answer, request))
    if (isSent && answer.stream !== undefined && method !== 'HEAD') answer.stream(raw)
    else {
      if (isSent) raw.end(answer.body)
      if (isSent && answer.body !== null)
        options.answers.hold(request.raw, raw, Buffer.byteLength(answer.body))
      answer.discard?.()
    }
    const seconds = (performance.now() - receivedMs) / 1000
    requestSeconds.observe(seconds, { method, route, status: String(status) }, trace)
    const traceId = trace?.traceId
    options.logger.debug({ requestId: request.id, traceId, method, route, status, seconds }, 'Answered')
  }
}
