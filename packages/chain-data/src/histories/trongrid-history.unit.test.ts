/** Histories from TronGrid: fingerprints, three forms of rows, and what moves nothing. */
import { assertWithin } from '@cupel/testkit'
import { tronGridStandIn, type TronChain, type TronMovement, type TronQuirks } from '@cupel/testkit/providers'
import { parseAddress } from '@cupel/domain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHistory, standInHttp } from '../../test/read-history.js'
import { tronGridHistory } from './trongrid-history.js'

const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const ME = 'TUTpjYd12MSVqMJUHA8tn571FeFSRKe6V6'
const OTHER = 'TABDXDz5nV6C3ijDDuhV43FueGBttqt5gv'
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const hash = (index: number): string => index.toString(16).padStart(64, '0')

const hexOf = (address: string): string => {
  const parsed = parseAddress(address, 'TRX')
  if (!parsed.ok) throw new Error(address)
  return parsed.lookupKey!.replace('evm:0x', '41')
}

const chainOf = (movements: readonly TronMovement[], newest = 85_138_473): TronChain => ({
  ...{ movements, newest, newestAtMs: NOW_MS - 9_123, branch: 1 },
})

const paid = (height: number, index: number, rest: Partial<TronMovement> = {}): TronMovement => ({
  ...{ list: 'transaction', height, hash: hash(index), from: OTHER, to: ME, value: 5, token: USDT, ...rest },
})

const HEIGHT = 85_000_000
const read = (chain: TronChain, quirks: Partial<TronQuirks> = {}, fromHeight: number | null = null) =>
  readHistory(
    tronGridHistory({ provider: 'p', now: () => NOW_MS }),
    ME,
    standInHttp(tronGridStandIn(chain, { hexOf, ...quirks })),
    fromHeight,
  )

test('has every kind, up to a block that is unlikely to be replaced', async () => {
  const chain = chainOf([
    paid(HEIGHT, 1, { value: 9_007_199_254_740_993n }),
    paid(HEIGHT + 1, 2, { type: 'TriggerSmartContract', from: ME, to: USDT, value: 7 }),
    paid(HEIGHT + 1, 2, { list: 'call', from: USDT, value: 6 }),
    paid(HEIGHT + 2, 3, { list: 'trc20', value: 140_856_184 }),
    paid(85_138_470, 4),
  ])
  const { lines, end } = await read(chain)
  expect(end).toEqual({
    head: {
      height: 85_138_453,
      hash: expect.any(String) as string,
      atS: Math.floor((NOW_MS - 69_123) / 1_000),
    },
    kinds: ['native', 'internal', 'token'],
    incomplete: [],
  })
  expect(lines).toMatchObject([
    { kind: 'internal', from_address: USDT, to_address: ME, amount_raw: '6', status: '1', tx_hash: hash(2) },
    { kind: 'native', from_address: ME, to_address: USDT, amount_raw: '7', block_number: '85000001' },
    { kind: 'native', from_address: OTHER, to_address: ME, amount_raw: '9007199254740993', status: '1' },
    { kind: 'token', asset_address: USDT, amount_raw: '140856184', block_number: '85000002' },
  ])
})

test('without a row is whole', async () => {
  expect(await read(chainOf([]))).toMatchObject({ lines: [], end: { incomplete: [] } })
})

test.each(['REVERT', 'OUT_OF_ENERGY', 'OUT_OF_TIME'])(
  'of a transaction that ended with %s has failed',
  async (result) => {
    const chain = chainOf([paid(HEIGHT, 1, { result }), paid(HEIGHT, 2, { list: 'call', result })])
    expect((await read(chain)).lines).toMatchObject([{ status: '0' }, { status: '0' }])
  },
)

test.each<[string, Partial<TronMovement>]>([
  ['freezing', { type: 'FreezeBalanceV2Contract' }],
  ['a TRC-10 asset', { type: 'TransferAssetContract' }],
  ['the creation of a contract without value', { raw: created({ new_contract: {} }) }],
  ['an approval', { list: 'trc20', raw: { type: 'Approval' } }],
  [
    'stake of a contract without value',
    { list: 'call', value: 0, raw: { data: { note: '766f7465', rejected: false } } },
  ],
])('%s moves no coins', async (_name, rest) => {
  const { lines, end } = await read(chainOf([paid(HEIGHT, 1, rest)]))
  expect({ lines, incomplete: end.incomplete }).toEqual({ lines: [], incomplete: [] })
})

test('a reward has no payer', async () => {
  const raw = { withdraw_amount: 704_953 }
  const chain = chainOf([paid(HEIGHT, 1, { type: 'WithdrawBalanceContract', from: ME, raw })])
  expect((await read(chain)).lines).toMatchObject([
    { from_address: '', to_address: ME, amount_raw: '704953' },
  ])
})

test.each<[string, Partial<TronMovement>, string]>([
  ['a contract of a new type', { type: 'ShieldedTransferContract' }, 'native'],
  ['a word for the outcome that is new', { result: 'MAYBE' }, 'native'],
  ['a reward without its amount', { type: 'WithdrawBalanceContract', from: ME }, 'native'],
  ['the creation of a contract with value', { raw: created({ new_contract: { call_value: 5 } }) }, 'native'],
  [
    'a creation that states value at its own place',
    { raw: created({ new_contract: {}, call_value: 5 }) },
    'native',
  ],
  ['a creation without its contract', { raw: created({}) }, 'native'],
  ['a fraction of a sun', { value: 0.5 }, 'native'],
  [
    'a call of value with a new note',
    { list: 'call', raw: { data: { note: 'ff', rejected: false, call_value: { _: 5 } } } },
    'internal',
  ],
  ['a call that does not say whether it was rejected', { list: 'call', raw: { data: {} } }, 'internal'],
  ['an event of a new type', { list: 'trc20', raw: { type: 'TransferSingle' } }, 'token'],
  ['a token without its contract', { list: 'trc20', raw: { token_info: {} } }, 'token'],
])('with a row of %s is incomplete by name', async (_name, rest, kind) => {
  const { end } = await read(chainOf([paid(HEIGHT, 1, rest)]))
  expect(end.incomplete).toEqual(['unreadable_rows'])
  expect(end.kinds).toEqual(['native', 'internal', 'token'].filter((one) => one !== kind))
})

function created(stated: object): Readonly<Record<string, unknown>> {
  const value = { owner_address: hexOf(ME), ...stated }
  return { raw_data: { contract: [{ type: 'CreateSmartContract', parameter: { value } }] } }
}

test('without the calls that its transactions show has no traces', async () => {
  const called = { type: 'TriggerSmartContract', from: ME, to: USDT }
  const chain = chainOf([paid(HEIGHT, 1, called), paid(HEIGHT, 1, { list: 'call', from: USDT })])
  expect((await read(chain, { hasCalls: false })).end).toMatchObject({
    kinds: ['native', 'token'],
    incomplete: ['no_traces'],
  })
})

test('of others, of another chain, or of a host that fell behind is refused', async () => {
  const chain = chainOf([paid(HEIGHT, 1)])
  const foreign = { ...chain, movements: [paid(HEIGHT, 1, { raw: { raw_data: rawOf(OTHER, USDT) } })] }
  await expect(read(foreign)).rejects.toMatchObject({ code: 'wrong_address' })
  await expect(read(chain, { genesis: hash(7) })).rejects.toMatchObject({ code: 'wrong_chain' })
  await expect(read({ ...chain, newestAtMs: NOW_MS - 9_000_000 })).rejects.toMatchObject({ code: 'stale' })
  await expect(read(chain, {}, 85_138_473)).rejects.toMatchObject({ code: 'stale' })
})

const rawOf = (from: string, to: string): object => ({
  contract: [
    {
      type: 'TransferContract',
      parameter: { value: { owner_address: hexOf(from), to_address: hexOf(to), amount: 1 } },
    },
  ],
})

test('is reorganised if its head changes meanwhile', async () => {
  const chain = chainOf([paid(HEIGHT, 1)])
  const answers = tronGridStandIn(chain, { hexOf })
  const http = standInHttp((question) => {
    if (question.url.pathname.includes('trc20')) chain.branch = 2
    return answers(question)
  })
  const source = tronGridHistory({ provider: 'p', now: () => NOW_MS })
  expect((await readHistory(source, ME, http)).end).toMatchObject({ kinds: [], incomplete: ['reorganised'] })
})

test('every row has its block, and no transaction is asked for whose block its neighbours tell', async () => {
  const chain = {
    ...chainOf([
      paid(HEIGHT, 1),
      paid(HEIGHT + 3, 2, { list: 'trc20' }),
      paid(HEIGHT + 9, 3),
      paid(HEIGHT + 12, 4, { list: 'trc20' }),
      paid(HEIGHT + 30, 5),
    ]),
    pauses: [HEIGHT + 20],
  }
  const asked: unknown[] = []
  const answers = tronGridStandIn(chain, { hexOf })
  const http = standInHttp((question) => {
    if (question.url.pathname.endsWith('gettransactioninfobyid')) asked.push(question.body)
    return answers(question)
  })
  const { lines, end } = await readHistory(tronGridHistory({ provider: 'p', now: () => NOW_MS }), ME, http)
  const tokens = lines.filter((line) => line['kind'] === 'token')
  expect(tokens.map((line) => line['block_number'])).toEqual(['85000012', '85000003'])
  expect(asked).toEqual([{ value: hash(4) }])
  expect(end.incomplete).toEqual([])
})

test('a transfer whose transaction the node does not know is incomplete by name', async () => {
  const answers = tronGridStandIn(chainOf([paid(HEIGHT, 1, { list: 'trc20' })]), { hexOf })
  const http = standInHttp((question) =>
    question.url.pathname.endsWith('gettransactioninfobyid') ? { status: 200, body: {} } : answers(question),
  )
  const { lines, end } = await readHistory(tronGridHistory({ provider: 'p', now: () => NOW_MS }), ME, http)
  expect({ lines, ...end }).toMatchObject({
    lines: [],
    kinds: ['native', 'internal'],
    incomplete: ['unreadable_rows'],
  })
})

test('a row that two pages have counts once, and pages that repeat are left', async () => {
  const all = Array.from({ length: 500 }, (_, index) => paid(HEIGHT + index, index))
  const { lines, end } = await read(chainOf(all), { repeats: true })
  expect({ lines: lines.length, incomplete: end.incomplete }).toEqual({ lines: 500, incomplete: [] })
  const answers = tronGridStandIn(chainOf(all), { hexOf })
  const http = standInHttp((question) => {
    question.url.searchParams.delete('fingerprint')
    return answers(question)
  })
  const source = tronGridHistory({ provider: 'p', now: () => NOW_MS })
  expect((await readHistory(source, ME, http)).end).toMatchObject({
    kinds: ['token'],
    incomplete: ['contradicting_pages'],
  })
})

describe('in pages', () => {
  test('is the same over any pages and refreshes', async () => {
    const height = fc.integer({ min: 1, max: 12 })
    const list = fc.constantFrom<TronMovement['list']>('transaction', 'call', 'trc20')
    await assertWithin(
      { name: 'histories of trongrid', full: 150, minimum: 40 },
      fc.asyncProperty(
        fc.array(fc.tuple(height, list), { maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        fc.array(height, { maxLength: 3 }),
        async (drawn, pageRows, heads) => {
          const movements = [...drawn]
            .sort(([a], [b]) => a - b)
            .map(([at, name], index) => paid(HEIGHT + at, index, { list: name }))
          const found: string[] = []
          let known: number | null = null
          for (const head of [...new Set([...heads, 14])].sort((a, b) => a - b)) {
            // Every refresh is read from the same chain, later.
            const chain = chainOf(movements, HEIGHT + head + 20)
            chain.newestAtMs = NOW_MS - 9_123 - (14 - head) * 3_000
            const { lines, end } = await read(chain, { pageRows }, known)
            expect(end.incomplete).toEqual([])
            found.push(...lines.map((line) => `${String(line['kind'])} ${String(line['tx_hash'])}`))
            known = end.head.height
          }
          const kinds = { transaction: 'native', call: 'internal', trc20: 'token' }
          expect(found.sort()).toEqual(movements.map((one) => `${kinds[one.list]} ${one.hash}`).sort())
        },
      ),
    )
  })
})
