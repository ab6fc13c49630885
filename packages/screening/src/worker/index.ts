export { neverAsking } from './asks-providers.js'
export {
  type ChainStage,
  type ChainStageConfig,
  type PreparedRequest,
  checkChainData,
  describePublicChainData,
  openChainStage,
} from './chain-stage.js'
export { createDecider } from './decide-requests.js'
export { type ExaminationThreads, createExaminationThreads } from './examination/examination-threads.js'
export { type ExaminationOrder, createExaminer, processMs } from './examination/examiner.js'
export { type ExposureStage, startExposureStage } from './exposure-stage.js'
export { type ScorerInstruments, createInstruments } from './instruments.js'
export { watchLabelRows } from './label-rows.js'
export { type LabelStates, createLabelStates } from './label-states.js'
export { type LabelWatch, startLabelWatch } from './label-watch.js'
export { type Decide, type Outcome, type RequestRecord, createLaneWork } from './lane.js'
export { type Patience, createPatience } from './patience.js'
export { type StatedInputs, createStatedInputs } from './stated-inputs.js'
export { confirmTransfers } from './transfers/confirm-transfers.js'
export { LateError } from './turns.js'
export { watchFollowers } from './watch-followers.js'
export { laneSettings, SCORER_GROUPS } from './lane-settings.js'
