export { negotiate } from './accept.js'
export type { Answer } from './answer.js'
export {
  type Body,
  ClientGone,
  MAX_BODY_BYTES,
  STRANGER_BODY,
  discard,
  leaveUnread,
  readJsonBody,
} from './body-reader.js'
export { answerBrokenRequest } from './broken-request.js'
export { canonicalJson } from './canonical-json.js'
export { PUBLIC_FOR_MINUTES, commonHeaderNames } from './described-headers.js'
export {
  type Call,
  type DescribedAnswer,
  type DescribedHeader,
  type Endpoint,
  type Idempotency,
  type Judgement,
  type KeyedCall,
  type PersonEndpoint,
  type PersonRefusal,
  type PersonResult,
  type Replay,
  type TokenCall,
  type TokenEndpoint,
  jsonAnswer,
  keyedEndpoint,
  openEndpoint,
  personEndpoint,
  recorded,
  takesTurns,
  tokenEndpoint,
} from './endpoint.js'
export { namesTag } from './entity-tag.js'
export {
  EVENT_STREAM_TYPE,
  type EventStream,
  type EventStreams,
  type StreamLimits,
  createEventStreams,
  streamLimits,
} from './event-streams.js'
export { faultsOf } from './faults.js'
export { inlineReferences } from './inline-references.js'
export { type LargeRead, type LargeReads, SLICE_ITEMS, closing, createLargeReads } from './large-reads.js'
export { describeApi } from './openapi.js'
export { type PageTokens, createPageTokens } from './page-token.js'
export { MAX_PAGE_SIZE, pageSchema, pageSize, pageToken, unknownPageToken } from './paging.js'
export { type KnownPath, createPathTable } from './path-table.js'
export { type Html, inline, markup, prose } from './plain-page/markup.js'
export { backToDocs, searchForm, shell } from './plain-page/shell.js'
export { contentSecurityPolicy, scriptedPolicy } from './plain-page/style.js'
export { MAX_WAIT_SECONDS, preferredWait } from './prefer.js'
export { problemExample, problemSchema } from './problem-schema.js'
export { type Refusal, isRefusal, problemAnswer, refuse } from './problem.js'
export { type Query, noParameters, readQuery } from './query.js'
export { quotaHeaders, rateLimitHeaders, withFurtherLimits } from './rate-limit-headers.js'
export { type SendAnswer, createSendAnswer } from './send-answer.js'
export { statuses } from './status.js'
export {
  MAX_REFERENCE_LENGTH,
  anyText,
  chainCode,
  chainParameter,
  orAbsent,
  ownText,
  requiredChain,
  text,
} from './text.js'
export { isInCalendar, moment, NO_SUCH_TIME, timeRange } from './time-range.js'
export { traceparentFor, traceparentOf } from './traceparent.js'
export { type Traffic, createTraffic } from './traffic.js'
export { takesGzip } from '@cupel/kit/http-edge'
