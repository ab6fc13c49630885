/**
 * Calls that are recorded by their own event (docs/adr/0095). Every other call with a key has an ApiRequestAudited. If a call
 * has both, the ApiRequestAudited counts: the answer differed from the one its event implies.
 */
import { problemCodes, type ApiCall, type ApiRequestAudited, type EventData } from '@cupel/contracts'
import type { FieldOf } from '@cupel/event-log'

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

type CallEventType = {
  [T in keyof EventData]: EventData[T] extends { readonly call: ApiCall | null } ? T : never
}[keyof EventData]

export interface CallEvent {
  readonly type: CallEventType
  /** The fields that `read` uses. */
  readonly fields: readonly FieldOf<CallEventType>[]
  /** The call; null if an operator or a service made the event. */
  readonly read: (data: object) => RecordedCall | null
}

/** Every type of event that records a call. */
export const callEvents: readonly CallEvent[] = [
  callEvent('ScreenRequested', ['reportId'], null),
  callEvent('BulkSubmitted', ['jobId'], 'submittedAt'),
  callEvent('BulkCancelRequested', ['jobId'], 'requestedAt'),
  callEvent('WebhookEndpointCreated', ['endpointId'], 'createdAt'),
  callEvent('WebhookEndpointChanged', ['endpointId'], 'changedAt'),
  callEvent('WebhookEndpointDeleted', ['endpointId'], 'deletedAt'),
  callEvent('WatchesCreated', ['batchId'], 'createdAt'),
  callEvent('WatchRemoved', ['watchId'], 'removedAt'),
  callEvent('ReportShareCreated', ['reportId', 'shareId'], 'createdAt'),
  callEvent('ReportShareRevoked', ['reportId', 'shareId'], 'revokedAt'),
  callEvent('ReportShareOpened', ['reportId', 'shareId'], 'openedAt'),
  callEvent('ReportNoteAdded', ['reportId'], 'addedAt'),
  callEvent('DispositionProposed', ['reportId'], 'proposedAt'),
  callEvent('DispositionProposalDeclined', ['reportId'], 'declinedAt'),
  callEvent('DispositionChanged', ['reportId'], 'changedAt'),
]

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

function callEvent<T extends CallEventType>(
  type: T,
  subjectFields: readonly [FieldOf<T>, ...FieldOf<T>[]],
  endedAtField: FieldOf<T> | null,
): CallEvent {
  const named = endedAtField === null ? subjectFields : [...subjectFields, endedAtField]
  return {
    type,
    fields: ['accountId', 'livemode', 'call', ...named] as readonly string[] as CallEvent['fields'],
    read(data) {
      const { accountId, livemode, call, ...rest } = data as EventData[CallEventType]
      if (call === null) return null
      const texts = rest as Readonly<Record<string, string>>
      const [first, ...others] = subjectFields
      const subjectIds = [texts[first]!, ...others.map((field) => texts[field]!)] as const
      const endedAt = endedAtField === null ? null : texts[endedAtField]!
      return { call, accountId, livemode, subjectIds, endedAt }
    },
  }
}
