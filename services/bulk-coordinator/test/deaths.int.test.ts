/** A coordinator that dies again and again, after any visit of any failpoint, ends each job once, and screens each address of a job once. */
import { topicOf } from '@cupel/contracts'
import type { LogRecord } from '@cupel/event-log'
import { until } from '@cupel/testkit'
import { deathsWithin } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addresses, openInstallation, type Installation } from './installation.js'

let installation: Installation
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())

/** Visits that a job of its own costs at least: lease, release and end, before and after each. */
const VISITS = 8
const ADDRESSES = 3

const contentOf = ({ key, value, headers }: LogRecord): string =>
  JSON.stringify([key, value?.toString('base64'), headers])

/** A thousand deaths in the night. */
const NIGHT_MS = 3_600_000

test(
  'however often coordinators die, each job ends once and requests each address once',
  { timeout: NIGHT_MS },
  async () => {
    const jobs: string[] = []
    for (const point of deathsWithin({ name: 'deaths of a coordinator', visits: VISITS })) {
      jobs.push(await installation.submit(addresses(ADDRESSES)))
      await installation.coordinatorDies(point)
    }
    await installation.coordinator()
    const endings = await until(async () => {
      const records = await installation.records(topicOf('BulkCompleted'))
      const found = records.filter(({ headers }) => headers['ce_type'] === 'BulkCompleted')
      expect(new Set(found.map(({ key }) => key))).toEqual(new Set(jobs))
      return found
    })
    // Repeated records have the same bytes, so every reader keeps one of each.
    expect(new Set(endings.map(contentOf)).size).toBe(jobs.length)
    const requests = new Set((await installation.requests()).map((request) => JSON.stringify(request)))
    expect(requests.size).toBe(jobs.length * ADDRESSES)
  },
)
