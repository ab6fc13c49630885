/** A call of a known endpoint, from its request to its answer: answered, recorded in the audit log, then sent. */
import type { Logger, Trace, Tracing } from '@cupel/contracts'
import { LogUnavailableError, RecordRetiredError, type Retirement } from '@cupel/event-log'
import { isUnavailable } from '@cupel/postgres'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  withFurtherLimits,
  ClientGone,
  takesTurns,
  type Answer,
  type Endpoint,
  isRefusal,
  problemAnswer,
  refuse,
  type Refusal,
  type SendAnswer,
  traceparentOf,
} from '../http/index.js'
import { answerCall, nothingKnown, type CallParts, type KnownOfCall } from './answer-call.js'
import type { AuditTrail } from '../audit/index.js'

export interface ServeParts extends CallParts {
  readonly audit: Pick<AuditTrail, 'record'>
  readonly logger: Logger
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
}

/** Never rejects. */
export async function serveCall(
  parts: ServeParts,
  send: SendAnswer,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const receivedMs = performance.now()
  const trace = beginTrace(parts.tracing, endpoint, request, receivedMs)
  const known = nothingKnown(trace)
  let result: Answer | Refusal
  try {
    result = await answerCall(parts, endpoint, request, receivedMs, known)
  } catch (error) {
    if (error instanceof ClientGone) {
      request.raw.destroy()
      trace?.end()
      return
    }
    result = knownTo(endpoint, faultOf(error, request.id, parts.logger, trace))
  }
  if (takesTurns(endpoint) && !isByItsEvent(result)) await parts.traffic.quietMoment()
  if (!(await isRecorded(parts.audit, endpoint, request, known, result, receivedMs))) {
    if (!isRefusal(result)) result.discard?.()
    result = notRecorded(result)
  }
  const answer = isRefusal(result) ? problemAnswer(result, request.id) : result
  const headers = withFurtherLimits(known.headers, answer.headers)
  send(request, reply, { ...answer, headers }, endpoint.path, receivedMs, trace)
  if (trace !== undefined) endTrace(trace, answer.status)
}

/** Probes and descriptions, which are open, are not traced. */
function beginTrace(
  tracing: Tracing | null | undefined,
  { access, path }: Endpoint,
  { id, method, headers }: FastifyRequest,
  startedMs: number,
): Trace | undefined {
  if (tracing === null || tracing === undefined || access === 'open') return undefined
  return tracing.begin({
    name: `${method} ${path}`,
    kind: 'server',
    parent: traceparentOf(headers),
    isParentForeign: true,
    ...{ id, startedMs },
    attributes: { 'http.request.method': method, 'http.route': path, 'cupel.request_id': id },
  })
}

const SERVER_ERROR = 500

function endTrace(trace: Trace, status: number): void {
  trace.note({ 'http.response.status_code': status })
  if (status >= SERVER_ERROR) trace.fail()
  trace.end()
}

/** The refusal that a caller gets for an error. The cause is only logged. */
export function faultOf(error: unknown, requestId: string, logger: Logger, trace?: Trace): Refusal {
  const traceId = trace?.traceId
  if (error instanceof RecordRetiredError) return reportRetired(error.retirement)
  if (isUnavailable(error) || error instanceof LogUnavailableError) {
    logger.warn({ err: error, requestId, traceId }, 'A call could not be served: a dependency is down')
    return refuse('unavailable', 'The service cannot answer right now.', { retryAfterSeconds: 1 })
  }
  logger.error({ err: error, requestId, traceId }, 'A call failed unexpectedly')
  return refuse('internal_error', 'The call failed unexpectedly. Quote the request id when you report it.')
}

const reportRetired = ({ archive, month, cutAt }: Retirement): Refusal =>
  refuse(
    'report_retired',
    `The reports of ${month} left the log on ${cutAt.slice(0, 10)} for the archive ${archive}, which this installation does not read: ask its operator.`,
    { members: { archive, month, cut_at: cutAt } },
  )

/** Whoever has only a link is not told where this installation stores what it has. */
const knownTo = ({ access }: Endpoint, fault: Refusal): Refusal =>
  access === 'token' && fault.code === 'report_retired'
    ? refuse(fault.code, 'The report is in an archive that is not read here: ask whoever gave you the link.')
    : fault

/** After the outcome is known, so that the record states it. */
function isRecorded(
  audit: ServeParts['audit'],
  endpoint: Endpoint,
  request: FastifyRequest,
  { clientAddress, caller, actor, refusedBecause, trace }: KnownOfCall,
  result: Answer | Refusal,
  receivedMs: number,
): Promise<boolean> | true {
  if (endpoint.access === 'open') return true
  const step = isByItsEvent(result)
    ? undefined
    : trace?.step('record call', { kind: 'producer', eventId: request.id })
  const recorded = audit.record({
    endpoint,
    requestId: request.id,
    method: request.method,
    params: request.params,
    peerAddress: request.raw.socket.remoteAddress,
    clientAddress,
    caller,
    actor,
    refusedBecause,
    result,
    traceparent: trace?.traceparentOf(request.id) ?? traceparentOf(request.headers),
    latencyMs: performance.now() - receivedMs,
  })
  return step === undefined ? recorded : recorded.finally(() => step.end())
}

const isByItsEvent = (result: Answer | Refusal): boolean => !isRefusal(result) && result.isRecorded === true

/** Withholds a result that nothing records. A report that the call made, or may have made, can still be fetched. */
function notRecorded(result: Answer | Refusal): Refusal {
  const detail = 'The call could not be recorded in the audit log; its answer is withheld.'
  const [, reportId] = /^\/v1\/reports\/([0-9a-f]{16})$/.exec(result.headers?.['location'] ?? '') ?? []
  const members = reportId === undefined ? {} : { report_id: reportId }
  return refuse('unavailable', detail, { members: isRefusal(result) ? { ...result.members } : members })
}
