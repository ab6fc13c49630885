import { silentLogger } from '@cupel/contracts'
import type { JobOverview } from '../../read-model/queries.js'
import { until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createJobWatch, restMs } from './job-watch.js'

const TENANT = { accountId: 'acc_1', livemode: true }
const reading = (completed: number): JobOverview => ({
  ...({
    jobId: 'job_1',
    name: null,
    status: 'running',
    total: 9,
    completed,
    failed: 0,
    cancelled: 0,
  } as const),
  ...{ createdAt: '', startedAt: null, completedAt: null, isTerminal: false },
  ...{ refused: 0, levels: {} },
})

test('a job is read once a round for all who follow it, and not at all once they have left', async () => {
  let reads = 0
  const watch = createJobWatch({ logger: silentLogger, read: async () => reading((reads += 1)) })
  const heard: number[][] = [[], [], []]
  const leave = heard.map((own) => watch.follow(TENANT, 'job_1', ({ completed }) => own.push(completed)))
  await until(() => expect(heard[0]!.length).toBeGreaterThan(1))
  leave.forEach((one) => one())
  // All listeners heard the same readings.
  expect(heard[1]).toEqual(heard[0])
  expect(heard[2]).toEqual(heard[0])
  expect(reads).toBe(heard[0]!.at(-1))
  await watch.stop()
})

test('one who comes later is told what the others know, and a fault of the store ends nothing', async () => {
  let faults = 2
  const watch = createJobWatch({
    logger: silentLogger,
    read: async () => {
      if ((faults -= 1) > 0) throw new Error('The store is down')
      return reading(1)
    },
  })
  const [first, second]: [number[], number[]] = [[], []]
  watch.follow(TENANT, 'job_1', ({ completed }) => first.push(completed))
  await until(() => expect(first).toEqual([1]))
  watch.follow(TENANT, 'job_1', ({ completed }) => second.push(completed))
  await until(() => expect(second).toEqual([1]))
  await watch.stop()
})

test('a job of another tenant is another job', async () => {
  const asked: string[] = []
  const watch = createJobWatch({
    logger: silentLogger,
    read: async ({ accountId }) => (asked.push(accountId), null),
  })
  watch.follow(TENANT, 'job_1', () => undefined)
  watch.follow({ ...TENANT, accountId: 'acc_2' }, 'job_1', () => undefined)
  await until(() => expect(new Set(asked)).toEqual(new Set(['acc_1', 'acc_2'])))
  await watch.stop()
})

test('the rest is in proportion to a round, within limits: a round that stood still does not stop the next ones for minutes', () => {
  expect([1, 100, 4_000, 60_000].map(restMs)).toEqual([500, 900, 2_000, 2_000])
})
