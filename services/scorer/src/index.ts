/** Decides screenings: takes requests from the log, reads labels, appends reports. */
export { startScorer, type ScorerDeps } from './start-scorer.js'
