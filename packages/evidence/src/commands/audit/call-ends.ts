/** Joins the calls that other events record with their outcomes. An outcome may come before its call, because clocks of hosts differ. */
import { auditedData, endOf, type DomainEvent, type RecordedCall, type ScreenOutcome } from '@cupel/contracts'
import { CommandError } from '@cupel/command-line'

export interface CallEnds {
  /** The calls whose end is known now, as ApiRequestAudited events. */
  call(recorded: RecordedCall): readonly DomainEvent[]
  outcome(reportId: string, outcome: ScreenOutcome): readonly DomainEvent[]
}

/** A call that continues an earlier one asks for the same report a lease later, so this many outcomes are remembered for it. */
const MAX_REMEMBERED_OUTCOMES = 100_000
/** A process that dies leaves at most a thousand accepted screens; the answers of all others have their own records. */
const MAX_WAITING = 100_000

export function createCallEnds(): CallEnds {
  const outcomes = new Map<string, ScreenOutcome>()
  const waiting = new Map<string, RecordedCall[]>()
  let waitingCount = 0

  return {
    call(recorded) {
      const {
        endedAt,
        subjectIds: [subjectId],
      } = recorded
      if (endedAt !== null) return [eventOf(recorded, { isFailed: false, endedAt })]
      const outcome = outcomes.get(subjectId)
      if (outcome !== undefined) return [eventOf(recorded, outcome)]
      const calls = waiting.get(subjectId)
      // A repeated append of one request is one call.
      if (calls?.some(({ call }) => call.requestId === recorded.call.requestId) === true) return []
      waiting.set(subjectId, [...(calls ?? []), recorded])
      waitingCount += 1
      if (waitingCount > MAX_WAITING) throw tooManyWaiting()
      return []
    },
    outcome(reportId, outcome) {
      // The first record of a report id counts.
      if (outcomes.has(reportId)) return []
      outcomes.set(reportId, outcome)
      if (outcomes.size > MAX_REMEMBERED_OUTCOMES) outcomes.delete(outcomes.keys().next().value!)
      const calls = waiting.get(reportId) ?? []
      waiting.delete(reportId)
      waitingCount -= calls.length
      return calls.map((recorded) => eventOf(recorded, outcome))
    },
  }
}

function eventOf(recorded: RecordedCall, outcome: ScreenOutcome): DomainEvent<'ApiRequestAudited'> {
  const { accountId, call } = recorded
  const { requestId } = call
  return {
    type: 'ApiRequestAudited',
    data: auditedData(recorded, endOf(call, outcome)),
    envelope: {
      ...{ id: requestId, source: 'cupel/api', time: call.at, subject: accountId },
      ...{ correlationId: requestId, causationId: requestId },
    },
  }
}

function tooManyWaiting(): CommandError {
  return new CommandError(
    `More than ${MAX_WAITING} accepted screens have no outcome in the log. Check that a scorer runs, or export up to an earlier moment with --until.`,
  )
}
