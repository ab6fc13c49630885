export { repeatsNames } from './repeated-names.js'
export { escapeStep, strictJsonFault, type JsonFault, type StrictJsonLimits } from './strict-json.js'
