/**
 * Examines addresses in threads, so that long examinations take no time from the event loop that answers callers. If a thread ends
 * unexpectedly, its examinations fail by name and the next one starts another thread.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { threadProgram } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { LateError } from '../turns.js'
import type { Examined, Examiner, ExaminationOrder } from './examiner.js'
import type { FromThread, ThreadData, ToThread } from './examination-messages.js'

export interface ExaminationThreads extends Examiner {
  /** Resolves as soon as every thread takes orders. */
  ready(): Promise<void>
  /** Ends the threads; examinations that are under way fail. */
  close(): Promise<void>
}

export interface ExaminationThreadsOptions {
  readonly connection: Database['connection']
  readonly logger: Logger
  readonly threads?: number
}

/** One processor is left to the callers. */
const THREADS = Math.min(4, Math.max(1, availableParallelism() - 1))
/** Neighbourhoods are bounded by counts, so a thread that needs more has a fault. */
const MAX_HEAP_MB = 512
/** A thread that has not closed its connections after this long is terminated. */
const CLOSE_MS = 2_000

export function createExaminationThreads(options: ExaminationThreadsOptions): ExaminationThreads {
  const places = Array.from({ length: options.threads ?? THREADS }, () => createPlace(options))
  const leastBusy = (): Place => places.reduce((best, place) => (place.open() < best.open() ? place : best))
  return {
    exposure: (order) => leastBusy().ask('exposure', order) as ReturnType<Examiner['exposure']>,
    cluster: (order) => leastBusy().ask('cluster', order) as ReturnType<Examiner['cluster']>,
    ready: async () => void (await Promise.all(places.map((place) => place.ready()))),
    close: async () => void (await Promise.all(places.map((place) => place.close()))),
  }
}

/** One thread after the other. */
interface Place {
  open(): number
  ask(kind: keyof Examiner, order: ExaminationOrder): Promise<Examined<unknown>>
  ready(): Promise<void>
  close(): Promise<void>
}

function createPlace({ connection, logger }: ExaminationThreadsOptions): Place {
  let running: RunningThread | null = null
  const thread = (): RunningThread => {
    running ??= startThread({ connection }, (cause) => {
      if (running === null) return
      running = null
      logger.error({ err: cause }, 'A thread that examines addresses ended')
    })
    return running
  }
  return {
    open: () => running?.open() ?? 0,
    ask: (kind, order) => thread().ask(kind, order),
    ready: () => thread().ready,
    async close() {
      const ending = running
      running = null
      await ending?.close()
    },
  }
}

interface RunningThread extends Pick<Place, 'open' | 'ask' | 'close'> {
  readonly ready: Promise<void>
}

interface Asked {
  resolve(examined: Examined<unknown>): void
  reject(error: Error): void
}

function startThread(workerData: ThreadData, onEnd: (cause: unknown) => void): RunningThread {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB }
  const worker = new Worker(
    ...threadProgram(import.meta.url, 'examination-worker', { resourceLimits, workerData }),
  )
  const asked = new Map<number, Asked>()
  let lastId = 0
  let lastSets: ExaminationOrder['labelSets'] | null = null
  let cause: unknown
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  // The orders of a thread that ended say so.
  const ready = new Promise<void>((resolve) => {
    worker.once('message', () => resolve())
    void ended.then(resolve)
  })
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'ready') return
    const one = asked.get(message.id)
    asked.delete(message.id)
    if (message.kind === 'examined') one?.resolve(message.examined)
    else one?.reject(errorOf(message))
  })
  worker.on('error', (error) => (cause = error))
  void ended.then(() => {
    onEnd(cause)
    const error = new Error('The thread of the examination ended', { cause })
    for (const { reject } of asked.values()) reject(error)
    asked.clear()
  })
  const tell = (message: ToThread): void => worker.postMessage(message)
  return {
    ready,
    open: () => asked.size,
    ask: (kind, order) =>
      new Promise((resolve, reject) => {
        const id = (lastId += 1)
        asked.set(id, { resolve, reject })
        const { labelSets } = order
        tell({ kind, id, order: { ...order, labelSets: labelSets === lastSets ? null : labelSets } })
        lastSets = labelSets
      }),
    async close() {
      tell({ kind: 'close' })
      const timer = setTimeout(() => void worker.terminate(), CLOSE_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

/** A copy of an error loses its class. */
function errorOf({ name, message }: Extract<FromThread, { kind: 'fault' }>): Error {
  if (name === 'LateError') return new LateError(message)
  const error = new Error(message)
  error.name = name
  return error
}
