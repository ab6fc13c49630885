export { judgeAddress } from './special-addresses.js'
export { parseAllowedRanges, type AllowedRange } from './allowed-ranges.js'
export { createJudge, MAX_URL_LENGTH, type Judge, type Target } from './judge-url.js'
export { createResolver, NameNotFound, type ResolveName } from './resolve-name.js'
export {
  createMailClient,
  type Mail,
  type MailClient,
  type MailResult,
  type MailServer,
  type SendOptions,
} from './mail-client.js'
export {
  createOutboundClient,
  type AdmitPlace,
  type OutboundClient,
  type OutboundClientOptions,
  type OutboundResult,
  type Place,
} from './outbound-client.js'
