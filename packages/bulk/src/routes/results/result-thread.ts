/**
 * The process's side of the thread of large reads. The thread starts with the first read that needs it, and ends after a while without
 * reads. If it ends unexpectedly, its reads fail and the next read starts another thread.
 */
import { Worker } from 'node:worker_threads'
import { threadProgram } from '@cupel/kit/concurrency'
import { reportPartitions } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { ReadDocuments } from '@cupel/reports/read-model'
import type { NotFound, Turn } from '../../read-model/index.js'
import type { BegunResults, LeavableChunks, OrderForm, ResultReads } from './read-results.js'
import {
  errorOf,
  faultFrom,
  type AnswerValue,
  type FromThread,
  type Question,
  type ThreadData,
  type ToThread,
} from './result-messages.js'

export interface ResultThreadOptions {
  readonly connection: Database['connection']
  readonly log: Pick<EventLog, 'endOffset' | 'partitionFor'>
  readonly openJson: PersonalData['openJson']
  readonly readDocuments: ReadDocuments
  /** How long a read waits for each read model. */
  readonly timeoutMs: number
  /** A thread ends after this long without reads; ten minutes by default. */
  readonly idleMs?: number
}

export interface ResultThread extends ResultReads {
  /** Ends the thread; reads that are under way fail. */
  close(): Promise<void>
}

const IDLE_MS = 600_000
/** A thread that has not closed its connections after this long is terminated. */
const CLOSE_MS = 2_000
/** A read that needs more memory ends the thread, not the process. */
const MAX_HEAP_MB = 384
/** Most objects of a slice are not needed after it. */
const YOUNG_HEAP_MB = 32

export function createResultThread(options: ResultThreadOptions): ResultThread {
  let running: RunningThread | null = null
  const thread = (): RunningThread => {
    running ??= startThread(options, (ended) => {
      if (running === ended) running = null
    })
    return running
  }
  return {
    begin: <Form extends OrderForm>(order: Parameters<ResultReads['begin']>[0], turn: Turn) =>
      thread().begin(order, turn) as Promise<BegunResults<Form> | NotFound>,
    close: async () => await running?.end(),
  }
}

interface RunningThread {
  begin(order: Parameters<ResultReads['begin']>[0], turn: Turn): Promise<BegunResults | NotFound>
  end(): Promise<void>
}

type Answer = Extract<FromThread, { kind: 'begun' | 'chunk' | 'end' }>

interface Read {
  readonly turn: Turn
  /** Callbacks of the message that waits for an answer. */
  answer: { resolve(answer: Answer): void; reject(error: Error): void } | null
  /** Ends the turn that the thread has. */
  endTurn: (() => void) | null
  /** Why the read cannot give its remaining bytes. */
  fault: Error | null
}

function startThread(
  { connection, log, openJson, readDocuments, timeoutMs, idleMs = IDLE_MS }: ResultThreadOptions,
  onEnd: (thread: RunningThread) => void,
): RunningThread {
  const worker = new Worker(...program({ connection, timeoutMs, reportPartitions: reportPartitions() }))
  const reads = new Map<number, Read>()
  let lastId = 0
  let cause: unknown
  const tell = (message: ToThread): void => worker.postMessage(message)
  const ask = (read: Read, message: ToThread): Promise<Answer> =>
    new Promise((resolve, reject) => {
      read.answer = { resolve, reject }
      tell(message)
    })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    // No read may reach a thread that is about to end.
    onEnd(thread)
    tell({ kind: 'close' })
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MS)
    await ended
    clearTimeout(timer)
  }
  const rest = (): unknown => (reads.size === 0 ? stop() : idle.refresh())
  const idle: NodeJS.Timeout = setTimeout(rest, idleMs).unref()
  const forget = (id: number): void => {
    reads.get(id)?.endTurn?.()
    reads.delete(id)
    idle.refresh()
  }
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'question') void answer({ log, openJson, readDocuments }, message, tell)
    else hear(reads, message, tell)
  })
  worker.on('error', (error) => (cause = error))
  worker.on('exit', () => {
    onEnd(thread)
    clearTimeout(idle)
    const fault = new Error('The thread of large reads ended', { cause })
    for (const read of reads.values()) fail(read, fault)
    reads.clear()
  })
  const within = (id: number): Asking => ({
    isOpen: () => reads.has(id),
    next: () => ask(reads.get(id)!, { kind: 'next', id }),
    leave: () => tell({ kind: 'leave', id }),
    forget: () => forget(id),
  })
  const thread: RunningThread = {
    async begin(order, turn) {
      const id = (lastId += 1)
      const read: Read = { turn, answer: null, endTurn: null, fault: null }
      reads.set(id, read)
      try {
        const { begun } = (await ask(read, { kind: 'begin', id, order })) as Extract<
          Answer,
          { kind: 'begun' }
        >
        if (begun.kind === 'results') return { ...begun, chunks: chunksOf(read, within(id)) }
        forget(id)
        return begun
      } catch (error) {
        forget(id)
        throw error
      }
    },
    end: stop,
  }
  return thread
}

/** The operations on one read. */
interface Asking {
  readonly isOpen: () => boolean
  readonly next: () => Promise<Answer>
  readonly leave: () => void
  readonly forget: () => void
}

/** The chunks end only where the thread says so: missing bytes are not the end. */
function chunksOf(read: Read, { isOpen, next, leave, forget }: Asking): LeavableChunks {
  const end = { done: true, value: undefined } as const
  return {
    async next() {
      if (read.fault !== null) throw read.fault
      if (!isOpen()) return end
      const answer = await next().catch((error: unknown) => {
        forget()
        throw error
      })
      if (answer.kind === 'chunk') return { done: false, value: answer.bytes }
      forget()
      return end
    },
    return() {
      if (isOpen()) leave()
      forget()
      return Promise.resolve(end)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Handles a message about a read. Messages about a read that was left are dropped. */
function hear(
  reads: ReadonlyMap<number, Read>,
  message: Exclude<FromThread, { kind: 'question' }>,
  tell: (message: ToThread) => void,
): void {
  const { id } = message
  const read = reads.get(id)
  if (message.kind === 'turn')
    return takeTurn(read, () => {
      const isOpen = reads.has(id)
      if (isOpen) tell({ kind: 'turn', id })
      return isOpen
    })
  if (message.kind === 'turn over') return read?.endTurn?.()
  const answer = read?.answer
  if (read !== undefined) read.answer = null
  if (message.kind === 'fault') answer?.reject(errorOf(message.fault))
  else answer?.resolve(message)
}

/** The turn lasts until the thread says that it is over. A read that has ended meanwhile has none. */
function takeTurn(read: Read | undefined, grant: () => boolean): void {
  void read?.turn(
    () =>
      new Promise<void>((resolve) => {
        read.endTurn = resolve
        if (!grant()) resolve()
      }),
  )
}

function fail(read: Read, fault: Error): void {
  read.fault = fault
  read.endTurn?.()
  read.answer?.reject(fault)
}

type ResultAnswers = Pick<ResultThreadOptions, 'log' | 'openJson' | 'readDocuments'>

async function answer(
  { log, openJson, readDocuments }: ResultAnswers,
  { question, asked }: Extract<FromThread, { kind: 'question' }>,
  tell: (message: ToThread) => void,
): Promise<void> {
  const valueOf = ({ of, args }: Question): Promise<AnswerValue> => {
    if (of === 'endOffset') return log.endOffset(...args)
    if (of === 'readDocuments') return readDocuments(...args)
    return of === 'partitionFor' ? log.partitionFor(...args) : openJson(...args)
  }
  try {
    const value = await valueOf(asked)
    tell({ kind: 'answer', question, value })
  } catch (error) {
    tell({ kind: 'answer', question, fault: faultFrom(error) })
  }
}

function program(workerData: ThreadData): ConstructorParameters<typeof Worker> {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB }
  return threadProgram(import.meta.url, 'result-worker', { resourceLimits, workerData })
}
