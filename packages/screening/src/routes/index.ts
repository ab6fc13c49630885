export { screensCheck } from './calls/failing-share.js'
export { openScreening } from './calls/open-screening.js'
export { screeningFeature } from './feature.js'
