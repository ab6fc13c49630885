/**
 * Answers a call of any endpoint: transport rule, key, Idempotency-Key, inputs, handler, in this order. The answer depends on the
 * inputs only after the key was admitted, so that a caller without a key learns nothing.
 */
import type { AdmissionGate, Caller, RefusalReason } from '@cupel/access'
import type { FastifyRequest } from 'fastify'
import {
  answerIdempotently,
  idempotentRequest,
  readIdempotencyKey,
  type IdempotentCallParts,
  type KeyHeader,
} from './access/idempotent-call.js'
import { rateLimitHeaders } from './access/rate-limit-headers.js'
import { refusalOf } from './access/refusal-of.js'
import { refuseToken } from './access/refuse-token.js'
import type { Transport } from '@cupel/http-edge'
import { readJsonBody, type Body } from './http/body-reader.js'
import type { Answer, Call, Endpoint, KeyedCall, TokenEndpoint } from './http/endpoint.js'
import { faultsOf } from './http/faults.js'
import { refuse, type Refusal } from './http/problem.js'
import { noParameters, readQuery, type Query } from './http/query.js'

export interface CallParts {
  readonly gate: AdmissionGate
  readonly transport: Transport
  readonly idempotent: IdempotentCallParts
}

/** The facts about a call that are known so far, also where it ends in a fault. */
export interface KnownOfCall {
  clientAddress: string | null
  /** The owner of the key, also where the call was rejected. */
  caller: Caller | null
  refusedBecause: RefusalReason | 'https_required' | 'unknown_token' | null
  /** Headers every answer to this call carries. */
  headers: Readonly<Record<string, string>>
}

export function nothingKnown(): KnownOfCall {
  return { clientAddress: null, caller: null, refusedBecause: null, headers: {} }
}

/** Rejects only where a dependency is down or the code is at fault. */
export async function answerCall(
  parts: CallParts,
  endpoint: Endpoint,
  request: FastifyRequest,
  receivedMs: number,
  known: KnownOfCall,
): Promise<Answer | Refusal> {
  const call: Call = { requestId: request.id, headers: request.headers, receivedMs }
  if (endpoint.access === 'open') {
    const inputs = readInputs(endpoint, request, null)
    return isRefused(inputs) ? inputs : await endpoint.handle(call, { ...inputs, body: undefined })
  }
  const origin = parts.transport.judge(request.raw)
  if (!origin.ok) {
    known.refusedBecause = 'https_required'
    return refuse('https_required', 'Plain HTTP is accepted from this host and from trusted proxies alone.')
  }
  known.clientAddress = origin.clientAddress
  if (endpoint.access === 'token') return await answerWithToken(parts.gate, endpoint, request, call, known)
  const body =
    endpoint.bodySchema === undefined ? null : await readJsonBody(request.raw, endpoint.mayHoldAnyText)
  const idempotencyKey =
    endpoint.idempotency === undefined ? NO_KEY : readIdempotencyKey(request.raw.rawHeaders)
  const key = idempotencyKey.ok ? idempotencyKey.key : null
  // Read before the key is admitted, so that a request that cannot be carried out reserves nothing. The caller learns of a
  // refusal after the admission alone.
  const early = key === null ? null : readInputs(endpoint, request, body)
  const idempotent =
    key === null || early === null || isRefused(early)
      ? null
      : await idempotentRequest(key, request, early.body, endpoint.idempotency!)
  const admission = await parts.gate.admit({
    authorization: request.headers.authorization,
    clientAddress: origin.clientAddress,
    requiredScope: endpoint.access,
    idempotent,
  })
  known.caller = admission.caller
  if (admission.rateLimit !== null) known.headers = rateLimitHeaders(admission.rateLimit)
  if (!admission.admitted) {
    known.refusedBecause = admission.reason
    return refusalOf(admission)
  }
  if (!idempotencyKey.ok) return idempotencyKey.refusal
  const inputs = early ?? readInputs(endpoint, request, body)
  if (isRefused(inputs)) return inputs
  const keyed: KeyedCall = {
    ...call,
    caller: admission.caller,
    clientAddress: origin.clientAddress,
    method: request.method,
    route: endpoint.path,
  }
  const { reservation } = admission
  if (reservation === null) return await endpoint.handle(keyed, inputs)
  return await answerIdempotently(
    parts.idempotent,
    keyed,
    endpoint.idempotency!,
    reservation,
    (id, isResumed) => endpoint.handle({ ...keyed, work: { id, isResumed } }, inputs),
  )
}

async function answerWithToken(
  gate: AdmissionGate,
  endpoint: TokenEndpoint<unknown>,
  request: FastifyRequest,
  call: Call,
  known: KnownOfCall,
): Promise<Answer | Refusal> {
  const inputs = readInputs(endpoint, request, null)
  const clientAddress = known.clientAddress!
  const tokenCall = { ...call, clientAddress, method: request.method, route: endpoint.path }
  // A token of another form opens nothing, like an unknown one, and the answer does not tell them apart.
  const answer = isRefused(inputs)
    ? null
    : await endpoint.handle(tokenCall, { ...inputs, query: undefined, body: undefined })
  if (answer !== null) return answer
  known.refusedBecause = 'unknown_token'
  return refuseToken(gate, clientAddress)
}

const NOT_READ: Query = { ok: true, value: {} }
const NO_KEY: KeyHeader = { ok: true, key: null }

interface ReadInputs {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
  readonly judged: unknown
}

function readInputs(endpoint: Endpoint, request: FastifyRequest, body: Body | null): ReadInputs | Refusal {
  const path = endpoint.pathSchema?.safeParse(request.params)
  if (path?.success === false) return refuse('not_found', 'There is nothing under this path.')
  const query =
    endpoint.querySchema === null ? NOT_READ : readQuery(endpoint.querySchema ?? noParameters, request.raw)
  if (!query.ok) return invalid(query.faults)
  if (body?.ok === false) return refuse(body.code, body.detail, { errors: body.errors })
  const parsedBody = endpoint.bodySchema?.safeParse(body?.value)
  if (parsedBody?.success === false) return invalid(faultsOf(parsedBody.error))
  const inputs = { path: path?.data, query: query.value, body: parsedBody?.data }
  const judgement = 'judge' in endpoint ? endpoint.judge?.(inputs) : undefined
  if (judgement === undefined) return { ...inputs, judged: undefined }
  return 'code' in judgement ? judgement : { ...inputs, judged: judgement.judged }
}

function isRefused(inputs: ReadInputs | Refusal): inputs is Refusal {
  return 'code' in inputs
}

function invalid(errors: NonNullable<Refusal['errors']>): Refusal {
  return refuse('invalid_request', 'The request does not have the form this endpoint takes; see errors.', {
    errors,
  })
}
