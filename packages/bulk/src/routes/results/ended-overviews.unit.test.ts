import type { FoundOverview } from '../../read-model/find-job.js'
import type { JobOverview } from '../../read-model/queries.js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEndedOverviews } from './ended-overviews.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const tenant = { accountId: 'acc_1', livemode: true }
const job = (isTerminal: boolean, more: object = {}): FoundOverview => ({
  kind: 'job',
  job: { jobId: 'job_1', isTerminal, ...more } as JobOverview,
})

/** Finds the same answer each time, and counts how often it is asked. */
function finding(found: FoundOverview) {
  const asked: string[] = []
  const find = async (_: object, jobId: string): Promise<FoundOverview> => {
    asked.push(jobId)
    return found
  }
  return { asked, find }
}

test('the overview of an ended job is found once, and again after a minute', async () => {
  const overviews = createEndedOverviews()
  const { asked, find } = finding(job(true))
  for (let call = 0; call < 3; call += 1)
    expect(await overviews.find(tenant, 'job_1', find)).toEqual(job(true))
  expect(asked).toHaveLength(1)
  vi.advanceTimersByTime(60_000)
  await overviews.find(tenant, 'job_1', find)
  expect(asked).toHaveLength(2)
})

test.each([
  ['a job that runs', job(false)],
  ['a job that was read with its items', job(true, { items: [] })],
  ['a job that is not known', { kind: 'unknown' } as FoundOverview],
  ['a view that is behind', { kind: 'behind' } as FoundOverview],
])('%s is found each time', async (_, found) => {
  const overviews = createEndedOverviews()
  const { asked, find } = finding(found)
  await overviews.find(tenant, 'job_1', find)
  await overviews.find(tenant, 'job_1', find)
  expect(asked).toHaveLength(2)
})

test('an account sees only its own jobs, in the environment that they belong to', async () => {
  const overviews = createEndedOverviews()
  await overviews.find(tenant, 'job_1', finding(job(true)).find)
  for (const other of [
    { ...tenant, accountId: 'acc_2' },
    { ...tenant, livemode: false },
  ]) {
    const { asked, find } = finding({ kind: 'unknown' } as FoundOverview)
    expect(await overviews.find(other, 'job_1', find)).toEqual({ kind: 'unknown' })
    expect(asked).toHaveLength(1)
  }
})

test('a thousand overviews are remembered, the newest ones', async () => {
  const overviews = createEndedOverviews()
  const { asked, find } = finding(job(true))
  for (let index = 0; index <= 1_000; index += 1) await overviews.find(tenant, `job_${index}`, find)
  asked.length = 0
  for (const jobId of ['job_1', 'job_1000', 'job_0']) await overviews.find(tenant, jobId, find)
  expect(asked).toEqual(['job_0'])
})
