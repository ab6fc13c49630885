export { answerLimits, createAnswers, pump, type AnswerLimits, type Answers } from './answers.js'
export {
  bodyBudgetLimits,
  createBodyBudget,
  createBodyBudgets,
  MAX_STRANGER_BODY_BYTES,
  strangerBudgetLimits,
  type BodyAccount,
  type BodyBudget,
  type BodyBudgetLimits,
} from './body-budget.js'
export {
  connectionLimits,
  limitConnections,
  renewIdentity,
  serverOptionsOf,
  tlsFaultOf,
  type ConnectionLimits,
  type TlsIdentity,
} from './connections.js'
export { countOf, headFaultOf, type HeadFault } from './head.js'
export { clientNetwork, normaliseIp, isRangeWithin, parseIpRange, type IpRange } from './ip-range.js'
export { securityHeaders, STRICT_TRANSPORT_SECURITY } from './security-headers.js'
export {
  CLIENT_ADDRESS_HEADER,
  createTransport,
  UNKNOWN_CLIENT,
  WEB_SECRET_HEADER,
  type Origin,
  type Transport,
  type TransportOptions,
} from './transport.js'
export { listen, type ListenAddress } from './listen.js'
