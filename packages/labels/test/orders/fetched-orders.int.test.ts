/** A list that is fetched from its authority: looked at before anything changes, and imported as it was looked at. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listSets } from '../../src/read-model/sets.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkListOrder, confirmListOrder, createListOrder, runNextOrder } from '../../src/index.js'
import { parseRefreshPlan } from '../../src/refresh/refresh-plan.js'
import { publishedList } from '../../src/orders/fetch-order.js'
import { startInstallation, type ImportInstallation } from '../import/installation.js'
import { rows } from '../import/rows.js'

let installation: ImportInstallation
let body = ''
let status = 200
let requests = 0
const server = createServer((_request, response) => {
  requests += 1
  response.writeHead(status, { 'content-length': Buffer.byteLength(body) }).end(body)
})
beforeAll(async () => {
  installation = await startInstallation()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await installation.close()
})

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const listOf = (count: number): string =>
  [HEADER, ...rows('ofac_sdn', count, { category: 'sanctions' }), ''].join('\n')
const publishedAt = () =>
  parseRefreshPlan(
    JSON.stringify({
      lists: [
        {
          ...{ set: 'sdn', format: 'csv', every: '6h', own_address_of: 'us-ofac' },
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sdn`,
        },
      ],
    }),
  )[0]!
const work = () => runNextOrder({ ...installation.deps, publishedAt })

async function ordered(): Promise<string> {
  const request = { format: 'csv', set: 'sdn', whole: true, fetch: 'ofac' } as const
  const order = await createListOrder(installation.database, { request, by: 'key one' })
  if (typeof order === 'string') throw new Error(order)
  expect(order.status).toBe('checking')
  return order.orderId
}
const confirm = (orderId: string) =>
  confirmListOrder(installation.database, {
    ...{ orderId, by: 'key two', acceptRemovals: null, acceptUnreadable: null, reason: null },
  })

test('what was looked at is imported, although the authority publishes another list meanwhile', async () => {
  body = listOf(40)
  const orderId = await ordered()
  expect(await work()).toMatchObject({
    status: 'checked',
    bytes: Buffer.byteLength(body),
    result: { added: 40 },
  })
  expect(await listSets(installation.database)).toEqual([])
  body = listOf(3)
  const asked = requests
  expect(await confirm(orderId)).toMatchObject({ status: 'importing' })
  expect(await work()).toMatchObject({ status: 'imported', result: { added: 40 } })
  expect(requests).toBe(asked)
  const [set] = await listSets(installation.database)
  // Found at the address of the authority itself: the list is as new as the moment of the request.
  expect(set).toMatchObject({ source: 'ofac_sdn', whole: true, total: 40 })
  expect(Date.now() - Date.parse(set!.confirmedAt!)).toBeLessThan(600_000)
})

test('a fault of the server is told, changes nothing, and the list can be asked for again', async () => {
  body = listOf(41)
  status = 503
  const orderId = await ordered()
  const failed = await work()
  expect(failed).toMatchObject({ status: 'failed', result: { status: 'failed' } })
  expect(JSON.stringify(failed)).toContain('503')
  expect(await confirm(orderId)).toBe('other-status')
  status = 200
  expect(await checkListOrder(installation.database, orderId)).toMatchObject({ status: 'checking' })
  expect(await work()).toMatchObject({ status: 'checked', result: { added: 1 } })
})

test('the list of OFAC is fetched from the address of OFAC', () => {
  const list = publishedList('ofac')
  expect(list).toMatchObject({ format: 'ofac-advanced-xml', set: 'sdn', authorities: ['us-ofac'] })
  expect(list.place.kind === 'url' && new URL(list.place.url).hostname).toMatch(/\.ofac\.treas\.gov$/)
})
