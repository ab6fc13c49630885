/** The event that ends a screening that cannot be decided, so that no caller waits for it for ever. */
import {
  decidedEventId,
  reportPartition,
  topicOf,
  type DomainEvent,
  type ProblemCode,
} from '@cupel/contracts'
import { MAX_RECORD_BYTES, type EventCodec, type LogRecord, type NewRecord } from '@cupel/event-log'

const SANDBOX_TOPIC = /(^|\.)sandbox\./
const REPORT_ID = /^[0-9a-f]{16}$/
/** Bytes that key and headers may take beside a value. */
const HEADER_RESERVE_BYTES = 16_384
/** Largest report, in bytes. */
export const MAX_VALUE_BYTES = MAX_RECORD_BYTES - HEADER_RESERVE_BYTES

/** The cause is for operators and stays in the dead letter: it may name internals. */
const UNDECIDABLE = { code: 'screening_failed', detail: 'The screening could not be decided.' } as const

/** Null where the key is not a report id: then no caller waits, and only the dead letter keeps the record. */
export function screeningFailed(
  { codec, now }: { readonly codec: EventCodec; readonly now: () => Date },
  {
    record,
    request,
  }: { readonly record: LogRecord; readonly request: DomainEvent<'ScreenRequested'> | null },
  because: { readonly code: ProblemCode; readonly detail: string } = UNDECIDABLE,
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
      code: because.code,
      detail: because.detail,
      isTransfer: (request?.data.transfer ?? null) !== null,
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
