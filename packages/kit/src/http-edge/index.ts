export { answerLimits, createAnswers, pump } from './answers.js'
export type { AnswerLimits, Answers } from './answers.js'
export {
  bodyBudgetLimits,
  createBodyBudget,
  createBodyBudgets,
  MAX_STRANGER_BODY_BYTES,
  strangerBudgetLimits,
} from './body-budget.js'
export type { BodyAccount, BodyBudget, BodyBudgetLimits } from './body-budget.js'
export {
  connectionLimits,
  limitConnections,
  renewIdentity,
  serverOptionsOf,
  tlsFaultOf,
} from './connections.js'
export type { ConnectionLimits, TlsIdentity } from './connections.js'
export { countOf, headFaultOf } from './head.js'
export type { HeadFault } from './head.js'
export { clientNetwork, normaliseIp, isRangeWithin, parseIpRange } from './ip-range.js'
export type { IpRange } from './ip-range.js'
export { securityHeaders, STRICT_TRANSPORT_SECURITY } from './security-headers.js'
export { CLIENT_ADDRESS_HEADER, createTransport, UNKNOWN_CLIENT, WEB_SECRET_HEADER } from './transport.js'
export type { Origin, Transport, TransportOptions } from './transport.js'
export { listen, type ListenAddress } from './listen.js'
