/** Measures the log's load on the brokers, for operators: requests by the part of the client that sends them, and their answers. */
import type { Metrics } from '@cupel/contracts'

export interface RequestMeter {
  /** `request`: Kafka's name of it, such as Fetch; `bytes` of the answer. */
  answered(request: string, bytes: number): void
  /** A fetch timed out without a record. */
  fetchedNothing(): void
}

/** `reader`: a group, `tail of` a topic, `producer fast`, `producer ordered`, `ranges` or `look-ups`. */
export type MeterOf = (reader: string) => RequestMeter

export function requestMeters(metrics: Metrics): MeterOf {
  const requests = metrics.counter('log_requests_total', 'Requests that the brokers answered.', [
    'reader',
    'request',
  ])
  const bytes = metrics.counter('log_answer_bytes_total', 'Bytes of their answers.', ['reader'])
  const empty = metrics.counter(
    'log_empty_fetches_total',
    'Fetches that were answered without a record when their time was over.',
    ['reader'],
  )
  return (reader) => ({
    answered(request, size) {
      requests.inc({ reader, request })
      bytes.inc({ reader }, size)
    },
    fetchedNothing: () => empty.inc({ reader }),
  })
}
