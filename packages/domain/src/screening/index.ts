export {
  CURRENT_SCORER_VERSION,
  decideScreening,
  differences,
  recompute,
  scorers,
} from './decide-screening.js'
export type { Scorer, ScreeningDecision } from './decide-screening.js'
export type {
  ScreeningInputs,
  ScreeningRequest,
  ScreeningSnapshot,
  TableVersions,
} from './screening-inputs.js'
