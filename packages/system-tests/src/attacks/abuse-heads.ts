/** Hostile heads, and bytes that are not a whole request. */
import { authorized, type Abuse, type AbuseContext, type AbuseKind } from './abuse.js'
import { requestOf } from './raw-http.js'

export const headAbuses: Readonly<Record<string, AbuseKind>> = {
  'an ambiguous head': ambiguousHeads,
  'a malformed head': malformedHeads,
  'a large head': largeHeads,
  'bytes of another protocol': otherProtocols,
  'an unfinished request': unfinishedRequests,
}

/** Requests that two readers could interpret differently. */
function ambiguousHeads(context: AbuseContext): Abuse {
  const { host, target, random } = context
  const key = `Authorization: Bearer ${target.attacker.key}`
  const start = `POST /v1/screen HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`
  const json = 'Content-Type: application/json\r\n'
  const [name, bytes] = random.pick([
    ['two hosts', `${start}Host: other\r\n${key}\r\n\r\n`],
    ['two keys', `${start}${key}\r\nAuthorization: Bearer x\r\n\r\n`],
    ['two lengths', `${start}${key}\r\n${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      'length and chunks',
      `${start}${key}\r\n${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['chunks twice', `${start}${key}\r\n${json}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
    ['unknown coding', `${start}${key}\r\n${json}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunk of a negative size', `${start}${key}\r\n${json}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n`],
    [
      'chunk of a huge size',
      `${start}${key}\r\n${json}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n\r\n`,
    ],
    ['negative length', `${start}${key}\r\n${json}Content-Length: -1\r\n\r\n`],
    ['length with a sign', `${start}${key}\r\n${json}Content-Length: +2\r\n\r\n{}`],
    ['no host', `POST /v1/screen HTTP/1.1\r\nConnection: close\r\n${key}\r\n\r\n`],
    ['a folded line', `${start}X: a\r\n b\r\n${key}\r\n\r\n`],
    ['a space before the colon', `${start}Content-Length : 2\r\n${key}\r\n\r\n{}`],
  ])
  return { name, bytes, expected: 'refused', mayBeDropped: true, isEnded: true }
}

function malformedHeads({ host, random }: AbuseContext): Abuse {
  const [name, bytes] = random.pick([
    ['a bare line feed', `GET /v1/chains HTTP/1.1\nHost: ${host}\n\n`],
    ['NUL in a value', `GET /v1/chains HTTP/1.1\r\nHost: ${host}\r\nX: a\0b\r\n\r\n`],
    ['NUL in the path', `GET /v1/\0chains HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['no colon', `GET /v1/chains HTTP/1.1\r\nHost: ${host}\r\nnonsense\r\n\r\n`],
    ['HTTP/0.9', 'GET /v1/chains\r\n\r\n'],
    ['HTTP/3.7', `GET /v1/chains HTTP/3.7\r\nHost: ${host}\r\n\r\n`],
    ['an empty line first, then nothing', '\r\n\r\n\r\n'],
    ['a name with a space', `GET /v1/chains HTTP/1.1\r\nHost: ${host}\r\na b: c\r\n\r\n`],
    ['a carriage return in a value', `GET /v1/chains HTTP/1.1\r\nHost: ${host}\r\nX: a\rb\r\n\r\n`],
    ['a path with a space', `GET /v1/ chains HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['random bytes', Buffer.from(random.hex(400), 'hex').toString('latin1')],
  ])
  return { name, bytes: Buffer.from(bytes, 'latin1'), expected: 'refused', mayBeDropped: true, isEnded: true }
}

function largeHeads(context: AbuseContext): Abuse {
  const { random } = context
  const [name, headers] = random.pick([
    ['1,001 lines', Array.from({ length: 1_001 }, (_, at) => `a${at}: 1`)],
    ['150 lines', Array.from({ length: 150 }, (_, at) => `a${at}: 1`)],
    ['a line of 20 kB', [`X: ${'a'.repeat(20_000)}`]],
    ['a name of 20 kB', [`${'a'.repeat(20_000)}: 1`]],
    ['a cookie of 17 kB', [`Cookie: ${'a=b;'.repeat(4_300)}`]],
  ])
  const bytes = requestOf('GET', '/v1/chains', authorized(context, { headers }))
  return { name, bytes, expected: 'refused', mayBeDropped: true }
}

function otherProtocols({ random }: AbuseContext): Abuse {
  const [name, bytes] = random.pick([
    ['HTTP/2 in the clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['SSH', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['SMTP', 'EHLO example.com\r\n'],
    ['Redis', '*1\r\n$4\r\nINFO\r\n'],
    ['PROXY protocol', 'PROXY TCP4 203.0.113.9 203.0.113.10 1 2\r\n'],
    ['nothing', ''],
  ])
  return { name, bytes: Buffer.from(bytes, 'latin1'), expected: 'refused', mayBeDropped: true, isEnded: true }
}

function unfinishedRequests(context: AbuseContext): Abuse {
  const whole = requestOf(
    'POST',
    '/v1/screen',
    authorized(context, { headers: ['Content-Type: application/json'], body: '{"address":"0x0"}' }),
  )
  const bytes = whole.slice(0, 1 + context.random.below(whole.length - 1))
  return {
    name: `${bytes.length} of ${whole.length} bytes`,
    bytes,
    expected: 'any',
    mayBeDropped: true,
    isEnded: true,
  }
}
