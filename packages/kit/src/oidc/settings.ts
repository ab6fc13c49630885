/** The settings of the sign-in service: one JSON file. The API and the console both read it at start. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../service/index.js'
import { z } from 'zod'

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])
const NEITHER_HTTPS_NOR_LOOPBACK = 'must be an https address; http is accepted only on loopback'

/** Whether an address may be called: over TLS, or without TLS on this host. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname))
}

const safeUrl = z.string().refine(isSafeUrl, NEITHER_HTTPS_NOR_LOOPBACK)
const word = (max: number) => z.string().min(1).max(max)

const MAX_GROUPS = 200
const MAX_TEXT = 200
const claimPath = z.union([word(MAX_TEXT).transform((name) => [name]), z.array(word(MAX_TEXT)).min(1).max(8)])

const schema = z.strictObject({
  issuer: safeUrl.refine(
    (text) => !/[?#]/.test(text),
    'must have neither a query nor a fragment, as the provider states it',
  ),
  client_id: word(MAX_TEXT),
  client_secret_file: word(4_096),
  name: word(40).optional(),
  scopes: z
    .array(z.string().regex(/^[!#-[\]-~]+$/, 'must be a scope without blanks'))
    .max(20)
    .refine((scopes) => scopes.includes('openid'), 'must contain openid')
    .default(['openid', 'profile']),
  group_claim: claimPath.default(['groups']),
  name_claim: claimPath.default(['name']),
  groups: z
    .record(
      word(MAX_TEXT),
      z.string().regex(/^[0-9a-zA-Z]{8}$/, 'must be the id of an API key, eight characters'),
    )
    .refine((groups) => Object.keys(groups).length > 0, 'must map one group or more to a key')
    .refine((groups) => Object.keys(groups).length <= MAX_GROUPS, `must map ${MAX_GROUPS} groups at most`),
  other_origins: z
    .array(
      safeUrl.refine(
        (text) => new URL(text).origin === text.replace(/\/$/, ''),
        'must be an origin without a path',
      ),
    )
    .max(10)
    .default([]),
})

export interface OidcSettings {
  /** Exactly as the provider states it. */
  readonly issuer: string
  readonly clientId: string
  /** Absolute path. Only the console reads the file. */
  readonly clientSecretFile: string
  /** The name of the provider that people see. */
  readonly name: string
  readonly scopes: readonly string[]
  /** Names of nested members of the ID token, the outermost first. */
  readonly groupClaim: readonly string[]
  readonly nameClaim: readonly string[]
  /** Maps a group to the id of the API key that its people act with. */
  readonly groups: ReadonlyMap<string, string>
  /** The origins that may be called: the origin of the issuer, and those that the file adds. */
  readonly origins: ReadonlySet<string>
}

/** Null if no file is configured. Throws ConfigError with a sentence for each fault. */
export async function readOidcSettings(file: string | undefined): Promise<OidcSettings | null> {
  if (file === undefined) return null
  return settingsOf(await readJson(file), resolve(file))
}

/** `file`: absolute path. A relative path of the secret is resolved from it. */
export function settingsOf(value: unknown, file: string): OidcSettings {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(sentenceOf).join('\n'))
  const given = parsed.data
  return {
    issuer: given.issuer,
    clientId: given.client_id,
    clientSecretFile: resolve(dirname(file), given.client_secret_file),
    name: given.name ?? new URL(given.issuer).hostname,
    scopes: given.scopes,
    groupClaim: given.group_claim,
    nameClaim: given.name_claim,
    groups: new Map(Object.entries(given.groups)),
    origins: new Set([given.issuer, ...given.other_origins].map((text) => new URL(text).origin)),
  }
}

function sentenceOf({ path, message }: z.core.$ZodIssue): string {
  const where = path.length === 0 ? 'the file' : `\`${path.join('.')}\``
  return `CUPEL_OIDC_FILE: ${where}: ${message}.`
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`CUPEL_OIDC_FILE cannot be read: ${(error as Error).message}.`)
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConfigError(`CUPEL_OIDC_FILE is not JSON: ${(error as Error).message}.`)
  }
}

const MIN_SECRET_LENGTH = 16

/** The secret that the console authenticates to the provider with. Throws ConfigError if the file does not hold one. */
export async function readClientSecret({ clientSecretFile }: OidcSettings): Promise<string> {
  const text = await readFile(clientSecretFile, 'utf8').catch((error: unknown) => {
    throw new ConfigError(
      `CUPEL_OIDC_FILE: the file of \`client_secret_file\` cannot be read: ${(error as Error).message}.`,
    )
  })
  const secret = text.trim()
  if (secret.length < MIN_SECRET_LENGTH)
    throw new ConfigError(
      `CUPEL_OIDC_FILE: the file of \`client_secret_file\` holds fewer than ${MIN_SECRET_LENGTH} characters.`,
    )
  return secret
}
