/**
 * Answers that are too large to be made at once are made in slices, one slice at a time in the whole process, so that other
 * calls wait for one slice at most. After a slice its account rests, and all accounts rest for a shorter time. While other accounts call,
 * the rests are long: the slices of an account take a tenth of the time, those of an account that reads much a thirtieth, and those of
 * all accounts a quarter. Many keys of an account have no more than one key. A document is rendered in a thread of its own, so that it
 * waits for no other account; the account rests after it, for five seconds at most.
 * Each key, and each account, has a limited number of large answers under way.
 */
import { setTimeout } from 'node:timers/promises'
import type { Logger, Metrics } from '@cupel/contracts'
import type { Caller } from '../access/index.js'
import { pump } from '@cupel/kit/http-edge'
import { quotaHeaders } from './rate-limit-headers.js'
import type { Answer } from './answer.js'
import { refuse, type Refusal } from './problem.js'
import type { Traffic } from './traffic.js'

export interface LargeReadLimits {
  readonly maxPerKey: number
  readonly maxPerAccount: number
}

export const largeReadLimits: LargeReadLimits = { maxPerKey: 8, maxPerAccount: 16 }

/** Items that the process makes in a slice: a millisecond or two. An answer with no more of them is made at once. */
export const SLICE_ITEMS = 16
/**
 * How many times as long as its slice an account rests: while no other account calls, while others do, and while others do and the
 * account reads much.
 */
const REST_FACTOR = 1
const REST_FACTOR_BESIDE_OTHERS = 9
const REST_FACTOR_OF_MUCH = 29
/** The same factor for the rest of all accounts while several accounts call. */
const REST_FACTOR_OF_ALL = 3
/** An account reads much when its slices of this second and the one before took longer. One table of a large job takes this long. */
const MUCH_MS = 50
const SPENDING_WINDOW_MS = 1_000
/** Longest rest after a slice: a database that hangs for a moment does not stop large answers for minutes. */
const MAX_REST_MS = 500
/** The same for an account that reads much. Slices of up to 50 ms have their whole rest. */
const MAX_REST_OF_MUCH_MS = 1_500
/** The same after a document: the summary of a large job takes a fifth of a second of a processor. */
const MAX_REST_AFTER_DOCUMENT_MS = 5_000
/**
 * While other accounts call, the documents of an account take a twenty-fifth of the time, so that p95 of the others hardly shows them. Those
 * that take longer than 0.2 s take more, because of the longest rest.
 */
const REST_FACTOR_OF_DOCUMENTS = 24
/** Other accounts count as active for this long after a call. */
const OTHERS_MS = 1_000
const RETRY_SECONDS = 1

/** One large answer under way. It must be closed once, however it ends. */
export interface LargeRead {
  /** Does the work when it is this answer's turn. Rejects with the error of the work. */
  slice<Result>(work: () => Promise<Result>): Promise<Result>
  /** Does the work of a thread with its own queue after the account has rested. The work takes no slice. */
  aside<Result>(work: () => Promise<Result>): Promise<Result>
  close(): void
}

export type LargeReader = Pick<Caller, 'keyId' | 'accountId' | 'plan'>

export interface LargeReads {
  /** Returns a refusal if the key or its account has reached its limit. */
  open(caller: LargeReader): LargeRead | Refusal
  /** Opens a read for the work. Closes it when the work ends, or with the answer that the work streams. */
  during(caller: LargeReader, work: (read: LargeRead) => Promise<Answer | Refusal>): Promise<Answer | Refusal>
  /** The answer with the chunks as its body. When it ends or is not sent, it closes the read and stops the chunks. */
  answer(read: LargeRead, head: Pick<Answer, 'contentType' | 'headers'>, chunks: Chunks): Answer
}

export interface Chunks extends AsyncIterable<Uint8Array> {
  return(): Promise<unknown>
}

export interface LargeReadsOptions {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly traffic: Traffic
  readonly limits?: LargeReadLimits
  /** In place of a timer. */
  readonly rest?: (ms: number) => Promise<unknown>
  /** Clock reading in milliseconds; by default performance.now. */
  readonly now?: () => number
}

export function createLargeReads(options: LargeReadsOptions): LargeReads {
  const limits = options.limits ?? largeReadLimits
  const gauge = options.metrics.gauge('http_large_reads', 'Large answers under way.')
  const counts = createCounts()
  const turns = createTurns(options)
  const reads: LargeReads = {
    open({ keyId, accountId, plan }) {
      const [key, account] = [`key ${keyId}`, `account ${accountId}`]
      if (counts.of(key) >= limits.maxPerKey || counts.of(account) >= limits.maxPerAccount)
        return tooManyUnderWay(plan, limits)
      const change = (by: 1 | -1): void => {
        counts.add(key, by)
        counts.add(account, by)
        gauge.set(counts.add('all', by))
      }
      change(1)
      let isOpen = true
      return {
        slice: (work) => turns.slice(accountId, work),
        aside: (work) => turns.aside(accountId, work),
        close() {
          if (isOpen) change(-1)
          isOpen = false
        },
      }
    },
    async during(caller, work) {
      const read = reads.open(caller)
      if ('code' in read) return read
      let isStreamed = false
      try {
        const result = await work(read)
        isStreamed = 'stream' in result
        return result
      } finally {
        if (!isStreamed) read.close()
      }
    },
    answer: (read, head, chunks) => ({
      status: 200,
      ...head,
      body: null,
      stream: (response) =>
        void pump(response, chunks)
          .catch((error: unknown) => {
            options.logger.warn({ err: error }, 'A large answer ended before it was whole')
            // The reader must not take its part for the whole answer.
            response.destroy()
          })
          .finally(() => read.close()),
      discard() {
        read.close()
        void chunks.return()
      },
    }),
  }
  return reads
}

function tooManyUnderWay(plan: Caller['plan'], { maxPerKey: quota }: LargeReadLimits): Refusal {
  return refuse('rate_limited', 'Too many large answers are under way for the API key or its account.', {
    retryAfterSeconds: RETRY_SECONDS,
    headers: quotaHeaders([{ name: `${plan}-large-answers`, quota, used: quota }]),
  })
}

/** Counts by name. Names with a count of 0 are deleted. */
function createCounts(): { of(name: string): number; add(name: string, by: number): number } {
  const counts = new Map<string, number>()
  return {
    of: (name) => counts.get(name) ?? 0,
    add(name, by) {
      const count = (counts.get(name) ?? 0) + by
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
      return count
    },
  }
}

/** The slices of an account follow each other with its rests between them, and so do the slices of all keys, with shorter rests. */
function createTurns({ traffic, rest = (ms) => setTimeout(ms), now }: LargeReadsOptions) {
  const spending = createSpending(now ?? (() => performance.now()))
  const linesOfAccounts = new Map<string, Line>()
  const lineOfAll = createLine()
  const restFor = (
    accountId: string,
    tookMs: number,
    factorBesideOthers: number,
    longestMs = MAX_REST_MS,
  ): Promise<unknown> => {
    const factor = traffic.othersCalledWithin(accountId, OTHERS_MS) ? factorBesideOthers : REST_FACTOR
    return rest(Math.min(longestMs, tookMs * factor))
  }
  const lineOf = (accountId: string): Line => {
    const line = linesOfAccounts.get(accountId) ?? createLine(() => linesOfAccounts.delete(accountId))
    linesOfAccounts.set(accountId, line)
    return line
  }

  const restOfAccount = (accountId: string) => (tookMs: number) =>
    spending.of(accountId) > MUCH_MS
      ? restFor(accountId, tookMs, REST_FACTOR_OF_MUCH, MAX_REST_OF_MUCH_MS)
      : restFor(accountId, tookMs, REST_FACTOR_BESIDE_OTHERS)

  return {
    async slice<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
      const slice = async (): Promise<Timed<Result>> => {
        await traffic.quietMoment()
        const done = await timed(work)
        spending.add(accountId, done.tookMs)
        return done
      }
      const inTurn = (): Promise<Timed<Result>> =>
        lineOfAll(slice, (tookMs) => restFor(accountId, tookMs, REST_FACTOR_OF_ALL))
      return (await lineOf(accountId)(inTurn, restOfAccount(accountId))).result
    },
    async aside<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
      const rest = (tookMs: number): Promise<unknown> =>
        restFor(accountId, tookMs, REST_FACTOR_OF_DOCUMENTS, MAX_REST_AFTER_DOCUMENT_MS)
      return (await lineOf(accountId)(() => timed(work), rest)).result
    },
  }
}

interface Timed<Result> {
  readonly result: Result
  readonly tookMs: number
}

async function timed<Result>(work: () => Promise<Result>): Promise<Timed<Result>> {
  const beganMs = performance.now()
  const result = await work()
  return { result, tookMs: performance.now() - beganMs }
}

/** One piece of work at a time, in the order of the calls, with a rest after each that did not fail. */
type Line = <Result>(
  work: () => Promise<Timed<Result>>,
  rest: (tookMs: number) => Promise<unknown>,
) => Promise<Timed<Result>>

function createLine(onEmpty: () => void = () => undefined): Line {
  let turn: Promise<unknown> = Promise.resolve()
  let length = 0
  return (work, rest) => {
    length += 1
    const done = turn.then(work)
    turn = done
      .then(
        ({ tookMs }) => rest(tookMs),
        () => undefined,
      )
      .then(() => {
        length -= 1
        if (length === 0) onEmpty()
      })
    return done
  }
}

/** Milliseconds that the slices of each account took in this window and the one before. Older windows are forgotten. */
function createSpending(now: () => number): {
  add(accountId: string, ms: number): void
  of(accountId: string): number
} {
  let began = -Infinity
  let [current, before] = [new Map<string, number>(), new Map<string, number>()]
  const turnOver = (): void => {
    const passed = now() - began
    if (passed < SPENDING_WINDOW_MS) return
    before = passed < 2 * SPENDING_WINDOW_MS ? current : new Map()
    current = new Map()
    began = now()
  }
  return {
    add(accountId, ms) {
      turnOver()
      current.set(accountId, (current.get(accountId) ?? 0) + ms)
    },
    of(accountId) {
      turnOver()
      return (current.get(accountId) ?? 0) + (before.get(accountId) ?? 0)
    },
  }
}

/** Closes the read and passes the fault on. */
export const closing =
  (read: LargeRead | null) =>
  (error: unknown): never => {
    read?.close()
    throw error
  }
