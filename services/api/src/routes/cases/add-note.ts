/** POST /v1/reports/{report_id}/notes: adds a note to the case of a report. */
import { addNote, setDisposition, type ChangeResult } from '@cupel/cases'
import { dispositions, reportCaseSchema, type Disposition } from '@cupel/contracts'
import { needsSecondPerson } from '@cupel/domain'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, recorded, type Endpoint } from '../../http/endpoint.js'
import { statuses } from '../../http/status.js'
import { refusalOf, reportPath } from '../reports/get-report.js'
import {
  caseAuthorOf,
  caseExample,
  caseForCaller,
  caseHeaders,
  caseRefusal,
  CASES_TAG,
  caseText,
  expectedVersionOf,
  factsOf,
  tagOfVersion,
  versionField,
  type CaseParts,
} from './case-description.js'

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
      'The first entry of a case opens it. A note is an event: it stays for ever, so write nothing that must be erased one day. With `version`, or with `If-Match` and the ETag of the case, the note is added only if the case has not changed since. With `disposition` the entry is a decision, as `POST …/disposition` makes one.',
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
    problems: [
      ...(['not_found', 'case_conflict', 'version_mismatch'] as const),
      ...(['screening_failed', 'screening_pending', 'unavailable'] as const),
    ],
    async handle(call, { path, body }) {
      const found = await parts.reports.find(call.caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      const expected = expectedVersionOf(call.headers['if-match'], body.version)
      if ('code' in expected) return expected
      const report = factsOf(found.document)
      const author = await caseAuthorOf(parts, call, statuses.created)
      const order = { ...author, report, expectedVersion: expected.version, text: body.text }
      const added = await addTo(parts, order, body.disposition)
      if (!added.ok) return caseRefusal(added)
      const document = await caseForCaller(parts, call.caller, report, added.case)
      const etag = tagOfVersion(document.version)
      return recorded(jsonAnswer(statuses.created, JSON.stringify(document), { etag }))
    },
  })
}

async function addTo(
  { database, secondPersonLevels }: CaseParts,
  order: Parameters<typeof addNote>[1],
  disposition: Disposition | undefined,
): Promise<ChangeResult> {
  if (disposition === undefined) return await addNote(database, order)
  const secondPerson = needsSecondPerson(secondPersonLevels, order.report.level)
  return await setDisposition(database, { ...order, disposition, needsSecondPerson: secondPerson })
}
