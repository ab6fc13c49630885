/** `cupel transfers` calls the API as it is described. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { transferExample } from '@cupel/reports/document'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel } from '../command-line.js'

const calls: { call: string; key: string | undefined; body: unknown }[] = []
let answer: { status: number; document: object }
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    const { method, url, headers } = request
    calls.push({
      call: `${method} ${url}`,
      key: headers.authorization,
      body: body === '' ? null : JSON.parse(body),
    })
    response.writeHead(answer.status).end(JSON.stringify(answer.document))
  })
})
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => server.close())

async function cupel(document: object, args: readonly string[], status = 200) {
  calls.length = 0
  answer = { status, document }
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return await callCupel({ CUPEL_BASE_URL: baseUrl, CUPEL_API_KEY: 'key', CUPEL_HOME: '/nowhere' }, args)
}

test('a transfer is screened as it is stated, and its recommendation comes first', async () => {
  const { chain, direction, from, to, amount } = transferExample
  const stated = { chain, direction, from, to, asset: 'USDT', amount, reference: 'deposit 4711' }
  const options = Object.entries(stated).flatMap(([name, value]) => [`--${name}`, value])
  const { out, error } = await cupel(transferExample, ['transfers', 'screen', ...options])
  expect(error).toBeNull()
  expect(calls).toEqual([{ call: 'POST /v1/transfers', key: 'Bearer key', body: stated }])
  expect(out).toMatch(/^REJECT {2}incoming 250\.5 USDT on ETH/)
  for (const { text } of transferExample.reasons) expect(out).toContain(text)
  expect(out).toContain(transferExample.counterparty.report_url)
})

test('a hash is enough, and the JSON is that of the API', async () => {
  const hash = `0x${'1'.repeat(64)}`
  const own = ['--chain', 'ETH', '--direction', 'incoming', '--to', transferExample.to]
  const { out } = await cupel(transferExample, ['transfers', 'screen', ...own, '--hash', hash, '--json'])
  expect(calls[0]!.body).toEqual({
    ...{ chain: 'ETH', direction: 'incoming', to: transferExample.to, transaction_hash: hash },
  })
  expect(JSON.parse(out)).toEqual(transferExample)
})

test('a refusal is said with its code and place, and nothing is recommended', async () => {
  const detail = 'The ledger has no such transfer.'
  const errors = [{ pointer: '/transaction_hash', detail }]
  const own = ['--chain', 'ETH', '--direction', 'incoming', '--to', transferExample.to, '--hash', '0x1']
  const { out, error } = await cupel(
    { code: 'transfer_not_found', detail, errors },
    ['transfers', 'screen', ...own],
    422,
  )
  expect((error as Error).message).toBe(
    `Refused with 422 transfer_not_found: ${detail}\n  /transaction_hash: ${detail}`,
  )
  expect(out).toBe('')
})

test('the list is narrowed and paged as asked, and names the next page', async () => {
  const page = { items: [transferExample], next_page_token: 'next' }
  const options = ['--recommendation', 'reject', '--page-token', 'first']
  const { out } = await cupel(page, ['transfers', ...options])
  expect(calls[0]!.call).toBe('GET /v1/transfers?recommendation=reject&page_token=first')
  expect(out).toContain(transferExample.transfer_id)
  expect(out).toContain('--page-token next')
})
