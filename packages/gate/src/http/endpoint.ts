/**
 * One endpoint as data: its name, its inputs, its callers, its possible answers, and the function that answers.
 * The frame serves it, and the API description is derived from it, so the two cannot differ.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, RefusalReason } from '../access/index.js'
import type { ProblemCode, Trace } from '@cupel/contracts'
import type { Scope } from '@cupel/domain'
import type { AccountSeal } from '@cupel/personal-data'
import type { z } from 'zod'
import type { Answer } from './answer.js'
import type { Refusal } from './problem.js'
import type { Tag } from './tags.js'

/** What every handler knows about the call it answers. */
export interface Call {
  readonly requestId: string
  readonly headers: IncomingHttpHeaders
  /** Clock reading (performance.now) when the request's head had arrived. */
  readonly receivedMs: number
  /** Absent where no traces are made. */
  readonly trace?: Trace | undefined
}

/** A call whose key was admitted. */
export interface KeyedCall extends Call {
  /** The person of its session is sealed. */
  readonly caller: Caller
  /** Seals the personal data of the account in the inputs. */
  readonly seal: AccountSeal
  /** The person of its session in the form of old records. Never stored. */
  readonly plainPerson: { readonly person: string; readonly subject: string }
  /** Address of the client, without the proxies between; sealed. */
  readonly clientAddress: string
  readonly method: string
  /** Path of the endpoint, with the names of its parameters. */
  readonly route: string
  /** The work of this call where it carries an Idempotency-Key. */
  readonly work?: Work
}

export interface Work {
  /** Reserved for this request: its report or job has this id. */
  readonly id: string
  /** An earlier attempt with this id was given up; it may have done a part of the work, or everything but the answer. */
  readonly isResumed: boolean
}

/** How an endpoint takes an Idempotency-Key. */
export interface Idempotency<Inputs = unknown> {
  newWorkId(): Promise<string>
  /** The state of the work with this id, for this account and environment only. All calls with its key have the same inputs. */
  replay(call: KeyedCall, workId: string, inputs: Inputs): Promise<Replay>
}

export type Replay =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** It ended in a fault; a new attempt needs a new id. */
  | { readonly kind: 'failed' }
  /** It has not ended, or was never begun. */
  | { readonly kind: 'none' }
  /** Which of these applies is not known at the moment. */
  | { readonly kind: 'unknown-yet'; readonly refusal: Refusal }

export interface Inputs<Path, Query, Body> {
  readonly path: Path
  readonly query: Query
  readonly body: Body
}

export interface Judgement<Judged> {
  readonly judged: Judged
}

export interface DescribedHeader {
  readonly description: string
  readonly schema: z.ZodType
  /** Some answers of this status lack it. */
  readonly optional?: boolean
  /** Its value, if it only has one. */
  readonly example?: string
}

/** A success as the description shows it. */
export interface DescribedAnswer {
  readonly status: number
  readonly description: string
  readonly contentType?: string
  readonly schema?: z.ZodType
  readonly headers?: Readonly<Record<string, DescribedHeader>>
  readonly example?: unknown
}

interface EndpointBase<Path, Query, Body> {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** OpenAPI form: `/v1/reports/{report_id}`. */
  readonly path: `/${string}`
  /** The last parameter is the rest of the path, with its slashes. */
  readonly lastParameterTakesSlashes?: true
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  /** A path of another form gets 404, like an unknown id. */
  readonly pathSchema?: z.ZodType<Path>
  /** Absent: there are no parameters, and a call with one is refused. Null: the query is not read. */
  readonly querySchema?: z.ZodType<Query> | null
  readonly bodySchema?: z.ZodType<Body>
  readonly bodyExample?: unknown
  /** Characters of its longest string, where a body may have a longer one than others. */
  readonly maxStringLength?: number
  /** Bytes of its body, where it may have more than others. */
  readonly maxBodyBytes?: number
  /** Strings of the body in which the endpoint judges NUL and lone surrogates itself; elsewhere they are refused. */
  readonly mayHoldAnyText?: (pointer: string) => boolean
  /** Request headers that its handler reads. */
  readonly headers?: Readonly<Record<string, DescribedHeader>>
  readonly answers: readonly DescribedAnswer[]
  /** False: its handler queries nothing, so it cannot fail. A test provokes a fault of the store on every other endpoint. */
  readonly usesStore?: false
  /** Problems of this endpoint; the frame adds those of access and of bodies in general. */
  readonly problems: readonly ProblemCode[]
}

export interface OpenEndpoint<Path, Query> extends EndpointBase<Path, Query, undefined> {
  readonly access: 'open'
  handle(call: Call, inputs: Inputs<Path, Query, undefined>): Promise<Answer | Refusal> | Answer | Refusal
}

/** A call with a token in its path instead of a key. */
export interface TokenCall extends Call {
  readonly clientAddress: string
  readonly method: string
  /** Path of the endpoint, with the names of its parameters. */
  readonly route: string
}

export interface TokenEndpoint<Path> extends EndpointBase<Path, undefined, undefined> {
  readonly access: 'token'
  /** Null where the token opens nothing: the frame answers 404, and counts a failed authentication of the client. */
  handle(call: TokenCall, inputs: Inputs<Path, undefined, undefined>): Promise<Answer | Refusal | null>
}

/** A call with an ID token in its body instead of a key. */
export interface PersonEndpoint<Body> extends EndpointBase<undefined, undefined, Body> {
  readonly access: 'person'
  /** The answer to every call where the endpoint is off, given before anything of the call is read; null where it is on. */
  readonly closed: PersonResult | null
  handle(call: TokenCall, inputs: Inputs<undefined, undefined, Body>): Promise<PersonResult>
}

/** The facts that the audit log records of such a call, beside its answer. */
export interface PersonResult {
  readonly result: Answer | Refusal
  /** Null where no key was found for the person. */
  readonly caller: Caller | null
  /** Empty where no person was proven to call. */
  readonly actor: string
  /** Null where access was granted. */
  readonly refusedBecause: PersonRefusal | RefusalReason | null
}

export type PersonRefusal =
  | 'id_token_refused'
  | 'person_not_mapped'
  | 'key_not_chosen'
  | 'sign_in_unavailable'

export interface KeyedEndpoint<Path, Query, Body, Judged> extends EndpointBase<Path, Query, Body> {
  readonly access: Scope
  /** Other calls take their steps while no call of this endpoint is open. */
  readonly goesFirst?: true
  /**
   * Refuses calls for reasons that lie only in the inputs, and returns what the handler takes besides them. Called once, before
   * an Idempotency-Key reserves anything, so that a 4xx stores nothing.
   */
  judge?(inputs: Inputs<Path, Query, Body>): Judgement<Judged> | Refusal
  /** Present where an Idempotency-Key counts. */
  readonly idempotency?: Idempotency<Inputs<Path, Query, Body> & Judgement<Judged>>
  handle(call: KeyedCall, inputs: Inputs<Path, Query, Body> & Judgement<Judged>): Promise<Answer | Refusal>
}

/** An endpoint whose input types the frame need not know: they were checked where it was defined. */
/* oxlint-disable typescript/no-explicit-any -- inputs are contravariant; their schemas guard them at run time */
export type Endpoint =
  | OpenEndpoint<any, any>
  | TokenEndpoint<any>
  | PersonEndpoint<any>
  | KeyedEndpoint<any, any, any, any>
/* oxlint-enable typescript/no-explicit-any */

export function openEndpoint<Path = undefined, Query = undefined>(
  endpoint: OpenEndpoint<Path, Query>,
): Endpoint {
  return endpoint
}

export function personEndpoint<Body>(endpoint: PersonEndpoint<Body>): Endpoint {
  return endpoint
}

export function tokenEndpoint<Path>(endpoint: TokenEndpoint<Path>): Endpoint {
  return endpoint
}

export function keyedEndpoint<Path = undefined, Query = undefined, Body = undefined, Judged = undefined>(
  endpoint: KeyedEndpoint<Path, Query, Body, Judged>,
): Endpoint {
  return endpoint
}

/** Whether its calls make room for the calls of endpoints that go first. */
export function takesTurns(endpoint: Endpoint): boolean {
  return endpoint.access !== 'open' && !('goesFirst' in endpoint)
}

/** The answer to a call whose own event records it. */
export function recorded(answer: Answer): Answer {
  return { ...answer, isRecorded: true }
}

/** A JSON success. */
export function jsonAnswer(
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, contentType: 'application/json', headers, body }
}
