/**
 * What becomes of a record that cannot be decided: the screening fails, so that nobody waits for it for ever, and the
 * record is laid aside whole, with the reason, for whoever mends it.
 */
import { decidedEventId, reportPartition, topicOf, type DomainEvent, type TopicSpec } from '@cupel/contracts'
import {
  MAX_RECORD_BYTES,
  RecordTooLargeError,
  type EventCodec,
  type EventLog,
  type LogRecord,
  type NewRecord,
} from '@cupel/event-log'

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
const MAX_CAUSE_CHARACTERS = 500
/** Room that key and headers may take beside a value. */
const HEADER_RESERVE_BYTES = 16_384
export const MAX_VALUE_BYTES = MAX_RECORD_BYTES - HEADER_RESERVE_BYTES

/** Where a group lays aside what it cannot handle. */
export function deadLetterTopic(group: string): TopicSpec {
  return {
    name: `${group}.dlq`,
    partitions: 1,
    producer: 'ordered',
    config: { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'max.message.bytes': '2097152' },
  }
}

/** Resolves when both are acknowledged: first the failure, for which somebody may be waiting. */
export async function giveUp(context: DeadLetterContext, undecidable: Undecidable): Promise<void> {
  const failed = screeningFailed(context, undecidable)
  // Without a report id there is nobody to tell; the dead letter still holds the record.
  if (failed !== null) await context.log.append('scorer.screening-failed', [failed])
  const letter = deadLetter(context.group, undecidable)
  try {
    await context.log.append('scorer.dead-letter', [letter])
  } catch (error) {
    if (!(error instanceof RecordTooLargeError)) throw error
    // It fitted before the reason was added. The original still lies at the position that the headers name.
    await context.log.append('scorer.dead-letter', [{ ...letter, value: Buffer.alloc(0) }])
  }
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

function deadLetter(group: string, { record, cause }: Undecidable): NewRecord {
  return {
    topic: deadLetterTopic(group).name,
    key: record.key,
    value: record.value ?? Buffer.alloc(0),
    headers: {
      ...record.headers,
      cause: cause.slice(0, MAX_CAUSE_CHARACTERS),
      topic: record.topic,
      partition: String(record.partition),
      offset: String(record.offset),
    },
  }
}
