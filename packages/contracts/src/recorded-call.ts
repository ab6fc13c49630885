/**
 * Calls that are recorded by their own event (docs/adr/0095). Every other call with a key has an ApiRequestAudited. If a call
 * has both, the ApiRequestAudited counts: the answer differed from the one its event implies.
 */
import { callEventTypes, factsOf, type CallEventType } from './event-facts.js'
import type { ApiCall, ApiRequestAudited, EventData } from './generated/events.js'
import { problemCodes } from './problem-codes.js'

export interface RecordedCall {
  readonly call: ApiCall
  readonly accountId: string
  readonly livemode: boolean
  /** Ids of the objects that the call made or changed; for a screen only its report. */
  readonly subjectIds: readonly [string, ...string[]]
  /** When the outcome was known, UTC; null for a screen, whose outcome is the record of its report. */
  readonly endedAt: string | null
}

/** How a screening ended. The first record with its report id counts. */
export interface ScreenOutcome {
  readonly isFailed: boolean
  /** UTC. */
  readonly endedAt: string
}

export type CallEnd = Pick<ApiRequestAudited, 'status' | 'code' | 'latencyMs'>

export interface CallEvent {
  readonly type: CallEventType
  /** The fields that `read` uses. */
  readonly fields: readonly (keyof EventData[CallEventType] & string)[]
  /** The call; null if an operator or a service made the event. */
  readonly read: (data: object) => RecordedCall | null
}

/** Every type of event that records a call. */
export const callEvents: readonly CallEvent[] = callEventTypes.map(callEvent)

/** The end of a call that succeeded, or whose screening has the given `outcome`. */
export function endOf({ status, at }: Pick<ApiCall, 'status' | 'at'>, outcome: ScreenOutcome): CallEnd {
  // The clocks of two hosts may differ by more than a call takes.
  const latencyMs = Math.max(0, Date.parse(outcome.endedAt) - Date.parse(at))
  return outcome.isFailed
    ? { status: problemCodes.screening_failed.status, code: 'screening_failed', latencyMs }
    : { status, code: '', latencyMs }
}

/** The content that an ApiRequestAudited of the call would have. */
export function auditedData(recorded: RecordedCall, end: CallEnd): ApiRequestAudited {
  const { call, accountId, livemode, subjectIds } = recorded
  const { keyId, scope, clientAddress, method, route, requestId, at, actor } = call
  return {
    ...{ accountId, environment: livemode ? 'live' : 'test', livemode },
    ...{ keyId, scope, clientAddress, method, route },
    ...{ status: end.status, code: end.code, refusedBecause: '', requestId },
    ...{ subjectIds: [...subjectIds], latencyMs: end.latencyMs, at, actor },
  }
}

function callEvent(type: CallEventType): CallEvent {
  const { subjects, endedAt: endedAtField } = factsOf(type).call!
  const named = endedAtField === null ? subjects : [...subjects, endedAtField]
  return {
    type,
    fields: ['accountId', 'livemode', 'call', ...named] as readonly string[] as CallEvent['fields'],
    read(data) {
      const { accountId, livemode, call, ...rest } = data as EventData[CallEventType]
      if (call === null) return null
      const texts = rest as object as Readonly<Record<string, string>>
      const [first, ...others] = subjects.map((field) => texts[field]!)
      const endedAt = endedAtField === null ? null : texts[endedAtField]!
      return { call, accountId, livemode, subjectIds: [first!, ...others], endedAt }
    },
  }
}
