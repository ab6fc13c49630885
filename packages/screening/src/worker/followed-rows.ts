/**
 * Compares all rows of one kind with the log in the background, again and again, at a small part of one processor. What cannot be compared
 * is at fault: an error at once, a slice that does not end after some minutes, and a comparison that never ends after a time that grows
 * with the rows.
 */
import { sleep as sleepFor, startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { ComparedRows } from '@cupel/projections/heartbeats'

/** 2 % of one processor. */
const REST_PER_WORK = 49
/** Half of one processor: rests are halved each time that an import ends a comparison, until one is faster than the imports follow each other. */
const LEAST_REST_PER_WORK = 1
/** Between two comparisons of all rows. */
const REST_MS = 5_000
/** Work without a slice that ends. Rests do not count. */
export const STALLED_AFTER_MS = 5 * 60_000
/** From one whole comparison to the next one, or from the start. */
export const UNCOMPARED_AFTER_MS = 30 * 60_000
/** So much later for each row: with its rests, the comparison of a row takes about a tenth of this. */
export const PER_ROW_MS = 10

export interface FollowedRowsDeps {
  readonly kind: ComparedRows['kind']
  readonly logger: Logger
  /** How many rows there are, about. */
  readonly countRows: () => Promise<number>
  /**
   * The first difference as a sentence; null without one. Undefined if nothing can be said. It calls `afterSlice` after each part of the
   * work, and ends where that resolves to false.
   */
  readonly compare: (afterSlice: (sliceMs: number) => Promise<boolean>) => Promise<string | null | undefined>
  readonly onDifference: (difference: string) => void
  /** A difference that a scorer found which ended since, as a sentence: until all rows are compared once, without rests, nothing is used. */
  readonly doubt?: string | null
  /** Milliseconds of a monotonic clock; for tests. */
  readonly nowMs?: () => number
  /** Rests between two slices; for tests. */
  readonly sleep?: typeof sleepFor
}

export interface FollowedRows {
  /** How long ago the last whole comparison ended, and what keeps the next one from ending. */
  state(): ComparedRows
  /** The difference that an ended scorer found, as a sentence, until a comparison of all rows finds none. */
  doubt(): string | null
  stop(): Promise<void>
}

export function followRows({
  kind,
  logger,
  countRows,
  compare,
  onDifference,
  doubt: inherited = null,
  nowMs = () => performance.now(),
  sleep = sleepFor,
}: FollowedRowsDeps): FollowedRows {
  let doubt = inherited
  let wholeAtMs = nowMs()
  /** Begin of the last whole comparison that found no difference. */
  let equalSinceMs: number | null = null
  /** Null while the comparison rests. */
  let workSinceMs: number | null = nowMs()
  let rows = 0
  let slices = 0
  let restPerWork = REST_PER_WORK
  /** It stays: what was read of an altered row may still be in memory. */
  let difference: string | null = null
  let failure: { readonly sentence: string; readonly slices: number } | null = null

  const loop = startLoop({
    async step(stopping) {
      const beganAtMs = nowMs()
      ;[workSinceMs, slices] = [beganAtMs, 0]
      rows = await countRows()
      const found = await compare(async (sliceMs) => {
        slices += 1
        // What failed before is compared now.
        if (failure !== null && slices > failure.slices) failure = null
        workSinceMs = null
        await sleep(doubt === null ? sliceMs * restPerWork : 0, stopping)
        workSinceMs = nowMs()
        return !stopping.aborted
      })
      ;[workSinceMs, failure] = [null, null]
      if (typeof found === 'string') onDifference((difference = found))
      else if (found === null) {
        ;[wholeAtMs, restPerWork] = [nowMs(), REST_PER_WORK]
        ;[equalSinceMs, doubt] = [beganAtMs, null]
      } else restPerWork = Math.max(LEAST_REST_PER_WORK, restPerWork / 2)
    },
    restMs: REST_MS,
    onError(error) {
      workSinceMs = null
      if (failure === null)
        logger.error({ err: error }, `The rows of ${NAMES[kind]} cannot be compared with the log`)
      failure = { sentence: error instanceof Error ? error.message : String(error), slices }
    },
  })

  return {
    state: () => ({
      ...{ kind, ageMs: nowMs() - wholeAtMs, difference },
      fault: faultOf(kind, {
        ...{ failure: failure?.sentence ?? null, rows, ageMs: nowMs() - wholeAtMs },
        workMs: workSinceMs === null ? 0 : nowMs() - workSinceMs,
      }),
      equalForMs: equalSinceMs === null ? null : nowMs() - equalSinceMs,
    }),
    doubt: () => doubt,
    stop: () => loop.stop(),
  }
}

/** Where a comparison is: its last failure, its rows, the milliseconds since the last slice and since the last whole comparison. */
interface Progress {
  readonly failure: string | null
  readonly rows: number
  readonly workMs: number
  readonly ageMs: number
}

function faultOf(kind: ComparedRows['kind'], { failure, rows, workMs, ageMs }: Progress): string | null {
  const of = `the rows of ${NAMES[kind]}`
  if (failure !== null) return `A scorer cannot compare ${of} with the log: ${failure}.`
  if (workMs > STALLED_AFTER_MS)
    return `The comparison of ${of} with the log has not moved for ${minutes(workMs)} min.`
  return ageMs > UNCOMPARED_AFTER_MS + rows * PER_ROW_MS
    ? `A scorer has not compared ${of} with the log as a whole for ${minutes(ageMs)} min.`
    : null
}

const NAMES: Readonly<Record<ComparedRows['kind'], string>> = { labels: 'labels', ledger: 'the ledger' }

const minutes = (ms: number): number => Math.floor(ms / 60_000)
