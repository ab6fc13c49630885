/** Every endpoint of reports. */
import type { Endpoint, LargeReads } from '@cupel/gate/http'
import type { Database } from '@cupel/postgres'
import type { ReadReportLeaf } from './documents/report-leaf.js'
import type { ReadRecordedLeaf } from './documents/transparency-reads.js'
import { getReport } from './get-report.js'
import { getReportChange } from './get-report-change.js'
import { getReportHistory, type ReadHistoryProgress } from './get-report-history.js'
import { getReportPdf, type Appendices, type ReportPdfParts } from './get-report-pdf.js'
import { getReportProof, type ReadProof } from './get-report-proof.js'
import { listReports, type ReportListing } from './list-reports.js'
import type { ExplainReports } from './report-changes.js'

interface ReportParts extends ReportPdfParts {
  readonly appendices: Appendices
  readonly bulk: { readonly largeReads: Pick<LargeReads, 'open'> }
  readonly explainReports: ExplainReports
  readonly listing: ReportListing
  readonly now: () => Date
  readonly database: Database
  readonly secondPersonLevels: readonly string[]
  readonly readHistoryProgress: ReadHistoryProgress
  readonly transparency: {
    readonly readLeaf: ReadReportLeaf
    readonly readProof: ReadProof
    readonly readRecordedLeaf: ReadRecordedLeaf
  }
}

export function reportsFeature(parts: ReportParts): readonly Endpoint[] {
  const { reports, transparency } = parts
  return [
    getReport(reports, transparency.readLeaf),
    getReportHistory(reports, parts.readHistoryProgress, parts.now),
    getReportChange(reports, parts.explainReports),
    getReportPdf(parts, parts.appendices.case?.(parts), parts.bulk.largeReads),
    getReportProof(reports, transparency.readProof),
    listReports(parts.listing),
  ]
}
