/** Histories from Etherscan and Blockscout: every page edge, every word of a row, and what a host cannot prove. */
import {
  etherscanStandIn,
  type EtherscanQuirks,
  type EvmChain,
  type EvmMovement,
} from '@cupel/testkit/providers'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHistory, standInHttp } from '../../test/read-history.js'
import { ProviderError } from '../provider-error.js'
import { etherscanHistory } from './etherscan-history.js'

const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const ETH = 0x6bd0b42faf
const DAO_FORK = '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb'
const account = (digit: number): string => `0x${digit.toString(16).padStart(40, '0')}`
const ME = account(ETH)
const OTHER = account(2)
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const hash = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`

const chainOf = (movements: readonly EvmMovement[], newest = 25_000_000): EvmChain => ({
  movements,
  newest,
  newestAtS: Math.floor(NOW_MS / 1_000) - 9,
  secondsPerBlock: 12,
  landmark: { height: 1_920_000, hash: DAO_FORK },
  branch: 1,
})

const paid = (height: number, index: number, rest: Partial<EvmMovement> = {}): EvmMovement => ({
  ...{ list: 'txlist', height, hash: hash(index), from: OTHER, to: ME, value: '5', ...rest },
})

const source = (pageRows?: number, chainId: number | null = 1) =>
  etherscanHistory({
    ...{ provider: 'p', chain: 'ETH', chainId, now: () => NOW_MS },
    ...(pageRows === undefined ? {} : { pageRows }),
  })

const hosts: readonly EtherscanQuirks[] = [{ host: 'etherscan', chainId: 1 }, { host: 'blockscout' }]
const read = (
  chain: EvmChain,
  quirks: EtherscanQuirks,
  pageRows?: number,
  fromHeight: number | null = null,
) => readHistory(source(pageRows), ME, standInHttp(etherscanStandIn(chain, quirks)), fromHeight)

describe.each(hosts)('a history from $host', (quirks) => {
  test('has every kind, in the columns of the ledger, up to a block that is unlikely to be replaced', async () => {
    const chain = chainOf([
      paid(20_000_000, 1),
      paid(20_000_001, 2, { from: ME, to: OTHER, failed: true }),
      paid(20_000_002, 3, { list: 'txlistinternal', value: '12345678901234567890123' }),
      paid(20_000_003, 4, {
        list: 'tokentx',
        contract: USDT,
        raw: { tokenDecimal: '0', tokenSymbol: 'ETH' },
      }),
      paid(24_999_999, 5),
    ])
    const { lines, end } = await read(chain, quirks)
    expect(end).toEqual({
      head: { height: 24_999_988, hash: expect.any(String) as string, atS: chain.newestAtS - 144 },
      kinds: ['native', 'internal', 'token'],
      incomplete: [],
    })
    expect(lines).toMatchObject([
      { kind: 'native', from_address: OTHER, to_address: ME, amount_raw: '5', status: '1', tx_hash: hash(1) },
      { kind: 'native', from_address: ME, status: '0', block_number: '20000001' },
      { kind: 'internal', amount_raw: '12345678901234567890123', asset_address: '' },
      { kind: 'token', asset_address: USDT, amount_raw: '5' },
    ])
    expect(lines.every((line) => line['chain'] === 'ETH')).toBe(true)
  })

  test('without a row is whole', async () => {
    const { lines, end } = await read(chainOf([]), quirks)
    expect({ lines, incomplete: end.incomplete, kinds: end.kinds.length }).toEqual({
      lines: [],
      incomplete: [],
      kinds: 3,
    })
  })

  test('of a creation pays the contract, and a call that borrows code moves nothing', async () => {
    const chain = chainOf([
      paid(10, 1, { from: ME, to: '', contract: account(9) }),
      paid(11, 2, { list: 'txlistinternal', from: ME, to: '', contract: account(8), type: 'create' }),
      paid(12, 3, { list: 'txlistinternal', type: 'selfdestruct' }),
      paid(13, 4, { list: 'txlistinternal', from: ME, to: OTHER, type: 'delegatecall' }),
    ])
    const { lines, end } = await read(chain, quirks)
    expect(lines.map((line) => line['to_address'])).toEqual([account(9), account(8), ME])
    expect(end.incomplete).toEqual([])
  })

  test('of a call in a failed transaction of the address has failed', async () => {
    const chain = chainOf([
      paid(10, 1, { from: ME, to: OTHER, failed: true }),
      paid(10, 1, { list: 'txlistinternal', from: OTHER, to: ME }),
    ])
    expect((await read(chain, quirks)).lines).toMatchObject([{ status: '0' }, { status: '0' }])
  })

  test.each<[string, EvmMovement]>([
    ['a word for the outcome that is new', paid(10, 1, { raw: { isError: '2' } })],
    ['an outcome that its receipt denies', paid(10, 1, { raw: { isError: '0', txreceipt_status: '0' } })],
    ['no receiver', paid(10, 1, { from: ME, to: '' })],
    ['an amount that is not whole', paid(10, 1, { raw: { value: '5.0' } })],
    ['a negative amount', paid(10, 1, { raw: { value: '-5' } })],
    ['no hash', paid(10, 1, { raw: { hash: '' } })],
    ['a call of a new type', paid(10, 1, { list: 'txlistinternal', type: 'extcall' })],
    [
      'a token without an amount',
      paid(10, 1, { list: 'tokentx', contract: USDT, raw: { value: undefined } }),
    ],
    [
      'a coin in the form of a collectible',
      paid(10, 1, { list: 'tokentx', contract: USDT, raw: { value: undefined, tokenID: '7' } }),
    ],
    ['a time before any chain', paid(10, 1, { raw: { timeStamp: '7' } })],
  ])('with a row of %s is incomplete by name', async (_name, row) => {
    const { lines, end } = await read(chainOf([row, paid(20, 2, { list: row.list, contract: USDT })]), quirks)
    expect(end.incomplete).toEqual(['unreadable_rows'])
    expect(end.kinds).toHaveLength(2)
    expect(lines).toHaveLength(1)
  })

  test('counts a collectible as one piece', async () => {
    const row = paid(10, 1, {
      list: 'tokentx',
      contract: account(77),
      raw: { value: undefined, tokenID: '7' },
    })
    expect((await read(chainOf([row]), quirks)).lines).toMatchObject([
      { amount_raw: '1', asset_address: account(77) },
    ])
  })

  test('of an address that others answer for is refused', async () => {
    const standIn = etherscanStandIn(chainOf([paid(10, 1, { to: account(3) })]), quirks)
    const http = standInHttp((question) => {
      question.url.searchParams.set('address', OTHER)
      return standIn(question)
    })
    await expect(readHistory(source(), ME, http)).rejects.toMatchObject({ code: 'wrong_address' })
  })

  test('of another chain is refused', async () => {
    const chain = { ...chainOf([]), landmark: { height: 1_920_000, hash: hash(3) } }
    await expect(read(chain, quirks)).rejects.toMatchObject({ code: 'wrong_chain' })
  })

  test('of a host that fell behind is refused', async () => {
    const chain = { ...chainOf([]), newestAtS: Math.floor(NOW_MS / 1_000) - 10_000 }
    await expect(read(chain, quirks)).rejects.toMatchObject({ code: 'stale' })
    await expect(read(chainOf([]), quirks, undefined, 25_000_000)).rejects.toMatchObject({ code: 'stale' })
  })

  test.each([
    ['txlistinternal', 'no_traces', ['native', 'token']],
    ['tokentx', 'no_tokens', ['native', 'internal']],
  ])('without the list %s is incomplete by name', async (list, gap, kinds) => {
    const { end } = await read(chainOf([paid(10, 1)]), { ...quirks, refused: [list] })
    expect(end).toMatchObject({ incomplete: [gap], kinds })
  })

  test('begins after a known height', async () => {
    const chain = chainOf([paid(10, 1), paid(11, 2), paid(12, 3)])
    expect((await read(chain, quirks, undefined, 11)).lines).toMatchObject([{ block_number: '12' }])
  })

  test('is reorganised if its head changes meanwhile', async () => {
    const chain = chainOf([paid(10, 1)])
    const standIn = etherscanStandIn(chain, quirks)
    const http = standInHttp((question) => {
      if (question.url.searchParams.get('action') === 'tokentx') chain.branch = 2
      return standIn(question)
    })
    expect((await readHistory(source(), ME, http)).end).toMatchObject({
      kinds: [],
      incomplete: ['reorganised'],
    })
  })

  test('that loses a row at the edge of two pages contradicts itself', async () => {
    const all = [paid(10, 1), paid(11, 2), paid(11, 3), paid(12, 4)]
    const chain = chainOf(all)
    const standIn = etherscanStandIn(chain, quirks)
    const http = standInHttp((question) => {
      if (question.url.searchParams.get('startblock') === '11')
        chain.movements = all.filter((row) => row.hash !== hash(2))
      return standIn(question)
    })
    const { end } = await readHistory(source(3), ME, http)
    expect(end).toMatchObject({ kinds: ['internal', 'token'], incomplete: ['contradicting_pages'] })
  })

  test('in another order contradicts itself', async () => {
    const { end } = await read(chainOf([paid(12, 1), paid(10, 2), paid(11, 3)]), quirks)
    expect(end.incomplete).toEqual(['contradicting_pages'])
  })

  test('with more rows of one block than a page is truncated, and goes on after it', async () => {
    const many = Array.from({ length: 9 }, (_, index) => paid(11, index + 2))
    const chain = chainOf([paid(10, 1), ...many, paid(12, 20)])
    const { lines, end } = await read(chain, quirks, 7)
    expect(end).toMatchObject({ kinds: ['internal', 'token'], incomplete: ['truncated'] })
    expect(lines.at(-1)).toMatchObject({ block_number: '12' })
    const exact = chainOf([paid(10, 1), ...many.slice(0, 7), paid(12, 20)])
    expect((await read(exact, quirks, 7)).end.incomplete).toEqual(['truncated'])
    const last = chainOf([paid(10, 1), ...many.slice(0, 7)])
    expect((await read(last, quirks, 7)).end.incomplete).toEqual([])
  })

  test('of large rows takes smaller pages', async () => {
    const rows = Array.from({ length: 40 }, (_, index) =>
      paid(10 + index, index, { raw: { note: 'x'.repeat(index === 30 ? 6_000 : 100) } }),
    )
    const http = standInHttp(etherscanStandIn(chainOf(rows), quirks), 10_000)
    const { lines, end } = await readHistory(source(40), ME, http)
    expect({ lines: lines.length, incomplete: end.incomplete }).toEqual({ lines: 40, incomplete: [] })
  })

  /** The multiset of transfers is the same however a history is cut. */
  test('is the same over any pages, limits of the host and refreshes', async () => {
    const height = fc.integer({ min: 1, max: 12 })
    const list = fc.constantFrom<EvmMovement['list']>('txlist', 'txlistinternal', 'tokentx')
    const drawn = fc.array(fc.tuple(height, list, fc.integer({ min: 1, max: 4 })), { maxLength: 60 })
    await assertWithin(
      { name: `histories of ${quirks.host}`, full: 300, minimum: 60 },
      fc.asyncProperty(
        drawn,
        fc.integer({ min: 4, max: 40 }),
        fc.constantFrom(10_000, 10, 20, 30),
        fc.array(height, { maxLength: 3 }),
        async (rows, pageRows, maxRows, heads) => {
          const movements = [...rows]
            .sort(([a], [b]) => a - b)
            .map(([at, name, value]) =>
              paid(at, value, { list: name, value: String(value), contract: name === 'tokentx' ? USDT : '' }),
            )
          const perBlock = new Map<string, number>()
          for (const { list: name, height: at } of movements)
            perBlock.set(`${name} ${at}`, (perBlock.get(`${name} ${at}`) ?? 0) + 1)
          // A block of more rows than a page has its own test.
          fc.pre([...perBlock.values()].every((rowsOfBlock) => rowsOfBlock < Math.min(pageRows, maxRows)))
          const cut = { ...quirks, maxRows }
          const found: string[] = []
          let known: number | null = null
          for (const head of [...new Set([...heads, 14])].sort((a, b) => a - b)) {
            const http = standInHttp(etherscanStandIn(chainOf(movements, head + 12), cut))
            const { lines, end } = await readHistory(source(pageRows), ME, http, known)
            expect(end.incomplete).toEqual([])
            found.push(...lines.map((line) => keyOf(line)))
            known = end.head.height
          }
          const expected = movements.map(
            (one) => `${kindOf[one.list]} ${one.height} ${one.hash} ${one.value}`,
          )
          expect(found.sort()).toEqual(expected.sort())
        },
      ),
    )
  })
})

const kindOf = { txlist: 'native', txlistinternal: 'internal', tokentx: 'token' }
const keyOf = (line: Readonly<Record<string, unknown>>): string =>
  ['kind', 'block_number', 'tx_hash', 'amount_raw'].map((name) => String(line[name])).join(' ')

test.each([
  ['Max rate limit reached, please use API Key for higher rate limit', 'rate_limited'],
  ['Max calls per sec rate limit reached (3/sec)', 'rate_limited'],
  ['Error! Query Timeout occured. Please select a smaller result dataset', 'timeout'],
  ['Invalid API Key', 'refused'],
  ['Free API access is not supported for this chain', 'refused'],
])('an error with status 200 that says %s is %s', async (result, code) => {
  const standIn = etherscanStandIn(chainOf([]), { host: 'etherscan' })
  const http = standInHttp((question) =>
    question.url.searchParams.get('action') === 'txlist'
      ? { status: 200, body: { status: '0', message: 'NOTOK', result } }
      : standIn(question),
  )
  await expect(readHistory(source(), ME, http)).rejects.toMatchObject({ code })
})

test('a rate limit in a later list is not taken for a list that the host does not have', async () => {
  const standIn = etherscanStandIn(chainOf([]), { host: 'etherscan' })
  const http = standInHttp((question) =>
    question.url.searchParams.get('action') === 'tokentx'
      ? { status: 200, body: { status: '0', message: 'NOTOK', result: 'Max rate limit reached' } }
      : standIn(question),
  )
  await expect(readHistory(source(), ME, http)).rejects.toMatchObject({ code: 'rate_limited' })
})

test.each(['NOTOK', 'No API key found', 'No such account found'])(
  'an empty list with the message %s is refused',
  async (message) => {
    const standIn = etherscanStandIn(chainOf([]), { host: 'etherscan' })
    const http = standInHttp((question) =>
      question.url.searchParams.get('action') === 'txlist'
        ? { status: 200, body: { status: '0', message, result: [] } }
        : standIn(question),
    )
    await expect(readHistory(source(), ME, http)).rejects.toBeInstanceOf(ProviderError)
  },
)

test('Blockscout that has not all calls proves none, and one that has not all blocks proves nothing', async () => {
  const chain = chainOf([paid(10, 1)])
  expect((await read(chain, { host: 'blockscout', hasAllCalls: false })).end).toMatchObject({
    kinds: ['native', 'token'],
    incomplete: ['no_traces'],
  })
  await expect(read(chain, { host: 'blockscout', hasAllBlocks: false })).rejects.toMatchObject({
    code: 'stale',
  })
})

test('a call of Blockscout without its type may borrow code, so its value is not certain', async () => {
  const chain = chainOf([paid(10, 1, { list: 'txlistinternal', raw: { callType: undefined } })])
  expect((await read(chain, { host: 'blockscout' })).end.incomplete).toEqual(['unreadable_rows'])
})

test('a host that caps its pages below what was asked for loses nothing', async () => {
  const rows = Array.from({ length: 250 }, (_, index) => paid(10 + Math.floor(index / 3), index))
  const { lines, end } = await read(chainOf(rows), { host: 'etherscan', maxRows: 100 })
  expect({ lines: lines.length, incomplete: end.incomplete }).toEqual({ lines: 250, incomplete: [] })
})

test('what the first block gave to an address has no payer', async () => {
  const raw = {
    hash: `GENESIS_${ME.slice(2)}`,
    from: 'GENESIS',
    timeStamp: '1438269973',
    txreceipt_status: '',
  }
  const { lines, end } = await read(chainOf([paid(0, 1, { raw })]), { host: 'etherscan' })
  expect(lines).toMatchObject([{ from_address: '', to_address: ME, tx_hash: '', status: '1' }])
  expect(end.incomplete).toEqual([])
})

test('a host whose lists grow without end is left after a fixed number of pages', async () => {
  const standIn = etherscanStandIn(chainOf([]), { host: 'etherscan' })
  let calls = 0
  const http = standInHttp((question) => {
    if (question.url.searchParams.get('action') !== 'txlist') return standIn(question)
    calls += 1
    const start = Number(question.url.searchParams.get('startblock'))
    const row = { timeStamp: '1700000000', from: OTHER, to: ME, value: '1', isError: '0' }
    const result = [0, 1].map((more) => ({ ...row, blockNumber: start + more, hash: hash(start + more) }))
    return { status: 200, body: { status: '1', message: 'OK', result } }
  })
  const { end } = await readHistory(source(2), ME, http)
  expect(end.incomplete).toEqual(['truncated'])
  expect(calls).toBeLessThan(1_100)
})
