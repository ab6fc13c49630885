export { auditDocument, type AuditDocument } from './audit/audit-document.js'
export {
  STATEMENT_FORMAT,
  STATEMENT_NAME,
  type AuditStatement,
  type RecomputeAnswer,
} from './audit/audit-statement.js'
export { bulkDocument, type BulkDocument, type BulkJobText } from './bulk/bulk-document.js'
export {
  assigneeText,
  caseDocument,
  dispositionText,
  fileText,
  personText,
  type CaseDocument,
  type CaseEntryText,
} from './case/case-document.js'
export {
  dossierDocument,
  type DossierDocument,
  type DossierReport,
  type DossierText,
} from './case/dossier-document.js'
export { dossierEn } from './case/strings.en.js'
export {
  compareReports,
  pointsBetween,
  type ComparedEvidence,
  type ComparedFact,
  type ReportComparison,
} from './compare-reports.js'
export { historyProgressText, type HistoryProgress } from './history-progress.js'
export { limitsOf, reasonText } from './limits.js'
export { transferComponent, transferExample, transferOf, transferText } from './screened-transfer.js'
export { transferReasonText } from './transfer-reasons.en.js'
export { limitText, pointsText } from './points.js'
export {
  becauseOf,
  historiesOf,
  judgedChains,
  reportDocument,
  scoreText,
  verdictOf,
} from './report-document.js'
export {
  columnsOf,
  flowColumn,
  flowDrawing,
  type FlowBox,
  type FlowPoint,
  type FlowDrawing,
  type FlowLine,
} from './flow-drawing.js'
export { setName } from './set-name.js'
export { en } from './strings.en.js'
export { amountText, dateText, dollarText, glanceOfFull, nameOf, visibleText } from './writing.js'
export type {
  Bar,
  EvidenceView,
  Field,
  FlowNode,
  FlowPicture,
  Point,
  ReportDocument,
  Table,
  TransferView,
  Verdict,
} from './document.js'
export { csvCell, quotedCell, safeText } from './csv-cell.js'
