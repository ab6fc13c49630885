/** Decides screenings: takes requests from the log, reads labels, appends reports. */
export { checkChainData, describePublicChainData } from './chain-stage.js'
export { SCORER_GROUPS, startScorer, type ScorerDeps } from './start-scorer.js'
