export { answerLimits, createAnswers, pump, type Answers } from './answers.js'
export {
  createBodyBudget,
  createBodyBudgets,
  MAX_STRANGER_BODY_BYTES,
  strangerBudgetLimits,
  type BodyAccount,
  type BodyBudget,
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
export { countOf, headFaultOf, takesGzip } from './head.js'
export { clientNetwork, normaliseIp, isRangeWithin, parseIpRange } from './ip-range.js'
export { securityHeaders, STRICT_TRANSPORT_SECURITY } from './security-headers.js'
export {
  CLIENT_ADDRESS_HEADER,
  createTransport,
  UNKNOWN_CLIENT,
  WEB_SECRET_HEADER,
  type Transport,
} from './transport.js'
export { listen } from './listen.js'
