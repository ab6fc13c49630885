/** Downloads a list to a file, or finds it in a folder, unless it is unchanged since the last refresh. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Agent, EnvHttpProxyAgent, request, type Dispatcher } from 'undici'
import { urlFault, type Place } from './refresh-plan.js'

export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

export const noValidators: Validators = { etag: null, lastModified: null }

export type Fetched =
  | { readonly kind: 'unchanged' }
  /** `file` is in the given folder, or is the published file itself. */
  | {
      readonly kind: 'fetched'
      readonly file: string
      readonly bytes: number
      readonly validators: Validators
    }
  | { readonly kind: 'failed'; readonly failure: FetchFailure; readonly detail: string }

export type FetchFailure =
  | 'unreachable'
  | 'timeout'
  | 'status'
  | 'redirect-refused'
  | 'too-large'
  | 'too-old'
  | 'encoded'
  | 'no-length'
  | 'not-found'

export interface FetchOptions {
  readonly maxBytes: number
  readonly timeoutMs: number
  /** A file that was last changed before this time is too old; UTC, RFC 3339. */
  readonly notBefore: string | undefined
  /** Validators of the last refresh; without them the list is always fetched. */
  readonly validators: Validators
  /** Folder of the download. */
  readonly folder: string
  readonly fileName: string
  readonly signal: AbortSignal
}

const MAX_REDIRECTS = 3
const CONNECT_TIMEOUT_MS = 10_000
/** Longest time without a byte from the server. */
const SILENCE_TIMEOUT_MS = 60_000
/** A more recently changed file may be incomplete. */
const SETTLED_AFTER_MS = 5_000

export async function fetchList(place: Place, options: FetchOptions): Promise<Fetched> {
  return place.kind === 'path' ? await findFile(place.path, options) : await download(place, options)
}

const failed = (failure: FetchFailure, detail: string): Fetched => ({ kind: 'failed', failure, detail })

/** A file, or the newest file of a folder; hidden and incomplete files are skipped. */
async function findFile(path: string, options: FetchOptions): Promise<Fetched> {
  try {
    const chosen = (await stat(path)).isDirectory() ? await newestIn(path) : path
    if (chosen === null) return failed('not-found', `There is no file in ${path}.`)
    const { size, mtimeMs, mtime } = await stat(chosen)
    if (Date.now() - mtimeMs < SETTLED_AFTER_MS)
      return failed('not-found', `${chosen} was changed a moment ago and may be incomplete.`)
    if (size > options.maxBytes)
      return failed('too-large', `${chosen} has ${size} bytes, more than ${options.maxBytes}.`)
    if (isOlder(mtime.toISOString(), options))
      return failed('too-old', `${chosen} was last changed on ${mtime.toISOString().slice(0, 10)}.`)
    const validators = { etag: `${chosen}/${size}/${mtimeMs}`, lastModified: null }
    if (validators.etag === options.validators.etag) return { kind: 'unchanged' }
    return { kind: 'fetched', file: chosen, bytes: size, validators }
  } catch (error) {
    return failed('not-found', `${path} cannot be read: ${messageOf(error)}.`)
  }
}

async function newestIn(folder: string): Promise<string | null> {
  const names = (await readdir(folder)).filter((name) => !/^\.|\.(tmp|part|partial|crdownload)$/.test(name))
  let newest: { readonly file: string; readonly mtimeMs: number } | null = null
  for (const name of names) {
    const file = join(folder, name)
    const found = await stat(file)
    if (!found.isFile()) continue
    if (newest === null || found.mtimeMs > newest.mtimeMs) newest = { file, mtimeMs: found.mtimeMs }
  }
  return newest?.file ?? null
}

async function download(place: Extract<Place, { kind: 'url' }>, options: FetchOptions): Promise<Fetched> {
  const agents = createAgents()
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const signal = AbortSignal.any([options.signal, timeout])
  try {
    const answer = await follow(place, options, agents, signal)
    if ('kind' in answer) return answer
    return await receive(answer, options, signal)
  } catch (error) {
    if (timeout.aborted)
      return failed('timeout', `The download took longer than ${options.timeoutMs / 1_000} s.`)
    const isSilent = error instanceof Error && /Timeout/.test(error.name)
    return failed(isSilent ? 'timeout' : 'unreachable', `${messageOf(error)}.`)
  } finally {
    await Promise.all([agents.direct, agents.proxied].map((agent) => agent.destroy())).catch(() => undefined)
  }
}

interface Agents {
  /** For http, which is allowed on this machine only: a proxy would ask its own machine, over an open line. */
  readonly direct: Dispatcher
  /** For https: by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and the proxy sees the host only. */
  readonly proxied: Dispatcher
}

/** Agents of one download: its connections serve nothing else. */
function createAgents(): Agents {
  const options = {
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  }
  return { direct: new Agent(options), proxied: new EnvHttpProxyAgent(options) }
}

/** Follows redirects to declared hosts only: another host could decide who is sanctioned. */
async function follow(
  { url, hosts, headers }: Extract<Place, { kind: 'url' }>,
  { validators }: FetchOptions,
  { direct, proxied }: Agents,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData | Extract<Fetched, { kind: 'failed' }>> {
  let at = url
  for (let redirects = 0; ; redirects += 1) {
    const { protocol, host } = new URL(at)
    const dispatcher = protocol === 'http:' ? direct : proxied
    // A header may hold a key of the server, which is nobody else's.
    const own = host === hosts[0] ? headers : userAgentOf(headers)
    const answer = await request(at, { dispatcher, signal, headers: { ...headersOf(validators), ...own } })
    const { location } = answer.headers
    if (![301, 302, 303, 307, 308].includes(answer.statusCode)) return answer
    await answer.body.dump()
    const target = typeof location === 'string' && URL.canParse(location, at) ? new URL(location, at) : null
    const refuse = (why: string) => failed('redirect-refused', why) as Extract<Fetched, { kind: 'failed' }>
    if (target === null) return refuse('The server redirects without a target.')
    if (!hosts.includes(target.host))
      return refuse(`The server redirects to ${target.host}, which is not declared.`)
    if (urlFault(target.href) !== null)
      return refuse(`The server redirects to ${target.protocol}, not https.`)
    if (redirects === MAX_REDIRECTS) return refuse(`The server redirects more than ${MAX_REDIRECTS} times.`)
    at = target.href
  }
}

const userAgentOf = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'user-agent'))

function headersOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    'user-agent': 'cupel-label-refresh',
    // A compressed body could expand beyond every limit.
    'accept-encoding': 'identity',
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  }
}

async function receive(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const one = (name: string): string | null => {
    const value = headers[name]
    return typeof value === 'string' ? value : null
  }
  const refuse = async (failure: FetchFailure, detail: string): Promise<Fetched> => {
    body.destroy()
    body.on('error', () => undefined)
    return failed(failure, detail)
  }
  if (statusCode === 304) {
    await body.dump()
    return { kind: 'unchanged' }
  }
  if (statusCode !== 200) return await refuse('status', `The server answered with status ${statusCode}.`)
  const encoding = one('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    return await refuse(
      'encoded',
      `The server used the encoding ${encoding}, which the request did not accept.`,
    )
  const length = one('content-length')
  // Then the end of the connection is the end of the list, and a list that was cut off looks whole.
  if (length === null && !/\bchunked\s*$/i.test(one('transfer-encoding') ?? ''))
    return await refuse('no-length', 'The server does not say where the list ends.')
  const announced = Number(length ?? 0)
  const tooLarge = `The list has more than ${options.maxBytes} bytes.`
  if (announced > options.maxBytes) return await refuse('too-large', tooLarge)
  const lastModified = one('last-modified')
  const changedMs = lastModified === null ? Number.NaN : Date.parse(lastModified)
  if (!Number.isNaN(changedMs) && isOlder(new Date(changedMs).toISOString(), options))
    return await refuse(
      'too-old',
      `The list was last changed on ${new Date(changedMs).toISOString().slice(0, 10)}.`,
    )

  const file = join(options.folder, options.fileName)
  let bytes = 0
  class TooLarge extends Error {}
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > options.maxBytes) throw new TooLarge()
      yield chunk
    }
  }
  try {
    await pipeline(counted, createWriteStream(file), { signal })
  } catch (error) {
    if (error instanceof TooLarge) return failed('too-large', tooLarge)
    throw error
  }
  return { kind: 'fetched', file, bytes, validators: { etag: one('etag'), lastModified } }
}

const isOlder = (changedAt: string, { notBefore }: FetchOptions): boolean =>
  notBefore !== undefined && changedAt < notBefore

/** SHA-256, lowercase hex. */
export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
