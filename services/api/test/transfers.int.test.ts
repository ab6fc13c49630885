import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call, type CallOptions, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import {
  BUSY,
  importTransfers,
  MANY_TRANSFERS,
  NO_TRANSFER,
  ONE_TRANSFER,
  OWN,
  SENDER,
  USDT,
} from './transfer-work.js'
import { until } from '@cupel/testkit'

const TRANSFERS = '/v1/transfers'

let installation: Installation
let url: string
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  key = (await installation.key()).key
  url = (await installation.api()).url
  await importTransfers(installation)
})
afterAll(() => installation.stop())

const stated = {
  ...{ chain: 'eth', direction: 'incoming', from: SENDER, to: OWN, asset: 'ETH', amount: '1.5' },
}
const post = (body: object, options: CallOptions = {}): Promise<Reply> =>
  call(url, 'POST', TRANSFERS, { key, body, ...options })

describe('a stated transfer', () => {
  test('is answered with a recommendation, and is read back by its id, as are its report and the audit record', async () => {
    const reply = await post({ ...stated, reference: 'deposit 7' })
    expect(reply.status, reply.text).toBe(200)
    const transfer = reply.json()
    expect(transfer).toMatchObject({
      ...{ recommendation: 'allow', level: 'green', chain: 'ETH', from: SENDER, to: OWN },
      ...{ direction: 'incoming', planned: true, transaction_hash: null, reference: 'deposit 7' },
      ...{ amount: '1.5', amount_base_units: '1500000000000000000', ledger: { status: 'planned' } },
      asset: { symbol: 'ETH', contract: null, is_known: true },
      reasons: [{ code: 'counterparty_green', text: 'The counterparty is green.', remedy: null }],
      counterparty: { address: SENDER, report_id: transfer['transfer_id'] },
    })
    const id = String(transfer['transfer_id'])
    expect(reply.headers['location']).toBe(`${TRANSFERS}/${id}`)
    const again = await call(url, 'GET', `${TRANSFERS}/${id}`, { key })
    expect([again.status, again.json()]).toEqual([200, transfer])
    const report = (await call(url, 'GET', `/v1/reports/${id}`, { key })).json()
    expect(report).toMatchObject({ report_id: id, address: SENDER, transfer: { own_address: OWN } })
    const requests = await installation.requests()
    expect(requests.find(({ reportId }) => reportId === id)).toMatchObject({
      ...{ canonicalAddress: SENDER.toLowerCase(), customerReference: 'deposit 7' },
      transfer: { direction: 'incoming', ownAddress: OWN, seen: 'planned', txHash: null },
      call: { route: TRANSFERS, method: 'POST' },
    })
  })

  test('of a receiver screens the receiver', async () => {
    const reply = await post({ ...stated, direction: 'outgoing', from: OWN, to: SENDER })
    expect(reply.json()).toMatchObject({ from: OWN, to: SENDER, counterparty: { address: SENDER } })
  })

  test('with a hash is compared with the ledger', async () => {
    const statusOf = async (changes: object): Promise<unknown> => {
      const { ledger, recommendation } = (await post({ ...stated, ...changes })).json() as {
        ledger: { status: string }
        recommendation: string
      }
      return [ledger.status, recommendation]
    }
    expect(await statusOf({ transaction_hash: ONE_TRANSFER })).toEqual(['seen', 'allow'])
    expect(await statusOf({ transaction_hash: ONE_TRANSFER.toUpperCase().replace('0X', '0x') })).toEqual([
      'seen',
      'allow',
    ])
    expect(await statusOf({ transaction_hash: ONE_TRANSFER, amount: '1.6' })).toEqual([
      'contradicted',
      'review',
    ])
    expect(await statusOf({ transaction_hash: NO_TRANSFER })).toEqual(['not_seen', 'review'])
  })

  test('is named where its token is not what it says', async () => {
    const reasonsOf = async (changes: object): Promise<unknown> =>
      ((await post({ ...stated, ...changes })).json()['reasons'] as { code: string }[]).map(
        ({ code }) => code,
      )
    const unknown = '0x1111111111111111111111111111111111111111'
    expect(await reasonsOf({ asset: unknown })).toEqual(['counterparty_green', 'unknown_token'])
    expect(await reasonsOf({ asset: 'USDT', contract: unknown })).toEqual([
      'counterparty_green',
      'unknown_token',
      'lying_symbol',
    ])
    expect(await reasonsOf({ asset: 'USDC', contract: USDT })).toEqual(['counterparty_green', 'lying_symbol'])
    expect(await reasonsOf({ asset: 'usdt', contract: USDT })).toEqual(['counterparty_green'])
    expect(await reasonsOf({ from: OWN, amount: '0' })).toEqual([
      'counterparty_green',
      'zero_amount',
      'self_transfer',
    ])
  })
})

describe('a transfer by its hash', () => {
  const lookUp = { chain: 'ETH', direction: 'incoming', to: OWN }

  test('is what the ledger has', async () => {
    expect((await post({ ...lookUp, transaction_hash: ONE_TRANSFER })).json()).toMatchObject({
      ...{ from: SENDER.toLowerCase(), to: OWN, amount: '1.5', planned: false },
      ...{ asset: { symbol: 'ETH' }, ledger: { status: 'seen', snapshot: '1' } },
    })
  })

  test('is the sum of what one counterparty sent in one asset, where the caller names them', async () => {
    const named = { ...lookUp, transaction_hash: MANY_TRANSFERS, asset: 'USDT', from: SENDER }
    expect((await post(named)).json()).toMatchObject({
      amount: '10',
      from: SENDER,
      ledger: { status: 'seen' },
    })
  })

  test.each([
    ['transfer_ambiguous', { transaction_hash: MANY_TRANSFERS }],
    ['transfer_not_found', { transaction_hash: NO_TRANSFER }],
    ['transfer_not_found', { transaction_hash: ONE_TRANSFER, asset: 'USDT' }],
    [
      'transfer_not_found',
      { transaction_hash: ONE_TRANSFER, direction: 'outgoing', from: OWN, to: undefined },
    ],
    ['transfer_not_found', { chain: 'BSC', transaction_hash: ONE_TRANSFER }],
  ])('is refused as %s', async (code, changes) => {
    const reply = await post({ ...lookUp, ...changes })
    expect(reply.json()).toMatchObject({ code, status: 422, errors: [{ pointer: '/transaction_hash' }] })
  })
})

describe('a transfer of a transaction that the ledger did not read', () => {
  const left = { chain: 'ETH', direction: 'incoming', to: OWN, transaction_hash: NO_TRANSFER }
  const requestOf = async (reportId: unknown) =>
    (await installation.requests()).find((one) => one.reportId === reportId)
  afterEach(() => Reflect.deleteProperty(installation.scorer, 'toldTransfer'))

  test('asks the scorer for what is left out, and is answered with the counterparty that it found', async () => {
    installation.scorer.toldTransfer = (request) => ({
      ...{ ...request, address: SENDER, canonicalAddress: SENDER.toLowerCase() },
      transfer: { ...request.transfer!, contract: '', amount: '2', seen: 'seen', toldBy: 'explorer' },
    })
    const reply = await post(left)
    expect(reply.status, reply.text).toBe(200)
    const transfer = reply.json()
    expect(transfer).toMatchObject({
      ...{ from: SENDER, to: OWN, amount: '2', counterparty: { address: SENDER } },
      ledger: { status: 'seen', provider: 'explorer' },
    })
    expect(await requestOf(transfer['transfer_id'])).toMatchObject({
      ...{ address: OWN, canonicalAddress: OWN.toLowerCase() },
      transfer: {
        ...{ contract: null, amount: '', seen: 'not_seen' },
        unstated: ['counterparty', 'asset', 'amount'],
      },
    })
  })

  test.each([
    ['prefer: wait=20', { prefer: 'wait=20' }, expect.any(String) as unknown],
    ['nothing', {}, null],
  ])('of a caller that sends %s asks the scorer to wait as long', async (_, headers, stagesByAt) => {
    const reply = await post(left, { headers })
    expect(await requestOf(reply.json()['report_id'])).toMatchObject({ stagesByAt })
  })

  test('keeps what is stated of it', async () => {
    const reply = await post({ ...left, from: SENDER, asset: 'USDT' })
    expect(reply.json()).toMatchObject({ code: 'transfer_not_found' })
    expect(await requestOf(reply.json()['report_id'])).toMatchObject({
      ...{ address: SENDER, canonicalAddress: SENDER.toLowerCase() },
      transfer: { contract: USDT, amount: '', unstated: ['amount'] },
    })
  })

  test.each([
    ['transfer_ambiguous', 422],
    ['transfer_not_found', 422],
    ['unavailable', 503],
  ])('is refused as %s in the words of the scorer, and a repeat asks again', async (code, status) => {
    installation.scorer.toldTransfer = () => ({ code, detail: `Two of them: ${SENDER}.` })
    const headers = { 'idempotency-key': `left-${code}` }
    const reply = await post(left, { headers })
    expect(reply.json()).toMatchObject({
      ...{ code, status, detail: `Two of them: ${SENDER}.`, report_id: expect.any(String) as string },
      errors: [{ pointer: '/transaction_hash', detail: `Two of them: ${SENDER}.` }],
    })
    installation.scorer.toldTransfer = (request) => ({
      ...{ ...request, address: SENDER, canonicalAddress: SENDER.toLowerCase() },
      transfer: { ...request.transfer!, contract: '', amount: '2', seen: 'seen', toldBy: 'explorer' },
    })
    expect((await post(left, { headers })).json()).toMatchObject({ from: SENDER, amount: '2' })
  })

  test('is not looked for in the sandbox', async () => {
    const { key } = await installation.key({ environment: 'test' })
    const before = (await installation.requests()).length
    const reply = await call(url, 'POST', TRANSFERS, { key, body: left })
    expect(reply.json()).toMatchObject({ code: 'transfer_not_found' })
    expect(await installation.requests()).toHaveLength(before)
  })

  test('whose counterparty is stated is answered with no other one', async () => {
    installation.scorer.toldTransfer = (request) => ({ ...request, address: OWN, canonicalAddress: OWN })
    const reply = await post({ ...left, from: SENDER, asset: 'USDT' })
    expect(reply.status).toBeGreaterThanOrEqual(500)
    expect(reply.text).not.toContain('recommendation')
  })
})

test('searches of many transfers by one key are large answers, and leave those of another account', async () => {
  const body = { chain: 'ETH', direction: 'incoming', to: BUSY, transaction_hash: NO_TRANSFER }
  const [greedy, other] = [await installation.key(), await installation.key()]
  const searched = Array.from({ length: 40 }, () => post(body, { key: greedy.key }))
  expect((await post(body, { key: other.key })).json()).toMatchObject({ code: 'transfer_not_found' })
  const codes = (await Promise.all(searched)).map((reply) => reply.json()['code'])
  expect(new Set(codes)).toEqual(new Set(['transfer_not_found', 'rate_limited']))
})

test('long lists by one key are large answers, and leave those of another account', async () => {
  const list = async (of: string): Promise<number> =>
    (await call(url, 'GET', `${TRANSFERS}?page_size=200`, { key: of })).status
  const [greedy, other] = [await installation.key(), await installation.key()]
  const listed = Array.from({ length: 40 }, () => list(greedy.key))
  expect(await list(other.key)).toBe(200)
  expect(new Set(await Promise.all(listed))).toEqual(new Set([200, 429]))
})

test.each<[string, string, object]>([
  ['invalid_request', '/to', { to: undefined }],
  ['invalid_request', '/from', { from: undefined }],
  ['invalid_request', '/asset', { asset: undefined }],
  ['invalid_request', '/amount', { amount: null }],
  ['invalid_request', '/amount', { amount: '-1' }],
  ['invalid_request', '/amount', { amount: '1e3' }],
  ['invalid_request', '/amount', { amount: '1,5' }],
  ['invalid_request', '/amount', { amount: `0.${'1'.repeat(19)}` }],
  ['invalid_request', '/asset', { asset: 'NOSUCH' }],
  ['invalid_request', '/contract', { contract: 'no contract' }],
  ['invalid_request', '/transaction_hash', { transaction_hash: '0x12' }],
  ['invalid_request', '/direction', { direction: 'sideways' }],
  ['invalid_request', '/chain', { chain: undefined }],
  ['unsupported_chain', '/chain', { chain: 'XYZ' }],
  ['invalid_address', '/from', { from: '0x12' }],
  ['invalid_address', '/to', { to: 'nobody' }],
  ['chain_mismatch', '/from', { from: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }],
])('a fault is %s at %s: %o', async (code, pointer, changes) => {
  const reply = await post({ ...stated, ...changes })
  expect(reply.json()).toMatchObject({ code, errors: [{ pointer }] })
})

test('a repeat under an Idempotency-Key is the same transfer, and another body is refused', async () => {
  const headers = { 'idempotency-key': 'transfer-1' }
  const first = await post(stated, { headers })
  const second = await post(stated, { headers })
  expect(second.json()).toEqual(first.json())
  expect(second.headers['idempotency-replayed']).toBe('true')
  const other = await post({ ...stated, amount: '2' }, { headers })
  expect(other.json()).toMatchObject({ code: 'idempotency_mismatch' })
})

test('another account and the other environment have none of it, and a screened address is not a transfer', async () => {
  const id = String((await post(stated)).json()['transfer_id'])
  const screened = await call(url, 'POST', '/v1/screen', { key, body: { address: SENDER, chain: 'ETH' } })
  const stranger = (await installation.key()).key
  const { accountId } = await installation.key()
  const test = (await installation.key({ accountId, environment: 'test' })).key
  for (const [asked, of] of [
    [id, stranger],
    [id, test],
    [String(screened.json()['report_id']), key],
  ] as const)
    expect((await call(url, 'GET', `${TRANSFERS}/${asked}`, { key: of })).status).toBe(404)
  expect((await call(url, 'GET', TRANSFERS, { key: stranger })).json()['items']).toEqual([])
})

test('the list has only transfers, newest first, narrowed as asked, in pages', async () => {
  const { key } = await installation.key()
  const of = (body: object): Promise<Reply> => call(url, 'POST', TRANSFERS, { key, body })
  await call(url, 'POST', '/v1/screen', { key, body: { address: SENDER, chain: 'ETH' } })
  const ids: string[] = []
  for (const changes of [{ reference: 'a' }, { amount: '0' }, { reference: 'b' }])
    ids.unshift(String((await of({ ...stated, ...changes })).json()['transfer_id']))
  const listed = async (query: string): Promise<readonly string[]> => {
    const page = (await call(url, 'GET', `${TRANSFERS}${query}`, { key })).json()
    return (page['items'] as { transfer_id: string }[]).map((one) => one.transfer_id)
  }
  await until(async () => expect(await listed('')).toEqual(ids))
  expect(await listed('?recommendation=review')).toEqual([ids[1]])
  expect(await listed('?recommendation=reject')).toEqual([])
  expect(await listed('?reference=a')).toEqual([ids[2]])
  expect(await listed(`?address=${SENDER.toLowerCase()}&level=green&chain=eth`)).toEqual(ids)
  expect(await listed(`?address=${OWN}`)).toEqual([])
  const first = (await call(url, 'GET', `${TRANSFERS}?page_size=2`, { key })).json()
  expect(await listed(`?page_size=2&page_token=${String(first['next_page_token'])}`)).toEqual([ids[2]])
})

test('a magic address of the sandbox is answered as in a screen, and no ledger is read there', async () => {
  const { key } = await installation.key({ environment: 'test' })
  const send = (body: object): Promise<Reply> => call(url, 'POST', TRANSFERS, { key, body })
  const refused = await send({ ...stated, from: '0xc0be1000000000000000000000000000000e4032' })
  expect(refused.json()).toMatchObject({ code: 'ip_not_allowed' })
  const seen = await send({ ...stated, transaction_hash: ONE_TRANSFER })
  expect(seen.json()).toMatchObject({ livemode: false, ledger: { status: 'no_ledger', snapshot: null } })
})
