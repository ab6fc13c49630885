/** Appends each state of the lists once, before the first report that names it by hash. */
import { decidedEventId, topicOf, type DomainEvent, type LabelStateRecorded } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'

export interface LabelStates {
  /**
   * Resolves once the log has acknowledged the state; rejects where it has not, and the next call appends it again.
   * After a restart a state may be appended a second time, with the same bytes.
   */
  record(state: LabelStateRecorded): Promise<void>
}

/** States that a scorer remembers. A forgotten one is appended again, which changes nothing. */
const MAX_REMEMBERED_STATES = 64
/** The envelope has no clock of its own, so that repeats have the same bytes. */
const BEFORE_ANY_PUBLICATION = '1970-01-01T00:00:00.000Z'

export function createLabelStates({
  log,
  codec,
}: {
  readonly log: EventLog
  readonly codec: EventCodec
}): LabelStates {
  const acknowledged = new Map<string, Promise<void>>()

  async function append(state: LabelStateRecorded): Promise<void> {
    const target = { topic: topicOf('LabelStateRecorded'), key: state.sha256 }
    try {
      await log.append('scorer.label-state-recorded', [codec.encode(labelStateEvent(state), target)])
    } catch (error) {
      acknowledged.delete(state.sha256)
      throw error
    }
  }

  return {
    record(state) {
      const known = acknowledged.get(state.sha256)
      if (known !== undefined) return known
      const oldest = acknowledged.keys().next()
      if (acknowledged.size >= MAX_REMEMBERED_STATES && oldest.done !== true)
        acknowledged.delete(oldest.value)
      const appended = append(state)
      acknowledged.set(state.sha256, appended)
      return appended
    },
  }
}

function labelStateEvent(state: LabelStateRecorded): DomainEvent<'LabelStateRecorded'> {
  const id = decidedEventId('LabelStateRecorded', state.sha256)
  return {
    type: 'LabelStateRecorded',
    data: state,
    envelope: {
      id,
      source: 'cupel/scorer',
      time: state.labelsAsOf === '' ? BEFORE_ANY_PUBLICATION : state.labelsAsOf,
      subject: state.sha256,
      correlationId: id,
      causationId: id,
    },
  }
}
