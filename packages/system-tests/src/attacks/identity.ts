/** The identity of a caller, behind a proxy and without one. */
import type { Attack, Outcome } from './attack.js'
import { requestOf, sendRaw } from './raw-http.js'
import { issueKey, type Target } from './target.js'

/** An address without callers. */
const ALLOWED_RANGE = '203.0.113.0/24'
const ALLOWED_ADDRESS = '203.0.113.9'
const FILLERS = Array.from({ length: 1_000 }, (_, at) => `a${at}: 1`)

async function withKeyOfElsewhere(target: Target, headers: readonly string[]): Promise<Outcome> {
  const { attacker, baseUrl, installation } = target
  const key = await issueKey(installation.home, attacker.accountId, [
    '--scope',
    'read-only',
    '--allow-ip',
    ALLOWED_RANGE,
  ])
  const { host } = new URL(baseUrl)
  const { status } = await sendRaw(baseUrl, { bytes: requestOf('GET', '/v1/chains', { host, key, headers }) })
  return {
    limit: 'a key with an allowlist is refused from elsewhere',
    measured: status === null ? 'the connection was ended' : String(status),
    held: status === 403 || status === 431 || status === 400 || status === null,
  }
}

async function withHead(target: Target, extra: string): Promise<Outcome> {
  const { host } = new URL(target.baseUrl)
  const bytes = requestOf('GET', '/v1/chains', { host, key: target.attacker.key, headers: [extra] })
  const { status } = await sendRaw(target.baseUrl, { bytes })
  return { limit: '400', measured: String(status), held: status === 400 }
}

export const identity: readonly Attack[] = [
  {
    name: 'an X-Forwarded-For of the caller',
    threat: 'identity',
    run: (target) => withKeyOfElsewhere(target, [`X-Forwarded-For: ${ALLOWED_ADDRESS}`]),
  },
  {
    name: '1,000 lines before the X-Forwarded-For of the proxy',
    threat: 'identity',
    run: (target) => withKeyOfElsewhere(target, [`X-Forwarded-For: ${ALLOWED_ADDRESS}`, ...FILLERS]),
  },
  { name: 'two Host lines', threat: 'identity', run: (target) => withHead(target, 'Host: other.example') },
  {
    name: 'two Authorization lines',
    threat: 'identity',
    run: (target) => withHead(target, 'Authorization: Bearer x'),
  },
]
