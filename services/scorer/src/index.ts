/** Decides screenings: takes requests from the log, reads labels, appends reports. */
export { checkChainData, describePublicChainData } from '@cupel/screening/worker'
export { startScorer, type ScorerDeps } from './start-scorer.js'
