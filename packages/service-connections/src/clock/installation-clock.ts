/**
 * The clock of the installation: that of the database. Machines disagree about the time, and a service that compared a time of another
 * machine with its own would decide by their difference. So each service measures how far its clock is from that of the database,
 * and instants that another service compares are times of the database (docs/adr/0336).
 */
import type { Logger, Metrics } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'

export interface InstallationClock {
  /** The time at the database, as far as it is known. Never rejects; before the first measurement it is the time of this machine. */
  readonly now: () => Date
  stop(): Promise<void>
}

export interface InstallationClockOptions {
  readonly database: Queryable
  readonly logger: Logger
  readonly metrics: Metrics
  /** The clock of this machine, in place of the system's. */
  readonly machineNow?: (() => Date) | undefined
}

/** Time between two measurements. */
const MEASURE_EVERY_MS = 5_000
/** While there is no measurement yet. */
const FIRST_MEASURE_EVERY_MS = 250
/** Questions of one measurement; the one that took the shortest time counts. */
const QUESTIONS = 3
/** How long the start of a service waits for the first measurement. */
const FIRST_MEASURE_TIMEOUT_MS = 2_000
/** Clocks that are certainly further apart are warned of. */
const WARN_FROM_MS = 500
/** Time between two warnings. */
const WARN_EVERY_MS = 600_000

/** What one question showed: the time at the database minus that of this machine, and how wrong that may be. */
export interface ClockDifference {
  readonly differenceMs: number
  /** Half of the time that the question took. */
  readonly uncertaintyMs: number
}

/** Resolves when the difference is measured, or cannot be for now. */
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
      // Whoever needs the database says that it is away. The last difference holds.
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
      // A question to a database that hangs is not waited for.
      await Promise.race([running, patience(FIRST_MEASURE_TIMEOUT_MS)])
    },
  }
}

/** What of a difference is no error of its measurement. */
export function certainSkewMs({ differenceMs, uncertaintyMs }: ClockDifference): number {
  return Math.max(0, Math.abs(differenceMs) - uncertaintyMs)
}

/** Rejects where the database does not answer. */
export async function measureClock(database: Queryable, machineMs: () => number): Promise<ClockDifference> {
  let best: ClockDifference | null = null
  for (let question = 0; question < QUESTIONS; question += 1) {
    const before = performance.now()
    const machineBefore = machineMs()
    const [row] = await database.query<{ at: number }>(CLOCK)
    const tookMs = performance.now() - before
    // The database looked at its clock somewhere between; in the middle, as far as anybody knows.
    const found = { differenceMs: row!.at - (machineBefore + tookMs / 2), uncertaintyMs: tookMs / 2 }
    if (best === null || found.uncertaintyMs < best.uncertaintyMs) best = found
  }
  return best!
}

const CLOCK = {
  name: 'clock.now',
  text: 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
}

/**
 * The clock of this machine as it was when the process began, and the time that has passed since: a correction of the system's clock
 * does not move it between two measurements.
 */
const steadyMs = (): number => performance.timeOrigin + performance.now()

function patience(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
