/** Calls of the running API, with CUPEL_API_KEY or else the demo key. */
import { join } from 'node:path'
import { lastProfile, readRun } from '@cupel/local-stack/home'
import type { CliContext } from './context.js'
import { CommandError, EXIT_FAILED, EXIT_UNAVAILABLE, EXIT_USAGE } from './explain.js'
import { readDemoKeys } from './demo-keys-file.js'

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
  const { baseUrl, key } = target(context)
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

function target(context: CliContext): { baseUrl: string; key: string } {
  const run = readRun(context.home)
  const baseUrl = run?.baseUrls[0] ?? context.environment['CUPEL_BASE_URL']
  if (baseUrl === undefined)
    throw new CommandError(`No service runs on ${context.home}: start one with npm start.`, EXIT_UNAVAILABLE)
  const profile = run?.profile ?? lastProfile(context.home) ?? 'embedded'
  const key = context.environment['CUPEL_API_KEY'] ?? readDemoKeys(join(context.home, profile))?.read_write
  if (key === undefined) throw new CommandError('There is no demo key: set CUPEL_API_KEY.', EXIT_USAGE)
  return { baseUrl, key }
}
