/** The logger and the metrics that libraries receive as arguments; they never choose a library for these themselves. */

/** Structured logging, pino's call shape. Never pass a secret, a key or a request body. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type Labels = Readonly<Record<string, string>>

/** Prometheus instruments. Creating the same name twice returns the same instrument. */
export interface Metrics {
  counter(
    name: string,
    help: string,
    labelNames?: readonly string[],
  ): { inc(labels?: Labels, by?: number): void }
  gauge(
    name: string,
    help: string,
    labelNames?: readonly string[],
  ): { set(value: number, labels?: Labels): void }
  /**
   * Buckets in the unit at the end of the name, for example `_seconds`. An observation may name its trace: if the trace is sampled,
   * scrapers find it as the example beside the bucket.
   */
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames?: readonly string[],
  ): { observe(value: number, labels?: Labels, trace?: NamedTrace): void }
}

export interface NamedTrace {
  /** 32 lowercase hexadecimal digits. */
  readonly traceId: string
  readonly isSampled: boolean
}

const nothing = (): void => undefined

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

export const noMetrics: Metrics = {
  counter: () => ({ inc: nothing }),
  gauge: () => ({ set: nothing }),
  histogram: () => ({ observe: nothing }),
}
