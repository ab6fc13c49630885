/** The difference of two reports by cause, as the API explains it. */
import type { Report } from '@cupel/contracts'
import { visibleText } from '../../document/index.js'
import { type ApiClient, nullWhereRefused } from '@cupel/console'
import { missingText, splitText } from './split-text.js'

export interface ReportChange {
  readonly since: string
  /** unreadable or refused; null if it is explained. */
  readonly missing: string | null
  readonly detail: string | null
  readonly added: number | null
  readonly parts: readonly {
    readonly part: string
    readonly differs: boolean
    readonly added: number
    readonly alone: number
  }[]
  readonly funds_include_labels: boolean | null
}

/** Null where the API does not say. */
export async function findChange(
  api: ApiClient,
  before: Report,
  after: Report,
): Promise<ReportChange | null> {
  return await api
    .get<ReportChange>(
      `/v1/reports/${encodeURIComponent(after.report_id)}/changes/${encodeURIComponent(before.report_id)}`,
    )
    .catch(nullWhereRefused)
}

/** `By cause: labels +84, funds −3.`, or why the points are not split. */
export function causeText(change: ReportChange | null): string {
  if (change === null) return missingText(null)
  if (change.missing !== null)
    return change.detail === null ? missingText(change.missing) : visibleText(change.detail)
  const split = splitText(Object.fromEntries(change.parts.map(({ part, added }) => [part, added])))
  return split === '' ? 'By cause: no part changes the points.' : `By cause: ${split}.`
}
