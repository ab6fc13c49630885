/** Threads that share the work of `cupel audit`, each with connections of its own. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { threadProgram } from '@cupel/kit/concurrency'
import type { Config } from '@cupel/kit/service'
import { InvalidArgumentError } from 'commander'
import { CommandError, type CliContext } from '@cupel/command-line'
import {
  createAuditWork,
  type AuditOrder,
  type AuditSource,
  type AuditTask,
  type AuditWork,
} from './audit-work.js'

export type ThreadSource =
  /** The connections of the command; `isAuditor` as for them. */
  | { readonly kind: 'connections'; readonly config: Config; readonly isAuditor: boolean }
  /** The place of the archive as it was typed, the file of public keys, and whether damaged files are gathered as faults. */
  | {
      readonly kind: 'archive'
      readonly archive: string
      readonly publicKeys: string | undefined
      readonly gathersFaults: boolean
    }

export interface ThreadData {
  readonly environment: NodeJS.ProcessEnv
  readonly source: ThreadSource
  readonly task: AuditTask
}

export type ToThread = AuditOrder | { readonly kind: 'close' }

export type FromThread =
  /** What the work says of the records that it read. */
  | { readonly kind: 'records'; readonly records: number }
  | { readonly kind: 'result'; readonly result: AuditWork[keyof AuditWork]['result'] }
  /** The message of the command for the error, and its exit code. */
  | { readonly kind: 'fault'; readonly sentence: string; readonly exitCode: number }

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

/** Orders that the thread of the caller does at once: while one waits for the database, it does the other. */
const OWN_ORDERS = 2

export interface AuditThreads {
  /** 0 if the thread of the caller does the work. */
  readonly count: number
  /** Orders that are done at once. */
  readonly atOnce: number
  /** Waits until a thread is free. `onRecords` is called with what the work says of the records that it read. */
  run<Kind extends keyof AuditWork>(
    kind: Kind,
    order: AuditWork[Kind]['order'],
    onRecords?: (records: number) => void,
  ): Promise<AuditWork[Kind]['result']>
  /** Ends the threads. */
  close(): Promise<void>
}

/** As many threads as the records are worth, or as are asked for. `own` are the connections of the caller. */
export function startAuditThreads(
  context: CliContext,
  { own, ...of }: Omit<ThreadData, 'environment'> & { readonly own: AuditSource },
  {
    asked,
    records,
    most = MAX_THREADS,
  }: { readonly asked: number | undefined; readonly records: number; readonly most?: number },
): AuditThreads {
  const wanted = asked ?? (records < THREADS_FROM_RECORDS ? 1 : availableParallelism())
  const count = Math.min(wanted, most, MAX_THREADS)
  const workerData: ThreadData = { environment: { ...context.environment }, ...of }
  const threads = Array.from({ length: count < 2 ? 0 : count }, () =>
    startThread(new Worker(...threadProgram(import.meta.url, 'audit-worker', { workerData }))),
  )
  const free =
    threads.length > 0 ? [...threads] : Array<AuditThread>(OWN_ORDERS).fill(ownThread(own, of.task))
  const atOnce = free.length
  const waiting: ((thread: AuditThread) => void)[] = []
  return {
    ...{ count: threads.length, atOnce },
    async run(kind, order, onRecords = () => undefined) {
      const thread = free.pop() ?? (await new Promise<AuditThread>((take) => waiting.push(take)))
      try {
        return (await thread.run({ kind, order }, onRecords)) as AuditWork[typeof kind]['result']
      } finally {
        const next = waiting.shift()
        if (next === undefined) free.push(thread)
        else next(thread)
      }
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

interface AuditThread {
  run(order: AuditOrder, onRecords: (records: number) => void): Promise<unknown>
  close(): Promise<void>
}

/** The thread of the caller. */
function ownThread(source: AuditSource, task: AuditTask): AuditThread {
  let work: ReturnType<typeof createAuditWork> | null = null
  return {
    run: async (order, onRecords) => await (await (work ??= createAuditWork(source, task)))(order, onRecords),
    close: () => Promise.resolve(),
  }
}

interface Running {
  readonly onRecords: (records: number) => void
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** A thread that ends or fails rejects its current order and everything after it. */
function startThread(worker: Worker): AuditThread {
  let running: Running | null = null
  let failure: Error | null = null
  const fail = (error: Error): void => {
    failure ??= error
    running?.reject(failure)
    running = null
  }
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'records') running?.onRecords(message.records)
    else if (message.kind === 'fault') fail(new CommandError(message.sentence, message.exitCode))
    else {
      running?.resolve(message.result)
      running = null
    }
  })
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => fail(new Error('A thread of the command ended')))
  return {
    run: (order, onRecords) =>
      new Promise((resolve, reject) => {
        if (failure !== null) return reject(failure)
        running = { onRecords, resolve, reject }
        worker.postMessage(order)
      }),
    /** A thread closes its connections before it ends. One that has ended has none. */
    async close() {
      if (worker.threadId === -1) return
      const exit = new Promise<void>((resolve) => void worker.once('exit', () => resolve()))
      worker.postMessage({ kind: 'close' } satisfies ToThread)
      await exit
    },
  }
}
