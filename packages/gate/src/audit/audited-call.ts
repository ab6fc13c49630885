/** The content of the audit events. It has checked fields only, so that a key sent in the wrong place is never recorded. */
import { clientNetwork, normaliseIp } from '@cupel/kit/http-edge'
import type { Caller } from '../access/index.js'
import type { AccountSeal } from '@cupel/personal-data'
import { problemCodes, requestedEventId, topicOf } from '@cupel/contracts'
import { outboxType, type OutboxEvent } from '@cupel/projections'
import { createHash } from 'node:crypto'
import { type Answer, type Endpoint, isRefusal, type Refusal } from '../http/index.js'
import { arrivalTime } from './api-call.js'
import type { StrangerCount } from './stranger-counts.js'

export interface EndedCall {
  readonly endpoint: Pick<Endpoint, 'path' | 'pathSchema'>
  readonly requestId: string
  readonly method: string
  /** Parameters of the path as sent. */
  readonly params: unknown
  /** Address of the peer of the connection, used where the client's is not known. */
  readonly peerAddress: string | undefined
  readonly clientAddress: string | null
  readonly caller: Caller | null
  /** The person that an ID token proved, if there is no session; else empty. */
  readonly actor: string
  readonly refusedBecause: string | null
  readonly result: Answer | Refusal
  /** The trace that the caller named; undefined for none. */
  readonly traceparent: string | undefined
  readonly latencyMs: number
}

export interface AuditEvent {
  readonly event: OutboxEvent
  readonly topic: string
  readonly key: string
}

const EVENT_SOURCE = 'cupel/api'
/** The form of our ids: an optional prefix, then digits and letters. An API key has two underscores and does not match. */
const SUBJECT_ID = /^(?:[a-z]{2,8}_)?[0-9a-z-]{6,64}$/i
const KEY_BYTES = 8

/** The event of a call that ended. Its id is the request id, so that readers recognise a repeat. */
export function auditedCall(call: EndedCall, seal: AccountSeal): AuditEvent {
  const { caller, requestId, result } = call
  const clientAddress = clientAddressOf(call)
  const at = arrivalTime(call.latencyMs)
  const livemode = caller?.livemode ?? true
  const event: OutboxEvent<'ApiRequestAudited'> = {
    type: outboxType('ApiRequestAudited'),
    data: {
      accountId: caller?.accountId ?? '',
      environment: caller?.environment ?? '',
      livemode,
      keyId: caller?.keyId ?? '',
      scope: caller?.scope ?? '',
      clientAddress: seal.sealClientAddress(clientAddress),
      method: call.method,
      route: call.endpoint.path,
      status: isRefusal(result) ? problemCodes[result.code].status : result.status,
      code: isRefusal(result) ? result.code : '',
      refusedBecause: call.refusedBecause ?? '',
      requestId,
      subjectIds: subjectIdsOf(call),
      latencyMs: Math.round(call.latencyMs * 1_000) / 1_000,
      at,
      actor: seal.sealOnce(caller?.session?.actor ?? call.actor),
    },
    envelope: {
      id: requestId,
      source: EVENT_SOURCE,
      time: at,
      subject: caller?.accountId ?? '',
      correlationId: requestId,
      causationId: requestId,
      traceparent: call.traceparent,
    },
  }
  const key = caller?.accountId ?? strangerKey(seal.sealClientAddress(clientNetwork(clientAddress)))
  return { event, topic: topicOf('ApiRequestAudited', livemode), key }
}

/** The event of calls that were only counted. */
export function countedStrangers(count: StrangerCount, countedBy: string, seal: AccountSeal): AuditEvent {
  const clientNetwork = seal.sealClientAddress(count.clientNetwork)
  const id = requestedEventId()
  const to = new Date(count.toMs).toISOString()
  const event: OutboxEvent<'RefusedRequestsCounted'> = {
    type: outboxType('RefusedRequestsCounted'),
    data: {
      clientNetwork,
      count: count.count,
      from: new Date(count.fromMs).toISOString(),
      to,
      countedBy,
    },
    envelope: {
      id,
      source: EVENT_SOURCE,
      time: to,
      subject: clientNetwork,
      correlationId: id,
      causationId: id,
    },
  }
  const key = strangerKey(clientNetwork)
  return { event, topic: topicOf('RefusedRequestsCounted'), key }
}

/** The client address; the peer's where the call was rejected before its client was known. */
export function clientAddressOf({ clientAddress, peerAddress }: EndedCall): string {
  return clientAddress ?? normaliseIp(peerAddress ?? '') ?? ''
}

/** `network`: sealed, so that hashing every network does not reveal it. */
function strangerKey(network: string): string {
  return createHash('sha256')
    .update(network)
    .digest('hex')
    .slice(0, 2 * KEY_BYTES)
}

function subjectIdsOf({ endpoint, params, result }: EndedCall): string[] {
  const path = endpoint.pathSchema?.safeParse(params)
  const ids: unknown[] = path?.success === true ? Object.values(path.data as Record<string, unknown>) : []
  const made = result.headers?.['location']?.split('/').at(-1)
  const members = isRefusal(result) ? Object.values(result.members ?? {}) : []
  const texts = [...ids, made, ...members].filter((id): id is string => typeof id === 'string')
  return [...new Set(texts)].filter((id) => SUBJECT_ID.test(id))
}
