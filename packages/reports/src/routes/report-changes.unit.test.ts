import { expect, test } from 'vitest'
import { createExplainReports, type ReportChangesOptions } from './report-changes.js'

test('the many explanations of one account delay that of another by a few', async () => {
  const asked: string[] = []
  const database = {
    query: async (_statement: unknown, [, accountId]: readonly unknown[]) => {
      asked.push(String(accountId))
      await new Promise(setImmediate)
      return []
    },
  }
  const explain = createExplainReports({ database } as unknown as ReportChangesOptions)
  const of = (accountId: string) => explain({ accountId, livemode: true }, 'a'.repeat(16), 'b'.repeat(16))
  const told = await Promise.all([...Array.from({ length: 100 }, () => of('greedy')), of('other')])
  expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(['unreadable']))
  expect(asked).toHaveLength(202)
  // Two are under way, and two may begin before it, each with two reports.
  expect(asked.indexOf('other')).toBeLessThanOrEqual(8)
})
