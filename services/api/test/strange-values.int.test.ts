/** Values that fit the form of a field, and no column of the database: they are the fault of the call, and no fault of the service. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleOf, operations } from './described.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
let key: string
let reportId: string
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api()).url
  key = (await installation.key({ scope: 'operator' })).key
  reportId = String((await screen(url, key)).json()['report_id'])
})
afterAll(() => installation.stop())

const TIMES = ['0000-02-01T00:00:00Z', '9999-12-31T23:59:59-14:00', '0001-01-01T00:00:00+14:00']
const DAYS = ['0000-02-01', '0000-12-31']
const NOBODY = `lio_${'0'.repeat(20)}`

const send = (method: string, path: string, body: object): Promise<Reply> =>
  call(url, method, path.replace('{report_id}', reportId), { key, body })

const bodies: readonly (readonly [string, string, string, (value: string) => object])[] = [
  ['POST', '/v1/own-labels', '/expires_at', (expires_at) => ({ expires_at })],
  ['POST', '/v1/keys', '/expires_at', (expires_at) => ({ expires_at })],
  ['POST', '/v1/screen', '/as_of', (as_of) => ({ as_of })],
  [
    'POST',
    '/v1/watches',
    '/watches/0/until',
    (until) => ({ watches: [{ address: ADDRESS, chain: 'ETH', until }] }),
  ],
]

test.each(bodies)(
  '%s %s refuses a time that the database lacks, at %s',
  async (method, path, pointer, changed) => {
    for (const time of TIMES) {
      const reply = await send(method, path, { ...exampleOf(method, path), ...changed(time) })
      expect([time, reply.status], reply.text).toEqual([time, 400])
      expect((reply.json()['errors'] as { pointer: string }[])[0]).toMatchObject({ pointer })
    }
  },
)

test('a day that the database lacks is refused', async () => {
  for (const day of DAYS) {
    for (const [path, body] of [
      ['/v1/reports/{report_id}/case/assignment', { assignee: null, due_on: day, version: 0 }],
      ['/v1/list-imports', { format: 'csv', dataset: 'x', list_date: day }],
    ] as const)
      expect((await send('POST', path, body)).status, `${path} ${day}`).toBe(400)
    expect((await call(url, 'GET', `/v1/watches?changed_in=${day}`, { key })).status).toBe(400)
  }
})

test('every list with a range of time refuses a time that the database lacks', async () => {
  const lists = operations.filter(({ operation }) =>
    (operation.parameters ?? []).some(({ name, in: where }) => where === 'query' && name === 'from'),
  )
  expect(lists.length).toBeGreaterThanOrEqual(3)
  for (const { path } of lists)
    for (const time of [...TIMES, ...DAYS])
      for (const name of ['from', 'to']) {
        const reply = await call(url, 'GET', `${path}?${name}=${encodeURIComponent(time)}`, { key })
        expect([path, time, reply.status]).toEqual([path, time, 400])
      }
})

test('a number that is too large for its column is refused', async () => {
  for (const name of ['accept_removals', 'accept_unreadable']) {
    const body = { [name]: 2 ** 31, reason: 'looked at' }
    const reply = await send('POST', `/v1/list-imports/${NOBODY}/confirm`, body)
    expect(reply.json()).toMatchObject({ status: 400, errors: [{ pointer: `/${name}` }] })
  }
})
