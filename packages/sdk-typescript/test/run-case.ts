/**
 * Runs one conformance case on the SDK and returns the differences. It uses only what all runtimes have, because the suite runs it on
 * each of them with the packed package.
 */
import type { ConformanceCase, Expectation, ExpectedError, HeaderRule, Step } from '@cupel/sdk-conformance'
import type * as Sdk from '../src/index.js'
import { camel, invoke } from './invoke.js'

const KEY = 'cpl_test_conformance0key'
const START = '2026-01-01T00:00:00Z'

export interface Where {
  readonly url: string
  readonly refusedUrl: string
}

interface Record_ {
  readonly requests: readonly Recorded[]
  readonly answers: readonly unknown[]
}

interface Recorded {
  readonly method: string
  readonly path: string
  readonly query: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
}

/** Empty if the SDK behaves as the case states. */
export async function runCase(sdk: typeof Sdk, where: Where, one: ConformanceCase): Promise<string[]> {
  const script = await json<{ id: string; base_url: string; takes_ms: number[] }>(
    await fetch(`${where.url}/_scripts`, { method: 'POST', body: JSON.stringify({ server: one.server }) }),
  )
  const bench = benchOf(one, script.takes_ms)
  const recorded = async (): Promise<Record_> => json(await fetch(`${where.url}/_scripts/${script.id}`))
  const client = clientOf(one, bench, { $base_url: script.base_url, $refused_url: where.refusedUrl })
  const faults: string[] = []
  const environment = environmentOf(one, script.base_url)
  const make = once(() => withEnvironment(environment, () => new sdk.Cupel(client)))
  for (const [index, step] of one.steps.entries()) {
    const outcome = await outcomeOf(sdk, make, step, bench)
    const { answers } = await recorded()
    faults.push(...judged(sdk, step.expect, outcome, answers).map((fault) => `step ${index}: ${fault}`))
  }
  const { requests } = await recorded()
  await fetch(`${where.url}/_scripts/${script.id}`, { method: 'DELETE' })
  if (!same(bench.waits, one.waits_ms)) faults.push(differs('waits_ms', bench.waits, one.waits_ms))
  return [...faults, ...requestFaults(one.requests, requests)]
}

/** The clock, random numbers and fetch of a case. */
function benchOf(one: ConformanceCase, takesMs: readonly number[]) {
  let now = Date.parse(one.clock ?? START)
  let turn = 0
  const waits: number[] = []
  return {
    waits,
    clock: {
      now: () => now,
      sleep: (ms: number) => {
        waits.push(ms)
        now += ms
        return Promise.resolve()
      },
    },
    random: () => one.random ?? 0.5,
    fetch: async (url: string, init: RequestInit) => {
      try {
        return await fetch(url, init)
      } finally {
        now += takesMs[turn++] ?? 0
      }
    },
  }
}

function clientOf(one: ConformanceCase, bench: ReturnType<typeof benchOf>, urls: Record<string, string>) {
  const defaults = one.environment === undefined ? { api_key: KEY, base_url: '$base_url' } : {}
  const given = Object.entries({ ...defaults, ...one.client }).map(([name, value]) => [
    camel(name),
    typeof value === 'string' ? filled(value, urls) : value,
  ])
  const { clock, random, fetch: scripted } = bench
  return { ...(Object.fromEntries(given) as Sdk.CupelOptions), clock, random, fetch: scripted }
}

const environmentOf = (one: ConformanceCase, base: string): Record<string, string | undefined> | null =>
  one.environment === undefined
    ? null
    : Object.fromEntries(
        ['CUPEL_API_KEY', 'CUPEL_BASE_URL'].map((name) => {
          const value = one.environment![name]
          return [name, value === undefined ? undefined : filled(value, { $base_url: base })]
        }),
      )

function withEnvironment<T>(values: Record<string, string | undefined> | null, work: () => T): T {
  if (values === null) return work()
  const { env } = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process
  const before = Object.keys(values).map((name) => [name, env[name]] as const)
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) delete env[name]
    else env[name] = value
  }
  try {
    for (const [name, value] of Object.entries(values)) set(name, value)
    return work()
  } finally {
    for (const [name, value] of before) set(name, value)
  }
}

interface Outcome {
  readonly result?: unknown
  readonly items?: readonly unknown[]
  readonly progress?: readonly number[]
  readonly error?: unknown
}

async function outcomeOf(
  sdk: typeof Sdk,
  make: () => Sdk.Cupel,
  step: Step,
  bench: ReturnType<typeof benchOf>,
): Promise<Outcome> {
  try {
    if (step.call === 'construct') return { result: make() }
    const { take, ...options } = step.options ?? {}
    const progress: number[] = []
    const extra = step.expect.progress && {
      onProgress: (job: Sdk.BulkJob) => progress.push(job.completed),
    }
    const present = step.call === 'webhooks.verify' && { now: bench.clock.now() }
    const given = { ...options, ...extra, ...present }
    const result = invoke(sdk, make, { call: step.call, args: step.args ?? [], options: given })
    if (result instanceof sdk.ItemList) return { items: await result.toArray((take as number) ?? Infinity) }
    return { result: await result, progress }
  } catch (error) {
    return { error }
  }
}

function judged(
  sdk: typeof Sdk,
  expected: Expectation,
  outcome: Outcome,
  answers: readonly unknown[],
): string[] {
  if (expected.error !== undefined) return errorFaults(sdk, expected.error, outcome)
  if (outcome.error !== undefined) return [`it failed: ${shown(outcome.error)}`]
  const faults: string[] = []
  const compare = (what: string, actual: unknown, wanted: unknown): void => {
    if (!same(actual, wanted)) faults.push(differs(what, actual, wanted))
  }
  if (expected.answer !== undefined) compare('result', outcome.result, answers[expected.answer])
  if (expected.equals !== undefined) compare('result', outcome.result, expected.equals)
  if (expected.progress !== undefined) compare('progress', outcome.progress, expected.progress)
  if (expected.items !== undefined) compare('items', outcome.items, expected.items)
  if (expected.items_of !== undefined)
    compare(
      'items',
      outcome.items,
      expected.items_of.flatMap((n) => (answers[n] as { items: unknown[] }).items),
    )
  if (expected.download !== undefined) {
    const { content, contentType, filename, etag } = outcome.result as Sdk.Download
    const base64 = btoa(String.fromCharCode(...content))
    compare('download', { base64, content_type: contentType, filename, etag }, expected.download)
  }
  return faults
}

function errorFaults(sdk: typeof Sdk, expected: ExpectedError, { error, ...rest }: Outcome): string[] {
  if (!(error instanceof Error)) return [`it did not fail, but gave ${shown(rest)}`]
  const {
    class: name,
    is_a: parents = [],
    message_has: has = [],
    message_lacks: lacks = [],
    ...fields
  } = expected
  const classes = sdk as unknown as Record<string, new () => Error>
  const faults: string[] = []
  if (error.name !== name || error.constructor !== classes[name])
    faults.push(`it is a ${error.name}, not ${name}: ${error.message}`)
  for (const parent of parents)
    if (classes[parent] === undefined || !(error instanceof classes[parent]))
      faults.push(`it is no ${parent}`)
  for (const [field, wanted] of Object.entries(fields)) {
    const actual = (error as unknown as Record<string, unknown>)[camel(field)]
    if (!same(actual, wanted)) faults.push(differs(field, actual, wanted))
  }
  for (const text of has)
    if (!error.message.includes(text)) faults.push(`the message lacks ${text}: ${error.message}`)
  for (const text of [KEY, ...lacks])
    if (`${error.message} ${error.stack} ${JSON.stringify(error)}`.includes(text))
      faults.push(`it shows ${text}`)
  return faults
}

function requestFaults(expected: ConformanceCase['requests'], came: readonly Recorded[]): string[] {
  const count = typeof expected === 'number' ? expected : expected.length
  if (came.length !== count) return [`${came.length} requests came, not ${count}`]
  if (typeof expected === 'number') return []
  return expected.flatMap((wanted, index) => {
    const actual = came[index]!
    const faults = (['method', 'path', 'query', 'body'] as const)
      .filter((field) => wanted[field] !== undefined && !same(actual[field], wanted[field]))
      .map((field) => differs(field, actual[field], wanted[field]))
    for (const [name, rule] of Object.entries(wanted.headers ?? {}))
      if (!fits(rule, name, actual.headers[name], came))
        faults.push(differs(name, actual.headers[name], rule))
    return faults.map((fault) => `request ${index}: ${fault}`)
  })
}

function fits(rule: HeaderRule, name: string, value: string | undefined, came: readonly Recorded[]): boolean {
  if (rule === null) return value === undefined
  if (typeof rule === 'string') return value === rule
  if (value === undefined) return false
  if ('matches' in rule) return new RegExp(rule.matches).test(value)
  if ('same_as_request' in rule) return value === came[rule.same_as_request]!.headers[name]
  return value !== came[rule.differs_from_request]!.headers[name]
}

const filled = (text: string, values: Record<string, string>): string =>
  Object.entries(values).reduce((done, [name, value]) => done.replaceAll(name, value), text)
const differs = (what: string, actual: unknown, wanted: unknown): string =>
  `${what} is ${shown(actual)}, not ${shown(wanted)}`
const shown = (value: unknown): string =>
  value instanceof Error
    ? `${value.name}: ${value.message}`
    : (JSON.stringify(value) ?? 'undefined').slice(0, 300)

/** Equal as JSON, in any order of keys. */
function same(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

async function json<T>(response: Response): Promise<T> {
  if (!response.ok)
    throw new Error(`The scripted server answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
