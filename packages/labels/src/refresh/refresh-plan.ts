/** The refresh plan: a JSON file, read at start, that states which lists are refreshed, from where and how often. */
import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { categories } from '@cupel/contracts'
import { authorityOrigins, strictJsonFault } from '@cupel/domain'
import { labelFormats } from '../formats/formats.js'
import { authoritiesAt } from './authority-addresses.js'
import { z } from 'zod'

const MINUTE_MS = 60_000
const unitMs: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 1_440 * MINUTE_MS }
/** Limits of the interval: it must not burden publishers, and a list must not become stale. */
const SHORTEST_MS = 5 * MINUTE_MS
const LONGEST_MS = 30 * 1_440 * MINUTE_MS
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024
const DEFAULT_TIMEOUT_MS = 5 * MINUTE_MS

/** `30m`, `6h`, `1d` as milliseconds. */
const duration = (shortestMs: number, longestMs: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,4}[mhd]$/, 'a time such as 30m, 6h or 1d')
    .transform((text) => Number(text.slice(0, -1)) * unitMs[text.at(-1)!]!)
    .refine((ms) => ms >= shortestMs && ms <= longestMs, 'out of bounds')

const name = z.string().regex(/^[^\p{C}/]{1,200}$/u, '1 to 200 printable characters without a slash')
const path = z.string().refine(isAbsolute, 'an absolute path')
const url = z.url().refine((text) => urlFault(text) === null, {
  error: (issue) => urlFault(String(issue.input)) ?? 'not a URL',
})

/** Cupel sets these itself: they decide what the server answers, and how much of it. */
const OWN_HEADERS = new Set([
  ...[
    'accept-encoding',
    'connection',
    'content-length',
    'expect',
    'host',
    'if-modified-since',
    'if-none-match',
  ],
  ...['keep-alive', 'range', 'te', 'transfer-encoding', 'upgrade', 'user-agent'],
])
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, 'a name of letters, digits and hyphens')
  .transform((text) => text.toLowerCase())
  .refine((text) => !OWN_HEADERS.has(text), 'a header that Cupel does not set itself')
const headerText = z.string().regex(/^[\x20-\x7e]{1,2000}$/, '1 to 2000 printable ASCII characters')

const listSchema = z
  .strictObject({
    name: name.optional().describe('Name of the entry; by default the name of its set.'),
    source: name.optional().describe('Source of the list; by default its rows or its format name it.'),
    set: name.describe('Dataset within the source, as with --set.'),
    format: z.enum([...labelFormats.keys()] as [string, ...string[]]).describe('Layout of the file.'),
    url: url.optional().describe('Where to download the list: https, or http on this machine.'),
    path: path.optional().describe('A file, or a folder of which the newest file is used.'),
    whole: z.boolean().optional().describe("The file is all of an authority's list, as with --whole."),
    own_address_of: z
      .enum(Object.values(authorityOrigins) as [string, ...string[]])
      .optional()
      .describe(
        "The url serves the list of this authority as it is now, such as a proxy of the authority's server.",
      ),
    checksum_url: url
      .optional()
      .describe(
        'A document of the publisher with the SHA-256, SHA-512 or SHA-1 of the file in hexadecimal digits. A file of which it states none is not imported.',
      ),
    changes_within: duration(60 * MINUTE_MS, 3_650 * 1_440 * MINUTE_MS)
      .optional()
      .describe('A list that has not changed for longer is told to the operator.'),
    companion_url: url.optional(),
    companion_path: path.optional(),
    hosts: z
      .array(z.string().min(1))
      .default([])
      .describe('Hosts to which the server may redirect, besides its own. No other host is contacted.'),
    headers: z
      .record(headerName, headerText)
      .default({})
      .describe('Further headers of the request. A host of a redirect gets none of them.'),
    user_agent: headerText
      .optional()
      .describe('Who asks, for a server that answers some programs only; cupel-label-refresh by default.'),
    every: duration(SHORTEST_MS, LONGEST_MS).describe('How often.'),
    max_age: duration(1, 3_650 * 1_440 * MINUTE_MS)
      .optional()
      .describe('A list with an earlier date counts as not refreshed.'),
    max_bytes: z.int().min(1).max(4_294_967_296).default(DEFAULT_MAX_BYTES),
    timeout: duration(MINUTE_MS, 60 * MINUTE_MS).default(DEFAULT_TIMEOUT_MS),
    accept_unreadable: z
      .strictObject({
        rows: z
          .int()
          .min(1)
          .describe('The exact number. With another one the list comes, and is incomplete.'),
        reason: z.string().trim().min(1).describe('Why no designation is lost with them; recorded.'),
      })
      .optional()
      .describe('Rows of the list that cannot be read and that you have looked at.'),
    category: z.enum(categories).optional().describe('For formats that state none.'),
    chain: z.string().optional().describe('For formats that state none.'),
  })
  .refine((list) => (list.url === undefined) !== (list.path === undefined), 'either a url or a path')
  .refine(
    (list) =>
      list.url !== undefined || (Object.keys(list.headers).length === 0 && list.user_agent === undefined),
    'headers and user_agent need a url',
  )
  .refine((list) => list.own_address_of === undefined || list.url !== undefined, 'own_address_of needs a url')
  .refine((list) => list.checksum_url === undefined || list.url !== undefined, 'checksum_url needs a url')
  .refine(
    (list) => list.companion_url === undefined || list.companion_path === undefined,
    'a companion_url or a companion_path',
  )

const planSchema = z.strictObject({ lists: z.array(listSchema).min(1).max(200) })

export interface RefreshedList {
  readonly name: string
  readonly source: string | undefined
  readonly set: string
  readonly format: string
  readonly place: Place
  readonly companion: Place | undefined
  /** Where its publisher states the checksum of the file. */
  readonly checksum: Place | undefined
  /** A list that has not changed for longer has perhaps stopped. */
  readonly changesWithinMs: number | undefined
  /** The file is the authority's complete list, in any format. */
  readonly whole: boolean
  /** Origins of the authorities that own this address: a list found there is their current list. */
  readonly authorities: readonly string[]
  readonly everyMs: number
  readonly maxAgeMs: number | undefined
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Unreadable rows that the operator has looked at. */
  readonly acceptUnreadable: { readonly rows: number; readonly reason: string } | undefined
  readonly category: (typeof categories)[number] | undefined
  readonly chain: string | undefined
}

export type Place =
  | {
      readonly kind: 'url'
      readonly url: string
      /** The host of the URL first. */
      readonly hosts: readonly string[]
      /** Further headers, by lowercase name. */
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly kind: 'path'; readonly path: string }

/** The plan is unusable; the message gives the reason in one sentence. */
export class RefreshPlanError extends Error {
  override readonly name = 'RefreshPlanError'
}

/** Throws RefreshPlanError. */
export function readRefreshPlan(file: string): readonly RefreshedList[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RefreshPlanError(`CUPEL_LABEL_REFRESH_FILE: ${file} cannot be read.`, { cause })
  }
  return parseRefreshPlan(text, file)
}

export function parseRefreshPlan(text: string, file = 'the plan'): readonly RefreshedList[] {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (cause) {
    throw new RefreshPlanError(`${file} is not JSON.`, { cause })
  }
  // If two settings have one name, JSON.parse silently keeps the last, so such a file is rejected.
  const doubtful = strictJsonFault(text, 'The plan')
  if (doubtful !== null)
    throw new RefreshPlanError(
      `${file} is ambiguous at ${doubtful.pointer || 'its top level'}: ${doubtful.detail}`,
    )
  const parsed = planSchema.safeParse(document)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(
      ({ path: at, message }) => `${at.join('.') || 'the file'}: ${message}`,
    )
    throw new RefreshPlanError(`${file} is not a valid refresh plan: ${faults.join('; ')}.`)
  }
  const lists = parsed.data.lists.map((list): RefreshedList => ({
    name: list.name ?? list.set,
    source: list.source,
    set: list.set,
    format: list.format,
    place: placeOf(list.url, list.path, list)!,
    companion: placeOf(list.companion_url, list.companion_path, list),
    checksum: placeOf(list.checksum_url, undefined, list),
    changesWithinMs: list.changes_within,
    whole: list.whole === true,
    authorities:
      list.url === undefined
        ? []
        : [...authoritiesAt(list.url), ...(list.own_address_of === undefined ? [] : [list.own_address_of])],
    everyMs: list.every,
    maxAgeMs: list.max_age,
    maxBytes: list.max_bytes,
    timeoutMs: list.timeout,
    acceptUnreadable: list.accept_unreadable,
    category: list.category,
    chain: list.chain,
  }))
  const names = lists.map((list) => list.name)
  const twice = names.find((one, index) => names.indexOf(one) < index)
  if (twice !== undefined) throw new RefreshPlanError(`${file} has two lists with the name ${twice}.`)
  return lists
}

function placeOf(
  url: string | undefined,
  path: string | undefined,
  { hosts, headers, user_agent: agent }: Pick<z.infer<typeof listSchema>, 'hosts' | 'headers' | 'user_agent'>,
): Place | undefined {
  if (url !== undefined)
    return {
      ...{ kind: 'url', url, hosts: [new URL(url).host, ...hosts.map((host) => host.toLowerCase())] },
      headers: { ...headers, ...(agent === undefined ? {} : { 'user-agent': agent }) },
    }
  return path === undefined ? undefined : { kind: 'path', path }
}

/** A list decides who is sanctioned, so the connection must protect it against changes. */
export function urlFault(text: string): string | null {
  const parsed = URL.canParse(text) ? new URL(text) : null
  if (parsed === null) return 'not a URL'
  if (parsed.username !== '' || parsed.password !== '') return 'a URL without a password in it'
  if (parsed.protocol === 'https:') return null
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(parsed.hostname)
  return parsed.protocol === 'http:' && isLocal ? null : 'https, or http on this machine'
}
