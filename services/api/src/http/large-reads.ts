/**
 * Answers that are too large to be made at once: they are made in slices, one slice at a time in the whole process, with a rest
 * after each, so that other calls wait for a slice at most. A key, and an account, has a limited number of them under way.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as rest } from 'node:timers/promises'
import type { Logger, Metrics } from '@cupel/contracts'
import type { Caller } from '@cupel/access'
import { quotaHeaders } from '../access/rate-limit-headers.js'
import type { Answer } from './answer.js'
import { refuse, type Refusal } from './problem.js'

export interface LargeReadLimits {
  readonly maxPerKey: number
  readonly maxPerAccount: number
}

export const largeReadLimits: LargeReadLimits = { maxPerKey: 8, maxPerAccount: 16 }

/** Items that a slice makes: a millisecond or two. An answer with no more of them is made at once. */
export const SLICE_ITEMS = 16
/** The rest after a slice is as many times as long as the slice took. */
const REST_FACTOR = 1
const RETRY_SECONDS = 1

/** One large answer under way. To be closed once, in whatever way it ends. */
export interface LargeRead {
  /** Does the work when it is this one's turn. Rejects with what the work rejects with. */
  slice<Result>(work: () => Promise<Result>): Promise<Result>
  close(): void
}

export interface LargeReads {
  /** A refusal where the key or its account has as many under way as it may have. */
  open(caller: Pick<Caller, 'keyId' | 'accountId' | 'plan'>): LargeRead | Refusal
  /** The answer whose body the chunks are; it closes the read when it ends, or is not sent. */
  answer(
    read: LargeRead,
    head: Pick<Answer, 'contentType' | 'headers'>,
    chunks: AsyncIterable<string>,
  ): Answer
}

export function createLargeReads(options: {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly limits?: LargeReadLimits
}): LargeReads {
  const limits = options.limits ?? largeReadLimits
  const gauge = options.metrics.gauge('http_large_reads', 'Large answers under way.')
  const counts = new Map<string, number>()
  let open = 0
  let turn: Promise<unknown> = Promise.resolve()

  const add = (name: string, change: number): void => {
    const count = (counts.get(name) ?? 0) + change
    if (count === 0) counts.delete(name)
    else counts.set(name, count)
  }
  return {
    open({ keyId, accountId, plan }) {
      const owners = [`key ${keyId}`, `account ${accountId}`] as const
      const [ofKey, ofAccount] = owners.map((owner) => counts.get(owner) ?? 0) as [number, number]
      if (ofKey >= limits.maxPerKey || ofAccount >= limits.maxPerAccount)
        return refuse(
          'rate_limited',
          'Too many large answers are under way for the API key or its account.',
          {
            retryAfterSeconds: RETRY_SECONDS,
            headers: quotaHeaders([
              { name: `${plan}-large-answers`, quota: limits.maxPerKey, used: limits.maxPerKey },
            ]),
          },
        )
      for (const owner of owners) add(owner, 1)
      gauge.set((open += 1))
      let isOpen = true
      return {
        slice(work) {
          const done = turn.then(() => timed(work))
          turn = done.then(
            ({ tookMs }) => rest(REST_FACTOR * tookMs),
            () => undefined,
          )
          return done.then(({ result }) => result)
        },
        close() {
          if (!isOpen) return
          isOpen = false
          for (const owner of owners) add(owner, -1)
          gauge.set((open -= 1))
        },
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
            // The reader must not take what it has for the whole.
            response.destroy()
          })
          .finally(() => read.close()),
      discard: () => read.close(),
    }),
  }
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const beganMs = performance.now()
  const result = await work()
  return { result, tookMs: performance.now() - beganMs }
}

/** Writes as fast as the reader reads. */
async function pump(response: ServerResponse, chunks: AsyncIterable<string>): Promise<void> {
  response.on('error', () => undefined)
  for await (const chunk of chunks) {
    if (response.destroyed) return
    if (!response.write(chunk)) await drained(response)
  }
  response.end()
}

function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}
