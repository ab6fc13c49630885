export { screensCheck } from './calls/failure-rate.js'
export { openScreening } from './calls/open-screening.js'
export { screeningFeature } from './feature.js'
