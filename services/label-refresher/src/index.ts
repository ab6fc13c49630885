/** Refreshes label lists on a schedule. */
export { startLabelRefresher, type LabelRefresherDeps } from './start-label-refresher.js'
