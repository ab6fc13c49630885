import { ApiError, ConnectionFailedError, InvalidArgumentError, TimedOutError } from '../errors.js'
import type { Settings } from '../settings.js'
import { runAttempt } from './attempt.js'
import type { Answer, Call } from './call.js'
import { neverReached } from './never-reached.js'
import { waitBefore } from './waits.js'

/** Makes a call until its deadline. It repeats the call if a repeat can help and does no harm. */
export type Transport = (call: Call) => Promise<Answer>

export function createTransport(settings: Settings): Transport {
  return async (call) => {
    const { clock } = settings
    const { signal } = call.options
    const timeoutMs = call.options.timeoutMs ?? settings.timeoutMs
    const maxRetries = call.options.maxRetries ?? settings.maxRetries
    const idempotencyKey = keyOf(call)
    const deadline = clock.now() + timeoutMs
    for (let attempt = 1; ; attempt += 1) {
      const event = { method: call.method, url: urlOf(settings, call), attempt, idempotencyKey }
      const error = await tried(() => runAttempt(settings, call, event, deadline - clock.now()))
      if (!(error instanceof Error)) return error
      if (attempt > maxRetries || !canHelp(error, call)) throw error
      const waitMs = waitBefore(attempt, error, settings)
      if (clock.now() + waitMs >= deadline) throw error
      settings.hooks.retry?.({ ...event, error, waitMs })
      await clock.sleep(waitMs, signal)
      signal?.throwIfAborted()
    }
  }
}

/** Returns the errors that a repeat may help against; throws all others. */
async function tried(work: () => Promise<Answer>): Promise<Answer | ApiError | ConnectionFailedError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConnectionFailedError) return error
    throw error
  }
}

function canHelp(error: ApiError | ConnectionFailedError, call: Call): boolean {
  if (error instanceof ApiError)
    return (
      error.status === 429 ||
      error.status === 408 ||
      error.status >= 500 ||
      error.code === 'idempotency_in_progress'
    )
  if (call.repeat !== 'once') return true
  return !(error instanceof TimedOutError) && neverReached(error.cause)
}

/** One key for all attempts of a call. */
function keyOf({ repeat, options }: Call): string | null {
  if (repeat !== 'keyed') return null
  const key = options.idempotencyKey ?? crypto.randomUUID()
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new InvalidArgumentError('An idempotency key has 1 to 255 visible ASCII characters.')
}

function urlOf({ baseUrl }: Settings, { path, query = {} }: Call): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? baseUrl + path : `${baseUrl}${path}?${new URLSearchParams(given).toString()}`
}
