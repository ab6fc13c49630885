/**
 * The thread of large reads: it queries the database and makes the bytes of answers, so that no screen waits for either. It has
 * connections of its own. The process gives out the turns.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { standBack } from '@cupel/kit/concurrency'
import { useReportPartitions } from '@cupel/contracts'
import { openDatabase } from '@cupel/postgres'
import type { Turn } from '../../read-model/index.js'
import { openResultReads, type BegunResults } from './read-results.js'
import {
  errorOf,
  faultFrom,
  type AnswerValue,
  type FromThread,
  type Question,
  type ThreadData,
  type ToThread,
} from './result-messages.js'

/** One slice is read at a time; the wait for a read model needs another one. */
const CONNECTIONS = 2

serve(parentPort!, workerData as ThreadData)

function serve(port: MessagePort, { connection, timeoutMs, reportPartitions }: ThreadData): void {
  useReportPartitions(reportPartitions)
  standBack()
  const tell = (message: FromThread, bytes?: Uint8Array): void =>
    port.postMessage(message, bytes === undefined ? [] : [bytes.buffer as ArrayBuffer])
  const { answered, ...asked } = askProcess(tell)
  const { turnOf, take } = createTurns(tell)
  const database = openDatabase({ ...connection, maxConnections: CONNECTIONS })
  const reads = openResultReads({ database, timeoutMs, ...asked })
  const open = new Map<number, BegunResults['chunks']>()
  const failed = (id: number, error: unknown): void => {
    open.delete(id)
    tell({ kind: 'fault', id, fault: faultFrom(error) })
  }
  const begin = async ({ id, order }: Extract<ToThread, { kind: 'begin' }>): Promise<void> => {
    const begun = await reads.begin(order as never, turnOf(id))
    if (begun.kind !== 'results') return tell({ kind: 'begun', id, begun })
    const { chunks, ...known } = begun
    open.set(id, chunks)
    tell({ kind: 'begun', id, begun: known })
  }
  const next = async (id: number): Promise<void> => {
    const result = await open.get(id)!.next()
    if (result.done !== true) return tell({ kind: 'chunk', id, bytes: result.value }, result.value)
    open.delete(id)
    tell({ kind: 'end', id })
  }
  port.on('message', (message: ToThread) => {
    if (message.kind === 'begin') begin(message).catch((error: unknown) => failed(message.id, error))
    else if (message.kind === 'next') next(message.id).catch((error: unknown) => failed(message.id, error))
    else if (message.kind === 'turn') take(message.id)
    else if (message.kind === 'answer') answered(message)
    else if (message.kind === 'leave') open.delete(message.id)
    // Ends only the thread.
    else void database.close().finally(() => process.exit())
  })
}

/** Turns by read: one read asks for one at a time. */
function createTurns(tell: (message: FromThread) => void) {
  const waiting = new Map<number, () => void>()
  return {
    turnOf:
      (id: number): Turn =>
      async (work) => {
        await new Promise<void>((resolve) => {
          waiting.set(id, resolve)
          tell({ kind: 'turn', id })
        })
        try {
          return await work()
        } finally {
          tell({ kind: 'turn over', id })
        }
      },
    take(id: number): void {
      const go = waiting.get(id)
      waiting.delete(id)
      go?.()
    },
  }
}

function askProcess(tell: (message: FromThread) => void) {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let last = 0
  const ask = <Value extends AnswerValue>(asked: Question): Promise<Value> =>
    new Promise<Value>((resolve, reject) => {
      const question = (last += 1)
      waiting.set(question, { resolve, reject })
      tell({ kind: 'question', question, asked })
    })
  return {
    log: {
      endOffset: (...args: Extract<Question, { of: 'endOffset' }>['args']) =>
        ask<number>({ of: 'endOffset', args }),
      partitionFor: (...args: Extract<Question, { of: 'partitionFor' }>['args']) =>
        ask<number>({ of: 'partitionFor', args }),
    },
    openJson: (...args: Extract<Question, { of: 'openJson' }>['args']) =>
      ask<string>({ of: 'openJson', args }),
    readDocuments: (...args: Extract<Question, { of: 'readDocuments' }>['args']) =>
      ask<(string | null)[]>({ of: 'readDocuments', args }),
    answered(answer: Extract<ToThread, { kind: 'answer' }>): void {
      const { resolve, reject } = waiting.get(answer.question)!
      waiting.delete(answer.question)
      if ('fault' in answer) reject(errorOf(answer.fault))
      else resolve(answer.value as never)
    },
  }
}
