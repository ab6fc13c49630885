/**
 * Answers a call of any endpoint: transport rule, key, Idempotency-Key, inputs, handler, in this order. The answer depends on the
 * inputs only after the key was admitted, so that a caller without a key learns nothing.
 */
import type {
  Admission,
  AdmissionGate,
  Admitted,
  Caller,
  IdempotentRequest,
  NotAdmitted,
  RefusalReason,
} from '../access/index.js'
import type { Trace } from '@cupel/contracts'
import type { Scope } from '@cupel/domain'
import type { PersonalData } from '@cupel/personal-data'
import type { FastifyRequest } from 'fastify'
import {
  answerIdempotently,
  idempotentRequest,
  readIdempotencyKey,
  type IdempotentCallParts,
  type KeyHeader,
} from './idempotent-call.js'
import type { DiskWatch } from './disk-watch.js'
import { openedAnswer, sealedOrigin } from './personal-data-of-call.js'
import {
  rateLimitHeaders,
  ClientGone,
  discard,
  leaveUnread,
  MAX_BODY_BYTES,
  readJsonBody,
  STRANGER_BODY,
  type Body,
  takesTurns,
  type Answer,
  type Call,
  type Endpoint,
  type Idempotency,
  type KeyedCall,
  type PersonEndpoint,
  type PersonRefusal,
  type TokenEndpoint,
  faultsOf,
  preferredWait,
  refuse,
  type Refusal,
  noParameters,
  readQuery,
  type Query,
  type Traffic,
} from '../http/index.js'
import { refusalOf } from './refusal-of.js'
import { refuseToken } from './refuse-token.js'
import type { BodyBudget, Transport } from '@cupel/kit/http-edge'

export interface CallParts {
  readonly gate: AdmissionGate
  readonly transport: Transport
  readonly idempotent: IdempotentCallParts
  /** Bodies of callers with a key or a session. */
  readonly bodies: BodyBudget
  /** Bodies of callers who have proven nothing. */
  readonly strangers: BodyBudget
  readonly disk: Pick<DiskWatch, 'refusal'>
  readonly traffic: Pick<Traffic, 'note' | 'openScreen' | 'quietMoment'>
  readonly personalData: PersonalData
}

/** The facts about a call that are known so far, also where it ends in a fault. */
export interface KnownOfCall {
  clientAddress: string | null
  /** The owner of the key, also where the call was rejected. */
  caller: Caller | null
  /** The person that an ID token proved, if there is no session yet; else empty. */
  actor: string
  readonly trace: Trace | undefined
  refusedBecause: RefusalReason | PersonRefusal | 'https_required' | 'unknown_token' | null
  /** Headers every answer to this call carries. */
  headers: Readonly<Record<string, string>>
}

export function nothingKnown(trace?: Trace): KnownOfCall {
  return { clientAddress: null, caller: null, actor: '', trace, refusedBecause: null, headers: {} }
}

/** Rejects only where a dependency is down or the code is at fault. */
export async function answerCall(
  parts: CallParts,
  endpoint: Endpoint,
  request: FastifyRequest,
  receivedMs: number,
  known: KnownOfCall,
): Promise<Answer | Refusal> {
  const call: Call = { requestId: request.id, headers: request.headers, receivedMs, trace: known.trace }
  if (endpoint.access === 'open') {
    const inputs = readInputs(endpoint, request, null)
    return isRefused(inputs) ? inputs : await endpoint.handle(call, { ...inputs, body: undefined })
  }
  const origin = parts.transport.judge(request.raw)
  if (!origin.ok) {
    known.refusedBecause = 'https_required'
    return refuse('https_required', 'Plain HTTP is accepted only from this host and from trusted proxies.')
  }
  known.clientAddress = origin.clientAddress
  if (endpoint.access === 'token') return await answerWithToken(parts.gate, endpoint, request, call, known)
  if (endpoint.access === 'person') return await answerPerson(parts, endpoint, request, call, known)
  const result = await answerWithKey(parts, endpoint, request, call, known)
  return await openedAnswer(parts.personalData, result, known.caller?.accountId)
}

/** A stranger's body is read only as far as the connection needs to end well, and no id is drawn for it. */
async function answerWithKey(
  parts: CallParts,
  endpoint: KeyEndpoint,
  request: FastifyRequest,
  call: Call,
  known: KnownOfCall,
): Promise<Answer | Refusal> {
  if (takesTurns(endpoint)) await parts.traffic.quietMoment()
  const header = endpoint.idempotency === undefined ? NO_KEY : readIdempotencyKey(request.raw.rawHeaders)
  const isKnown = header.key !== null && (await parts.gate.recognises(request.headers.authorization))
  if (header.key !== null && isKnown)
    return await answerUnderKey(header.key, parts, endpoint, request, call, known)
  const admission = await admit(parts.gate, endpoint, request, known, null)
  if (!admission.admitted) return refused(request, admission, endpoint.access)
  // The key became usable between the two checks.
  if (header.key !== null) return await answerUnderKey(header.key, parts, endpoint, request, call, known)
  if (!header.ok) return header.refusal
  const inputs = readInputs(endpoint, request, await readBody(parts, endpoint, request, known))
  if (isRefused(inputs)) return inputs
  const keyed = await keyedCall(parts, call, endpoint, request, known, admission)
  return await handled(parts, endpoint, keyed, inputs)
}

/**
 * One statement judges the key and reserves the Idempotency-Key. The inputs are read before it, so that a request that cannot be
 * carried out reserves nothing. The caller learns of a refusal of the inputs only after the admission.
 */
async function answerUnderKey(
  idempotencyKey: string,
  parts: CallParts,
  endpoint: KeyEndpoint,
  request: FastifyRequest,
  call: Call,
  known: KnownOfCall,
): Promise<Answer | Refusal> {
  const idempotency = endpoint.idempotency!
  const inputs = readInputs(endpoint, request, await readBody(parts, endpoint, request, known))
  const idempotent = isRefused(inputs)
    ? null
    : await idempotentRequest(idempotencyKey, request, inputs.body, idempotency)
  const admission = await admit(parts.gate, endpoint, request, known, idempotent)
  if (!admission.admitted) return refused(request, admission, endpoint.access)
  if (isRefused(inputs)) return inputs
  const keyed = await keyedCall(parts, call, endpoint, request, known, admission)
  const { reservation } = admission
  if (reservation === null) return await handled(parts, endpoint, keyed, inputs)
  const ofInputs: Idempotency = {
    ...idempotency,
    replay: (of, workId) => idempotency.replay(of, workId, inputs),
  }
  return await answerIdempotently(parts.idempotent, keyed, ofInputs, reservation, (id, isResumed) =>
    handled(parts, endpoint, { ...keyed, work: { id, isResumed } }, inputs),
  )
}

/** A call that takes an Idempotency-Key makes work, which needs room. A repeat of finished work is answered before this. */
async function handled(
  { disk, traffic }: CallParts,
  endpoint: KeyEndpoint,
  call: KeyedCall,
  inputs: ReadInputs,
): Promise<Answer | Refusal> {
  traffic.note(call.caller.accountId)
  const refusal = endpoint.idempotency === undefined ? null : disk.refusal()
  if (refusal !== null) return refusal
  if (takesTurns(endpoint)) {
    await traffic.quietMoment()
    return await endpoint.handle(call, inputs)
  }
  // Other calls make room for a screen, but not while it waits for late stages.
  const endScreen = preferredWait(call.headers) === null ? traffic.openScreen() : () => undefined
  try {
    return await endpoint.handle(call, inputs)
  } finally {
    endScreen()
  }
}

async function admit(
  gate: AdmissionGate,
  endpoint: KeyEndpoint,
  request: FastifyRequest,
  known: KnownOfCall,
  idempotent: IdempotentRequest | null,
): Promise<Admission> {
  const step = known.trace?.step('admit')
  const admitting = gate.admit({
    authorization: request.headers.authorization,
    clientAddress: known.clientAddress!,
    requiredScope: endpoint.access,
    idempotent,
  })
  const admission = await (step === undefined ? admitting : admitting.finally(() => step.end()))
  known.caller = admission.caller
  if (admission.rateLimit !== null) known.headers = rateLimitHeaders(admission.rateLimit)
  if (!admission.admitted) known.refusedBecause = admission.reason
  return admission
}

/** Leaves the body of a client unread that has failed too often, and drops any other one. */
function refused(request: FastifyRequest, admission: NotAdmitted, needed?: Scope): Refusal {
  if (admission.reason === 'too_many_failures' && !request.raw.complete) {
    leaveUnread(request.raw)
    const refusal = refusalOf(admission, needed)
    return { ...refusal, headers: { ...refusal.headers, connection: 'close' } }
  }
  discard(request.raw)
  return refusalOf(admission, needed)
}

async function readBody(
  { bodies }: CallParts,
  { bodySchema, mayHoldAnyText, maxStringLength, maxBodyBytes = MAX_BODY_BYTES }: KeyEndpoint,
  request: FastifyRequest,
  { clientAddress }: KnownOfCall,
): Promise<Body | null> {
  if (bodySchema === undefined) return null
  const account = bodies.open(clientAddress!)
  const longest = maxStringLength === undefined ? {} : { maxStringLength }
  const form = { maxBytes: maxBodyBytes, mayHoldAnyText, ...longest }
  const body = await readJsonBody(request.raw, account, form).finally(() => account?.close())
  if (!body.ok) discard(request.raw)
  return body
}

async function keyedCall(
  { personalData }: CallParts,
  call: Call,
  endpoint: Endpoint,
  { method }: FastifyRequest,
  { clientAddress }: KnownOfCall,
  { caller }: Admitted,
): Promise<KeyedCall> {
  const origin = await sealedOrigin(personalData, caller, clientAddress!)
  return { ...call, ...origin, method, route: endpoint.path }
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

/**
 * The credential is in the body, which is therefore read first, within the budget of strangers: customers never wait for it. A call that
 * proves nothing counts as a failed authentication, also where its body is malformed or does not end.
 */
async function answerPerson(
  parts: CallParts,
  endpoint: PersonEndpoint<unknown>,
  request: FastifyRequest,
  call: Call,
  known: KnownOfCall,
): Promise<Answer | Refusal> {
  const clientAddress = known.clientAddress!
  if (endpoint.closed !== null) {
    known.refusedBecause = endpoint.closed.refusedBecause
    return failedSignIn(parts.gate, request, clientAddress, endpoint.closed.result)
  }
  const account = parts.strangers.open(clientAddress)
  try {
    const body = await readJsonBody(request.raw, account, STRANGER_BODY)
    const inputs = readInputs(endpoint, request, body)
    if (isRefused(inputs) && inputs.code === 'unavailable') {
      discard(request.raw)
      return inputs
    }
    if (isRefused(inputs)) return failedSignIn(parts.gate, request, clientAddress, inputs)
    const personCall = { ...call, clientAddress, method: request.method, route: endpoint.path }
    const read = { path: undefined, query: undefined, body: inputs.body }
    const { result, caller, actor, refusedBecause } = await endpoint.handle(personCall, read)
    Object.assign(known, { caller, actor, refusedBecause })
    if (refusedBecause === 'id_token_refused') return failedSignIn(parts.gate, request, clientAddress, result)
    return await openedAnswer(parts.personalData, result, caller?.accountId)
  } catch (error) {
    if (error instanceof ClientGone) parts.gate.noteFailure(clientAddress)
    throw error
  } finally {
    account?.close()
  }
}

function failedSignIn<Result>(
  gate: Pick<AdmissionGate, 'noteFailure'>,
  request: FastifyRequest,
  clientAddress: string,
  result: Result,
): Result | Refusal {
  const retryAfterSeconds = gate.noteFailure(clientAddress)
  if (retryAfterSeconds !== null) {
    const reason = 'too_many_failures'
    return refused(request, { admitted: false, reason, caller: null, rateLimit: null, retryAfterSeconds })
  }
  discard(request.raw)
  return result
}

/** An endpoint that takes a key. */
type KeyEndpoint = Exclude<Endpoint, { access: 'open' | 'token' | 'person' }>

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
  if (parsedBody?.success === false) return invalid(faultsOf(parsedBody.error, endpoint.bodySchema!))
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
