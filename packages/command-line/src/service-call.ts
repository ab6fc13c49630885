/** Calls of the running API. */
import type { CliContext } from './context.js'
import { CommandError, EXIT_FAILED, EXIT_UNAVAILABLE, EXIT_USAGE } from './explain.js'

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Starts with `/v1`. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const ANSWER_TIMEOUT_MS = 70_000

/** The body of a successful response. Rejects with CommandError for every other one, with the message of the service. */
export async function callService(context: CliContext, call: ServiceCall): Promise<string> {
  return (await bytesOfService(context, call)).toString('utf8')
}

/** As callService, for a body that is not text. */
export async function bytesOfService(context: CliContext, call: ServiceCall): Promise<Buffer> {
  const { baseUrl, key } = context.service()
  let response: Response
  try {
    response = await fetch(baseUrl + call.path, {
      method: call.method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
  } catch (cause) {
    throw new CommandError(`The service at ${baseUrl} does not answer.`, EXIT_UNAVAILABLE, { cause })
  }
  const body = Buffer.from(await response.arrayBuffer())
  if (response.ok) return body
  throw new CommandError(refusalOf(response.status, body.toString('utf8')), exitCodeOf(response.status))
}

function refusalOf(status: number, text: string): string {
  const problem = problemOf(text)
  const places = (problem.errors ?? []).map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`).join('')
  return `Refused with ${status} ${problem.code ?? ''}: ${problem.detail ?? problem.title ?? 'no reason given'}${places}`
}

interface Problem {
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

function problemOf(text: string): Problem {
  try {
    return JSON.parse(text) as Problem
  } catch {
    // The answer does not come from the service, perhaps from a proxy.
    return {}
  }
}

function exitCodeOf(status: number): number {
  if (status >= 500) return EXIT_UNAVAILABLE
  return status === 400 || status === 422 ? EXIT_USAGE : EXIT_FAILED
}
