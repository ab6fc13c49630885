/** GET /reports/{report_id}: a report as a page, in the words of its PDF, with what features add to it. */
import { type ApiClient, nullWhereRefused, page, type Page, type ReportPanel } from '@cupel/console'
import { findPredecessor } from '../compare/find-predecessor.js'
import type { HistoryProgress } from '../../document/index.js'
import { HistoryProgressBox } from './history-progress.js'
import { findOtherDecisions, OtherDecisionsPanel } from './other-decisions.js'
import { ExpandedFlow, findExpanded } from './expanded-flow.js'
import { findNewer } from './show-newer.js'
import { readDocument, ReportView } from '../../view/index.js'
import { RelatedPages } from './related-pages.js'

export const showReport = (panels: readonly ReportPanel[]): Page => ({
  method: 'GET',
  path: '/reports/{report_id}',
  access: 'session',
  async handle(call) {
    const { api, path, query } = call
    const reportId = encodeURIComponent(path['report_id'] ?? '')
    const [known, ...shown] = await Promise.all([
      readKnown(api, reportId, query),
      ...panels.map((panel) => panel(call, reportId)),
    ])
    const { report, document, progress, newer, predecessor, decisions, expanded } = known
    return page(
      `${`${document.verdict.levelWord} ${document.verdict.score}`.trim()}, report ${reportId}`,
      <>
        <HistoryProgressBox {...{ call, report, progress, newer, round: roundOf(query) }} />
        <ReportView
          document={document}
          pdfPath={`/reports/${reportId}/pdf`}
          path={`/reports/${reportId}`}
          belowFlow={
            expanded === null ? null : <ExpandedFlow expanded={expanded} path={`/reports/${reportId}`} />
          }
        >
          <OtherDecisionsPanel address={report.address} decisions={decisions} />
        </ReportView>
        <RelatedPages {...{ call, report, predecessor }} />
        {shown}
      </>,
    )
  },
})

/** The report, and what is found by its address. */
async function readKnown(api: ApiClient, reportId: string, query: URLSearchParams) {
  const base = `/v1/reports/${reportId}`
  const { report, document } = await readDocument(api, base)
  const waits = report.coverage.history?.status === 'reading'
  const [progress, newer, predecessor, decisions, expanded] = await Promise.all([
    waits ? api.get<HistoryProgress>(`${base}/history`).catch(nullWhereRefused) : null,
    waits ? findNewer(api, report).catch(nullWhereRefused) : null,
    // It may be in an archive, and this one is not.
    findPredecessor(api, report).catch((error: unknown) => nullWhereRefused(error) ?? ('unread' as const)),
    findOtherDecisions(api, report).catch(nullWhereRefused),
    findExpanded(api, { address: query.get('expand'), chain: report.chain }, document.flow.picture),
  ])
  return { report, document, progress, newer, predecessor, decisions, expanded }
}

/** A number that this page did not write counts as the last one. */
function roundOf(query: URLSearchParams): number {
  const text = query.get('round') ?? '0'
  return /^\d$/.test(text) ? Number(text) : 9
}
