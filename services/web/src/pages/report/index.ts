/** The report page, and the PDF of a report. */
import type { Page } from '../../server/page.js'
import { downloadPdf } from './download-pdf.js'
import { showReport } from './show-report.js'

export const reportPages: readonly Page[] = [showReport, downloadPdf]
