/** POST /v1/reports/{report_id}/disposition: what a person decides about a report. */
import { setDisposition } from '../index.js'
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
    problems: changeProblems,
    handle: (call, { path, body: { reason, disposition, version } }) =>
      changeCase(parts, call, {
        ...{ reportId: path.report_id, text: reason, version, status: statuses.ok },
        change(order) {
          const rules = personRules(parts, order.report.level)
          return setDisposition(parts.database, { ...order, disposition, ...rules })
        },
      }),
  })
}
