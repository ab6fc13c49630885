export { canonicalJson, isWellFormedText, sha256Hex } from './canonical-json.js'
