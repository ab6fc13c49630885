/**
 * Does the work of many owners in a few threads. A thread has one order at a time, so that an order that takes too long, or too much
 * memory, ends nothing but itself. Owners take turns: the many orders of one delay no other owner by more than one order. A thread starts
 * with the first order that needs it, and ends after a while without work.
 */
import { createHash } from 'node:crypto'
import { parentPort, type Transferable, type Worker } from 'node:worker_threads'
import { createFairQueue } from './fair-queue.js'

export interface ThreadPoolOptions {
  readonly start: () => Worker
  /** Maximum number of threads. */
  readonly threads: number
  /** Orders that wait, of all owners and of one. */
  readonly maxWaiting: number
  readonly maxWaitingPerOwner: number
  /** Time for the work on an order. Its wait does not count. */
  readonly timeoutMs: number
  readonly idleMs: number
}

export interface ThreadPool<Order extends object, Result> {
  /**
   * Rejects with ThreadPoolBusyError if too many orders wait, with OrderEndedError if the order ended its thread now or a while ago, and with
   * another error if its work failed. `transfer`: buffers that are empty afterwards.
   */
  run(owner: string, order: Order, transfer?: readonly Transferable[]): Promise<Result>
  /** Ends the threads; unfinished orders are rejected. */
  close(): Promise<void>
}

export class ThreadPoolBusyError extends Error {
  override readonly name = 'ThreadPoolBusyError'
}

export class OrderEndedError extends Error {
  override readonly name = 'OrderEndedError'
}

/** An order that ended its thread would end the next one too: the same order is refused for this long. */
export const REFUSED_FOR_MS = 600_000
const MAX_REFUSED = 1_000

export type Outcome<Result> = { readonly value: Result } | { readonly fault: string }

/** The side of the thread: does one order after the other. */
export function serveOrders<Order, Result>(work: (order: Order) => Promise<Result>): void {
  parentPort?.on('message', (order: Order) => {
    void work(order).then(
      (value) => parentPort?.postMessage({ value } satisfies Outcome<Result>),
      (error: unknown) => {
        const fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
        parentPort?.postMessage({ fault } satisfies Outcome<Result>)
      },
    )
  })
}

interface Waiting<Order, Result> {
  readonly order: Order
  readonly digest: string
  readonly transfer: readonly Transferable[]
  resolve(result: Result): void
  reject(error: Error): void
}

export function createThreadPool<Order extends object, Result>(
  options: ThreadPoolOptions,
): ThreadPool<Order, Result> {
  const queue = createFairQueue<Waiting<Order, Result>>()
  const isFull = (owner: string): boolean =>
    queue.size() >= options.maxWaiting || queue.sizeOf(owner) >= options.maxWaitingPerOwner
  const refused = createRefusals()
  const idle = new Set<PoolThread<Order, Result>>()
  const threads = new Set<PoolThread<Order, Result>>()
  let isClosed = false
  const serve = (): void => {
    while (!isClosed && queue.size() > 0 && (idle.size > 0 || threads.size < options.threads)) {
      const [free] = idle
      const thread = free ?? startThread<Order, Result>(options, leave)
      threads.add(thread)
      idle.delete(thread)
      const next = queue.next()!
      void thread.work(next).then((isOver) => {
        if (isOver) refused.note(next.digest)
        else if (threads.has(thread)) idle.add(thread)
        serve()
      })
    }
  }
  const leave = (thread: PoolThread<Order, Result>): void => {
    idle.delete(thread)
    threads.delete(thread)
  }
  return {
    run: (owner, order, transfer = []) =>
      new Promise((resolve, reject) => {
        const digest = digestOf(order)
        if (refused.has(digest)) return reject(new OrderEndedError('This order ended its thread a while ago'))
        if (isClosed || isFull(owner))
          return reject(new ThreadPoolBusyError('Too many orders wait for a thread'))
        queue.add(owner, { order, digest, transfer, resolve, reject })
        serve()
      }),
    async close() {
      isClosed = true
      for (let left = queue.next(); left !== undefined; left = queue.next())
        left.reject(new OrderEndedError('The threads ended before the order began'))
      await Promise.all([...threads].map((thread) => thread.end()))
    },
  }
}

interface PoolThread<Order, Result> {
  /** Resolves when the order is settled: true if it ended the thread. Never rejects. */
  work(order: Waiting<Order, Result>): Promise<boolean>
  end(): Promise<unknown>
}

function startThread<Order, Result>(
  { start, timeoutMs, idleMs }: ThreadPoolOptions,
  onEnd: (thread: PoolThread<Order, Result>) => void,
): PoolThread<Order, Result> {
  const worker = start()
  let settle: ((outcome: Outcome<Result> | null) => void) | null = null
  let cause: unknown
  let isClosing = false
  const end = (): Promise<unknown> => {
    onEnd(thread)
    return worker.terminate()
  }
  const rest = setTimeout(() => (settle === null ? void end() : rest.refresh()), idleMs).unref()
  worker.on('message', (outcome: Outcome<Result>) => settle?.(outcome))
  worker.on('error', (error) => (cause = error))
  worker.on('exit', () => {
    onEnd(thread)
    clearTimeout(rest)
    settle?.(null)
  })
  const thread: PoolThread<Order, Result> = {
    work: ({ order, transfer, resolve, reject }) =>
      new Promise((done) => {
        const timer = setTimeout(() => void end(), timeoutMs)
        settle = (outcome) => {
          settle = null
          clearTimeout(timer)
          rest.refresh()
          if (outcome === null) reject(new OrderEndedError('The thread of the order ended', { cause }))
          else if ('value' in outcome) resolve(outcome.value)
          else reject(new Error(outcome.fault))
          done(outcome === null && !isClosing)
        }
        worker.postMessage(order, transfer)
      }),
    end() {
      isClosing = true
      return end()
    },
  }
  return thread
}

/** The orders that ended their thread, by digest; the oldest first. */
function createRefusals(): { has(digest: string): boolean; note(digest: string): void } {
  const until = new Map<string, number>()
  return {
    has: (digest) => (until.get(digest) ?? 0) > performance.now(),
    note(digest) {
      const [oldest] = until.keys()
      if (until.size >= MAX_REFUSED && oldest !== undefined) until.delete(oldest)
      until.delete(digest)
      until.set(digest, performance.now() + REFUSED_FOR_MS)
    },
  }
}

/** Texts and bytes as they are, everything else as JSON. */
function digestOf(order: object): string {
  const hash = createHash('sha256')
  for (const [name, value] of Object.entries(order) as [string, unknown][]) {
    hash.update(`\n${name}:`)
    hash.update(
      typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value ?? null),
    )
  }
  return hash.digest('base64')
}
