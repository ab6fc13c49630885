/** The current scorer for everything that decides now, and every released one to decide recorded screenings again. */
export * from './versions.js'
export { decideScreening } from './decide-screening.js'
export {
  ChangeRefusedError,
  explainChange,
  type ChangeExplanation,
  type ChangePart,
  type DecidedLevel,
  type RecordedDecision,
} from './explain-change.js'
export { differences, recompute } from './recompute.js'
