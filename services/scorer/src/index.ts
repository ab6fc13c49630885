/** Decides screenings: takes requests from the log, reads labels, appends reports. */
export { startScorer } from './start-scorer.js'
