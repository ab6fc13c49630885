/** The last sampled trace of each bucket of a histogram, as an example of the observations in the bucket. */
import type { Labels, NamedTrace } from '@cupel/contracts'

export interface Exemplar {
  readonly traceId: string
  readonly value: number
  /** Seconds since 1970. */
  readonly atSeconds: number
}

export interface Exemplars {
  note(value: number, labels: Labels, trace: NamedTrace | undefined): void
  /** The exemplar of the bucket up to `le`, as a scrape writes it. */
  of(labels: Readonly<Record<string, string | number>>): Exemplar | undefined
}

export function createExemplars(buckets: readonly number[], labelNames: readonly string[]): Exemplars {
  const last = new Map<string, Exemplar>()
  const keyOf = (labels: Readonly<Record<string, string | number>>, le: string | number): string =>
    JSON.stringify([String(le), ...labelNames.map((name) => labels[name])])
  return {
    note(value, labels, trace) {
      // It is not known yet whether an unsampled trace will be kept.
      if (trace?.isSampled !== true) return
      const le = buckets.find((bound) => value <= bound) ?? '+Inf'
      last.set(keyOf(labels, le), { traceId: trace.traceId, value, atSeconds: Date.now() / 1_000 })
    },
    of: (labels) => last.get(keyOf(labels, labels['le'] ?? '')),
  }
}
