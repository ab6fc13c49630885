/**
 * Two accounts with two environments each are four tenants. No tenant can detect objects of another one:
 * the test calls every described endpoint with every id of another tenant, and compares the answer with that for an unknown id.
 */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { runReadModel } from '@cupel/projections'
import { auditView } from '@cupel/audit/read-model'
import { isLongRun, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { exampleOf } from './described.js'
import { ADDRESS, call, type Reply } from './http-client.js'
import { newShare } from './report-work.js'
import { startInstallation, type Installation } from './installation.js'
import { newWatch } from './watch-work.js'

interface Tenant {
  readonly name: string
  readonly key: string
  readonly ids: string[]
  readonly reportText: string
}
type Description = { readonly paths: Record<string, Record<string, { readonly requestBody?: unknown }>> }

let installation: Installation
let api: RunningApi
let projection: ReturnType<typeof runReadModel>
let tenants: Tenant[]
let description: Description
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  const { log, codec, database } = installation
  projection = runReadModel({
    ...{ readModel: auditView, log, codec, database },
    ...{ logger: silentLogger, metrics: noMetrics },
  })
  description = (await call(api.url, 'GET', '/openapi.json')).json() as unknown as Description
  tenants = []
  for (const name of ['one', 'two']) {
    const live = await installation.key({ scope: 'admin' })
    const ofTest = { accountId: live.accountId, environment: 'test', scope: 'admin' } as const
    const test = await installation.key(ofTest)
    tenants.push(await tenantOf(`${name}, live`, live.key), await tenantOf(`${name}, test`, test.key))
  }
})
afterAll(async () => {
  await projection.stop()
  await installation.stop()
})

/** Does the same work under the same Idempotency-Key in every tenant. */
async function tenantOf(name: string, key: string): Promise<Tenant> {
  const made = await call(api.url, 'POST', '/v1/screen', {
    key,
    headers: { 'idempotency-key': 'the-same-in-all' },
    body: { address: ADDRESS, customer_reference: `belongs to ${name}` },
  })
  expect(made.status).toBe(200)
  expect(made.headers['idempotency-replayed']).toBeUndefined()
  const job = await call(api.url, 'POST', '/v1/bulk', { key, body: { addresses: [ADDRESS] } })
  expect(job.status).toBe(202)
  const ids = [
    String(made.json()['report_id']),
    String(made.headers['request-id']),
    String(job.json()['job_id']),
    ...(await webhooksOf(key)),
    await newWatch(api.url, key),
    await newLabel(key),
    await newKey(key),
    await newChange(key),
    ...(await workOn(String(made.json()['report_id']), key)),
  ]
  const own = () => call(api.url, 'GET', '/v1/audit-log', { key })
  await until(async () => expect((await own()).text).toContain(ids[0]))
  return { name, key, ids, reportText: made.text }
}

/** Makes a share link of the report. Its case has a note. */
async function workOn(reportId: string, key: string): Promise<string[]> {
  const note = await call(api.url, 'POST', `/v1/reports/${reportId}/notes`, { key, body: { text: reportId } })
  expect(note.status).toBe(201)
  return [(await newShare({ url: api.url, key, reportId })).shareId]
}

/** States a label about an address that no test screens. */
async function newLabel(key: string): Promise<string> {
  const body = exampleOf('POST', '/v1/own-labels')
  const made = await call(api.url, 'POST', '/v1/own-labels', { key, body })
  expect(made.status).toBe(201)
  return String(made.json()['label_id'])
}

/** Issues another key of the tenant. */
async function newKey(key: string): Promise<string> {
  const made = await call(api.url, 'POST', '/v1/keys', { key, body: { scope: 'read-only' } })
  expect(made.status).toBe(201)
  return String(made.json()['key_id'])
}

/** Proposes another key of the tenant. */
async function newChange(key: string): Promise<string> {
  const body = exampleOf('POST', '/v1/proposed-changes')
  const made = await call(api.url, 'POST', '/v1/proposed-changes', { key, body })
  expect(made.status, made.text).toBe(201)
  return String(made.json()['change_id'])
}

/** Makes an endpoint and a delivery. */
async function webhooksOf(key: string): Promise<string[]> {
  const body = { url: 'https://hooks.example.com/cupel' }
  const endpoint = await call(api.url, 'POST', '/v1/webhook-endpoints', { key, body })
  const endpointId = String(endpoint.json()['endpoint_id'])
  const ping = await call(api.url, 'POST', `/v1/webhook-endpoints/${endpointId}/test`, { key })
  expect(ping.status).toBe(202)
  return [endpointId, String(ping.json()['delivery_id'])]
}

/** Both accounts are made alike: the two tenants of one meet every kind of owner. */
const pairs = () =>
  (isLongRun() ? tenants : tenants.slice(0, 2)).flatMap((caller) =>
    tenants.flatMap((owner) => (caller === owner ? [] : [{ caller, owner }])),
  )
const operations = () =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  )

/** Returns an id of the same form that no tenant has. */
function nobodysLike(id: string): string {
  if (id.startsWith('job_')) return `job_${'0'.repeat(32)}`
  if (id.startsWith('shr_')) return `shr_${'0'.repeat(20)}`
  if (id.startsWith('wat_')) return `wat_${'0'.repeat(20)}`
  if (id.startsWith('lbl_')) return `lbl_${'0'.repeat(20)}`
  if (id.startsWith('chg_')) return `chg_${'0'.repeat(20)}`
  if (id.startsWith('we_')) return `we_${'0'.repeat(20)}`
  if (id.length === 8) return '0'.repeat(8)
  return id.length === 16 ? '0123456789abcdef' : '019aa5c8-7f00-7000-8000-000000000001'
}

/** Returns the example body of the description, if the operation takes one. */
function bodyOf(method: string, path: string): { body?: object } {
  return description.paths[path]![method.toLowerCase()]!.requestBody === undefined
    ? {}
    : { body: exampleOf(method, path) }
}

/** Clears the part of the answer that depends on the call and not on its data. */
function told(reply: Reply): unknown {
  return { ...reply.json(), request_id: '' }
}

describe('four tenants', () => {
  // This test comes first: an account's own audit log later also names the foreign ids that it asked for.
  test('find nothing of each other in any list, whatever the filter', async () => {
    const lists = operations().filter(({ path, method }) => method === 'GET' && !path.includes('{'))
    for (const { path } of lists) {
      for (const caller of tenants) {
        for (const query of ['', '?page_size=200', `?address=${ADDRESS}`]) {
          const { text } = await call(api.url, 'GET', path + query, { key: caller.key })
          for (const owner of tenants.filter((tenant) => tenant !== caller)) {
            for (const id of owner.ids)
              expect(text, `GET ${path}${query} by ${caller.name}`).not.toContain(id)
            expect(text).not.toContain(`belongs to ${owner.name}`)
          }
        }
      }
    }
  })

  test('get the same answer for an id of another as for an id nobody has, on every path with an id', async () => {
    const withIds = operations().filter(({ path }) => path.includes('{'))
    expect(withIds.length).toBeGreaterThan(0)
    for (const { path, method } of withIds) {
      const unknowns = new Map<string, Promise<Reply>>()
      const compare = async ({ caller, owner }: ReturnType<typeof pairs>[number], id: string) => {
        const ask = (one: string): Promise<Reply> =>
          call(api.url, method, path.replaceAll(/\{\w+\}/g, one), {
            key: caller.key,
            ...bodyOf(method, path),
          })
        const nobodys = nobodysLike(id)
        const unknown = unknowns.get(caller.key + nobodys) ?? ask(nobodys)
        unknowns.set(caller.key + nobodys, unknown)
        const foreign = await ask(id)
        // Imports of lists and proposals of a policy are of the installation, and for operators.
        const status = /^\/v1\/(?:list-imports|policy)\//.test(path) ? 403 : 404
        expect(foreign.status, `${method} ${path} by ${caller.name} with an id of ${owner.name}`).toBe(status)
        expect(told(foreign)).toEqual(told(await unknown))
      }
      // Compare one path at a time, because the service would refuse more calls at once.
      await Promise.all(pairs().flatMap((pair) => pair.owner.ids.map((id) => compare(pair, id))))
    }
  })

  test('cannot carry a page token over, on any list that hands one out', async () => {
    for (const path of ['/v1/reports', '/v1/audit-log']) {
      for (const { caller, owner } of pairs()) {
        const page = () => call(api.url, 'GET', `${path}?page_size=1`, { key: owner.key })
        // A second report gives the list a second page.
        await call(api.url, 'POST', '/v1/screen', { key: owner.key, body: { address: ADDRESS } })
        await until(async () => expect((await page()).json()['next_page_token']).not.toBeNull())
        const token = String((await page()).json()['next_page_token'])
        const carried = await call(api.url, 'GET', `${path}?page_token=${token}`, { key: caller.key })
        expect(carried.json()).toMatchObject({ status: 400, errors: [{ pointer: '/page_token' }] })
      }
    }
  })

  test('have Idempotency-Keys of their own', async () => {
    const made = new Set(tenants.map(({ ids }) => ids[0]))
    expect(made.size).toBe(4)
    for (const { key, name, reportText } of tenants) {
      const again = await call(api.url, 'POST', '/v1/screen', {
        key,
        headers: { 'idempotency-key': 'the-same-in-all' },
        body: { address: ADDRESS, customer_reference: `belongs to ${name}` },
      })
      expect(again.headers['idempotency-replayed']).toBe('true')
      expect(again.text).toBe(reportText)
    }
  })
})
