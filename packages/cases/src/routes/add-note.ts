/** POST /v1/reports/{report_id}/notes: adds a note to the case of a report. */
import { addNote, setDisposition } from '../index.js'
import { dispositions, reportCaseSchema } from '@cupel/contracts'
import { z } from 'zod'
import { keyedEndpoint, type Endpoint, statuses } from '@cupel/gate/http'
import { reportPath } from '@cupel/reports/routes'
import {
  caseExample,
  caseHeaders,
  CASES_TAG,
  caseText,
  personRules,
  versionField,
  type CaseParts,
} from './case-description.js'
import { changeCase, changeProblems } from './change-case.js'

const noteBody = z
  .strictObject({
    text: caseText,
    disposition: z
      .enum(dispositions)
      .optional()
      .describe('Decides about the report as well; the text is then the reason.'),
    version: versionField.optional(),
  })
  .meta({ id: 'NewNoteRequest' })

export function addReportNote(parts: CaseParts): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>, undefined, z.infer<typeof noteBody>>({
    operationId: 'addReportNote',
    method: 'POST',
    path: '/v1/reports/{report_id}/notes',
    tag: CASES_TAG,
    summary: 'Add a note to a report',
    description:
      'The first entry of a case opens it. A note is an event and is never changed; its text is erased together with the customer reference of the report, or with the personal data of the account. With `version`, or with `If-Match` and the ETag of the case, the note is added only if the case has not changed since. With `disposition` the entry is a decision, as `POST …/disposition` makes one.',
    access: 'read-write',
    pathSchema: reportPath,
    bodySchema: noteBody,
    bodyExample: { text: 'The customer sent the purchase agreement. It names the same address.' },
    answers: [
      {
        status: statuses.created,
        description: 'The case with the note.',
        contentType: 'application/json',
        schema: reportCaseSchema,
        headers: caseHeaders,
        example: caseExample,
      },
    ],
    problems: changeProblems,
    handle: (call, { path, body: { text, disposition, version } }) =>
      changeCase(parts, call, {
        ...{ reportId: path.report_id, text, version, status: statuses.created },
        change(order) {
          if (disposition === undefined) return addNote(parts.database, order)
          const rules = personRules(parts, order.report.level)
          return setDisposition(parts.database, { ...order, disposition, ...rules })
        },
      }),
  })
}
