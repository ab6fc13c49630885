import { noMetrics, silentLogger } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { createLargeReads, type LargeRead } from './large-reads.js'
import type { Refusal } from './problem.js'

const LIMITS = { maxPerKey: 2, maxPerAccount: 3 }
const reads = () => createLargeReads({ logger: silentLogger, metrics: noMetrics, limits: LIMITS })
const caller = (keyId: string) => ({ keyId, accountId: 'acc', plan: 'pro' as const })
const codeOf = (read: LargeRead | Refusal): string | null => ('code' in read ? read.code : null)

test('a key, and an account, has so many large answers under way and no more, until one has ended', () => {
  const large = reads()
  const first = large.open(caller('a')) as LargeRead
  expect([codeOf(large.open(caller('a'))), codeOf(large.open(caller('a')))]).toEqual([null, 'rate_limited'])
  expect([codeOf(large.open(caller('b'))), codeOf(large.open(caller('b')))]).toEqual([null, 'rate_limited'])
  first.close()
  first.close()
  expect([codeOf(large.open(caller('b'))), codeOf(large.open(caller('b')))]).toEqual([null, 'rate_limited'])
})

test('one slice is made at a time, by turns, and a slice that fails stops no other answer', async () => {
  const large = reads()
  const [one, other] = [large.open(caller('a')), large.open(caller('b'))] as [LargeRead, LargeRead]
  const made: string[] = []
  let underWay = 0
  const slice = (read: LargeRead, name: string): Promise<void> =>
    read.slice(async () => {
      underWay += 1
      expect(underWay).toBe(1)
      await Promise.resolve()
      made.push(name)
      underWay -= 1
      if (name === 'fails') throw new Error('The store is down')
    })
  const all = [slice(one, 'a1'), slice(other, 'fails'), slice(one, 'a2'), slice(other, 'b2')]
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect(made).toEqual(['a1', 'fails', 'a2', 'b2'])
})
