/** GET /v1/reports/{report_id}/case: what people have written and decided about a report. */
import { readCase } from '../index.js'
import { reportCaseSchema } from '@cupel/contracts'
import type { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '@cupel/gate/http'
import { refusalOf, reportPath } from '@cupel/reports/routes'
import {
  caseExample,
  caseForCaller,
  caseHeaders,
  CASES_TAG,
  factsOf,
  tagOfVersion,
  type CaseParts,
} from './case-description.js'

export function getReportCase(parts: CaseParts): Endpoint {
  const { database, reports } = parts
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'getReportCase',
    method: 'GET',
    path: '/v1/reports/{report_id}/case',
    tag: CASES_TAG,
    summary: 'Get the case of a report',
    description:
      'The disposition of a report, and every note and decision that led to it. Where nobody has worked on the report, the disposition is null and the version 0. The report itself never changes.',
    access: 'read-only',
    pathSchema: reportPath,
    answers: [
      {
        status: 200,
        description: 'The case.',
        contentType: 'application/json',
        schema: reportCaseSchema,
        headers: caseHeaders,
        example: caseExample,
      },
    ],
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle(call, { path }) {
      const { caller } = call
      const found = await reports.find(caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      const { accountId, livemode } = caller
      const stored = await readCase(database, { accountId, livemode, reportId: path.report_id })
      const document = await caseForCaller(parts, call, factsOf(found.document), stored)
      return jsonAnswer(200, JSON.stringify(document), { etag: tagOfVersion(document.version) })
    },
  })
}
