/**
 * Sends requests and measures them. Open loop: requests leave at times drawn beforehand, and latency counts from the drawn time,
 * so a stall shows in every request that was due during it (no coordinated omission). Closed loop: each of N clients sends its
 * next request when the last one was answered.
 */
import hdr from 'hdr-histogram-js'

/** Sends request number `index` and resolves once it was answered. A rejection is counted as an error. */
export type Send = (index: number) => Promise<void>

export interface LoadPhase {
  readonly kind: 'open' | 'closed'
  /** Requests per second (open) or clients (closed). */
  readonly level: number
  readonly seconds: number
  /** Of the arrivals of an open loop. By default level and seconds decide them. */
  readonly seed?: number
}

export interface LoadResult extends LoadPhase {
  readonly requests: number
  readonly errors: number
  /** The first few distinct error messages. */
  readonly errorSamples: readonly string[]
  readonly perSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const MAX_ERROR_SAMPLES = 5
/** How long the phase waits at its end for outstanding answers. A request without an answer by then is an error. */
const DRAIN_MS = 15_000
const HIGHEST_MICROSECONDS = 120_000_000

interface Recorder {
  readonly result: (phase: LoadPhase, seconds: number) => LoadResult
  readonly answered: (sinceMs: number) => void
  readonly failed: (error: unknown) => void
}

/** Receives the milliseconds of an answer, and the time from which they count. */
type OnLatency = (ms: number, sinceMs: number) => void

function createRecorder(onLatency?: OnLatency): Recorder {
  const histogram = hdr.build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_MICROSECONDS,
    numberOfSignificantValueDigits: 3,
  })
  const samples = new Set<string>()
  let errors = 0
  const milliseconds = (microseconds: number): number => Math.round(microseconds / 10) / 100
  return {
    answered(sinceMs) {
      const tookMs = performance.now() - sinceMs
      onLatency?.(tookMs, sinceMs)
      histogram.recordValue(Math.min(HIGHEST_MICROSECONDS, Math.max(1, Math.round(tookMs * 1_000))))
    },
    failed(error) {
      errors += 1
      if (samples.size < MAX_ERROR_SAMPLES)
        samples.add(error instanceof Error ? error.message : String(error))
    },
    result: (phase, seconds) => ({
      ...phase,
      requests: histogram.totalCount + errors,
      errors,
      errorSamples: [...samples],
      perSecond: Math.round((histogram.totalCount / seconds) * 10) / 10,
      p50Ms: milliseconds(histogram.getValueAtPercentile(50)),
      p95Ms: milliseconds(histogram.getValueAtPercentile(95)),
      p99Ms: milliseconds(histogram.getValueAtPercentile(99)),
      maxMs: milliseconds(histogram.maxValue),
    }),
  }
}

/** `onLatency` is called for each answer, for callers that pool the answers of several phases. */
export async function runPhase(
  phase: LoadPhase,
  send: Send,
  firstIndex = 0,
  onLatency?: OnLatency,
): Promise<LoadResult> {
  const recorder = createRecorder(onLatency)
  return phase.kind === 'open'
    ? await openLoop(phase, send, firstIndex, recorder)
    : await closedLoop(phase, send, firstIndex, recorder)
}

async function openLoop(
  phase: LoadPhase,
  send: Send,
  firstIndex: number,
  recorder: Recorder,
): Promise<LoadResult> {
  const start = performance.now()
  const dueTimes = arrivals(phase.level, phase.seconds, phase.seed).map((ms) => start + ms)
  const out = new Set<Promise<void>>()
  for (let next = 0; next < dueTimes.length;) {
    const waitMs = dueTimes[next]! - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    for (; next < dueTimes.length && dueTimes[next]! <= performance.now(); next++) {
      const due = dueTimes[next]!
      const answer: Promise<void> = send(firstIndex + next)
        .then(() => recorder.answered(due), recorder.failed)
        .finally(() => out.delete(answer))
      out.add(answer)
    }
  }
  await drained(out, DRAIN_MS, recorder)
  return recorder.result(phase, phase.seconds)
}

async function closedLoop(
  phase: LoadPhase,
  send: Send,
  firstIndex: number,
  recorder: Recorder,
): Promise<LoadResult> {
  const start = performance.now()
  const end = start + phase.seconds * 1_000
  let index = firstIndex
  const clients = Array.from({ length: phase.level }, async () => {
    while (performance.now() < end) {
      const since = performance.now()
      await send(index++).then(() => recorder.answered(since), recorder.failed)
    }
  })
  await drained(new Set(clients), phase.seconds * 1_000 + DRAIN_MS, recorder)
  return recorder.result(phase, (performance.now() - start) / 1_000)
}

async function drained(out: ReadonlySet<Promise<void>>, withinMs: number, recorder: Recorder): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), withinMs)))
  const outcome = await Promise.race([Promise.all(out), tooLate])
  clearTimeout(timer)
  if (outcome === 'late')
    for (let i = 0; i < out.size; i++) recorder.failed('no answer before the end of the run')
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
  const random = mulberry32(seed)
  const times: number[] = []
  for (let at = 0; ;) {
    at += (-Math.log(1 - random()) * 1_000) / perSecond
    if (at >= seconds * 1_000) return times
    times.push(at)
  }
}

/** Mulberry32 (Tommy Ettinger, public domain): a small seeded generator, uniform in [0, 1). */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
