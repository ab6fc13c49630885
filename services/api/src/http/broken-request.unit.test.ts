import type { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { answerBrokenRequest } from './broken-request.js'

function answerTo(code: string | undefined, writable = true) {
  const socket = { writable, end: vi.fn<(text: string) => void>(), destroy: vi.fn() }
  answerBrokenRequest(
    Object.assign(new Error('x'), code === undefined ? {} : { code }),
    socket as unknown as Socket,
  )
  return { socket, text: socket.end.mock.calls[0]?.[0] }
}

test.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout'],
  ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large'],
  ['HPE_INVALID_METHOD', 400, 'Bad Request'],
  [undefined, 400, 'Bad Request'],
])('%s is answered %i and closes the connection', (code, status, reason) => {
  const { text } = answerTo(code)
  const [head, body] = text!.split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} ${reason}\\r\\nConnection: close\\r\\n`))
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`)
  const problem = JSON.parse(body) as Record<string, unknown>
  expect(problem).toMatchObject({ status, code: 'invalid_request' })
  expect(head).toContain(`Request-Id: ${String(problem['request_id'])}`)
})

test.each([
  ['ECONNRESET', true],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', true],
  ['ERR_SSL_HTTP_REQUEST', true],
  ['HPE_INVALID_METHOD', false],
])('nobody is answered who is gone (%s)', (code, writable) => {
  const { socket } = answerTo(code, writable)
  expect(socket.end).not.toHaveBeenCalled()
  expect(socket.destroy).toHaveBeenCalled()
})
