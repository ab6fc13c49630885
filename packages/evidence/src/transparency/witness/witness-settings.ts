/** The witnesses of an installation: a JSON file that the operator writes. */
import { readFileSync } from 'node:fs'
import { parseAllowedRanges, type AllowedRange } from '@cupel/kit/outbound'
import { ConfigError } from '@cupel/kit/service'
import { parseWitnessKey, faultOfPolicy, type WitnessKey, type WitnessPolicy } from '../format/cosignature.js'

export interface Witness {
  readonly key: WitnessKey
  /** The URL to which `add-checkpoint` is appended; ends in `/`. */
  readonly url: string
}

export interface WitnessSettings {
  readonly witnesses: readonly Witness[]
  /** Number of cosignatures with which a checkpoint counts as cosigned. */
  readonly quorum: number
  /** Both, as verifiers need them. */
  readonly policy: WitnessPolicy
  /** Ranges in which witnesses may be even if they are not globally reachable, on any port and without TLS. */
  readonly allow: readonly AllowedRange[]
}

/** Each of them is asked to cosign every checkpoint. */
const MAX_WITNESSES = 20
const MAX_URL_CHARS = 1_024
const MEMBERS = ['quorum', 'witnesses', 'allowed_ranges']
const MEMBERS_OF_WITNESS = ['name', 'url', 'vkey']

/** Throws ConfigError. */
export function readWitnessSettings(file: string): WitnessSettings {
  try {
    return settingsOf(JSON.parse(readFileSync(file, 'utf8')) as unknown)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const why = error instanceof ConfigError ? message : (code ?? 'It is not JSON.')
    throw new ConfigError(`The file of witnesses ${file} cannot be used: ${why}`, { cause: error })
  }
}

function settingsOf(given: unknown): WitnessSettings {
  const { quorum, witnesses, allowed_ranges: ranges = [] } = membersOf(given, MEMBERS, 'The file')
  if (!Array.isArray(witnesses) || witnesses.length === 0 || witnesses.length > MAX_WITNESSES)
    throw new ConfigError(`witnesses must be a list of 1 to ${MAX_WITNESSES} witnesses.`)
  const read = witnesses.map(witnessOf)
  if (typeof quorum !== 'number') throw new ConfigError('quorum must be a number.')
  const policy = { witnesses: read.map(({ key }) => key), needed: quorum }
  const fault = faultOfPolicy(policy)
  if (fault !== null) throw new ConfigError(fault)
  if (!Array.isArray(ranges) || !ranges.every((range) => typeof range === 'string'))
    throw new ConfigError('allowed_ranges must be a list of CIDR ranges.')
  return { witnesses: read, quorum, policy, allow: rangesOf(ranges as string[]) }
}

function rangesOf(ranges: readonly string[]): readonly AllowedRange[] {
  try {
    return parseAllowedRanges(ranges)
  } catch (error) {
    throw new ConfigError(`allowed_ranges: ${(error as Error).message}.`, { cause: error })
  }
}

function witnessOf(given: unknown, index: number): Witness {
  const what = `Witness ${index + 1}`
  const { name, url, vkey } = membersOf(given, MEMBERS_OF_WITNESS, what)
  const key = typeof vkey === 'string' ? parseWitnessKey(vkey) : null
  if (key === null) throw new ConfigError(`${what} has a vkey that is not a public key of a witness.`)
  if (name !== key.name)
    throw new ConfigError(`${what} has another name than its vkey, which is of ${key.name}.`)
  if (typeof url !== 'string' || !isPrefix(url))
    throw new ConfigError(`${what} has a url that is not an https address, or has a query or a user.`)
  return { key, url: url.endsWith('/') ? url : `${url}/` }
}

/** Plain HTTP is allowed only in an allowed range, which is checked when the address is known. */
function isPrefix(text: string): boolean {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text) || /[?#]/.test(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function membersOf(given: unknown, names: readonly string[], what: string): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ConfigError(`${what} is not a JSON object.`)
  const other = Object.keys(given).find((name) => !names.includes(name))
  if (other !== undefined) throw new ConfigError(`${what} has a member ${other}, which has no meaning.`)
  return given as Record<string, unknown>
}
