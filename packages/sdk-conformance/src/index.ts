/** The conformance cases of the SDKs as data, and the server that plays their answers. README.md says how a case runs. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface ConformanceCase {
  readonly name: string
  readonly client?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  readonly clock?: string
  readonly random?: number
  readonly server: readonly unknown[]
  readonly steps: readonly Step[]
  readonly requests: number | readonly ExpectedRequest[]
  readonly waits_ms: readonly number[]
}

export interface Step {
  readonly call: string
  readonly args?: readonly unknown[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly expect: Expectation
}

export interface Expectation {
  readonly answer?: number
  readonly progress?: readonly number[]
  readonly items_of?: readonly number[]
  readonly items?: readonly unknown[]
  readonly equals?: unknown
  readonly download?: Readonly<Record<string, string | null>>
  readonly nothing?: true
  readonly error?: ExpectedError
}

export interface ExpectedError {
  readonly class: string
  readonly is_a?: readonly string[]
  readonly message_has?: readonly string[]
  readonly message_lacks?: readonly string[]
  readonly [field: string]: unknown
}

export interface ExpectedRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, HeaderRule>>
  readonly body?: unknown
}

export type HeaderRule =
  | string
  | null
  | { readonly matches: string }
  | { readonly same_as_request: number }
  | { readonly differs_from_request: number }

const folder = fileURLToPath(new URL('../cases/', import.meta.url))

/** Cases by file, without the extension. */
export function conformanceCases(): ReadonlyMap<string, readonly ConformanceCase[]> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.json') && name !== 'fixtures.json')
  return new Map(
    files.sort().map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return [basename(name, '.json'), JSON.parse(text) as ConformanceCase[]]
    }),
  )
}

/** A case on a running product: the sandbox gives the same answers everywhere. */
export interface ProductCase {
  readonly name: string
  /** `test`, `live`, `read_only` or `none`, or a key that nobody issued. */
  readonly key: string
  readonly steps: readonly (Omit<Step, 'expect'> & { readonly expect: ProductExpectation })[]
}

export interface ProductExpectation {
  readonly has?: unknown
  readonly items_at_least?: number
  readonly same_as_step?: number
  readonly nothing?: true
  readonly error?: ExpectedError
}

export function productCases(): readonly ProductCase[] {
  const path = fileURLToPath(new URL('../product-cases.json', import.meta.url))
  return JSON.parse(readFileSync(path, 'utf8')) as ProductCase[]
}

export interface ScriptedServer {
  readonly url: string
  /** A URL without a listening server. */
  readonly refusedUrl: string
  close(): Promise<void>
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const program = fileURLToPath(new URL('../server.mjs', import.meta.url))
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`The scripted server ended with exit code ${code}.`)))
  })
  const { url, refused_url: refusedUrl } = JSON.parse(line) as { url: string; refused_url: string }
  return {
    url,
    refusedUrl,
    close: () => {
      child.stdin.end()
      return ended
    },
  }
}
