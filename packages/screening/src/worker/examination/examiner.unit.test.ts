import { compiledDefaultPolicy } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { expect, test } from 'vitest'
import type { Turns } from '../turns.js'
import { createExaminer, type ExaminationOrder } from './examiner.js'

const [WAITED, OTHER] = ['0x1111111111111111111111111111111111111111', `0x${'2'.repeat(40)}`] as const

const order = (address: string, lane: ExaminationOrder['lane']): ExaminationOrder => ({
  ...{ accountId: 'a', chain: 'ETH', address, ledgerSeq: 1, labelSetSeq: 1, labelSets: [], ranges: [], lane },
  ...{ policyText: compiledDefaultPolicy.canonical, generatedAt: '2026-11-20T00:00:00.000Z' },
  ...{ pricesSha256: null, deadlineAtMs: Infinity, hasHistories: false },
})

test('late work leaves the thread to examinations for which a caller waits, and no other work does', async () => {
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const database = {
    query: async (_statement: unknown, values: unknown) => {
      if (String(values).includes(WAITED)) await answered
      return []
    },
  } as unknown as Queryable
  const yields: (() => boolean)[] = []
  const turns: Turns = {
    until: (_deadlineAtMs, one) => {
      if (one !== undefined) yields.push(one)
      return () => null
    },
  }
  const examiner = createExaminer(database, turns)
  const waited = examiner.exposure(order(WAITED, 'interactive'))
  // Orders of one moment are read together.
  await new Promise((resolve) => setImmediate(resolve))
  await examiner.exposure(order(OTHER, 'late'))
  expect(yields.map((one) => one())).toEqual([true])
  answer()
  await waited
  expect(yields.map((one) => one())).toEqual([false])
})

test('the many examinations of one account delay that of another by one, and those of bulk jobs come last', async () => {
  const begun: string[] = []
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const database = {
    query: async (_statement: unknown, values: readonly unknown[]) => {
      begun.push(String(values.flat().find((value) => /^[abc]\d$/.test(String(value)))))
      await answered
      return []
    },
  } as unknown as Queryable
  const examiner = createExaminer(database)
  const asked = ['a1', 'a2', 'a3', 'a4', 'a5', 'c1', 'a6', 'b1'].map((address) =>
    examiner.cluster({
      ...order(address, address === 'c1' ? 'bulk' : 'interactive'),
      ...{ chain: 'BTC', accountId: address[0]! },
    }),
  )
  answer()
  await Promise.all(asked)
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'a5', 'a6', 'c1'])
})

/** Counterparties of transfers; the labels of the first are not read before the test says so. */
const [UNREAD, READ] = [8, 9] as const

/** Each address has as many transfers, all with one counterparty. Addresses may be read together. */
interface Has {
  readonly transfers: number
  readonly counterparty: number
}

function ledgerOf(addresses: readonly (readonly [address: string, Has])[]) {
  const has = new Map(addresses)
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const rowsOf = (address: string, asked: number): string[] => {
    const { transfers, counterparty } = has.get(address)!
    return Array.from(
      { length: transfers },
      (_, n) => `${asked} ${n} f ${counterparty}  1000000000000000000 ${n + 1} 1   f  n `,
    )
  }
  const database = {
    query: async ({ name }: { readonly name: string }, values: readonly unknown[]) => {
      if (name === 'ledger.read-transfers') {
        const asked = values.flat().filter((value) => has.has(String(value)))
        return [{ rows: asked.flatMap((one, index) => rowsOf(String(one), index + 1)).join('\n') }]
      }
      if (name === 'ledger.read-addresses')
        return [UNREAD, READ].map((number) => ({ number, text: `0x${String(number).repeat(40)}` }))
      if (name === 'ledger.parts') return [{ unknownTokens: false, calls: false }]
      if (String(values).includes(String(UNREAD).repeat(40))) await answered
      return []
    },
  } as unknown as Queryable
  const examiner = createExaminer(database)
  const transfersOf = async (address: string, lane: ExaminationOrder['lane']): Promise<number> =>
    (await examiner.exposure(order(address, lane))).result.ownTransfers
  return { transfersOf, answer }
}

const addressOf = (digit: number): string => `0x${String(digit).repeat(40)}`

test('no number of large addresses that are examined delays a screen of a small one', async () => {
  const large = [3, 4, 5, 6].map(addressOf)
  const { transfersOf, answer } = ledgerOf([
    ...large.map((one) => [one, { transfers: 60, counterparty: UNREAD }] as const),
    [OTHER, { transfers: 1, counterparty: READ }],
  ])
  const waiting = large.map((one) => transfersOf(one, 'interactive'))
  expect(await transfersOf(OTHER, 'interactive')).toBe(1)
  answer()
  expect(await Promise.all(waiting)).toEqual(large.map(() => 60))
})

test('no number of large addresses of bulk jobs delays a screen of a large one', async () => {
  const large = [3, 4, 5, 6].map(addressOf)
  const { transfersOf, answer } = ledgerOf([
    ...large.map((one) => [one, { transfers: 60, counterparty: UNREAD }] as const),
    [OTHER, { transfers: 70, counterparty: READ }],
  ])
  const waiting = large.map((one) => transfersOf(one, 'bulk'))
  expect(await transfersOf(OTHER, 'interactive')).toBe(70)
  answer()
  expect(await Promise.all(waiting)).toEqual(large.map(() => 60))
})
