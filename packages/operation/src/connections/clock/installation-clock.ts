/**
 * The clock of the installation is the clock of the database. Machines disagree about the time. If a service compared a time of another
 * machine with its own, that difference would affect its decision. So each service measures the difference between its clock and the
 * database clock, and instants that another service compares are times of the database (docs/adr/0040).
 */
import type { Logger, Metrics } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'

export interface InstallationClock {
  /** The estimated time of the database. Never rejects; before the first measurement it is the time of this machine. */
  readonly now: () => Date
  stop(): Promise<void>
}

export interface InstallationClockOptions {
  readonly database: Queryable
  readonly logger: Logger
  readonly metrics: Metrics
  /** The clock of this machine, used instead of the system's. */
  readonly machineNow?: (() => Date) | undefined
}

/** Time between two measurements. */
const MEASURE_EVERY_MS = 5_000
/** Interval until the first measurement succeeds. */
const FIRST_MEASURE_EVERY_MS = 250
/** Number of queries in one measurement; the fastest one counts. */
const QUESTIONS = 3
/** No further query is needed: the difference is known this well. */
const CERTAIN_WITHIN_MS = 2
/** Maximum wait for the first measurement when a service starts. */
const FIRST_MEASURE_TIMEOUT_MS = 2_000
/** A warning is logged if the clocks certainly differ by more than this. */
const WARN_FROM_MS = 500
/** Time between two warnings. */
const WARN_EVERY_MS = 600_000

/** The result of one query: the time of the database minus that of this machine, and its possible error. */
export interface ClockDifference {
  readonly differenceMs: number
  /** Half of the duration of the query. */
  readonly uncertaintyMs: number
}

/** Resolves when the difference is measured, or cannot be measured for now. */
export async function startInstallationClock(options: InstallationClockOptions): Promise<InstallationClock> {
  const wallMs = (): number => options.machineNow?.().getTime() ?? Date.now()
  const machineMs = options.machineNow === undefined ? steadyMs : wallMs
  const skew = options.metrics.gauge(
    'clock_skew_seconds',
    'Time of the database minus that of this machine; positive where this machine is slow.',
  )
  let known: ClockDifference | null = null
  let warnedAtMs = -Infinity
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const measure = async (): Promise<void> => {
    try {
      const found = await measureClock(options.database, machineMs)
      known = found
      const skewMs = found.differenceMs + machineMs() - wallMs()
      skew.set(skewMs / 1_000)
      if (certainSkewMs({ ...found, differenceMs: skewMs }) < WARN_FROM_MS) return
      if (performance.now() - warnedAtMs < WARN_EVERY_MS) return
      warnedAtMs = performance.now()
      options.logger.warn(
        { skewMs: Math.round(skewMs) },
        'The clock of this machine and that of the database differ: let both follow a time server (NTP)',
      )
    } catch {
      // The code that needs the database reports the outage. The last difference stays in use.
    }
  }
  const again = async (): Promise<void> => {
    await measure()
    if (isStopped) return
    timer = setTimeout(
      () => void (running = again()),
      known === null ? FIRST_MEASURE_EVERY_MS : MEASURE_EVERY_MS,
    )
    timer.unref()
  }
  let running = again()
  await Promise.race([running, patience(FIRST_MEASURE_TIMEOUT_MS)])
  return {
    now: () => new Date(machineMs() + (known?.differenceMs ?? 0)),
    async stop() {
      isStopped = true
      clearTimeout(timer)
      // Does not wait for a query to a database that hangs.
      await Promise.race([running, patience(FIRST_MEASURE_TIMEOUT_MS)])
    },
  }
}

/** The part of a difference that its measurement error cannot explain. */
export function certainSkewMs({ differenceMs, uncertaintyMs }: ClockDifference): number {
  return Math.max(0, Math.abs(differenceMs) - uncertaintyMs)
}

/** Rejects if the database does not answer. */
export async function measureClock(database: Queryable, machineMs: () => number): Promise<ClockDifference> {
  let best: ClockDifference | null = null
  for (let question = 0; question < QUESTIONS; question += 1) {
    const before = performance.now()
    const machineBefore = machineMs()
    const [row] = await database.query<{ at: number }>(CLOCK)
    const tookMs = performance.now() - before
    // The database read its clock at some point in between. The middle is the best estimate.
    const found = { differenceMs: row!.at - (machineBefore + tookMs / 2), uncertaintyMs: tookMs / 2 }
    if (best === null || found.uncertaintyMs < best.uncertaintyMs) best = found
    if (best.uncertaintyMs <= CERTAIN_WITHIN_MS) break
  }
  return best!
}

const CLOCK = {
  name: 'clock.now',
  text: 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
}

/**
 * The clock of this machine at the start of the process, plus the time that has passed since. A correction of the system's clock
 * does not move it between two measurements.
 */
const steadyMs = (): number => performance.timeOrigin + performance.now()

function patience(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
