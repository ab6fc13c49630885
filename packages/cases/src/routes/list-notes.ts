/** GET /v1/reports/{report_id}/notes: the notes and decisions of a report, as its case has them. */
import { readCase } from '../index.js'
import { caseEntrySchema } from '@cupel/contracts'
import type { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, pageSchema } from '@cupel/gate/http'
import { refusalOf, reportPath } from '@cupel/reports/routes'
import { caseExample, CASES_TAG, type CaseParts } from './case-description.js'
import { entryDocument } from './case-document.js'

export function listReportNotes({ database, reports }: CaseParts): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'listReportNotes',
    method: 'GET',
    path: '/v1/reports/{report_id}/notes',
    tag: CASES_TAG,
    summary: 'List the notes of a report',
    description:
      'Every note and decision of the case, oldest first: text, disposition, who and when. The number of entries is limited, so that one page has all of them.',
    access: 'read-only',
    pathSchema: reportPath,
    answers: [
      {
        status: 200,
        description: 'The entries of the case; none where nobody has worked on the report.',
        contentType: 'application/json',
        schema: pageSchema(caseEntrySchema),
        example: { items: caseExample.history, next_page_token: null },
      },
    ],
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller }, { path }) {
      const found = await reports.find(caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      const { accountId, livemode } = caller
      const stored = await readCase(database, { accountId, livemode, reportId: path.report_id })
      const items = (stored?.history ?? []).map(entryDocument)
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: null }))
    },
  })
}
