import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256Hex } from '../scorer/index.js'
import type { ChainTransaction, Movement } from './chain-transaction.js'
import { countedTransfers } from './counted-transfers.js'

const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const [alice, bob, carol] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
]

const movement = (changes: Partial<Movement> = {}): Movement => ({
  ...{ kind: 'native', contract: '', from: alice, to: bob, amountBaseUnits: '7', position: null },
  ...changes,
})

function transaction(changes: Partial<ChainTransaction> = {}): ChainTransaction {
  return {
    txHash: '0x01',
    blockNumber: 15,
    occurredAtS: 1_700_000_000,
    proven: true,
    movements: [movement()],
    outputs: null,
    ...changes,
  }
}

const counted = (...movements: Movement[]) => countedTransfers('ETH', [transaction({ movements })])

describe('a movement', () => {
  test('has the id it has in the ledger', () => {
    const idInLedger = (parts: unknown[]) => sha256Hex(JSON.stringify(parts)).slice(0, 32)
    expect(counted(movement())).toMatchObject([
      {
        id: idInLedger(['ETH', '0x01', 'native', '0']),
        amount: 7n,
        occurredAtS: 1_700_000_000,
        proven: true,
      },
    ])
    expect(counted(movement({ kind: 'token', contract: USDT, position: 12 }))).toMatchObject([
      { id: idInLedger(['ETH', '0x01', 'token', '12']), contract: USDT },
    ])
  })

  test.each<[string, Partial<Movement>]>([
    ['of nothing', { amountBaseUnits: '0' }],
    ['to oneself', { to: alice }],
    ['to nobody', { to: '' }],
    ['to where it is burnt', { to: '0x000000000000000000000000000000000000dead' }],
    ['of a token that anyone may have made', { kind: 'token', contract: carol, position: 1 }],
  ])('%s does not count', (_name, changes) => {
    expect(counted(movement(changes))).toEqual([])
  })

  test('told twice is one; equal ones that nothing tells apart are each one', () => {
    const token = movement({ kind: 'token', contract: USDT, position: 3 })
    expect(countedTransfers('ETH', [transaction(), transaction()])).toHaveLength(1)
    expect(counted(token, token)).toHaveLength(1)
    const unplaced = movement({ kind: 'token', contract: USDT })
    expect(new Set(counted(unplaced, unplaced).map(({ id }) => id)).size).toBe(2)
    const several = [movement({ position: 0 }), movement({ position: 4 })]
    expect(countedTransfers('SOL', [transaction({ movements: several })])).toHaveLength(2)
  })
})

describe('spent and created outputs', () => {
  const owned = (owner: string, amount: number | bigint) => ({ owner, amountBaseUnits: String(amount) })
  const edges = (spent: ReturnType<typeof owned>[], created: ReturnType<typeof owned>[]) =>
    countedTransfers('BTC', [transaction({ movements: [], outputs: { spent, created } })])

  test('each input pays each output by its part; change comes back to its owner and is not an edge', () => {
    const found = edges(
      [owned('in-1', 300), owned('in-2', 100)],
      [owned('out-1', 200), owned('in-1', 150), owned('', 40)],
    )
    expect(found.map(({ from, to, amount, kind }) => [from, to, amount, kind])).toEqual([
      ['in-1', 'out-1', 150n, 'utxo'],
      ['in-2', 'out-1', 50n, 'utxo'],
    ])
  })

  test('of a new coin have no payer', () => {
    expect(edges([], [owned('miner', 625_000_000)])).toEqual([])
  })

  test('never pay more than was spent, nor more than anyone received', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 2n ** 62n }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(amounts, amounts, (spent, wanted) => {
        const total = spent.reduce((sum, amount) => sum + amount, 0n)
        // A transaction cannot create more than it spends.
        const created = wanted.map((amount) =>
          total === 0n ? 0n : (amount % (total + 1n)) / BigInt(wanted.length),
        )
        const found = edges(
          spent.map((amount, index) => owned(`in-${index}`, amount)),
          created.map((amount, index) => owned(`out-${index}`, amount)),
        )
        created.forEach((amount, index) => {
          const received = found
            .filter(({ to }) => to === `out-${index}`)
            .reduce((sum, edge) => sum + edge.amount, 0n)
          expect(received <= amount).toBe(true)
          // The loss is less than one unit for each input.
          if (total > 0n) expect(received > amount - BigInt(spent.length)).toBe(true)
        })
      }),
    )
  })
})
