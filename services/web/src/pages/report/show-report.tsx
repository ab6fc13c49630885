/** GET /reports/{report_id}: a report as a page, in the words of its PDF. */
import type { Report } from '@cupel/contracts'
import { reportDocument } from '@cupel/report-document'
import { page, type Page } from '../../server/page.js'
import { findPredecessor } from '../compare/find-predecessor.js'
import { RelatedPages } from './related-pages.js'
import { ReportView } from './report-view.js'

export const showReport: Page = {
  method: 'GET',
  path: '/reports/{report_id}',
  access: 'session',
  async handle({ api, path }) {
    const id = encodeURIComponent(path['report_id'] ?? '')
    const report = await api.get<Report>(`/v1/reports/${id}`)
    const predecessor = await findPredecessor(api, report)
    const document = reportDocument(report)
    return page(
      `${document.verdict.levelWord} ${document.verdict.score}, report ${document.reportId}`,
      <>
        <ReportView document={document} pdfPath={`/reports/${document.reportId}/pdf`} />
        <RelatedPages report={report} predecessor={predecessor} />
      </>,
    )
  },
}
