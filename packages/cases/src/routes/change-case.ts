/** The common part of all changes of a case: it takes the report and the version that the caller read, and returns the changed case. */
import type { addNote, ChangeResult } from '../index.js'
import { referenceOf, refusalOf } from '@cupel/reports/routes'
import { jsonAnswer, recorded, type Answer, type KeyedCall, type Refusal } from '@cupel/gate/http'
import {
  caseAuthorOf,
  caseForCaller,
  caseRefusal,
  expectedVersionOf,
  factsOf,
  tagOfVersion,
  type CaseParts,
} from './case-description.js'

export type CaseOrder = Parameters<typeof addNote>[1]

/** Problems of every change. */
export const changeProblems = [
  ...(['not_found', 'case_conflict', 'version_mismatch'] as const),
  ...(['report_retired', 'screening_failed', 'screening_pending', 'unavailable'] as const),
]

interface Change {
  readonly reportId: string
  /** As the caller gave it. */
  readonly text: string
  /** The version in the body, if there is one. */
  readonly version: number | undefined
  /** Status of the answer to a successful change. */
  readonly status: number
  /** `seal`: seals a further text about the report. */
  change(order: CaseOrder, seal: (text: string) => Promise<string>): Promise<ChangeResult>
}

export async function changeCase(
  parts: CaseParts,
  call: KeyedCall,
  { reportId, text, version, status, change }: Change,
): Promise<Answer | Refusal> {
  const found = await parts.reports.find(call.caller, reportId)
  if (found.kind !== 'report') return refusalOf(found.kind, reportId)
  const expected = expectedVersionOf(call.headers['if-match'], version)
  if ('code' in expected) return expected
  const report = factsOf(found.document)
  const author = await caseAuthorOf(parts, call, status)
  // Text about a report is erased with the reference of the report.
  const seal = (plain: string): Promise<string> => call.seal.sealBeside(referenceOf(found.document), plain)
  const order = { ...author, report, expectedVersion: expected.version, text: await seal(text) }
  const changed = await change(order, seal)
  if (!changed.ok) return caseRefusal(changed)
  const document = await caseForCaller(parts, call, report, changed.case)
  const etag = tagOfVersion(document.version)
  return recorded(jsonAnswer(status, JSON.stringify(document), { etag }))
}
