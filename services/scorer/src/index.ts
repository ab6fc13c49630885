/** Decides screenings: takes requests from the log, reads labels, appends reports. */
export { checkChainData, describePublicChainData } from '@cupel/screening/worker'
export { SCORER_GROUPS, startScorer, type ScorerDeps } from './start-scorer.js'
