export { type KeptDocuments, createKeptDocuments } from './documents/kept-documents.js'
export { PDF_ANSWERS, pdfAnswer } from './documents/pdf-answer.js'
export { readBrand } from './documents/read-brand.js'
export { LEAF_HEADERS, type ReadReportLeaf, leafHeaders } from './documents/report-leaf.js'
export { referenceOf } from './documents/sealed-texts.js'
export { type ReadRecordedLeaf, transparencyReads } from './documents/transparency-reads.js'
export { getReportChange } from './get-report-change.js'
export { type ReadHistoryProgress, getReportHistory } from './get-report-history.js'
export { type ReadCaseText, type ReportPdfParts, getReportPdf } from './get-report-pdf.js'
export { PROOF_ANSWERS, type ReadProof, getReportProof, proofAnswer } from './get-report-proof.js'
export { getReport, refusalOf, reportPath } from './get-report.js'
export {
  type ReportListing,
  addressParameter,
  cursorOf,
  filterOf,
  listReports,
  scopeOf,
} from './list-reports.js'
export { type ExplainReports, createExplainReports } from './report-changes.js'
export { reportComponent } from './report-description.js'
export { type FoundReport, REPLAY_WAIT_MS, type ReportReader, createReportReader } from './report-reader.js'
