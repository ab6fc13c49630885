/** GET /v1/cases/assignees, and POST /v1/reports/{report_id}/case/assignment: who works on a case, and until when. */
import { assignCase, MAX_TEXT_LENGTH } from '../index.js'
import { caseAssigneeSchema, reportCaseSchema } from '@cupel/contracts'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  pageSchema,
  statuses,
  orAbsent,
  text,
  isInCalendar,
  NO_SUCH_TIME,
} from '@cupel/gate/http'
import { reportPath } from '@cupel/reports/routes'
import { listAssignees, namedAssignee } from './assignees.js'
import { caseExample, caseHeaders, CASES_TAG, versionField, type CaseParts } from './case-description.js'
import { assigneeDocument } from './case-document.js'
import { changeCase, changeProblems } from './change-case.js'

const MAX_NAME_LENGTH = 256
const DAY = '2026-12-01'

const assigneeField = z
  .strictObject({
    key_id: text(MAX_NAME_LENGTH).describe('A key of the account that works and may change cases.'),
    person: orAbsent(text(MAX_NAME_LENGTH)).describe('A person who signs in with that key.'),
  })
  .meta({ id: 'NamedAssignee' })

const assignmentBody = z
  .strictObject({
    assignee: assigneeField.nullable().describe('As `GET /v1/cases/assignees` lists them; null for nobody.'),
    due_on: z.iso
      .date()
      .refine(isInCalendar, NO_SUCH_TIME)
      .nullable()
      .describe('A day of UTC; null for none.'),
    reason: orAbsent(text(MAX_TEXT_LENGTH)).describe('Why.'),
    version: versionField,
  })
  .meta({ id: 'CaseAssignmentRequest' })

export function listCaseAssignees(parts: CaseParts): Endpoint {
  return keyedEndpoint({
    operationId: 'listCaseAssignees',
    method: 'GET',
    path: '/v1/cases/assignees',
    tag: CASES_TAG,
    summary: 'List who can be assigned',
    description:
      'The keys of this account and environment that work and may change cases, and the persons who are signed in with them or worked on a case with them. One page has all of them.',
    access: 'read-only',
    answers: [
      {
        status: 200,
        description: 'The possible assignees.',
        contentType: 'application/json',
        schema: pageSchema(caseAssigneeSchema),
        example: { items: [{ key_id: '8f2k1m0a', person: null, key_name: 'Ann' }], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(call) {
      const items = (await listAssignees(parts, call)).map(assigneeDocument)
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: null }))
    },
  })
}

export function assignReportCase(parts: CaseParts): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>, undefined, z.infer<typeof assignmentBody>>({
    operationId: 'assignReportCase',
    method: 'POST',
    path: '/v1/reports/{report_id}/case/assignment',
    tag: CASES_TAG,
    summary: 'Assign a case',
    description:
      'Says who works on the case from now on, and until which day. Both are set as the call gives them. The entry keeps the name that the assignee has now. It decides nothing: who proposed that a report is cleared stays its proposer, whoever is assigned.',
    access: 'read-write',
    pathSchema: reportPath,
    bodySchema: assignmentBody,
    bodyExample: { assignee: null, due_on: DAY, version: 0 },
    answers: [
      {
        status: statuses.ok,
        description: 'The case with its assignee.',
        contentType: 'application/json',
        schema: reportCaseSchema,
        headers: caseHeaders,
        example: caseExample,
      },
    ],
    problems: changeProblems,
    async handle(call, { path, body: { assignee: named, due_on: dueOn, reason, version } }) {
      const assignee =
        named === null ? null : await namedAssignee(parts, call, { ...named, person: named.person ?? null })
      if (assignee !== null && 'code' in assignee) return assignee
      return await changeCase(parts, call, {
        ...{ reportId: path.report_id, text: reason ?? '', version, status: statuses.ok },
        change: (order) => assignCase(parts.database, { ...order, assignment: { assignee, dueOn } }),
      })
    },
  })
}
