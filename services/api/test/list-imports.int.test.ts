/** Imports of lists over the API: who may, and what a caller is told. The lists themselves are tested with their import. */
import type { KeyOrder } from '@cupel/gate/access'
import { enterLists, runNextOrder } from '@cupel/labels'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
let operator: string
let keyId: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key: operator, keyId } = await installation.key({ scope: 'operator' }))
})
afterAll(() => installation.stop())

const IMPORTS = '/v1/list-imports'
const post = (path: string, body?: object, key = operator): Promise<Reply> =>
  call(api.url, 'POST', path, { key, ...(body === undefined ? {} : { body }) })
const get = (path: string, key = operator): Promise<Reply> => call(api.url, 'GET', path, { key })
const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at\n'
const rowOf = (index: number): string =>
  `0x${(index + 1).toString(16).padStart(40, '0')},ETH,scam,Somebody,my_list,https://example.org/list,0.8,2026-01-01\n`
const csv = (count: number): Buffer =>
  Buffer.from(HEADER + Array.from({ length: count }, (_, index) => rowOf(index)).join(''))

/** Begins an import of the bytes and returns its path. */
async function sent(bytes: Buffer): Promise<string> {
  const begun = await post(IMPORTS, { format: 'csv', dataset: 'mine' })
  expect(begun.status, begun.text).toBe(201)
  const path = begun.headers['location']!
  const part = await post(`${path}/parts`, { part: 0, content: bytes.toString('base64') })
  expect(part.json(), part.text).toMatchObject({ bytes: bytes.length, status: 'receiving' })
  return path
}
const work = () => runNextOrder({ ...installation.deps, labelView: 'here' })

test('an operator sends a list, sees what would change, and imports it', async () => {
  const path = await sent(csv(4_000))
  expect((await post(`${path}/check`)).json()).toMatchObject({ status: 'checking', result: null })
  await work()
  expect((await get(path)).json()).toMatchObject({
    status: 'checked',
    result: {
      code: 'would_import',
      sets: [{ source: 'my_list', dataset: 'mine', added: 4_000 }],
      removals: null,
    },
  })
  expect((await post(`${path}/confirm`, {})).json()).toMatchObject({ status: 'importing' })
  await work()
  const ended = await get(path)
  expect(ended.json()).toMatchObject({
    ...{ status: 'imported', ordered_by: `key ${keyId}`, confirmed_by: `key ${keyId}` },
    result: { code: 'imported' },
  })
  expect((await get(IMPORTS)).json()['items']).toContainEqual(ended.json())

  const shorter = await sent(csv(2_000))
  await post(`${shorter}/check`)
  await work()
  expect((await get(shorter)).json()).toMatchObject({
    status: 'refused',
    result: { code: 'too-many-removals', removals: 2_000 },
  })
  const without = await post(`${shorter}/confirm`, { accept_removals: 2_000 })
  expect(without.json()).toMatchObject({ status: 400, errors: [{ pointer: '/reason' }] })
})

const lesser: readonly KeyOrder['scope'][] = ['read-only', 'read-write', 'admin']
test.each(lesser)('a key with the scope %s changes no list and reads no import', async (scope) => {
  const path = await sent(csv(1))
  const { key } = await installation.key({ scope })
  const replies = [
    await get(IMPORTS, key),
    await get(path, key),
    await post(IMPORTS, { format: 'csv', dataset: 'theirs' }, key),
    await post(`${path}/parts`, { part: 1, content: 'AAAA' }, key),
    await post(`${path}/check`, undefined, key),
    await post(`${path}/confirm`, {}, key),
  ]
  for (const reply of replies) expect(reply.json()).toMatchObject({ status: 403, code: 'scope_required' })
  expect((await get(path)).json()).toMatchObject({ status: 'receiving' })
  await installation.database.execute('DELETE FROM labels.list_order')
})

test.each([
  ['that is not base64', { part: 0, content: 'not base64' }, '/content'],
  ['that is cut off', { part: 0, content: 'AAA' }, '/content'],
  ['without bytes', { part: 0, content: '' }, '/content'],
  ['of a wrong number', { part: -1, content: 'AAAA' }, '/part'],
  ['of too many bytes', { part: 0, content: 'A'.repeat(700_000) }, '/content'],
])('a part %s is refused', async (_, body, pointer) => {
  const begun = await post(IMPORTS, { format: 'csv', dataset: 'mine' })
  const reply = await post(`${begun.headers['location']}/parts`, body)
  expect(reply.json(), reply.text).toMatchObject({ status: 400, errors: [{ pointer }] })
  await installation.database.execute('DELETE FROM labels.list_order')
})

test('an operator makes a list due now, and nobody else does', async () => {
  const { database } = installation
  await enterLists(database, ['sdn', 'other'])
  await database.execute(`UPDATE labels.refreshed_list SET due_at = now() + interval '6 hours'`)
  const refreshes = '/v1/list-refreshes'
  const { key: admin } = await installation.key({ scope: 'admin' })
  expect((await post(refreshes, { name: 'sdn' }, admin)).json()).toMatchObject({ code: 'scope_required' })
  expect((await get(refreshes, admin)).json()).toMatchObject({ code: 'scope_required' })
  expect((await post(refreshes, { name: 'of nobody' })).status).toBe(404)
  const due = await post(refreshes, { name: 'sdn' })
  expect(due.json()).toMatchObject({ name: 'sdn', is_running: false, outcome: null, failures: 0 })
  const waiting = 'SELECT name FROM labels.refreshed_list WHERE due_at <= now()'
  expect(await database.query(waiting)).toEqual([{ name: 'sdn' }])
  const pages = [await get(`${refreshes}?page_size=1`)]
  pages.push(await get(`${refreshes}?page_size=1&page_token=${pages[0]!.json()['next_page_token']}`))
  expect(pages.map((page) => (page.json()['items'] as { name: string }[])[0]!.name)).toEqual(['other', 'sdn'])
})
