/** The call of an SDK for each endpoint, as the first conformance case that makes it does. */
import { readFileSync } from 'node:fs'

interface Case {
  readonly steps: readonly {
    readonly call: string
    readonly args?: readonly unknown[]
    readonly options?: Readonly<Record<string, unknown>>
    readonly expect: object
  }[]
  readonly requests: number | readonly { readonly method: string; readonly path: string }[]
}
interface Paths {
  readonly [path: string]: Readonly<Record<string, { readonly operationId: string }>>
}

const FILES = ['requests', 'lists-and-jobs', 'answers']
const cases = FILES.flatMap((name) => {
  const file = new URL(`../packages/sdk-conformance/cases/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Case[]
})

/** Options of the runner of a case, and of every call. */
const OF_ANY_CALL = new Set(['idempotency_key', 'take', 'max_retries', 'timeout_ms', 'attempt_timeout_ms'])
const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

function written(value: unknown, language: 'typescript' | 'python'): string {
  if (Array.isArray(value)) return `[${value.map((one) => written(one, language)).join(', ')}]`
  if (typeof value === 'string') return quoted(value)
  if (!isRecord(value)) {
    const words: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' }
    return (language === 'python' ? words[String(value)] : undefined) ?? String(value)
  }
  if ('base64' in value) return language === 'python' ? `Path('file').read_bytes()` : `await readFile('file')`
  const members = Object.entries(value).map(
    ([name, one]) => `${language === 'python' ? quoted(name) : name}: ${written(one, language)}`,
  )
  return language === 'python' ? `{${members.join(', ')}}` : `{ ${members.join(', ')} }`
}

function callOf({ call, args = [], options = {}, expect }: Case['steps'][number]): object {
  const own = Object.entries(options).filter(([name]) => !OF_ANY_CALL.has(name))
  const named = own.length === 0 ? [] : [Object.fromEntries(own.map(([name, one]) => [camelCase(name), one]))]
  const typescript = [...args, ...named].map((one) => written(one, 'typescript'))
  const python = [
    ...args.map((one) => written(one, 'python')),
    ...own.map(([name, one]) => `${name}=${written(one, 'python')}`),
  ]
  return {
    typescript: `${camelCase(call)}(${typescript.join(', ')})`,
    python: `${call}(${python.join(', ')})`,
    isList: 'items_of' in expect || 'items' in expect,
  }
}

/** By operation. */
function sdkCalls(paths: Paths): Readonly<Record<string, object>> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
  )
  const found = operations.flatMap(({ path, method, operationId }) => {
    // A tile is the rest of its path.
    const pattern = new RegExp(`^${path.replace('{tile}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const one = cases.find(
      ({ steps, requests }) =>
        steps.length === 1 &&
        !('error' in steps[0]!.expect) &&
        typeof requests !== 'number' &&
        requests.length > 0 &&
        requests.every((made) => made.method === method.toUpperCase() && pattern.test(made.path)),
    )
    return one === undefined ? [] : [[operationId, callOf(one.steps[0]!)] as const]
  })
  return Object.fromEntries(found)
}

export const sdkCallsModule = (
  paths: Paths,
): string => `// Generated from the conformance cases of the SDKs by \`npm run generate\`. Do not edit.

interface SdkCall {
  readonly typescript: string
  readonly python: string
  /** It is read item by item. */
  readonly isList: boolean
}

export const sdkCalls: Readonly<Record<string, SdkCall>> = ${JSON.stringify(sdkCalls(paths), null, 2)}
`
