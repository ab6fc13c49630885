export { parseAllowedRanges, type AllowedRange } from './allowed-ranges.js'
export { createJudge, MAX_URL_LENGTH, type Judge } from './judge-url.js'
export { NameNotFound, type ResolveName } from './resolve-name.js'
export {
  createOutboundClient,
  type AdmitPlace,
  type OutboundClient,
  type OutboundResult,
} from './outbound-client.js'
