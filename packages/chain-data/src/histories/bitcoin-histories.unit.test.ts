/** Histories from Esplora and Blockbook: whole transactions, every page edge, and sums that show a missing part. */
import { assertWithin } from '@cupel/testkit'
import {
  blockbookStandIn,
  esploraStandIn,
  type StandIn,
  type UtxoChain,
  type UtxoQuirks,
  type UtxoTransaction,
} from '@cupel/testkit/providers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHistory, standInHttp } from '../../test/read-history.js'
import { landmarks } from '../chain-identity.js'
import { openHistorySource } from './open-history-source.js'

const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const ME = 'bc1qcnp500gpwu550nr6xj3afwxldztylvmqh68lak'
const OTHER = '3PeVz6zCzRWsRq9YfZYbfbP92ZYDNyMUCC'
const THIRD = '1DoQeKfU3dYhN9bxMpFFcVUnufCPDqSPae'
const hash = (index: number): string => index.toString(16).padStart(64, '0')

const chainOf = (transactions: readonly UtxoTransaction[], newest = 961_361): UtxoChain => ({
  transactions,
  newest,
  newestAtS: Math.floor(NOW_MS / 1_000) - 9,
  secondsPerBlock: 500,
  landmark: landmarks.BTC!,
  branch: 1,
})

const paid = (height: number, index: number, rest: Partial<UtxoTransaction> = {}): UtxoTransaction => ({
  ...{ height, hash: hash(index) },
  inputs: [{ address: OTHER, value: 700 }],
  outputs: [
    { address: ME, value: 500 },
    { address: OTHER, value: 190 },
  ],
  ...rest,
})

const hosts: readonly {
  readonly kind: 'esplora' | 'blockbook'
  readonly standIn: (chain: UtxoChain, quirks?: UtxoQuirks) => StandIn
  readonly list: RegExp
}[] = [
  { kind: 'esplora', standIn: esploraStandIn, list: /\/txs\/chain/ },
  { kind: 'blockbook', standIn: blockbookStandIn, list: /\/api\/v2\/address/ },
]

const source = (kind: 'esplora' | 'blockbook', chain: 'BTC' | 'ZEC' | 'BCH' = 'BTC') =>
  openHistorySource({ name: 'p', kind, chain, multichain: false }, () => NOW_MS)!

describe.each(hosts)('a history from $kind', ({ kind, standIn, list }) => {
  const read = (chain: UtxoChain, quirks: UtxoQuirks = {}, fromHeight: number | null = null) =>
    readHistory(source(kind), ME, standInHttp(standIn(chain, quirks)), fromHeight)

  test('has whole transactions, up to a block that is unlikely to be replaced', async () => {
    const { lines, end } = await read(chainOf([paid(800_000, 1), paid(961_359, 2), paid(961_360, 3)]))
    expect(end).toEqual({
      head: {
        height: 961_359,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        // Blockbook states no times of blocks.
        atS: Math.floor(NOW_MS / 1_000) - 9 - (kind === 'esplora' ? 1_000 : 1_200),
      },
      kinds: ['native'],
      incomplete: [],
    })
    expect(lines.map((line) => line['block_number'])).toEqual([961_359, 800_000])
    expect(lines[1]).toMatchObject({
      hash: hash(1),
      is_coinbase: false,
      input_count: 1,
      input_value: '700',
      output_value: '690',
      inputs: [{ addresses: [OTHER], value: '700' }],
      outputs: [
        { addresses: [ME], value: '500' },
        { addresses: [OTHER], value: '190' },
      ],
    })
  })

  test('without a transaction is whole', async () => {
    expect(await read(chainOf([]))).toMatchObject({ lines: [], end: { incomplete: [], kinds: ['native'] } })
  })

  test('of a coinbase has no inputs, and a script without an address none', async () => {
    const text = { address: null, value: 0, script: '6a0b68656c6c6f', described: ['OP_RETURN (hello)'] }
    const { lines, end } = await read(
      chainOf([paid(10, 1, { inputs: [], outputs: [{ address: ME, value: 500 }, text] })]),
    )
    expect(end.incomplete).toEqual([])
    expect(lines).toMatchObject([
      {
        is_coinbase: true,
        inputs: [],
        input_value: '0',
        outputs: [{ addresses: [ME] }, { addresses: [], value: '0', script_hex: '6a0b68656c6c6f' }],
      },
    ])
  })

  test('whose transaction states other sums than its lists have is truncated', async () => {
    const raw = kind === 'esplora' ? { fee: 11 } : { valueIn: '800' }
    expect((await read(chainOf([paid(10, 1, { raw }), paid(11, 2)]))).end).toMatchObject({
      kinds: [],
      incomplete: ['truncated'],
    })
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['a hash of another length', { txid: 'ab' }],
    ['inputs in another form than a list', { vin: {} }],
    ['outputs with a fraction', { vout: [{ scriptpubkey: '', isAddress: false, value: '5.5' }] }],
    [
      'an address of another chain',
      {
        vout: [
          {
            scriptpubkey: '',
            scriptpubkey_address: 'ltc1x',
            value: 1,
            isAddress: true,
            addresses: ['ltc1x'],
          },
        ],
      },
    ],
  ])('with %s is incomplete by name', async (_name, raw) => {
    const { end } = await read(chainOf([paid(10, 2), paid(11, 1, { raw })]))
    expect(end).toMatchObject({ kinds: [], incomplete: ['unreadable_rows'] })
  })

  test('of an input without its value is incomplete by name', async () => {
    const vin =
      kind === 'esplora'
        ? [{ txid: hash(9), is_coinbase: false, prevout: null }]
        : [{ txid: hash(9), n: 0, isAddress: true, addresses: [OTHER] }]
    expect((await read(chainOf([paid(10, 1, { raw: { vin } })]))).end.incomplete).toEqual(['unreadable_rows'])
  })

  test('of another address is refused', async () => {
    const others = paid(10, 1, { outputs: [{ address: THIRD, value: 690 }] })
    const answers = standIn(chainOf([others]))
    const http = standInHttp((question) => {
      question.url.pathname = question.url.pathname.replace(ME, OTHER)
      const answer = answers(question)
      const isNamed = typeof answer.body === 'object' && answer.body !== null && 'address' in answer.body
      return isNamed ? { ...answer, body: { ...answer.body, address: ME } } : answer
    })
    await expect(readHistory(source(kind), ME, http)).rejects.toMatchObject({ code: 'wrong_address' })
  })

  test('of another chain, or of a host that fell behind, is refused', async () => {
    const chain = { ...chainOf([]), landmark: { height: 478_559, hash: hash(3) } }
    await expect(read(chain)).rejects.toMatchObject({ code: 'wrong_chain' })
    const late = { ...chainOf([]), newestAtS: Math.floor(NOW_MS / 1_000) - 30_000 }
    await expect(read(late)).rejects.toMatchObject({ code: 'stale' })
    await expect(read(chainOf([]), {}, 961_361)).rejects.toMatchObject({ code: 'stale' })
  })

  test('begins after a known height', async () => {
    const chain = chainOf([paid(10, 1), paid(11, 2), paid(12, 3)])
    expect((await read(chain, {}, 11)).lines).toMatchObject([{ block_number: 12 }])
  })

  test('is reorganised if its head changes meanwhile', async () => {
    const chain = chainOf([paid(10, 1)])
    const answers = standIn(chain)
    const http = standInHttp((question) => {
      if (list.test(question.url.pathname)) chain.branch = 2
      return answers(question)
    })
    expect((await readHistory(source(kind), ME, http)).end.incomplete).toEqual(['reorganised'])
  })

  test('that loses transactions between two pages contradicts itself', async () => {
    const all = Array.from({ length: 300 }, (_, index) => paid(10 + index, index))
    const chain = chainOf(all)
    const answers = standIn(chain)
    let pages = 0
    const http = standInHttp((question) => {
      const answer = answers(question)
      if (list.test(question.url.pathname) && ++pages === 1)
        chain.transactions = all.filter(({ height }) => height !== 20)
      return answer
    })
    const { end } = await readHistory(source(kind), ME, http)
    expect(end).toMatchObject({ kinds: [], incomplete: ['contradicting_pages'] })
  })

  test.each([1, 0])('whose pages repeat is left, not read without end (blocks apart: %i)', async (apart) => {
    const all = Array.from({ length: 300 }, (_, index) => paid(10 + index * apart, index))
    const answers = standIn(chainOf(all))
    let asked = 0
    let first: unknown = null
    const http = standInHttp((question) => {
      const answer = answers(question)
      if (!list.test(question.url.pathname)) return answer
      asked += 1
      const isPage = typeof answer.body === 'object' && answer.body !== null
      if (!isPage) return answer
      first ??= answer.body
      const page = question.url.searchParams.get('page')
      return { ...answer, body: page === null ? first : { ...(first as object), page: Number(page) } }
    })
    expect((await readHistory(source(kind), ME, http)).end.incomplete).toEqual(['contradicting_pages'])
    expect(asked).toBeLessThan(5)
  })

  test('is the same over any pages and refreshes', async () => {
    await assertWithin(
      { name: `histories of ${kind}`, full: 150, minimum: 40 },
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 60 }),
        fc.constantFrom(5, 10, 25, 50),
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
        async (drawn, pageRows, heads) => {
          const transactions = [...drawn].sort((a, b) => a - b).map((height, index) => paid(height, index))
          const found: string[] = []
          let known: number | null = null
          for (const head of [...new Set([...heads, 14])].sort((a, b) => a - b)) {
            const chain = chainOf(
              transactions.filter(({ height }) => height <= head + 2),
              head + 2,
            )
            const { lines, end } = await read(chain, { pageRows }, known)
            expect(end.incomplete).toEqual([])
            found.push(...lines.map((line) => `${String(line['block_number'])} ${String(line['hash'])}`))
            known = end.head.height
          }
          expect(found.sort()).toEqual(transactions.map((one) => `${one.height} ${one.hash}`).sort())
        },
      ),
    )
  })
})

test('Esplora that refuses an address of too many transactions is truncated', async () => {
  const answers = esploraStandIn(chainOf([paid(10, 1)]))
  const http = standInHttp((question) =>
    question.url.pathname.includes('/txs/chain')
      ? { status: 400, body: 'Too many history entries' }
      : answers(question),
  )
  expect((await readHistory(source('esplora'), ME, http)).end).toMatchObject({
    kinds: [],
    incomplete: ['truncated', 'contradicting_pages'].sort(),
  })
})

test('Blockbook that is not in sync is stale, and what waits for a block is left out', async () => {
  const http = standInHttp(blockbookStandIn(chainOf([]), { inSync: false }))
  await expect(readHistory(source('blockbook'), ME, http)).rejects.toMatchObject({ code: 'stale' })
  const chain = chainOf([paid(10, 1), paid(961_361, 2)])
  const waiting = standInHttp(blockbookStandIn(chain, { mempool: paid(0, 7) }))
  const { lines, end } = await readHistory(source('blockbook'), ME, waiting)
  expect({ lines: lines.length, incomplete: end.incomplete }).toEqual({ lines: 1, incomplete: [] })
})

test('Blockbook with large transactions gives smaller pages', async () => {
  const all = Array.from({ length: 200 }, (_, index) =>
    paid(10 + index, index, { raw: { hex: 'ab'.repeat(index === 77 ? 20_000 : 200) } }),
  )
  const http = standInHttp(blockbookStandIn(chainOf(all)), 60_000)
  const { lines, end } = await readHistory(source('blockbook'), ME, http)
  expect({ lines: lines.length, incomplete: end.incomplete }).toEqual({ lines: 200, incomplete: [] })
  const small = standInHttp(blockbookStandIn(chainOf(all)), 30_000)
  expect((await readHistory(source('blockbook'), ME, small)).end.incomplete).toContain('truncated')
})

test('Blockbook names the keys of bare multisignature', async () => {
  const shared = { address: null, value: 190, described: [OTHER, THIRD] }
  const chain = chainOf([paid(10, 1, { outputs: [{ address: ME, value: 500 }, shared] })])
  const { lines } = await readHistory(source('blockbook'), ME, standInHttp(blockbookStandIn(chain)))
  expect(lines).toMatchObject([{ outputs: [{ addresses: [ME] }, { addresses: [OTHER, THIRD] }] }])
})

describe('on Zcash', () => {
  const [me, other] = ['t1Hsc1LR8yKnbbe3twRp88p6vFfC5t7DLbs', 't3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd']
  const read = async (outputs: UtxoTransaction['outputs']) => {
    const one = paid(10, 1, { inputs: [{ address: me, value: 50_000_000 }], outputs })
    const chain = { ...chainOf([one]), landmark: landmarks.ZEC! }
    return readHistory(source('blockbook', 'ZEC'), me, standInHttp(blockbookStandIn(chain)))
  }

  test('what leaves the visible outputs goes to a script without an address', async () => {
    const { lines } = await read([{ address: other, value: 20_000_000 }])
    expect(lines).toMatchObject([
      { output_value: '50000000', outputs: [{ addresses: [other] }, { addresses: [], value: '30000000' }] },
    ])
    expect((await read([])).lines).toMatchObject([{ outputs: [{ addresses: [], value: '50000000' }] }])
  })

  test('a fee does not', async () => {
    const { lines } = await read([{ address: other, value: 49_990_000 }])
    expect(lines).toMatchObject([{ output_count: 1, output_value: '49990000' }])
  })
})

test('an address of Bitcoin Cash is known in every form', async () => {
  const canonical = 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'
  const one = paid(600_000, 1, { inputs: [], outputs: [{ address: canonical, value: 5 }] })
  const chain = { ...chainOf([one]), landmark: landmarks.BCH! }
  const http = standInHttp(blockbookStandIn(chain))
  const { lines, end } = await readHistory(source('blockbook', 'BCH'), canonical, http)
  expect({ lines: lines.length, incomplete: end.incomplete }).toEqual({ lines: 1, incomplete: [] })
})
