/**
 * No GET reads more when the account is older. Every GET of the description is called with each filter, and with each pair of filters that
 * it allows, for an account with few rows and with many. What a statement reads is counted in buffers of Postgres, not in time.
 */
import type { Database, Queryable, Statement } from '@cupel/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { document } from './described.js'
import { askedValues, grow, type Grown } from './grown-account.js'
import { call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

/** A night has a minute for each long suite and more rows: of a smaller table Postgres reads all pages in place of what an index names. */
const ROWS = Number(
  process.env['CUPEL_TEST_GROWN_ROWS'] ??
    (Number(process.env['CUPEL_TEST_LONG_BUDGET_MS'] ?? 0) < 60_000 ? 2_000 : 1_000_000),
)
/** Ten million rows in all tables need 67 GB. A run may have them in some schemas; the others keep the fewest. */
const SCHEMAS = process.env['CUPEL_TEST_GROWN_SCHEMAS']?.split(',')
const FEWEST = Math.min(10_000, ROWS / 10)
const COMPARED_FROM = 1_000_000
const HANG_MS = 600_000 + ROWS
/** A search reads 5,000 rows at most, each in a page of its own, and the pages of indexes: of ten million rows one level more. */
const SEARCHED_BUFFERS = 7_500
const GROWTH = 1.5
/** A page more for each level of an index that a statement descends: there are up to twelve ranges, of which each has one level more. */
const MORE_BUFFERS = 100
const PAGE = 'page_size=20'
const MONTH = new Date().toISOString().slice(0, 'YYYY-MM'.length)
/** What reads data of accounts and changes nothing. */
const IS_READ =
  /^\s*(WITH|SELECT)\b(?!.*\b(INSERT|UPDATE|DELETE)\b).*\b(report_view|audit_view|job_view|case_view|inbox_view|label_view|labels|cases|watches|webhooks|sharing)\./s

let installation: Installation
let grown: Grown & { readonly key: string; readonly young: string }
let baseUrl: string
let buffers = 0

/** Runs each read once more under EXPLAIN and adds its buffers. */
function counting(database: Database): Database {
  const query: Queryable['query'] = async (statement, values) => {
    const own: Statement = typeof statement === 'string' ? { text: statement } : statement
    if (IS_READ.test(own.text)) {
      const explained = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${own.text}`
      const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        { ...own, ...(own.name === undefined ? {} : { name: `${own.name} explained` }), text: explained },
        values,
      )
      const { Plan } = row!['QUERY PLAN'][0]
      buffers += Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!
    }
    return await database.query(statement, values)
  }
  return { ...database, query }
}

/** Every path with its parameters, each filter, and each pair of filters. A parameter without a value is named. */
function asked(values: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const valuesOf = (name: string, schema: { readonly enum?: readonly string[] } = {}): readonly string[] => {
    const known = schema.enum ?? values[name]
    if (known === undefined) throw new Error(`The table of reads has no value of ${name}`)
    return known
  }
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (get === undefined || NOT_ASKED.has(path)) return []
    const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valuesOf(name)[0]!)
    const parameters = (get.parameters ?? []) as readonly {
      readonly in: string
      readonly name: string
      readonly schema: object
    }[]
    const query = parameters.filter(({ in: where }) => where === 'query')
    const filters = query
      .filter(({ name }) => name !== 'page_size' && name !== 'page_token')
      .map(({ name, schema }) =>
        valuesOf(name, schema).map((value) => `${name}=${encodeURIComponent(value)}`),
      )
    const pairs = filters.flatMap((some, index) =>
      filters
        .slice(index + 1)
        .flatMap((others) => some.flatMap((one) => others.map((other) => `${one}&${other}`))),
    )
    const page = query.some(({ name }) => name === 'page_size') ? [PAGE] : []
    const needed = (NEEDED[path] ?? []).map(
      ([name, other]) => [name, `${other}=${values[other]![0]}`] as const,
    )
    return ['', ...filters.flat(), ...pairs].map((search) => {
      const given = new URLSearchParams(search)
      const missing = needed.filter(([name, other]) => given.has(name) && !given.has(other.split('=')[0]!))
      const whole = [
        ...page,
        ...(search === '' ? [] : [search]),
        ...missing.map(([, other]) => encodeURI(other)),
      ].join('&')
      return whole === '' ? place : `${place}?${whole}`
    })
  })
}

/** Filters that count only with another one. */
const NEEDED: Readonly<Record<string, readonly (readonly [filter: string, other: string])[]>> = {
  '/v1/labels': [
    ['chain', 'address'],
    ['dataset', 'source'],
  ],
  '/v1/own-labels': [['chain', 'address']],
}

/** They read files or memory, or one row by the hash of what the caller holds. */
const NOT_ASKED = new Set([
  ...[
    '/v1/shared/{token}',
    '/v1/email/{link}',
    '/v1/log/tile/{tile}',
    '/v1/log/checkpoint',
    '/v1/bulk/{job_id}/events',
  ],
  ...['/docs', '/openapi.json', '/postman.json', '/problems/{code}', '/healthz', '/readyz'],
])

/** Buffers of each read, and of its second page. */
async function measured(): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  const [old, young] = [['', grown.key] as const, [' of a young account', grown.young] as const]
  for (const path of asked(askedValues(grown, MONTH)))
    for (const [whose, key] of path.includes('&') ? [old] : [old, young]) {
      buffers = 0
      const reply = await call(baseUrl, 'GET', path, { key })
      // The grown account has rows, and no leaves.
      const mayFail = key !== grown.key || path.endsWith('/proof')
      expect(mayFail ? [200, 404, 503] : [200], `${path}: ${reply.text}`).toContain(reply.status)
      found.set(path + whose, buffers)
      const next =
        reply.headers['content-type'] === 'application/json' ? reply.json()['next_page_token'] : null
      if (typeof next !== 'string') continue
      buffers = 0
      await call(baseUrl, 'GET', `${path}&page_token=${next}`, { key })
      found.set(`${path}${whose}, second page`, buffers)
    }
  return found
}

beforeAll(async () => {
  installation = await startInstallation()
  const api = await installation.api({ database: counting(installation.connect({ statementTimeoutMs: 0 })) })
  baseUrl = api.baseUrl
  const { accountId, keyId, key } = await installation.key({ plan: 'enterprise', scope: 'operator' })
  const young = await installation.key({ plan: 'enterprise', scope: 'operator' })
  const change = { issue_key: { scope: 'read-only' }, reason: 'A test' }
  const changeId = String(
    (await call(baseUrl, 'POST', '/v1/proposed-changes', { key, body: change })).json()['change_id'],
  )
  const endpointId = `we_${'0'.repeat(20)}`
  grown = { accountId, keyId, key, young: young.key, endpointId, changeId }
  await installation.database.execute(
    `INSERT INTO webhooks.endpoint (endpoint_id, account_id, livemode, url, payload, status, sealed_secret, created_at)
     VALUES ($1, $2, true, 'https://example.com/', 'thin', 'enabled', '', now())`,
    [grown.endpointId, accountId],
  )
})
afterAll(() => installation.stop())

test(
  'a GET answers with each filter and each pair, and of many more rows it reads at most half as much again',
  async () => {
    const database = installation.connect({ statementTimeoutMs: 0 })
    const macs = installation.log.macs!
    await grow(database, grown, MONTH, { have: 0, size: FEWEST, macs })
    const before = await measured()
    await grow(
      database,
      grown,
      MONTH,
      { have: FEWEST, size: ROWS, macs },
      (schema) => SCHEMAS?.includes(schema) ?? true,
    )
    const after = await measured()
    expect(after.size).toBeGreaterThan(100)
    if (ROWS < COMPARED_FROM) return
    const grew = [...after].flatMap(([read, count]) => {
      const first = before.get(read) ?? 0
      return count <= Math.max(GROWTH * first + MORE_BUFFERS, SEARCHED_BUFFERS)
        ? []
        : [`${read}: ${first} to ${count} buffers`]
    })
    expect(grew).toEqual([])
  },
  HANG_MS,
)
