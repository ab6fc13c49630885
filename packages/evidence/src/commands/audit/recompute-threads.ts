/** Threads that decide partitions beside one another, each with connections of its own. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { threadProgram } from '@cupel/kit/concurrency'
import type { RangeDecider, RangeQuestion, ReportRange } from '../../proofs/index.js'
import { InvalidArgumentError } from 'commander'
import { type CliContext, CommandError } from '@cupel/command-line'
import type { FromThread, ThreadData, ThreadSource, ToThread } from './recompute-messages.js'

export const MAX_THREADS = 8
/**
 * A thread takes 0.6 s of a processor to begin, and two decide 1.4 times as many reports a second as one: for fewer records than this,
 * threads begin only on request (docs/benchmarks.md).
 */
const THREADS_FROM_RECORDS = 50_000

/** The value of `--threads`. */
export function threadCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > MAX_THREADS)
    throw new InvalidArgumentError(`It takes a number from 1 to ${MAX_THREADS}.`)
  return count
}

export interface RecomputeThreads {
  /** Starts as many threads as these partitions are worth; undefined if this thread decides alone. */
  readonly decidersFor: (ranges: readonly ReportRange[]) => readonly RangeDecider[] | undefined
  /** Ends the threads. */
  close(): Promise<void>
}

export function prepareThreads(
  context: CliContext,
  of: { readonly source: ThreadSource; readonly question: RangeQuestion },
  { threads: asked }: { readonly threads?: number | undefined },
): RecomputeThreads {
  const workers: Worker[] = []
  return {
    decidersFor(ranges) {
      const worthwhile = ranges.filter(({ from, to }) => to > from)
      const records = worthwhile.reduce((sum, { from, to }) => sum + to - from, 0)
      const wanted = asked ?? (records < THREADS_FROM_RECORDS ? 1 : availableParallelism())
      const count = Math.min(wanted, worthwhile.length, MAX_THREADS)
      if (count < 2) return undefined
      const workerData: ThreadData = { environment: { ...context.environment }, ...of }
      for (let index = 0; index < count; index += 1)
        workers.push(new Worker(...threadProgram(import.meta.url, 'recompute-worker', { workerData })))
      return workers.map(deciderOf)
    },
    async close() {
      await Promise.all(workers.map(ended))
    },
  }
}

interface Deciding {
  readonly onRecords: (records: number) => void
  readonly resolve: (tally: Awaited<ReturnType<RangeDecider['decide']>>) => void
  readonly reject: (error: Error) => void
}

/** A thread that ends or fails rejects its current work and everything after it. */
function deciderOf(worker: Worker): RangeDecider {
  let deciding: Deciding | null = null
  let failure: Error | null = null
  const fail = (error: Error): void => {
    failure ??= error
    deciding?.reject(failure)
    deciding = null
  }
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'records') deciding?.onRecords(message.records)
    else if (message.kind === 'fault') fail(new CommandError(message.sentence, message.exitCode))
    else {
      deciding?.resolve(message.tally)
      deciding = null
    }
  })
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => fail(new Error('A thread of the recomputation ended')))
  return {
    decide: (range, onRecords) =>
      new Promise((resolve, reject) => {
        if (failure !== null) return reject(failure)
        deciding = { onRecords, resolve, reject }
        worker.postMessage({ kind: 'decide', range } satisfies ToThread)
      }),
  }
}

/** A thread closes its connections before it ends. One that has ended has none. */
async function ended(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return
  const exit = new Promise<void>((resolve) => void worker.once('exit', () => resolve()))
  worker.postMessage({ kind: 'close' } satisfies ToThread)
  await exit
}
