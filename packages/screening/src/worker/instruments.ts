/** The metrics of the scorer. */
import type { Metrics, NamedTrace } from '@cupel/contracts'
import type { ComparedRows } from '@cupel/projections/heartbeats'

const LATENCY_BUCKETS = [
  0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.125, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

export interface ScorerInstruments {
  /** Time between the acceptance of a request and its handling, in milliseconds. */
  dwell(lane: string, ms: number, trace?: NamedTrace): void
  batch(requests: number): void
  labelQuery(ms: number): void
  decision(ms: number): void
  decided(lane: string, level: string): void
  deferred(): void
  givenUp(lane: string): void
  inFlight(lane: string, records: number): void
  labelLag(ms: number): void
  compared(rows: ComparedRows): void
  /** Requests of the partitions that this instance holds, appended and not yet handled. */
  lag(lane: string, records: number): void
}

export function createInstruments(metrics: Metrics): ScorerInstruments {
  const dwell = metrics.histogram(
    'scorer_dwell_seconds',
    'Time from the acceptance of a request to its handling',
    LATENCY_BUCKETS,
    ['lane'],
  )
  const batch = metrics.histogram('scorer_batch_requests', 'Requests decided from one snapshot', SIZE_BUCKETS)
  const labelQuery = metrics.histogram(
    'scorer_label_query_seconds',
    'Time the label look-up of a batch took',
    LATENCY_BUCKETS,
  )
  const decision = metrics.histogram(
    'scorer_decide_seconds',
    'Time the decisions of a batch took, look-up excluded',
    LATENCY_BUCKETS,
  )
  const decided = metrics.counter('scorer_reports_total', 'Reports decided', ['lane', 'level'])
  const deferred = metrics.counter('scorer_deferred_total', 'Overdue requests moved to the bulk lane')
  const givenUp = metrics.counter(
    'scorer_given_up_total',
    'Requests that could not be decided and were dead-lettered',
    ['lane'],
  )
  for (const lane of ['interactive', 'bulk']) givenUp.inc({ lane }, 0)
  const inFlight = metrics.gauge('scorer_reports_in_flight', 'Reports appended and not yet acknowledged', [
    'lane',
  ])
  const labelLag = metrics.gauge(
    'scorer_label_lag_seconds',
    'Time since the label view was last known to hold every label',
  )
  const compared = metrics.gauge(
    'scorer_rows_compared_age_seconds',
    'Time since all rows of a kind were last compared with the log, or since the start',
    ['kind'],
  )
  const uncompared = metrics.gauge(
    'scorer_rows_not_compared',
    '1 while the rows of a kind cannot be compared with the log, or not in time',
    ['kind'],
  )
  const lag = metrics.gauge(
    'scorer_lag_records',
    'Requests appended and not yet handled, of the partitions that this instance holds',
    ['lane'],
  )
  return {
    dwell: (lane, ms, trace) => dwell.observe(Math.max(0, ms) / 1_000, { lane }, trace),
    batch: (requests) => batch.observe(requests),
    labelQuery: (ms) => labelQuery.observe(ms / 1_000),
    decision: (ms) => decision.observe(ms / 1_000),
    decided: (lane, level) => decided.inc({ lane, level }),
    deferred: () => deferred.inc(),
    givenUp: (lane) => givenUp.inc({ lane }),
    inFlight: (lane, records) => inFlight.set(records, { lane }),
    labelLag: (ms) => labelLag.set(ms / 1_000),
    compared({ kind, ageMs, fault }) {
      compared.set(ageMs / 1_000, { kind })
      uncompared.set(fault === null ? 0 : 1, { kind })
    },
    lag: (lane, records) => lag.set(records, { lane }),
  }
}
