/** Kinds of hostile requests. Each draws one request of its kind and says whether it must be refused. */
import type { Random } from '../random.js'
import { authorized, type Abuse, type AbuseContext, type AbuseKind, type Operation } from './abuse.js'
import { headAbuses } from './abuse-heads.js'
import { requestOf } from './raw-http.js'

export const abuseKinds: Readonly<Record<string, AbuseKind>> = {
  'wrong credentials': wrongCredentials,
  'things of another tenant': foreignThings,
  'a method that the path lacks': wrongMethods,
  'a path that nobody has': strangePaths,
  'a forged page token': forgedTokens,
  'a strange query': strangeQueries,
  'a body that is not JSON': brokenBodies,
  'a body of another form': wrongBodies,
  'a content type': contentTypes,
  'a transfer of another form': wrongTransfers,
  'an example with another value': wrongExamples,
  ...headAbuses,
}

function wrongCredentials({ random, host, operations, target }: AbuseContext): Abuse {
  const { method, path } = pick(random, operations.filter(needsKey))
  const key = target.attacker.key
  const [name, value] = random.pick([
    ['none', null],
    ['another scheme', `Basic ${Buffer.from(key).toString('base64')}`],
    ['half a key', `Bearer ${key.slice(0, 12 + random.below(20))}`],
    ['a key with another character', `Bearer ${key.slice(0, 20)}${random.hex(1)}${key.slice(21)}!`],
    ['two keys', `Bearer ${key}, Bearer ${key}`],
    ['a key of zeros', `Bearer cpl_live_${'0'.repeat(60)}`],
    ['control characters', 'Bearer \x7f\x80'],
    ['a long key', `Bearer cpl_live_${'a'.repeat(4_000)}`],
    ['a session token', `Bearer cps_${random.hex(40)}`],
  ])
  const headers = value === null ? [] : [`Authorization: ${value}`]
  const bytes = Buffer.from(requestOf(method, filled(path, random), { host, headers }), 'latin1')
  return { name, bytes, expected: 'refused', isHead: method === 'HEAD' }
}

function foreignThings(context: AbuseContext): Abuse {
  const { random, target, operations } = context
  const own = operations.filter(({ path }) => path.includes('{report_id}') || path.includes('{job_id}'))
  const { method, path } = pick(random, own)
  const { report, job } = target.victim.ids
  const named = filled(path.replace('{report_id}', report).replace('{job_id}', job), random)
  const key = random.pick([target.attacker.key, target.attacker.readOnlyKey])
  const body = bodyFor(method, random)
  const headers = body === '' ? [] : ['Content-Type: application/json']
  return {
    name: `${method} ${path}`,
    bytes: requestOf(method, named, { host: context.host, key, headers, body }),
    expected: 'refused',
  }
}

function wrongMethods(context: AbuseContext): Abuse {
  const { random, operations } = context
  const { path } = pick(random, operations)
  const served = operations.filter((operation) => operation.path === path).map(({ method }) => method)
  const methods = [
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'TRACE',
    'PROPFIND',
    'LOCK',
    'QUERY',
    'CONNECT',
    'PURGE',
    'get',
    'M-SEARCH',
  ]
  const method = pick(
    random,
    methods.filter((name) => !served.includes(name)),
  )
  return {
    name: `${method} ${path}`,
    bytes: requestOf(method, filled(path, random), authorized(context)),
    expected: 'refused',
    // Node closes the connection of a client that requests a tunnel.
    mayBeDropped: method === 'CONNECT',
  }
}

function strangePaths(context: AbuseContext): Abuse {
  const { random } = context
  const { path } = pick(random, context.operations.filter(needsKey))
  const id = context.target.victim.ids.report
  const strange = random.pick([
    `/../../../../etc/passwd`,
    `/v1/%2e%2e/%2e%2e/etc/passwd`,
    `/v1/reports/${id}%00`,
    `/v1/reports/${id}%2fpdf`,
    `/v1/reports/%c0%af${id}`,
    `/v1/reports/${id}/../${id}`,
    `/V1/REPORTS/${id}`,
    `//v1//reports//${id}`,
    `/v1/reports/${'a'.repeat(8_000)}`,
    `/v1/reports/%`,
    `/v1/reports/%zz`,
    `/v1/reports/'%20OR%20'1'='1`,
    `/v1/bulk/job_${random.hex(32)}`,
    `/v1/bulk/__proto__`,
    `/v1/shared/constructor`,
    `${path.replaceAll(/\{\w+\}/g, '%F0%9F%92%A9')}/x`,
    `/v1/reports/${id};jsessionid=1/pdf`,
    `http://other.example/v1/reports/${id}`,
    `*`,
  ])
  return {
    name: strange.slice(0, 60),
    bytes: requestOf('GET', strange, authorized(context)),
    expected: 'refused',
  }
}

function forgedTokens(context: AbuseContext): Abuse {
  const { random } = context
  const lists = ['/v1/reports', '/v1/bulk', '/v1/audit-log', '/v1/cases', '/v1/chains', '/v1/lists']
  const list = pick(random, lists)
  const token = random.pick([
    'x',
    random.hex(64),
    Buffer.from(JSON.stringify([context.target.victim.ids.report])).toString('base64url'),
    'A'.repeat(500),
    'A'.repeat(5_000),
    '%00',
    '..%2f..%2f',
    Buffer.from(random.hex(90), 'hex').toString('base64url'),
  ])
  return {
    name: `${list} ${token.slice(0, 20)}`,
    bytes: requestOf('GET', `${list}?page_token=${token}`, authorized(context)),
    expected: 'refused',
  }
}

function strangeQueries(context: AbuseContext): Abuse {
  const { random } = context
  const { path } = pick(
    random,
    context.operations.filter((one) => one.method === 'GET' && needsKey(one)),
  )
  const query = random.pick([
    'page_size=0',
    'page_size=201',
    'page_size=1e2',
    'page_size=-1',
    'page_size=9999999999999999999999',
    'page_size=1&page_size=2',
    'from=0000-02-01',
    'to=9999-12-31T23:59:59-14:00',
    'changed_in=0000-02-01',
    'page_size[]=1',
    'page_size=%31%00',
    'unknown=1',
    '__proto__=1',
    'constructor[prototype][x]=1',
    'address=%ff%fe',
    `address=${'a'.repeat(3_000)}`,
    'level=red;drop%20table',
    'chain=%F0%9F%92%A9',
    '&&&===',
    `${'a=1&'.repeat(1_000)}`,
    'account_id=' + context.target.victim.accountId,
    '%',
    '?',
  ])
  const bytes = requestOf('GET', `${filled(path, random)}?${query}`, authorized(context))
  return { name: `${path}?${query.slice(0, 40)}`, bytes, expected: 'any' }
}

function brokenBodies(context: AbuseContext): Abuse {
  const { random } = context
  const body = random.pick([
    '{',
    '{"address":',
    '{"address":"0x","address":"0x"}',
    `${'['.repeat(20_000)}`,
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    '\uFEFF{"address":"x"}',
    '{"address":"\\ud800"}',
    '{"address":NaN}',
    '{"address":1e999}',
    "{'address':'x'}",
    '{"address":"x"}trailing',
    'null',
    '[]',
    '"x"',
    `{"address":"${'a'.repeat(1_100_000)}"}`,
    `{"\\u0000":1}`,
    random.hex(random.below(5_000)),
  ])
  return posted(
    context,
    random.pick(['/v1/screen', '/v1/bulk', '/v1/transfers', '/v1/webhook-endpoints']),
    body,
  )
}

function wrongBodies(context: AbuseContext): Abuse {
  const { random } = context
  const value = random.pick<unknown>([
    null,
    true,
    1,
    1e300,
    '',
    'x',
    [],
    {},
    ['x'],
    { toString: 1 },
    { __proto__: null },
  ])
  const name = random.pick([
    'address',
    'addresses',
    'chain',
    'url',
    '__proto__',
    'constructor',
    'account_id',
    'livemode',
    'report_id',
  ])
  const path = random.pick([
    '/v1/screen',
    '/v1/bulk',
    '/v1/transfers',
    '/v1/webhook-endpoints',
    '/v1/policy/what-if',
  ])
  const abuse = posted(context, path, `{"${name}":${JSON.stringify(value)}}`)
  // A job may contain an invalid address: only its item fails.
  const isJob = path === '/v1/bulk' && name === 'addresses' && Array.isArray(value) && value.length > 0
  return isJob ? { ...abuse, expected: 'any' } : abuse
}

const TERMS = [
  'chain',
  'direction',
  'from',
  'to',
  'asset',
  'amount',
  'transaction_hash',
  'ledger',
  'account_id',
]
const STRANGE_TERMS = [
  ...[null, 1, 1e300, '', '-1', '1e9', 'Infinity', '0x10', '１', '9'.repeat(101), `0.${'1'.repeat(90)}`],
  ...['\u0000', '__proto__', "'; DROP TABLE ledger.transfer; --", {}, [], ['1']],
]

function wrongTransfers(context: AbuseContext): Abuse {
  const { random } = context
  const address = `0x${random.hex(40)}`
  const stated = {
    chain: 'ETH',
    direction: 'incoming',
    from: address,
    to: address,
    asset: 'ETH',
    amount: '1',
  }
  const value = pick<unknown>(random, STRANGE_TERMS)
  const name = pick(random, TERMS)
  // A text may be a reference, or the absence of a hash; anything else of these is no transfer.
  const isAbsent = value === null && name === 'transaction_hash'
  const abuse = posted(context, '/v1/transfers', JSON.stringify({ ...stated, [name]: value }))
  return isAbsent ? { ...abuse, expected: 'any' } : abuse
}

/** Values that are of no use where a text, a number, a list or a moment belongs. */
const STRANGE_VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    -1,
    0,
    1.5,
    1e300,
    2 ** 53,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u202e',
    '__proto__',
    'a'.repeat(9_000),
  ],
  ...[
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59-14:00',
    '0000-02-01T00:00:00Z',
    '0000-02-01',
    '-000001-01-01',
    '2026-02-30',
    '1e9',
    'NaN',
    '%00',
    "';--",
  ],
  ...[
    'mailto:',
    'mailto:a@b.example,c@d.example',
    'mailto:a@b.example?bcc=c@d.example',
    'mailto:a@b.example\r\nX: y',
  ],
  ...[
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://169.254.169.254/',
    'sealed1.a.b.c',
    'cpl_live_',
    '{{7*7}}',
  ],
  ...[[], [[]], [null], ['x', 'x'], Array.from({ length: 500 }, () => 'x')],
  ...([{}, { toString: 1 }, { length: 1 }, { $ref: '#' }] as readonly object[]),
]

/** Each operation with a body is called beyond its key and its path, with one member of its example replaced or added. */
function wrongExamples(context: AbuseContext): Abuse {
  const { random, own, host, operations } = context
  const { method, path, example } = pick(
    random,
    operations.filter((one) => one.example !== undefined && needsKey(one)),
  )
  const name = pick(random, [...Object.keys(example!), '__proto__', 'constructor', 'account_id'])
  const value = pick(random, STRANGE_VALUES)
  const members = Object.entries({ ...example, [name]: undefined }).map(([key, member]) => {
    const text = JSON.stringify(key === name ? value : member)
    return `${JSON.stringify(key)}:${text}`
  })
  const at = filled(path.replace('{report_id}', own.reportId), random)
  const headers = ['Content-Type: application/json']
  const bytes = requestOf(method, at, { host, key: own.adminKey, headers, body: `{${members.join(',')}}` })
  return { name: `${method} ${path} ${name} ${JSON.stringify(value).slice(0, 40)}`, bytes, expected: 'any' }
}

function posted(context: AbuseContext, path: string, body: string): Abuse {
  const bytes = requestOf(
    'POST',
    path,
    authorized(context, { headers: ['Content-Type: application/json'], body }),
  )
  return { name: `${path} ${body.slice(0, 40)}`, bytes, expected: 'refused' }
}

function contentTypes(context: AbuseContext): Abuse {
  const type = context.random.pick([
    'text/plain',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/json;\tcharset=utf-8;a=b',
    'application/jsonp',
    'application/json\\',
    '',
  ])
  const extra = context.random.pick([[], ['Content-Encoding: gzip'], ['Content-Type: application/json']])
  const headers = [`Content-Type: ${type}`, ...extra]
  const body = '{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}'
  const bytes = requestOf('POST', '/v1/screen', authorized(context, { headers, body }))
  return { name: headers.join(' / '), bytes, expected: 'refused' }
}

const needsKey = ({ path }: Operation): boolean => path.startsWith('/v1/') && !path.includes('{token}')

function filled(path: string, random: Random): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'job_id' ? `job_${random.hex(32)}` : random.hex(16),
  )
}

function bodyFor(method: string, random: Random): string {
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return ''
  return random.pick([
    '{}',
    '{"text":"x"}',
    '{"expires_in_seconds":60}',
    '{"disposition":"cleared","reason":"x"}',
  ])
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!
}
