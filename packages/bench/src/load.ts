/**
 * Sends requests and measures them. Open loop: requests leave at times drawn beforehand, and latency counts from the drawn time,
 * so a stall shows in every request that was due during it (no coordinated omission). Closed loop: each of N clients sends its
 * next request when the last one was answered.
 */
import { seededRandom } from '@cupel/system-tests'

/** Sends request number `index` and resolves once it was answered, to words that are counted. A rejection is counted as an error. */
export type Client = (index: number) => Promise<readonly string[] | void>

export interface LoadPhase {
  readonly kind: 'open' | 'closed'
  /** Requests per second (open) or clients (closed). */
  readonly level: number
  readonly seconds: number
  /** Of the arrivals of an open loop. By default level and seconds decide them. */
  readonly seed?: number
  /** Answers due in these first seconds do not count: the previous turn still has its effect. */
  readonly settleSeconds?: number
}

/** Light ones first, so that no load inherits a backlog. */
export const LOADS: readonly (readonly [name: string, load: Pick<LoadPhase, 'kind' | 'level'>])[] = [
  ['50/s', { kind: 'open', level: 50 }],
  ['200/s', { kind: 'open', level: 200 }],
  ['64 connections', { kind: 'closed', level: 64 }],
  ['256 connections', { kind: 'closed', level: 256 }],
]

export interface LoadResult {
  readonly requests: number
  readonly errors: number
  /** The first few distinct error messages. */
  readonly errorSamples: readonly string[]
  readonly perSecond: number
  readonly latenciesMs: readonly number[]
  /** How many answers had each word. */
  readonly words: Readonly<Record<string, number>>
}

const MAX_ERROR_SAMPLES = 5
/** How long the phase waits at its end for outstanding answers. A request without an answer by then is an error. */
const DRAIN_MS = 15_000

export async function runPhase(phase: LoadPhase, send: Client, firstIndex = 0): Promise<LoadResult> {
  const startMs = performance.now()
  const countsFromMs = startMs + (phase.settleSeconds ?? 0) * 1_000
  const latenciesMs: number[] = []
  const samples = new Set<string>()
  const words: Record<string, number> = {}
  let [answers, errors] = [0, 0]
  const failed = (error: unknown): void => {
    errors += 1
    if (samples.size < MAX_ERROR_SAMPLES) samples.add(error instanceof Error ? error.message : String(error))
  }
  const ask = (index: number, sinceMs: number): Promise<void> =>
    send(firstIndex + index).then((found) => {
      answers += 1
      for (const word of found ?? []) words[word] = (words[word] ?? 0) + 1
      if (sinceMs >= countsFromMs) latenciesMs.push(performance.now() - sinceMs)
    }, failed)
  const loop = phase.kind === 'open' ? openLoop : closedLoop
  for (let late = await loop(phase, ask); late > 0; late -= 1) failed('no answer before the end of the run')
  const seconds = phase.kind === 'open' ? phase.seconds : (performance.now() - startMs) / 1_000
  return {
    ...{ requests: answers + errors, errors, errorSamples: [...samples] },
    perSecond: Math.round((answers / seconds) * 10) / 10,
    latenciesMs: [...latenciesMs],
    words,
  }
}

type Ask = (index: number, sinceMs: number) => Promise<void>

/** Returns the number of requests without an answer. */
async function openLoop(phase: LoadPhase, ask: Ask): Promise<number> {
  const start = performance.now()
  const dueTimes = arrivals(phase.level, phase.seconds, phase.seed).map((ms) => start + ms)
  const out = new Set<Promise<void>>()
  for (let next = 0; next < dueTimes.length;) {
    const waitMs = dueTimes[next]! - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    for (; next < dueTimes.length && dueTimes[next]! <= performance.now(); next += 1) {
      const answer: Promise<void> = ask(next, dueTimes[next]!).finally(() => out.delete(answer))
      out.add(answer)
    }
  }
  return await drained(out, DRAIN_MS)
}

async function closedLoop(phase: LoadPhase, ask: Ask): Promise<number> {
  const end = performance.now() + phase.seconds * 1_000
  let index = 0
  const out = new Set<Promise<void>>()
  for (let client = 0; client < phase.level; client += 1) {
    const work = async (): Promise<void> => {
      while (performance.now() < end) await ask(index++, performance.now())
    }
    const working: Promise<void> = work().finally(() => out.delete(working))
    out.add(working)
  }
  return await drained(out, phase.seconds * 1_000 + DRAIN_MS)
}

async function drained(out: ReadonlySet<Promise<void>>, withinMs: number): Promise<number> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)))
  await Promise.race([Promise.all(out), tooLate])
  clearTimeout(timer)
  return out.size
}

/**
 * Arrival times in milliseconds from the start. The gaps are exponential (a Poisson process), like those of independent callers,
 * and come from a fixed seed, so that two runs and two systems receive the same bursts.
 */
export function arrivals(
  perSecond: number,
  seconds: number,
  seed: number = perSecond * 7_919 + seconds,
): number[] {
  const random = seededRandom(seed).next
  const times: number[] = []
  for (let at = 0; ;) {
    at += (-Math.log(1 - random()) * 1_000) / perSecond
    if (at >= seconds * 1_000) return times
    times.push(at)
  }
}

/** The value below which this share of the values is. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) throw new RangeError('There are no latencies')
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/** `p50 / p95 / p99 / max`, in milliseconds; a dash if nothing was measured. */
export function percentilesOf(result: LoadResult | null): string {
  if (result === null || result.latenciesMs.length === 0) return '—'
  return [0.5, 0.95, 0.99, 1].map((share) => percentileOf(result.latenciesMs, share).toFixed(1)).join(' / ')
}
