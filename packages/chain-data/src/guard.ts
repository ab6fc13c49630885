/**
 * Isolates the failures of a provider. Each question has a time limit and one retry, and the number of concurrent questions is limited.
 * After several failures in a row the provider is not queried for a pause.
 */
import {
  BrokenCircuitError,
  bulkhead,
  BulkheadRejectedError,
  circuitBreaker,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel'
import { ProviderError } from './provider-error.js'

/** Attempts after the first. */
const MAX_RETRIES = 1
const RETRY_DELAY_MS = 50
const MAX_RETRY_DELAY_MS = 500
/** Failures in a row after which the pause begins. */
export const FAILURES_TO_OPEN = 5
/** Length of the pause; then one question is tried. */
export const OPEN_FOR_MS = 10_000
/** Questions to one provider at once, and those that wait for their turn. */
export const MAX_CONCURRENT_QUESTIONS = 16
export const MAX_WAITING_QUESTIONS = 256

export interface Guard {
  /** Runs a question. Rejects with a ProviderError; any other error of the question is a bug. */
  ask<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T>
}

export interface GuardOptions {
  /** Limit of one attempt. */
  readonly timeoutMs: number
  /** Called when the pause begins, and when an answer ends it. */
  readonly onOpen: () => void
  readonly onClosed: () => void
}

export function createGuard({ timeoutMs, onOpen, onClosed }: GuardOptions): Guard {
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof ProviderError),
    { halfOpenAfter: OPEN_FOR_MS, breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN) },
  )
  breaker.onBreak(onOpen)
  breaker.onReset(onClosed)
  const attempts = retry(
    handleWhen((error) => error instanceof ProviderError && error.isTransient),
    {
      maxAttempts: MAX_RETRIES,
      backoff: new ExponentialBackoff({ initialDelay: RETRY_DELAY_MS, maxDelay: MAX_RETRY_DELAY_MS }),
    },
  )
  const policy = wrap(
    bulkhead(MAX_CONCURRENT_QUESTIONS, MAX_WAITING_QUESTIONS),
    breaker,
    attempts.dangerouslyUnref(),
    timeout(timeoutMs, TimeoutStrategy.Cooperative),
  )
  return {
    async ask(question) {
      try {
        return await policy.execute(({ signal }) => question(signal))
      } catch (error) {
        if (error instanceof BrokenCircuitError)
          throw new ProviderError('circuit_open', 'not called after failures')
        if (error instanceof BulkheadRejectedError) throw new ProviderError('busy', 'too many questions wait')
        throw error
      }
    },
  }
}
