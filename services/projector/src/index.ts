export { startProjector } from './start-projector.js'
export { startLabelRefresher } from './label-refresher/start-label-refresher.js'
