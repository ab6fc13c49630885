/** Bytes that are no HTTP request: answered below the router, on the bare socket, in the same form as everything else. */
import type { Socket } from 'node:net'
import { STATUS_CODES } from 'node:http'
import { requestedEventId, type ProblemCode } from '@cupel/contracts'
import { isAnsweredEarly } from './body-reader.js'
import { problemAnswer, refuse } from './problem.js'
import { securityHeaders, STRICT_TRANSPORT_SECURITY } from '@cupel/kit/http-edge'

interface ClientFault extends Error {
  readonly code?: string
}

/** The problem that callers get for each error code of Node's parser. */
const faults: Readonly<Record<string, { code: ProblemCode; detail: string }>> = {
  HPE_HEADER_OVERFLOW: { code: 'head_too_large', detail: 'The head of the request is too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'The request did not arrive in time.' },
}

/** Time the answer has to arrive before the connection ends for good: a client that keeps sending must not hold it. */
const LINGER_MS = 1_000

export function answerBrokenRequest(error: ClientFault, socket: Socket): void {
  // Without a finished handshake no answer can be sent: it would wait, and hold the connection, for ever.
  if (error.code === 'ECONNRESET' || isTlsFault(error) || !socket.writable || isAnsweredEarly(socket)) {
    socket.destroy()
    return
  }
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  const fault = faults[error.code ?? ''] ?? {
    code: 'invalid_request' as const,
    detail: 'This is not an HTTP request.',
  }
  const requestId = requestedEventId()
  const answer = problemAnswer(refuse(fault.code, fault.detail), requestId)
  const { body, status } = answer
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      `Content-Type: ${answer.contentType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Request-Id: ${requestId}`,
      ...Object.entries(headersFor(socket)).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  )
}

function headersFor(socket: Socket): Readonly<Record<string, string>> {
  if (!('encrypted' in socket)) return securityHeaders
  return { ...securityHeaders, 'strict-transport-security': STRICT_TRANSPORT_SECURITY }
}

function isTlsFault({ code }: ClientFault): boolean {
  return code !== undefined && /^ERR_(?:TLS|SSL|OSSL)_/.test(code)
}
