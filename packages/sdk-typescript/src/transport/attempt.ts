import { ConnectionFailedError, CupelError, TimedOutError, UnexpectedAnswerError } from '../errors.js'
import type { AttemptEvent } from '../hooks.js'
import type { Settings } from '../settings.js'
import type { Answer, Call } from './call.js'
import { problemFrom } from './problem.js'
import { readBody, TooLargeError } from './read-body.js'

/** Maximum number of bytes read from an error answer; a problem document has far fewer. */
const MOST_PROBLEM_BYTES = 64 * 1024

/**
 * Sends the call once and reads the answer. Throws an ApiError for an error answer, a ConnectionFailedError if no answer arrives
 * within `remainingMs`, an UnexpectedAnswerError for anything that is not an answer of the API, and the reason of an aborted signal.
 */
export async function runAttempt(
  settings: Settings,
  call: Call,
  event: AttemptEvent,
  remainingMs: number,
): Promise<Answer> {
  const limitMs = Math.min(settings.attemptTimeoutMs + (call.waitSeconds ?? 0) * 1_000, remainingMs)
  const { signal } = call.options
  signal?.throwIfAborted()
  const headers = headersOf(settings, call, event)
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal!.reason)
  signal?.addEventListener('abort', abort, { once: true })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    controller.abort(new Error('timed out'))
  }, limitMs)
  try {
    return await exchange(settings, call, event, headers, controller.signal)
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    if (error instanceof CupelError || error instanceof HookError) throw unwrapped(error)
    const where = new URL(settings.baseUrl).host
    if (isLate)
      throw new TimedOutError(`${where} did not answer ${call.method} ${call.path} within ${limitMs} ms.`, {
        cause: error,
      })
    throw new ConnectionFailedError(
      `The connection to ${where} failed before ${call.method} ${call.path} was answered: ${reasonOf(error)}.`,
      { cause: error },
    )
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

async function exchange(
  settings: Settings,
  call: Call,
  event: AttemptEvent,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const startedAt = settings.clock.now()
  const response = await settings.fetch(event.url, {
    method: call.method,
    headers,
    // The key is sent only to the base URL, whatever an answer points to.
    redirect: 'manual',
    signal,
    ...bodyOf(call),
  })
  hooked(() =>
    settings.hooks.answer?.({
      ...event,
      status: response.status,
      requestId: response.headers.get('request-id'),
      headers: response.headers,
      durationMs: settings.clock.now() - startedAt,
    }),
  )
  if (response.status >= 400) throw problemFrom(response, await startOf(response), settings.clock.now())
  if (!response.ok) {
    await response.body?.cancel()
    throw new UnexpectedAnswerError('The service answered with a redirect. Correct the base URL', response)
  }
  return { status: response.status, headers: response.headers, body: await whole(response, settings) }
}

function bodyOf({ body, repeat }: Call): RequestInit & { readonly duplex?: 'half' } {
  const text = body === undefined ? '' : JSON.stringify(body)
  // Deno repeats a call by itself if it loses a kept connection, whatever the method. It cannot repeat a stream.
  if (repeat === 'once' && 'Deno' in globalThis) return { body: new Blob([text]).stream(), duplex: 'half' }
  return body === undefined ? {} : { body: text }
}

async function whole(response: Response, { maxAnswerBytes }: Settings): Promise<Uint8Array> {
  try {
    return await readBody(response, maxAnswerBytes)
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    throw new UnexpectedAnswerError(`The answer is larger than ${maxAnswerBytes} bytes`, response)
  }
}

/** The status has arrived, so the call counts as answered even if its body fails. */
async function startOf(response: Response): Promise<Uint8Array> {
  try {
    return await readBody(response, MOST_PROBLEM_BYTES)
  } catch {
    // Cut off or too large: an error without a problem document.
    return new Uint8Array()
  }
}

function headersOf(settings: Settings, call: Call, event: AttemptEvent): Record<string, string> {
  const added = Object.entries(settings.hooks.attempt?.(event) ?? {})
  const own: Record<string, string> = {
    accept: call.accept ?? 'application/json',
    'user-agent': settings.userAgent,
    authorization: `Bearer ${settings.apiKey}`,
  }
  if (call.body !== undefined) own['content-type'] = 'application/json'
  if (call.waitSeconds !== undefined) own['prefer'] = `wait=${call.waitSeconds}`
  if (event.idempotencyKey !== null) own['idempotency-key'] = event.idempotencyKey
  return { ...Object.fromEntries(added.map(([name, value]) => [name.toLowerCase(), value])), ...own }
}

/** Separates the errors of a hook from the errors of fetch. */
class HookError extends Error {}

function hooked(work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new HookError('a hook failed', { cause: error })
  }
}

const unwrapped = (error: Error): unknown => (error instanceof HookError ? error.cause : error)

/** fetch says "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause
  if (!(cause instanceof Error)) return error.message
  const { code } = cause as { code?: unknown }
  return cause.message !== '' ? cause.message : typeof code === 'string' ? code : error.message
}
