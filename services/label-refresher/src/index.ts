/** Refreshes label lists on a schedule. */
export { startLabelRefresher } from './start-label-refresher.js'
