/** Scorers with wrong clocks decide interactive requests, and record correct times for other services. */
import { screenTopic } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFollowed, type Installation } from './installation.js'

const ADDRESS = '0x1111111111111111111111111111111111111111'
/** The deadline of the screens: shorter than the error of the clocks. */
const DEADLINE_MS = 200_000

let installation: Installation
beforeAll(async () => {
  installation = await openFollowed()
})
afterAll(() => installation.close())

test.each([300_000, -300_000])(
  'a scorer whose clock is %i ms ahead decides what is in time',
  async (skewMs) => {
    const scorer = await installation.start({ now: () => new Date(Date.now() + skewMs) })
    const askedMs = Date.now()
    const reportId = await installation.request(ADDRESS, 'ETH', {
      requestedAt: new Date(askedMs).toISOString(),
      answerByAt: new Date(askedMs + DEADLINE_MS).toISOString(),
    })
    await until(async () => expect(await installation.answers(reportId)).toHaveLength(1))
    const [report] = await installation.answers(reportId)
    expect(report?.type).toBe('ReportGenerated')
    // Readers measure the dwell with this time.
    expect(Math.abs(Date.parse(report!.envelope.time) - Date.now())).toBeLessThan(Math.abs(skewMs) / 2)
    // No request was deferred to the bulk lane.
    expect(await installation.records(screenTopic('bulk'))).toEqual([])
    await scorer.stop()
  },
)
