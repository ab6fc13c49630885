import type { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { answerBrokenRequest } from './broken-request.js'
import { problemExample } from './problem-schema.js'

function answerTo(code: string | undefined, writable = true) {
  const socket = { writable, end: vi.fn<(text: string) => void>(), destroy: vi.fn() }
  answerBrokenRequest(
    Object.assign(new Error('x'), code === undefined ? {} : { code }),
    socket as unknown as Socket,
  )
  return { socket, text: socket.end.mock.calls[0]?.[0] }
}

test.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large', 'head_too_large'],
  ['HPE_INVALID_METHOD', 400, 'Bad Request', 'invalid_request'],
  [undefined, 400, 'Bad Request', 'invalid_request'],
] as const)('%s is answered %i and closes the connection', (cause, status, reason, code) => {
  const { text } = answerTo(cause)
  const [head, body] = text!.split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} ${reason}\\r\\nConnection: close\\r\\n`))
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`)
  const problem = JSON.parse(body) as Record<string, unknown>
  expect(problem).toMatchObject({ status, code })
  // The answer equals the example of the description.
  if (status !== 400)
    expect({ ...problem, request_id: '' }).toEqual({ ...problemExample(code), request_id: '' })
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
