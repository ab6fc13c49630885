/** Runs one case on a running installation and returns the differences. Clock, waits and connections are real. */
import type { ProductCase } from '@cupel/sdk-conformance'
import type * as Sdk from '../src/index.js'
import { invoke } from './invoke.js'

export interface Product {
  readonly baseUrl: string
  /** Keys by the names that cases use. */
  readonly keys: Readonly<Record<string, string>>
  /** The URL of a server that receives webhooks. */
  readonly receiver: string
}

export async function runProductCase(sdk: typeof Sdk, product: Product, one: ProductCase): Promise<string[]> {
  const apiKey = product.keys[one.key]
  const client = new sdk.Cupel({ baseUrl: product.baseUrl, ...(apiKey === undefined ? {} : { apiKey }) })
  const results: unknown[] = []
  const unique = crypto.randomUUID()
  for (const [index, step] of one.steps.entries()) {
    const fill = (value: unknown): unknown =>
      filled(value, results, { $unique: unique, $receiver: product.receiver })
    const given = {
      ...step,
      args: fill(step.args ?? []) as unknown[],
      options: fill(step.options ?? {}) as object,
    }
    const { take, ...options } = given.options as { take?: number }
    const outcome = await settled(async () => {
      const result = await invoke(sdk, () => client, { call: step.call, args: given.args, options })
      return result instanceof sdk.ItemList ? await result.toArray(take) : result
    })
    results.push('result' in outcome ? outcome.result : undefined)
    const fault = judged(step.expect, outcome, results)
    if (fault !== null) return [`step ${index}, ${step.call}: ${fault}`]
  }
  return []
}

type Outcome = { readonly result: unknown } | { readonly error: unknown }

async function settled(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await work() }
  } catch (error) {
    return { error }
  }
}

function judged(
  expected: ProductCase['steps'][number]['expect'],
  outcome: Outcome,
  results: unknown[],
): string | null {
  if (expected.error !== undefined) {
    if (!('error' in outcome)) return `it gave ${shown(outcome.result)}`
    const { class: name, is_a: parents = [], ...fields } = expected.error
    const error = outcome.error as Error
    if (error.name !== name) return `it is ${error.name}, not ${name}: ${error.message}`
    const names = ancestors(error)
    const missing = parents.find((parent) => !names.includes(parent))
    if (missing !== undefined) return `it is no ${missing}`
    return contains(error, fields) ? null : `it has not ${shown(fields)}: ${error.message}`
  }
  if ('error' in outcome) return `it failed: ${String(outcome.error)}`
  const { result } = outcome
  if (expected.has !== undefined && !contains(result, expected.has))
    return `${shown(result)} has not ${shown(expected.has)}`
  if (expected.items_at_least !== undefined && !((result as unknown[]).length >= expected.items_at_least))
    return `there are ${(result as unknown[]).length} items`
  if (expected.same_as_step !== undefined && shown(result) !== shown(results[expected.same_as_step]))
    return `${shown(result)} is not what step ${expected.same_as_step} gave`
  return null
}

function ancestors(error: Error): string[] {
  const names: string[] = []
  for (
    let at: unknown = error.constructor;
    typeof at === 'function' && at !== Error;
    at = Object.getPrototypeOf(at)
  )
    names.push((at as { name: string }).name)
  return names
}

/** Whether `whole` has all fields of `part`; names in snake_case match those in camelCase. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null) return false
  const fields = whole as Record<string, unknown>
  return Object.entries(part).every(([name, value]) => {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    return contains(fields[name] ?? fields[camel], value)
  })
}

function filled(
  value: unknown,
  results: readonly unknown[],
  words: Readonly<Record<string, string>>,
): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, results, words))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, results, words)]))
  if (typeof value !== 'string') return value
  const [, step, field] = /^\$(\d+)\.(\w+)$/.exec(value) ?? []
  if (step !== undefined) return (results[Number(step)] as Record<string, unknown>)[field!]
  return Object.entries(words).reduce((text, [word, meaning]) => text.replaceAll(word, meaning), value)
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 400) ?? 'undefined'
