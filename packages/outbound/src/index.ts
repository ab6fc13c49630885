export { judgeAddress } from './special-addresses.js'
export { parseAllowedRanges } from './allowed-ranges.js'
export type { AllowedRange } from './allowed-ranges.js'
export { createJudge, MAX_URL_LENGTH } from './judge-url.js'
export type { Judge, Target } from './judge-url.js'
export { createResolver, NameNotFound } from './resolve-name.js'
export type { ResolveName } from './resolve-name.js'
export { createMailClient } from './mail-client.js'
export type { Mail, MailClient, MailResult, MailServer, SendOptions } from './mail-client.js'
export { createOutboundClient } from './outbound-client.js'
export type {
  AdmitPlace,
  OutboundClient,
  OutboundClientOptions,
  OutboundResult,
  Place,
} from './outbound-client.js'
