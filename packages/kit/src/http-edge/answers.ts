/**
 * Bounds the answers that wait for their readers. A client can send requests and read nothing: each answer then stays in memory. A
 * connection has a few requests under way, a client and the process have a number of unsent bytes, and a reader has a least rate. Whoever
 * passes a limit loses the connection.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Metrics } from '@cupel/contracts'
import { clientNetwork } from './ip-range.js'
import type { Transport } from './transport.js'

export interface AnswerLimits {
  /** Requests of one connection that are not answered whole. HTTP/1.1 clients of today have one. */
  readonly maxUnderWay: number
  /** Unsent bytes of all connections of a client; a single answer may be larger. */
  readonly maxBytesPerClient: number
  /** Unsent bytes of the process; beyond them the client with the most loses a connection. */
  readonly maxBytes: number
  /** Time that a reader has for any answer, in addition to that of its bytes. */
  readonly patienceMs: number
  readonly leastBytesPerSecond: number
}

export const answerLimits: AnswerLimits = {
  maxUnderWay: 16,
  maxBytesPerClient: 8_388_608,
  maxBytes: 67_108_864,
  patienceMs: 30_000,
  leastBytesPerSecond: 16_384,
}

export interface Answers {
  /** Drops requests of a connection with too many under way, before anything is done for them. */
  guard(server: Server): void
  /** Counts an answer that was given to its connection, until it is sent. Costs nothing if it was sent at once. */
  hold(request: IncomingMessage, response: ServerResponse, bytes: number): void
}

/** A small answer costs its objects. */
const LEAST_COST_BYTES = 4_096

type Limit = 'connection' | 'client' | 'instance' | 'rate'

export function createAnswers(
  transport: Pick<Transport, 'judge'>,
  metrics: Metrics,
  limits: AnswerLimits = answerLimits,
): Answers {
  const unsent = createUnsent(metrics)
  const closed = metrics.counter(
    'http_unread_connections_closed_total',
    'Connections that were closed because their answers were not read.',
    ['limit'],
  )
  for (const limit of ['connection', 'client', 'instance', 'rate']) closed.inc({ limit }, 0)
  const underWay = new WeakMap<Socket, number>()
  const close = (socket: Socket, limit: Limit): void => {
    if (!socket.destroyed) closed.inc({ limit })
    socket.destroy()
  }
  return {
    guard(server) {
      const handlers = server.listeners('request') as ((...call: unknown[]) => void)[]
      server.removeAllListeners('request')
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const { socket } = request
        const before = underWay.get(socket) ?? 0
        if (before >= limits.maxUnderWay) return close(socket, 'connection')
        underWay.set(socket, before + 1)
        response.once('close', () => underWay.set(socket, underWay.get(socket)! - 1))
        for (const handler of handlers) handler.call(server, request, response)
      })
    },
    hold(request, response, length) {
      const { socket } = request
      if (response.writableFinished || socket.destroyed) return
      const origin = transport.judge(request)
      const client = clientNetwork(origin.ok ? origin.clientAddress : (socket.remoteAddress ?? ''))
      const bytes = Math.max(length, LEAST_COST_BYTES)
      const held = unsent.bytesOf(client)
      if (held > 0 && held + bytes > limits.maxBytesPerClient) return close(socket, 'client')
      const giveBack = unsent.add(client, { socket, bytes })
      const patienceMs = limits.patienceMs + (1_000 * bytes) / limits.leastBytesPerSecond
      const timer = setTimeout(() => close(socket, 'rate'), patienceMs)
      const release = (): void => {
        clearTimeout(timer)
        socket.off('close', release)
        giveBack()
      }
      response.once('close', release)
      // An answer that waits behind another one is not told that its connection has ended.
      socket.once('close', release)
      if (unsent.total() > limits.maxBytes) close(unsent.oldestOfLargest(), 'instance')
    },
  }
}

interface UnsentAnswer {
  readonly socket: Socket
  readonly bytes: number
}

/** The unsent answers of each client, the oldest first. */
function createUnsent(metrics: Metrics) {
  const gauge = metrics.gauge('http_unsent_bytes', 'Bytes of answers that wait for their readers.')
  const clients = new Map<string, { bytes: number; readonly answers: Set<UnsentAnswer> }>()
  let total = 0
  return {
    total: () => total,
    bytesOf: (client: string) => clients.get(client)?.bytes ?? 0,
    /** Returns a function that gives the bytes back, once. */
    add(client: string, answer: UnsentAnswer): () => void {
      const of = clients.get(client) ?? { bytes: 0, answers: new Set() }
      clients.set(client, of)
      of.answers.add(answer)
      of.bytes += answer.bytes
      gauge.set((total += answer.bytes))
      return () => {
        if (!of.answers.delete(answer)) return
        of.bytes -= answer.bytes
        gauge.set((total -= answer.bytes))
        if (of.answers.size === 0) clients.delete(client)
      }
    },
    /** The connection of the oldest answer of the client with the most bytes. */
    oldestOfLargest(): Socket {
      const largest = [...clients.values()].reduce((most, one) => (one.bytes > most.bytes ? one : most))
      const [oldest] = largest.answers
      return oldest!.socket
    },
  }
}

/**
 * Writes chunks as fast as the reader reads, so that a few of them are in memory. A reader that takes nothing for `patienceMs` loses the
 * connection, as with any other answer. Rejects if the chunks break off: the reader must then not take its part for the whole answer.
 */
export async function pump(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  { patienceMs }: Pick<AnswerLimits, 'patienceMs'> = answerLimits,
): Promise<void> {
  response.on('error', () => undefined)
  for await (const chunk of chunks) {
    if (response.destroyed) return
    if (!response.write(chunk)) await drained(response, patienceMs)
  }
  response.end()
}

function drained(response: ServerResponse, patienceMs: number): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), patienceMs)
    const go = (): void => {
      clearTimeout(timer)
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}
