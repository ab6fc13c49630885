/** GET /v1/reports/{report_id}: a report by its id, from the moment its POST was answered, on any instance. */
import { reportExample } from '@cupel/contracts'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, refuse, type Refusal } from '@cupel/gate/http'
import { LEAF_HEADERS, leafHeaders, type ReadReportLeaf } from './documents/report-leaf.js'
import type { ReportReader } from './report-reader.js'
import { reportComponent } from './report-description.js'

export const reportPath = z.object({
  report_id: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe('The id of the report.'),
})

/** A late screening has usually ended by then. */
const PENDING_RETRY_SECONDS = 1

export function getReport(reports: ReportReader, readLeaf: ReadReportLeaf): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'getReport',
    method: 'GET',
    path: '/v1/reports/{report_id}',
    tag: 'Reports',
    summary: 'Get a report',
    description:
      'Returns a report exactly as it was made. A report of another account, or of the other environment, is answered like one that does not exist.',
    access: 'read-only',
    pathSchema: reportPath,
    answers: [
      {
        status: 200,
        description: 'The report.',
        contentType: 'application/json',
        schema: reportComponent,
        headers: LEAF_HEADERS,
        example: reportExample,
      },
    ],
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller }, { path }) {
      const { report_id: reportId } = path
      const found = await reports.find(caller, reportId)
      if (found.kind !== 'report') return refusalOf(found.kind, reportId)
      const leaf = await readLeaf({ reportId, document: found.document })
      return jsonAnswer(200, found.document, leafHeaders(leaf))
    },
  })
}

/** Why there is no report to show. */
export const refusalOf = (kind: keyof typeof refusals, reportId: string): Refusal => refusals[kind](reportId)

const refusals: Readonly<Record<'unknown' | 'pending' | 'failed' | 'behind', (reportId: string) => Refusal>> =
  {
    unknown: () => refuse('not_found', 'There is no such report.'),
    pending: (reportId) =>
      refuse('screening_pending', 'The screening is still running.', {
        members: { report_id: reportId },
        retryAfterSeconds: PENDING_RETRY_SECONDS,
      }),
    failed: (reportId) =>
      refuse('screening_failed', 'The screening ended without a report.', {
        members: { report_id: reportId },
      }),
    behind: () =>
      refuse('unavailable', 'The read model lags; whether this report exists is not known yet.', {
        retryAfterSeconds: PENDING_RETRY_SECONDS,
      }),
  }
