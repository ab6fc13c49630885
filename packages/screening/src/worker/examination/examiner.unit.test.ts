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

test('no number of large addresses that are examined delays a screen of a small one', async () => {
  const rowsOf = (count: number, counterparty: number): string =>
    Array.from(
      { length: count },
      (_, n) => `1 ${n} f ${counterparty}  1000000000000000000 ${n + 1} 1   f  n `,
    ).join('\n')
  const large = [3, 4, 5, 6].map((digit) => `0x${String(digit).repeat(40)}`)
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const database = {
    query: async ({ name }: { readonly name: string }, values: readonly unknown[]) => {
      const isLarge = large.some((one) => String(values).includes(one))
      if (name === 'ledger.read-transfers') return [{ rows: isLarge ? rowsOf(60, 8) : rowsOf(1, 9) }]
      if (name === 'ledger.read-addresses')
        return [8, 9].map((number) => ({ number, text: `0x${String(number).repeat(40)}` }))
      if (name === 'ledger.parts') return [{ unknownTokens: false, calls: false }]
      if (String(values).includes('8'.repeat(40))) await answered
      return []
    },
  } as unknown as Queryable
  const examiner = createExaminer(database)
  const transfersOf = async (address: string): Promise<number> =>
    (await examiner.exposure(order(address, 'interactive'))).result.ownTransfers
  const waiting: Promise<number>[] = []
  for (const one of large) {
    waiting.push(transfersOf(one))
    await new Promise((resolve) => setTimeout(resolve))
  }
  expect(await transfersOf(OTHER)).toBe(1)
  answer()
  expect(await Promise.all(waiting)).toEqual(large.map(() => 60))
})
