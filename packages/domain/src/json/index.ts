export { canonicalJson, isWellFormedText, sha256Hex } from './canonical-json.js'
export { escapeStep, strictJsonFault, type JsonFault } from './strict-json.js'
