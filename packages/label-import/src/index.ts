export { confirmSets, type SetConfirmation, type SetConfirmationResult } from './confirm-sets.js'
export { dismissExpectedSets, expectSets, type ExpectedList } from './expect-sets.js'
export { importLabels } from './import-labels.js'
export { LabelViewStalledError } from './label-view-follower.js'
export { importStarterLabels, starterLabelsFile, STARTER_DATASET, STARTER_SOURCE } from './starter-labels.js'
export type {
  ImportRefusal,
  LabelImportDeps,
  LabelImportProgress,
  LabelImportRefused,
  LabelImportRequest,
  LabelImportResult,
  LabelImportSummary,
  RefusedRow,
  SetSummary,
} from './import-request.js'
