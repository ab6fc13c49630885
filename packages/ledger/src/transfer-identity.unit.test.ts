/** One movement, however often it is told: over all files it counts as often as the one file that states most of it. */
import { describe, expect, test } from 'vitest'
import type { ToldTransfer } from './formats/ledger-row.js'
import { createIdentities } from './transfer-identity.js'

const told = (fields: Partial<ToldTransfer> = {}): ToldTransfer => ({
  ...{
    line: 1,
    kind: 'token',
    contract: 'T',
    txHash: 'aa',
    index: null,
    from: 'a',
    to: 'b',
    amount: 10_933n,
  },
  ...{ blockNumber: null, occurredAtS: null, txIndex: null, place: null, execution: 'proven' },
  ...fields,
})

/** Ids of all files together, each read by itself. */
function movements(
  files: readonly (readonly ToldTransfer[])[],
  chain = { code: 'TRX', family: 'tron' },
): number {
  const ids = new Set<string>()
  for (const file of files) {
    const identityOf = createIdentities(chain)
    for (const transfer of file) ids.add(identityOf(transfer))
  }
  return ids.size
}

describe('a movement', () => {
  const exports = [told(), told({ blockNumber: 7 }), told({ blockNumber: 7, index: '1', place: 1 })]

  test('that exports tell with and without block and index counts once', () => {
    expect(movements(exports.map((one) => [one]))).toBe(1)
    expect(movements([...exports].reverse().map((one) => [one]))).toBe(1)
  })

  test('counts as often as the one file that states most of it', () => {
    expect(movements([[told(), told()], [told()], [told({ index: '4' })]])).toBe(2)
    expect(movements([[told({ index: '1' }), told({ index: '2' }), told({ index: '1' })]])).toBe(2)
    expect(movements([[told(), told({ index: '1' })]])).toBe(1)
  })

  test('of another amount, party, asset or transaction is another', () => {
    const others = [{ amount: 1n }, { from: 'c' }, { to: 'c' }, { contract: 'U' }, { txHash: 'bb' }]
    expect(movements([[told(), ...others.map((one) => told(one))]])).toBe(6)
  })

  test('without a transaction is told apart by its content, and counted within a file', () => {
    const bare = told({ txHash: '', occurredAtS: 1_700_000_000 })
    expect(movements([[bare, bare], [bare]])).toBe(2)
  })

  test('of calls is known by the hash of the transaction, and only without one by its place', () => {
    const call = told({ kind: 'internal', contract: '', blockNumber: 7, txIndex: 2, index: '0' })
    const evm = { code: 'ETH', family: 'evm' }
    expect(movements([[call], [{ ...call, blockNumber: null, txIndex: null, index: null }]], evm)).toBe(1)
    const nameless = { ...call, txHash: '' }
    expect(movements([[nameless], [{ ...nameless, index: null }]], evm)).toBe(1)
    expect(movements([[nameless], [{ ...nameless, txIndex: 3 }]], evm)).toBe(2)
  })

  test('of a transaction itself counts once, and value that a source calls native by mistake is kept', () => {
    const native = told({ kind: 'native', contract: '' })
    const evm = { code: 'ETH', family: 'evm' }
    expect(movements([[native], [{ ...native, index: '0' }]], evm)).toBe(1)
    expect(movements([[native, { ...native, from: 'c' }]], evm)).toBe(2)
  })
})

/** A small generator: the same seed gives the same world. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('any split of one world over formats and files gives the same movements', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomOf(seed)
    const world = Array.from({ length: 1 + random(12) }, (_, index) =>
      told({
        ...{ txHash: `tx${random(4)}`, from: 'ab'[random(2)]!, amount: BigInt(1 + random(2)) },
        ...{ blockNumber: 5, index: String(index), place: index },
      }),
    )
    const whole = movements([world])
    const formats: readonly ((one: ToldTransfer) => ToldTransfer)[] = [
      (one) => one,
      (one) => ({ ...one, index: null, place: null }),
      (one) => ({ ...one, index: null, place: null, blockNumber: null }),
    ]
    // Each file has whole transactions, in its own format; some are told in several.
    const files = Array.from({ length: 1 + random(4) }, () => {
      const format = formats[random(formats.length)]!
      const taken = new Set(Array.from({ length: 4 }, (_, n) => n).filter(() => random(2) === 1))
      return world.filter(({ txHash }) => taken.has(Number(txHash.slice(2)))).map(format)
    })
    const rest = world.filter((one) => !files.flat().some(({ txHash }) => txHash === one.txHash))
    expect([seed, movements([...files, rest])]).toEqual([seed, whole])
  }
})

test('a row that lost an address does not hide the payment of its transaction from a whole file', () => {
  const evm = { code: 'ETH', family: 'evm' }
  const payment = told({ kind: 'native', contract: '' })
  expect(movements([[{ ...payment, to: '' }], [payment]], evm)).toBe(2)
  expect(movements([[{ ...payment, from: '' }], [payment]], evm)).toBe(2)
})
