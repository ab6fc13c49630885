/** What makes a history complete, and each fact that falsifies it. */
import { describe, expect, test } from 'vitest'
import type { ExposureRecord } from '@cupel/contracts'
import {
  addressOf,
  ETHER,
  measured,
  neighbourhood,
  policyWith,
  transfer,
  wholeHistory,
} from '../../../../test/exposure-builders.js'
import { ADDRESS, GENERATED_AT, label } from '../../../../test/judgement-builders.js'
import { falsifyCompleteness } from './completeness.js'
import { neededKinds } from './history.js'
import type { Neighbourhood } from './measure-exposure.js'
import type { Transfer } from './transfer.js'

const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const OTHER = addressOf(3)
const NOW_S = Date.parse(GENERATED_AT) / 1_000
const [native, internal, token] = wholeHistory
const received = (changes: Partial<Transfer> = {}): Transfer => transfer({ blockNumber: 50, ...changes })
const sent = (changes: Partial<Transfer> = {}): Transfer =>
  transfer({ from: ADDRESS, to: OTHER, blockNumber: 60, ...changes })

const recorded = (transfers: readonly Transfer[], changes: Partial<Neighbourhood> = {}): ExposureRecord =>
  measured(neighbourhood(transfers, { ranges: wholeHistory, ...changes }), {})
const reasons = (transfers: readonly Transfer[], changes: Partial<Neighbourhood> = {}): readonly string[] => {
  const record = recorded(transfers, changes)
  expect(record.historyComplete).toBe(record.incomplete.length === 0)
  return record.incomplete
}

describe('an EVM chain needs three ranges', () => {
  test('all of them, from the beginning of the chain to within a day of the report', () => {
    expect(reasons([received()])).toEqual([])
  })

  test('a native-only file with a declared range is not a history', () => {
    expect(reasons([received()], { ranges: [native!] })).toEqual(['no_traces', 'no_tokens'])
  })

  test('also on chains that never had a token range', () => {
    for (const chain of ['FTM', 'GNO', 'CELO', 'LINEA', 'ETC', 'ZKSYNC', 'SCROLL', 'MNT'])
      expect(reasons([received()], { chain, ranges: [native!, internal!] }), chain).toEqual(['no_tokens'])
  })

  test('others need what they have', () => {
    expect(neededKinds('TRX')).toEqual(['native', 'internal', 'token'])
    expect(neededKinds('SOL')).toEqual(['native', 'token'])
    expect(neededKinds('BTC')).toEqual(['native'])
  })

  test('nothing declared names all three', () => {
    expect(reasons([received()], { ranges: [] })).toEqual(['range_gap', 'no_traces', 'no_tokens'])
  })
})

describe('a range has a gap', () => {
  const withNative = (...ranges: Neighbourhood['ranges']): Partial<Neighbourhood> => ({
    ranges: [...ranges, internal!, token!],
  })

  test('before a later height, where the address may have been earlier', () => {
    expect(reasons([received()], withNative({ ...native!, fromHeight: 2 }))).toEqual(['range_gap'])
  })

  test('between two files, not where they touch', () => {
    const parts = (second: number) =>
      withNative({ ...native!, toHeight: 40 }, { ...native!, fromHeight: second })
    expect(reasons([received()], parts(41))).toEqual([])
    expect(reasons([received()], parts(42))).toEqual(['range_gap'])
  })

  test('between two files of which both, or only the first, end now', () => {
    const early = { ...native!, toHeight: 60 }
    const late = { ...native!, fromHeight: 70 }
    for (const second of [late, { ...late, toAtS: null }, { ...late, toAtS: NOW_S - 3_600 }])
      expect(reasons([received()], withNative(early, second))).toEqual(['range_gap'])
  })

  test('where it ended more than a day ago, or nobody says when', () => {
    const until = (toAtS: number) => withNative({ ...native!, toAtS })
    expect(reasons([received()], until(NOW_S - 24 * 3_600))).toEqual([])
    expect(reasons([received()], until(NOW_S - 24 * 3_600 - 1))).toEqual(['range_gap'])
    const untimed = wholeHistory.map((range) => ({ ...range, toAtS: null }))
    expect(reasons([received()], { ranges: untimed })).toEqual(['range_gap'])
  })

  test('not where a file without times ends no earlier than another that ends at its height or below', () => {
    const ending = (toHeight: number) => ({
      ranges: [native!, internal!, { ...token!, toHeight, toAtS: null }],
    })
    expect(reasons([received()], ending(native!.toHeight))).toEqual([])
    expect(reasons([received()], ending(native!.toHeight - 1))).toEqual(['range_gap'])
  })

  test('where a transfer lies beyond it or has no height, each kind in its own range', () => {
    expect(reasons([received({ blockNumber: 100_000_001 })])).toEqual(['range_gap'])
    expect(reasons([received({ blockNumber: null })])).toEqual(['range_gap'])
    const shorter = { ranges: [native!, { ...internal!, toHeight: 55 }, token!] }
    expect(reasons([received({ blockNumber: 56 })], shorter)).toEqual([])
    expect(reasons([received({ blockNumber: 56, kind: 'internal' })], shorter)).toEqual(['range_gap'])
  })
})

describe('a range that ends in the future', () => {
  test('of 2036 is not counted, and named', () => {
    const future = { ...token!, toAtS: Date.parse('2036-01-01') / 1_000 }
    expect(reasons([received()], { ranges: [native!, internal!, future] })).toEqual(['range_in_future'])
    expect(reasons([received()], { ranges: [native!, internal!, token!, future] })).toEqual([
      'range_in_future',
    ])
    expect(reasons([received()], { ranges: [native!, internal!, { ...token!, toAtS: NOW_S }] })).toEqual([])
  })

  test('says nothing about when others end', () => {
    const future = { ...native!, toAtS: NOW_S + 1 }
    const untimed = { ...token!, toAtS: null }
    expect(reasons([received()], { ranges: [future, internal!, untimed] })).toEqual(['range_in_future'])
    expect(reasons([received()], { ranges: [future, { ...internal!, toAtS: null }, untimed] })).toEqual([
      'range_in_future',
      'range_gap',
    ])
  })
})

describe('a shortfall', () => {
  test('500 ETH sent and none ever received', () => {
    expect(reasons([sent({ amount: 500n * ETHER })])).toEqual(['shortfall'])
  })

  test('what was sent before it was received', () => {
    expect(reasons([received({ blockNumber: 61 }), sent()])).toEqual(['shortfall'])
    expect(reasons([received({ blockNumber: 60, index: 1 }), sent({ index: 0 })])).toEqual(['shortfall'])
    expect(reasons([received({ blockNumber: 60, index: 0 }), sent({ index: 1 })])).toEqual([])
  })

  test('one token does not pay for another', () => {
    const both = [
      received({ contract: USDT, kind: 'token', amount: 5_000_000n }),
      sent({ contract: USDC, kind: 'token', amount: 5_000_000n }),
    ]
    expect(reasons(both)).toEqual(['shortfall'])
    expect(reasons([both[0]!, { ...both[1]!, contract: USDT }])).toEqual([])
  })

  test('what was created for the address is received, though it is not a counted transfer', () => {
    const minted = received({ from: `0x${'0'.repeat(40)}`, contract: USDT, kind: 'token' })
    expect(reasons([minted, sent({ contract: USDT, kind: 'token' })])).toEqual(['uncounted_value'])
  })

  test('is not said of a history that was not read whole', () => {
    expect(recorded([sent()], { truncated: true }).incomplete).toEqual([])
    expect(recorded([sent()], { truncated: true }).historyComplete).toBe(false)
  })

  test('of a chain with spent outputs is a net below nothing', () => {
    const bitcoin = (netBaseUnits: bigint | null) =>
      reasons([sent({ kind: 'utxo' })], { chain: 'BTC', ranges: [native!], netBaseUnits })
    expect(bitcoin(0n)).toEqual([])
    expect(bitcoin(null)).toEqual([])
    expect(bitcoin(-1n)).toEqual(['shortfall'])
  })
})

test('a transfer that may have failed leaves the history incomplete and the total as it is', () => {
  const record = recorded([received({ proven: false })])
  expect(record.incomplete).toEqual(['execution_unknown'])
  expect(record.breakdown).toMatchObject([{ totalComplete: true }])
})

describe('an address that value came from', () => {
  const [between, source] = [addressOf(4), addressOf(5)]
  const paid = received({ from: between, blockNumber: 50 })
  const followed = [between]

  test('sent what it had not received: what it received is not known', () => {
    expect(reasons([paid], { followed })).toEqual(['intermediary_shortfall'])
    const late = transfer({ from: source, to: between, blockNumber: 51 })
    expect(reasons([paid, late], { followed })).toEqual(['intermediary_shortfall'])
    expect(reasons([paid, { ...late, blockNumber: 49 }], { followed })).toEqual([])
  })

  test('also over more hops than one, as far as paths are followed', () => {
    const earlier = transfer({ from: source, to: between, blockNumber: 49 })
    const over = (hops: number, whom: readonly string[]): readonly string[] =>
      measured(
        neighbourhood([paid, earlier], { ranges: wholeHistory, followed: whom }),
        {},
        {
          policy: policyWith({ hops }),
        },
      ).incomplete
    expect(over(3, [between, source])).toEqual(['intermediary_shortfall'])
    expect(over(2, [between, source])).toEqual([])
    expect(over(3, [between])).toEqual([])
  })

  test('had it from where value is made', () => {
    const minted = transfer({ from: `0x${'0'.repeat(40)}`, to: between, blockNumber: 49 })
    expect(reasons([paid, minted], { followed })).toEqual([])
  })

  test('is not asked where the address paid it, or where shares of transactions are all that is known', () => {
    const spent = transfer({ from: between, to: source, blockNumber: 70 })
    expect(reasons([received({ from: OTHER }), sent({ to: between }), spent], { followed })).toEqual([])
    expect(reasons([paid], { chain: 'BTC', followed, ranges: [native!], netBaseUnits: ETHER })).toEqual([])
  })

  test('leaves the totals as they are', () => {
    expect(recorded([paid], { followed }).breakdown).toMatchObject([{ totalComplete: true }])
  })
})

describe('facts of providers falsify a history', () => {
  const facts = {
    balanceBaseUnits: null,
    tokens: [],
    txCount: null,
    txCountKind: null,
    codeAtAddress: 'unknown',
  } as const
  type Facts = Parameters<typeof falsifyCompleteness>[2]
  const after = (
    transfers: readonly Transfer[],
    changes: Partial<Facts>,
    around: Partial<Neighbourhood> = {},
  ) =>
    falsifyCompleteness(around.chain ?? 'ETH', recorded(transfers, around), { ...facts, ...changes })
      .incomplete
  const balance = (baseUnits: bigint): Partial<Facts> => ({ balanceBaseUnits: baseUnits.toString() })

  test('a balance of 9,000 ETH and one transfer', () => {
    expect(after([received()], balance(9_000n * ETHER))).toEqual(['balance_mismatch'])
    expect(after([received()], balance(ETHER + 1n))).toEqual(['balance_mismatch'])
    expect(after([], balance(1n))).toEqual(['balance_mismatch'])
  })

  test('not a balance that fees have lowered', () => {
    expect(after([received(), sent({ amount: ETHER / 2n })], balance(ETHER / 2n))).toEqual([])
    expect(after([received(), sent({ amount: ETHER / 2n })], balance(1n))).toEqual([])
  })

  test('tokens do not explain a balance', () => {
    expect(after([received({ contract: USDT, kind: 'token' })], balance(1n))).toEqual(['balance_mismatch'])
  })

  const usdt = (amount: bigint): Partial<Facts> => ({
    tokens: [{ asset: 'USDT', amountBaseUnits: amount.toString(), decimals: 6 }],
  })

  test('5 million USDT and a ledger without any, or with fewer', () => {
    const five = usdt(5_000_000_000_000n)
    expect(after([received()], five)).toEqual(['balance_mismatch'])
    expect(after([], five)).toEqual(['balance_mismatch'])
    const tokens = received({ contract: USDT, kind: 'token', amount: 5_000_000_000_000n })
    expect(after([tokens], five)).toEqual([])
    expect(after([tokens], usdt(5_000_000_000_001n))).toEqual(['balance_mismatch'])
    expect(after([{ ...tokens, contract: USDC }], five)).toEqual(['balance_mismatch'])
  })

  test('a balance that lacks more than dust for each transaction: something left that the ledger does not know', () => {
    const counted = { txCount: 2, txCountKind: 'outgoing' }
    const transfers = [received(), sent({ amount: ETHER / 2n })]
    const fees = ETHER / 50n
    expect(after(transfers, { ...balance(ETHER / 2n - fees), ...counted })).toEqual([])
    expect(after(transfers, { ...balance(ETHER / 2n - fees - 1n), ...counted })).toEqual(['balance_mismatch'])
    const tokens = [...transfers, received({ contract: USDT, kind: 'token', amount: 900_000_000n })]
    expect(after(tokens, { ...usdt(100_000_000n), ...counted })).toEqual(['balance_mismatch'])
  })

  test('a balance of a chain with spent outputs is exact', () => {
    const bitcoin = { chain: 'BTC', ranges: [native!], netBaseUnits: 700n }
    expect(after([received({ kind: 'utxo' })], balance(700n), bitcoin)).toEqual([])
    expect(after([received({ kind: 'utxo' })], balance(699n), bitcoin)).toEqual(['balance_mismatch'])
    expect(after([received({ kind: 'utxo' })], balance(701n), bitcoin)).toEqual(['balance_mismatch'])
    expect(after([received({ kind: 'utxo' })], balance(701n), { ...bitcoin, netBaseUnits: null })).toEqual([])
  })

  test('a count of outgoing transactions and nothing sent, and no count and something sent', () => {
    const outgoing = (txCount: number): Partial<Facts> => ({ txCount, txCountKind: 'outgoing' })
    expect(after([received()], outgoing(1))).toEqual(['count_mismatch'])
    expect(after([received(), sent()], outgoing(0))).toEqual(['count_mismatch'])
    expect(after([received()], outgoing(0))).toEqual([])
    expect(after([received(), sent()], outgoing(7))).toEqual([])
    expect(after([received()], { ...outgoing(1), codeAtAddress: 'contract' })).toEqual([])
  })

  test('a count of all transactions and an empty ledger, and no count and a transfer', () => {
    const all = (txCount: number): Partial<Facts> => ({ txCount, txCountKind: 'total' })
    expect(after([], all(3))).toEqual(['count_mismatch'])
    expect(after([received()], all(0))).toEqual(['count_mismatch'])
    expect(after([received()], all(3))).toEqual([])
  })

  test('no total is complete any more', () => {
    const record = measured(neighbourhood([received()], { ranges: wholeHistory }), {})
    const falsified = falsifyCompleteness('ETH', record, { ...facts, balanceBaseUnits: '9'.repeat(30) })
    expect(record.breakdown).toMatchObject([{ totalComplete: true }])
    expect(falsified).toMatchObject({ historyComplete: false, breakdown: [{ totalComplete: false }] })
  })
})

describe('wrapped coins', () => {
  const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
  const wrap = (changes: Partial<Transfer> = {}): Transfer =>
    transfer({ from: ADDRESS, to: WETH, blockNumber: 55, ...changes })
  const unwrap = (changes: Partial<Transfer> = {}): Transfer =>
    transfer({ from: WETH, to: ADDRESS, blockNumber: 57, ...changes })
  const wrapped = { contract: WETH, kind: 'token' }

  test('a wrap goes to oneself: what it made may be sent, and nothing is missing', () => {
    const record = recorded([received(), wrap(), sent(wrapped)])
    expect(record.incomplete).toEqual([])
    expect(record.breakdown.map(({ asset, direction, total }) => [asset, direction, total])).toEqual([
      ['ETH', 'in', ETHER.toString()],
      ['ETH', 'out', ETHER.toString()],
    ])
    expect(record).toMatchObject({ netBaseUnits: '0', nets: [{ asset: 'WETH', baseUnits: '0' }] })
    expect(reasons([received(wrapped), unwrap(), sent()])).toEqual([])
  })

  test('what was never there cannot be wrapped or unwrapped', () => {
    expect(reasons([unwrap()])).toEqual(['shortfall'])
    expect(reasons([received(), sent(wrapped)])).toEqual(['shortfall'])
    expect(reasons([received(wrapped), wrap()])).toEqual(['shortfall'])
  })

  test('an intermediary that wraps hides nothing', () => {
    const [thief, middle] = [addressOf(8), addressOf(9)]
    const { measures, incomplete } = measured(
      neighbourhood(
        [
          transfer({ from: thief, to: middle, blockNumber: 40 }),
          wrap({ from: middle, blockNumber: 41 }),
          received({ from: middle, ...wrapped }),
        ],
        { ranges: wholeHistory, followed: [middle] },
      ),
      { [thief]: [label({ category: 'stolen' })] },
    )
    expect(measures).toMatchObject([{ relation: 'indirect', asset: 'ETH', amount: ETHER.toString() }])
    expect(incomplete).toEqual([])
  })

  test('the ranges of tokens hold them', () => {
    const shorter = { ranges: [native!, internal!, { ...token!, toHeight: 45 }] }
    expect(reasons([received(wrapped)], shorter)).toEqual(['range_gap'])
  })
})

test('a token whose contract is illicit counts as of that source, whoever sent it, and forbids green', () => {
  const record = measured(
    neighbourhood([received({ contract: USDT, kind: 'token', amount: 900_000_000n })], { ranges: wholeHistory }),
    { [USDT]: [label({ category: 'sanctions', confidencePpm: 900_000 })] },
  )
  expect(record.incomplete).toEqual(['designated_contract'])
  expect(record.measures).toMatchObject([{ category: 'sanctions', relation: 'direct', sourceAddress: USDT }])
})
