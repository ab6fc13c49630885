/**
 * What becomes of a record that cannot be decided: the screening fails, so that nobody waits for it for ever, and the
 * record is laid aside whole, with the reason, for whoever mends it.
 */
import { decidedEventId, reportPartition, topicOf, type DomainEvent } from '@cupel/contracts'
import {
  appendDeadLetter,
  MAX_RECORD_BYTES,
  type EventCodec,
  type EventLog,
  type LogRecord,
  type NewRecord,
} from '@cupel/event-log'

export { deadLetterTopic } from '@cupel/event-log'

/** A record that cannot be decided, with as much of it as could be read. */
export interface Undecidable {
  readonly record: LogRecord
  readonly request: DomainEvent<'ScreenRequested'> | null
  readonly cause: string
}

export interface DeadLetterContext {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly group: string
  readonly now: () => Date
}

const SANDBOX_TOPIC = /(^|\.)sandbox\./
const REPORT_ID = /^[0-9a-f]{16}$/
/** Room that key and headers may take beside a value. */
const HEADER_RESERVE_BYTES = 16_384
export const MAX_VALUE_BYTES = MAX_RECORD_BYTES - HEADER_RESERVE_BYTES

/** Resolves when both are acknowledged: first the failure, for which somebody may be waiting. */
export async function giveUp(context: DeadLetterContext, undecidable: Undecidable): Promise<void> {
  const failed = screeningFailed(context, undecidable)
  // Without a report id there is nobody to tell; the dead letter still holds the record.
  if (failed !== null) await context.log.append('scorer.screening-failed', [failed])
  const { group, log } = context
  const { record, cause } = undecidable
  await appendDeadLetter(log, 'scorer.dead-letter', { group, record, cause })
}

function screeningFailed(
  { codec, now }: DeadLetterContext,
  { record, request }: Undecidable,
): NewRecord | null {
  const reportId = record.key
  if (!REPORT_ID.test(reportId)) return null
  const failedAt = now().toISOString()
  const livemode = request?.data.livemode ?? !SANDBOX_TOPIC.test(record.topic)
  const event: DomainEvent<'ScreeningFailed'> = {
    type: 'ScreeningFailed',
    data: {
      reportId,
      accountId: request?.data.accountId ?? '',
      livemode,
      code: 'screening_failed',
      // The reason is for operators and stays in the dead letter: it may speak of the inside.
      detail: 'The screening could not be decided.',
      jobId: request?.data.jobId ?? null,
      jobIndex: request?.data.jobIndex ?? null,
      failedAt,
    },
    envelope: {
      id: decidedEventId('ScreeningFailed', reportId),
      source: 'cupel/scorer',
      time: failedAt,
      subject: reportId,
      correlationId: request?.envelope.correlationId ?? record.headers['correlationid'] ?? reportId,
      causationId: request?.envelope.id ?? record.headers['ce_id'] ?? reportId,
      traceparent: request?.envelope.traceparent ?? record.headers['traceparent'],
    },
  }
  return codec.encode(event, {
    topic: topicOf('ScreeningFailed', livemode),
    key: reportId,
    partition: reportPartition(reportId),
  })
}
