/** Expected results, computed without the code of the product, and an installation started as a user starts it. */
export { readLabelRows } from './label-oracle.js'
export {
  expectedJudgements,
  originOf,
  roleOf,
  type ExpectedEvidence,
  type ExpectedJudgement,
  type FileRow,
} from './judgement-oracle.js'
export { cupel, type CommandResult } from './command.js'
export {
  createHome,
  removeHome,
  startInstallation,
  type Installation,
  type ReadyLine,
} from './installation.js'
export { descendants } from './process-tree.js'
export { seededRandom } from './random.js'
