/** POST /v1/reports/{report_id}/disposition: what a person decides about a report. */
import { setDisposition } from '@cupel/cases'
import { dispositions, reportCaseSchema } from '@cupel/contracts'
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

const dispositionBody = z
  .strictObject({
    disposition: z.enum(dispositions),
    reason: caseText.describe('Why.'),
    version: versionField,
  })
  .meta({ id: 'DispositionRequest' })

export function setReportDisposition(parts: CaseParts): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>, undefined, z.infer<typeof dispositionBody>>({
    operationId: 'setReportDisposition',
    method: 'POST',
    path: '/v1/reports/{report_id}/disposition',
    tag: CASES_TAG,
    summary: 'Decide about a report',
    description:
      'Sets the disposition, with a reason. Where `needs_second_person` is true, `cleared` is a proposal first: the same call by another person confirms it, and the present disposition declines it. Two calls with one key are one person, unless different persons were signed in. The report itself never changes.',
    access: 'read-write',
    pathSchema: reportPath,
    bodySchema: dispositionBody,
    bodyExample: { disposition: 'escalated', reason: caseExample.history[0]!.text, version: 0 },
    answers: [
      {
        status: statuses.ok,
        description: 'The case as it is now: with the disposition, or with the proposal.',
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
      const set = await setDisposition(parts.database, {
        ...(await caseAuthorOf(parts, call, statuses.ok)),
        ...{ report, expectedVersion: expected.version, text: body.reason, disposition: body.disposition },
        needsSecondPerson: needsSecondPerson(parts.secondPersonLevels, report.level),
      })
      if (!set.ok) return caseRefusal(set)
      const document = await caseForCaller(parts, call.caller, report, set.case)
      const etag = tagOfVersion(document.version)
      return recorded(jsonAnswer(statuses.ok, JSON.stringify(document), { etag }))
    },
  })
}
