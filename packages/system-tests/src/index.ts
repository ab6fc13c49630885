/** Right answers, computed without the code of the product. */
export { expectedOfDesignations, readLabelRows, type Expected, type LabelRow } from './label-oracle.js'
export {
  expectedJudgements,
  originOf,
  roleOf,
  type ExpectedEvidence,
  type ExpectedJudgement,
  type FileRow,
} from './judgement-oracle.js'
