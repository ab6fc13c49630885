/** What people decided on other reports of the same owner: a new report of a known address begins with it. */
import type { Report, ReportCase } from '@cupel/contracts'
import { caseDocument, visibleText, type CaseEntryText } from '../../document/index.js'
import { type ApiClient, nullWhereRefused, type ReportPage, Level, Notice } from '@cupel/console'

export interface OtherDecision {
  readonly report: Report
  /** The entry that decided; null if its case cannot be read. */
  readonly entry: CaseEntryText | null
}

export interface OtherDecisions {
  /** Newest report first. */
  readonly items: readonly OtherDecision[]
  /** False if the search ended before the oldest report of the owner. */
  readonly isWhole: boolean
}

/** Dispositions that are decisions; an open case has none. */
const decided = ['cleared', 'escalated']
const MAX_DECISIONS = 3

/** The decisions on the newest decided reports of the owner of the address. */
export async function findOtherDecisions(api: ApiClient, report: Report): Promise<OtherDecisions> {
  const pages = await Promise.all(
    decided.map((disposition) =>
      // One more than are shown, because the report itself may be among them.
      api.get<ReportPage>('/v1/reports', {
        ...{ address: report.address, disposition, page_size: MAX_DECISIONS + 1 },
      }),
    ),
  )
  const others = pages
    .flatMap(({ items }) => items)
    .filter(({ report_id }) => report_id !== report.report_id)
    .sort((one, other) => (one.generated_at < other.generated_at ? 1 : -1))
    .slice(0, MAX_DECISIONS)
  const found = await Promise.all(
    others.map(async (other) => {
      const reportCase = await api
        .get<ReportCase>(`/v1/reports/${other.report_id}/case`)
        .catch(nullWhereRefused)
      if (reportCase === null) return [{ report: other, entry: null }]
      const place = reportCase.history.findLastIndex(({ kind }) => kind === 'disposition_changed')
      const entry = caseDocument(reportCase).entries[place]
      return entry === undefined ? [] : [{ report: other, entry }]
    }),
  )
  return {
    items: found.flat(),
    // A page may be empty and still have a next one.
    isWhole: pages.every(
      ({ items, next_page_token }) => next_page_token === null || items.length > MAX_DECISIONS,
    ),
  }
}

interface OtherDecisionsProps {
  readonly address: string
  /** Null if they could not be read. */
  readonly decisions: OtherDecisions | null
}

export function OtherDecisionsPanel({ address, decisions }: OtherDecisionsProps) {
  if (decisions?.items.length === 0 && decisions.isWhole) return null
  return (
    <section aria-labelledby="decisions" class="panel">
      <h2 id="decisions">Decisions on other reports of this address</h2>
      {decisions === null ? (
        <Notice kind="fault">
          Earlier decisions cannot be read right now. Load the page again in a moment.
        </Notice>
      ) : (
        <ul class="entries">
          {decisions.items.map(({ report, entry }) => (
            <li key={report.report_id}>
              <Level level={report.risk.level} score={report.risk.score} />{' '}
              <span class="tag">{visibleText(report.chain)}</span>{' '}
              <a href={`/reports/${report.report_id}#case`}>
                {entry?.what ?? `Report ${report.report_id}: its decision cannot be read right now`}
              </a>
              {entry === null ? null : (
                <p dir="auto" class="entry-text">
                  {entry.lines.join('\n')}
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {decisions?.isWhole === false ? (
        <p class="quiet">The search ended before the oldest report: further decisions may exist.</p>
      ) : null}
      <p class="no-print">
        <a href={`/history?${new URLSearchParams({ q: address }).toString()}`}>Reports of this address</a>
      </p>
    </section>
  )
}
