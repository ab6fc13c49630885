/** An installation whose log was cut, and that names no archive: reports of past months are in an archive that nobody reads here. */
import { LogStoppedError, type EventLog } from '@cupel/event-log'
import { topicOf } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { expect } from 'vitest'
import { createTestJobs } from './bulk-jobs.js'
import { exampleOf, type Described } from './described.js'
import type { Reply } from './http-client.js'
import type { ApiOptions, Installation } from './installation.js'

/** As the example of the problem says. */
export const RETIRED = {
  ...{ month: '2025-10', archive: '/backup/cupel-archive', cut_at: '2026-11-01T09:00:00.000Z' },
}

/** The log after a cut of everything that the report topics have. */
export function logThatWasCut(log: EventLog): EventLog {
  const topics = [true, false].map((livemode) => topicOf('ReportGenerated', livemode))
  return {
    ...log,
    read(range) {
      if (topics.includes(range.topic)) throw new LogStoppedError('truncated-log', `${range.topic} was cut`)
      return log.read(range)
    },
  }
}

/** Takes the documents of the reports, as of a month that was cut then. */
export async function retireReports(
  { database }: Pick<Installation, 'database'>,
  accountId: string,
): Promise<void> {
  await database.execute(
    `UPDATE report_view.report SET document = NULL, ended_at = $1 WHERE account_id = $2 AND state = 'generated'`,
    [`${RETIRED.month}-15T12:00:00Z`, accountId],
  )
  await database.execute(
    `INSERT INTO projection.retired_month (month, store, reports, archive, begun_at, ended_at) VALUES ($1, 'log', 1, $2, $3, $3)
     ON CONFLICT DO NOTHING`,
    [RETIRED.month, RETIRED.archive, RETIRED.cut_at],
  )
}

type Send = (at: Described, options: { url: string; body?: object }) => Promise<Reply>

/** Sends a call for a retired report, or for a job whose results are, to an instance that names no archive. */
export async function openRetiredReports(
  installation: Installation,
  {
    url,
    key,
    accountId,
    start,
  }: {
    readonly url: string
    readonly key: string
    readonly accountId: string
    readonly start: (options: ApiOptions) => Promise<string>
  },
): Promise<(at: Described, send: Send) => Promise<Reply>> {
  const cutUrl = await start({ log: logThatWasCut(installation.log) })
  const { submit, decide, end } = createTestJobs(installation, url)
  const job = await submit(key)
  await decide(job, 0, 'red')
  await end(job, 1, 1)
  const { reportId } = job.submission.items[0]!
  await until(async () =>
    expect(
      await installation.database.query('SELECT FROM report_view.report WHERE report_id = $1', [reportId]),
    ).toHaveLength(1),
  )
  return async (at, send) => {
    const { requestBody, ...operation } = at.operation
    const body = requestBody === undefined ? {} : { body: exampleOf(at.method, at.path) }
    const ofJob = { ...at, operation, path: at.path.replace('{job_id}', job.jobId) }
    const replies: Reply[] = []
    // A report of an earlier call may reach the lists only now, and is before the retired ones.
    await until(async () => {
      await retireReports(installation, accountId)
      const reply = await send(ofJob, { url: cutUrl, ...body })
      replies.push(reply)
      expect(reply.status, reply.text).toBe(410)
    })
    return replies.at(-1)!
  }
}
