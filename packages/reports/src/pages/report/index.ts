/** The report page, the PDF of a report, and the proof of its case. */
import type { Page, ReportPanel } from '@cupel/console'
import { downloadCaseProof } from './download-case-proof.js'
import { downloadPdf } from './download-pdf.js'
import { followHistory } from './history-progress.js'
import { showNewer } from './show-newer.js'
import { showReport } from './show-report.js'

/** `panels`: in their order on the page of a report. */
export const reportPages = (panels: readonly ReportPanel[]): readonly Page[] => [
  showReport(panels),
  followHistory,
  showNewer,
  downloadPdf,
  downloadCaseProof,
]
