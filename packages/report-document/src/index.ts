export { reportDocument } from './report-document.js'
export { MAX_PICTURE_NODES } from './flow.js'
export { en, type Strings } from './strings.en.js'
export { visibleText } from './writing.js'
export type {
  Bar,
  EvidenceView,
  Field,
  FlowNode,
  FlowPicture,
  FlowRow,
  Point,
  ReportDocument,
  Table,
  Verdict,
} from './document.js'
