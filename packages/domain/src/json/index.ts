export { escapeStep, strictJsonFault, type JsonFault, type StrictJsonLimits } from './strict-json.js'
