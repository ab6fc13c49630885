export { escapeStep, strictJsonFault, type JsonFault } from './strict-json.js'
