/** A scorer that dies again and again, after any visit of any failpoint, answers each request, and its first answer stays the report. */
import { topicOf } from '@cupel/contracts'
import { loadConfig } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import { deathsWithin, diesAt } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startScorer } from '../src/index.js'
import { openFollowed, type Installation } from './installation.js'

const UNLISTED = '0x00000000000000000000000000000000000abcde'
/** Visits that a request of its own costs at least: the append of its report and the checkpoint, before and after each. */
const VISITS = 4

let installation: Installation
beforeAll(async () => {
  installation = await openFollowed()
})
afterAll(() => installation.close())

/** A thousand deaths in the night. */
const NIGHT_MS = 3_600_000

test(
  'however often scorers die, each request is answered, and repeated answers name the same event',
  { timeout: NIGHT_MS },
  async () => {
    const reportIds: string[] = []
    for (const point of deathsWithin({ name: 'deaths of a scorer', visits: VISITS })) {
      reportIds.push(await installation.request(UNLISTED, 'ETH'))
      await diesAt(installation.connectionString, point, (deps) =>
        startScorer({ config: loadConfig({}), ...deps }),
      )
    }
    await installation.start()
    const answers = await until(async () => {
      const records = await installation.records(topicOf('ReportGenerated'))
      expect(new Set(records.map(({ key }) => key))).toEqual(new Set(reportIds))
      return records
    })
    const events = new Set(
      answers.map(({ key, headers }) => `${key} ${headers['ce_type']} ${headers['ce_id']}`),
    )
    expect(events.size).toBe(reportIds.length)
    for (const event of events) expect(event).toContain(' ReportGenerated ')
  },
)
