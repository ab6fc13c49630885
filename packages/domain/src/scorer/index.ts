/** The current scorer for everything that decides now, and every released one to decide recorded screenings again. */
export * from './versions.js'
export { decideScreening, type ScreeningDecision } from './decide-screening.js'
export { differences, recompute } from './recompute.js'
