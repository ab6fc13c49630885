/** The amount of work that a command did in a time. */

export interface WorkRate {
  /** Reports that this run decided; those that an earlier run had done are not among them. */
  readonly reports: number
  readonly seconds: number
  /** Only of this process, without a broker or database beside it. */
  readonly cpuSeconds: number
  /** Null if the time is too short to be measured. */
  readonly reportsPerSecond: number | null
  readonly reportsPerCpuSecond: number | null
}

export interface Clocks {
  /** Milliseconds. */
  readonly now: () => number
  /** Microseconds. */
  readonly cpuUsage: () => { readonly user: number; readonly system: number }
}

/** Begins to measure; the result gives the rate up to its call. */
export function measureWork(clocks: Clocks): (reports: number) => WorkRate {
  const cpuNow = (): number => {
    const { user, system } = clocks.cpuUsage()
    return (user + system) / 1_000_000
  }
  const beganMs = clocks.now()
  const beganCpu = cpuNow()
  return (reports) => {
    const seconds = rounded((clocks.now() - beganMs) / 1_000)
    const cpuSeconds = rounded(cpuNow() - beganCpu)
    return {
      ...{ reports, seconds, cpuSeconds },
      reportsPerSecond: rate(reports, seconds),
      reportsPerCpuSecond: rate(reports, cpuSeconds),
    }
  }
}

export function workText({ reports, seconds, cpuSeconds, ...rates }: WorkRate): string {
  const perSecond = rates.reportsPerSecond === null ? '' : `, ${grouped(rates.reportsPerSecond)} per second`
  const perCpu =
    rates.reportsPerCpuSecond === null ? '' : `, ${grouped(rates.reportsPerCpuSecond)} per CPU second`
  return `${grouped(reports)} decided in ${seconds} s with ${cpuSeconds} s of CPU${perSecond}${perCpu}.`
}

const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000
const rate = (reports: number, seconds: number): number | null =>
  seconds > 0 ? Math.round(reports / seconds) : null
const grouped = (count: number): string => count.toLocaleString('en-US')
