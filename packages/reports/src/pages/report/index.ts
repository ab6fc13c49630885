/** The report page, the PDF of a report, and the proof of its case. */
import type { Page } from '@cupel/console'
import { downloadCaseProof } from './download-case-proof.js'
import { downloadPdf } from './download-pdf.js'
import { followHistory } from './history-progress.js'
import { showNewer } from './show-newer.js'
import { showReport } from './show-report.js'

export const reportPages: readonly Page[] = [
  showReport,
  followHistory,
  showNewer,
  downloadPdf,
  downloadCaseProof,
]
