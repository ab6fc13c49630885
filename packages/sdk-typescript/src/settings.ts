import { ConfigurationError } from './errors.js'
import { version } from './version.js'
import type { Hooks } from './hooks.js'

/** Time and waiting; tests replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `ms` milliseconds; rejects with the reason of `signal` if it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The part of `fetch` that the client needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface CupelOptions {
  /** Default: the environment variable CUPEL_API_KEY. */
  readonly apiKey?: string | undefined
  /** The address of the service, such as `https://cupel.example.com`. Default: the environment variable CUPEL_BASE_URL. */
  readonly baseUrl?: string | undefined
  /** Milliseconds for one call with all its attempts and waits. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds for one attempt. Default 20,000. */
  readonly attemptTimeoutMs?: number | undefined
  /** Maximum number of retries of a call. Default 5. */
  readonly maxRetries?: number | undefined
  /** Maximum size of one answer in bytes. Default 128 MiB. */
  readonly maxAnswerBytes?: number | undefined
  /** The key is only sent over https or to this machine, unless this is true. */
  readonly allowInsecureHttp?: boolean | undefined
  /** Used instead of the global `fetch`: for proxies, client certificates, tests. It sees the key. */
  readonly fetch?: Fetch | undefined
  /** Called around each attempt; they never see the key. */
  readonly hooks?: Hooks | undefined
  readonly clock?: Clock | undefined
  /** A number from 0 to less than 1, for the jitter of waits. Default Math.random. */
  readonly random?: (() => number) | undefined
}

export interface Settings {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly userAgent: string
  readonly timeoutMs: number
  readonly attemptTimeoutMs: number
  readonly maxRetries: number
  readonly maxAnswerBytes: number
  readonly fetch: Fetch
  readonly hooks: Hooks
  readonly clock: Clock
  readonly random: () => number
}

/** Throws a ConfigurationError if the options cannot work. The message never contains the key. */
export function settingsFrom(options: CupelOptions): Settings {
  refuseBrowser()
  return {
    baseUrl: readBaseUrl(options),
    apiKey: readKey(options),
    userAgent: `cupel-typescript/${version} ${runtime()}`,
    timeoutMs: positive('timeoutMs', options.timeoutMs ?? 60_000),
    attemptTimeoutMs: positive('attemptTimeoutMs', options.attemptTimeoutMs ?? 20_000),
    maxRetries: count('maxRetries', options.maxRetries ?? 5),
    maxAnswerBytes: positive('maxAnswerBytes', options.maxAnswerBytes ?? 128 * 1024 * 1024),
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    hooks: options.hooks ?? {},
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error)
      const abort = (): void => {
        clearTimeout(timer)
        reject(signal!.reason as Error)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', abort, { once: true })
    }),
}

/** A visitor of a page could read a key in it. */
function refuseBrowser(): void {
  const { document, importScripts, navigator } = globalThis as {
    document?: unknown
    importScripts?: unknown
    navigator?: { userAgent?: string }
  }
  const isWorker =
    typeof importScripts === 'function' && navigator?.userAgent?.startsWith('Mozilla/') === true
  if (document === undefined && !isWorker) return
  throw new ConfigurationError(
    'An API key does not belong into a browser, where every visitor can read it. Call Cupel from your server.',
  )
}

function readKey(options: CupelOptions): string {
  const key = (options.apiKey ?? environment('CUPEL_API_KEY') ?? '').trim()
  if (key === '')
    throw new ConfigurationError('There is no API key: set CUPEL_API_KEY, or pass apiKey to new Cupel().')
  // fetch would quote the key in its own error.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ConfigurationError(
      'The API key has characters that no key has. Copy it again, without line breaks.',
    )
  return key
}

function readBaseUrl({ baseUrl, allowInsecureHttp }: CupelOptions): string {
  const text = (baseUrl ?? environment('CUPEL_BASE_URL') ?? '').trim()
  if (text === '')
    throw new ConfigurationError('There is no base URL: set CUPEL_BASE_URL, or pass baseUrl to new Cupel().')
  const url = parsed(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ConfigurationError('The base URL is not an http or https URL.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new ConfigurationError(
      'The base URL may have a path, but no user name, password, query or fragment.',
    )
  if (url.protocol === 'http:' && !isThisMachine(url.hostname) && allowInsecureHttp !== true)
    throw new ConfigurationError(
      `The key would be sent to ${url.host} over plain http, where others can read it. Use https, or set allowInsecureHttp.`,
    )
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function parsed(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    // Not a URL; the caller reports it.
    return null
  }
}

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

function positive(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new ConfigurationError(`${name} must be a number greater than 0.`)
}

function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new ConfigurationError(`${name} must be a whole number, 0 or greater.`)
}

interface ProcessLike {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly version?: string
}

function environment(name: string): string | undefined {
  try {
    return (globalThis as { process?: ProcessLike }).process?.env?.[name]
  } catch {
    // Deno without permission to read the environment: the variable counts as not set.
    return undefined
  }
}

function runtime(): string {
  const { Deno, Bun, process } = globalThis as {
    Deno?: { version: { deno: string } }
    Bun?: { version: string }
    process?: ProcessLike
  }
  if (Deno !== undefined) return `deno/${Deno.version.deno}`
  if (Bun !== undefined) return `bun/${Bun.version}`
  return process?.version === undefined ? 'unknown' : `node/${process.version.slice(1)}`
}
