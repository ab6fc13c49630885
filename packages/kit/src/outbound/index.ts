export { judgeAddress } from './special-addresses.js'
export { parseAllowedRanges, type AllowedRange } from './allowed-ranges.js'
export { createJudge, MAX_URL_LENGTH, type Judge } from './judge-url.js'
export { createResolver, NameNotFound, type ResolveName } from './resolve-name.js'
export { createMailClient, type MailClient, type MailResult } from './mail-client.js'
export {
  createOutboundClient,
  type AdmitPlace,
  type OutboundClient,
  type OutboundClientOptions,
  type OutboundResult,
} from './outbound-client.js'
