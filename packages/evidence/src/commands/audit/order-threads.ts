/** Threads that do one order after the other, each with connections of its own. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { threadProgram } from '@cupel/kit/concurrency'
import { InvalidArgumentError } from 'commander'
import { CommandError } from '@cupel/command-line'
import type { FromThread, ThreadSource, ToThread } from './recompute-messages.js'

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

export interface OrderThread<Order, Result> {
  /** `onRecords` is called with what the work says of the records that it read. */
  run(order: Order, onRecords?: (records: number) => void): Promise<Result>
  close(): Promise<void>
}

/**
 * As many threads as the records are worth, or as are asked for; none if the thread of the caller does the work.
 * @param program as `threadProgram` takes it, next to this file: it serves orders (serve-orders.ts)
 */
export function startOrderThreads<Order, Result>(
  program: string,
  workerData: { readonly environment: NodeJS.ProcessEnv; readonly source: ThreadSource },
  {
    asked,
    records,
    most = MAX_THREADS,
  }: { readonly asked: number | undefined; readonly records: number; readonly most?: number },
): readonly OrderThread<Order, Result>[] {
  const wanted = asked ?? (records < THREADS_FROM_RECORDS ? 1 : availableParallelism())
  const count = Math.min(wanted, most, MAX_THREADS)
  return Array.from({ length: count < 2 ? 0 : count }, () => {
    const worker = new Worker(...threadProgram(import.meta.url, program, { workerData }))
    return { run: runnerOf<Order, Result>(worker), close: () => ended(worker) }
  })
}

interface Running<Result> {
  readonly onRecords: (records: number) => void
  readonly resolve: (result: Result) => void
  readonly reject: (error: Error) => void
}

/** A thread that ends or fails rejects its current order and everything after it. */
function runnerOf<Order, Result>(worker: Worker): OrderThread<Order, Result>['run'] {
  let running: Running<Result> | null = null
  let failure: Error | null = null
  const fail = (error: Error): void => {
    failure ??= error
    running?.reject(failure)
    running = null
  }
  worker.on('message', (message: FromThread<Result>) => {
    if (message.kind === 'records') running?.onRecords(message.records)
    else if (message.kind === 'fault') fail(new CommandError(message.sentence, message.exitCode))
    else {
      running?.resolve(message.result)
      running = null
    }
  })
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => fail(new Error('A thread of the command ended')))
  return (order, onRecords = () => undefined) =>
    new Promise((resolve, reject) => {
      if (failure !== null) return reject(failure)
      running = { onRecords, resolve, reject }
      worker.postMessage({ kind: 'order', order } satisfies ToThread<Order>)
    })
}

/** A thread closes its connections before it ends. One that has ended has none. */
async function ended(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return
  const exit = new Promise<void>((resolve) => void worker.once('exit', () => resolve()))
  worker.postMessage({ kind: 'close' } satisfies ToThread<never>)
  await exit
}
