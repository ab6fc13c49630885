/** Parses the addresses and numbers of ledger files. */
import { findAsset, findChain, hasSharedKeys, parseAddress, sharedKey } from '@cupel/domain'
import { UnreadableRowError } from './ledger-file-error.js'

export interface ChainDefinition {
  readonly code: string
  readonly family: string
  /** Decimals of the native asset. */
  readonly decimals: number
  /** The canonical address; empty for an empty text. Throws UnreadableRowError for a text that is not an address of the chain. */
  readonly canonical: (text: string, line: number) => string
  /** The key of a canonical address that others of the chain may have too; null without one. */
  readonly sharedKey: (address: string) => string | null
}

/** Cache: addresses repeat, and parsing costs more than a look-up. */
const REMEMBERED_ADDRESSES = 100_000
const LOWER_EVM = /^0x[0-9a-f]{40}$/

/** The chain of a code in any case; undefined if it is unknown. */
export function openChain(code: string): ChainDefinition | undefined {
  const chain = findChain(code)
  if (chain === undefined) return undefined
  const remembered = new Map<string, string>()
  const keys = new Map<string, string | null>()
  const isShared = hasSharedKeys(chain.code)
  const canonical = (text: string, line: number): string => {
    if (text === '') return ''
    if (chain.family === 'evm' && LOWER_EVM.test(text)) return text
    const known = remembered.get(text)
    if (known !== undefined) return known
    const parsed = parseAddress(text, chain.code)
    if (!parsed.ok)
      throw new UnreadableRowError(`${text.slice(0, 80)} is not an address of ${chain.code}`, line)
    if (remembered.size >= REMEMBERED_ADDRESSES) remembered.clear()
    remembered.set(text, parsed.canonical)
    if (isShared) rememberKey(parsed.canonical, parsed.lookupKey)
    return parsed.canonical
  }
  const rememberKey = (address: string, key: string | null): string | null => {
    if (keys.size >= REMEMBERED_ADDRESSES) keys.clear()
    keys.set(address, key)
    return key
  }
  return {
    code: chain.code,
    family: chain.family,
    decimals: chain.decimals,
    canonical,
    sharedKey: (address) =>
      isShared ? (keys.get(address) ?? rememberKey(address, sharedKey(address, chain.code))) : null,
  }
}

/** `12.000` may be twelve thousand: a point separates thousands in half of the world. */
const MAY_BE_THOUSANDS = /^\d{1,3}\.000$/

/** Chains on which nobody can have 10^8 whole coins. */
const SCARCE: ReadonlySet<string> = new Set(['BTC', 'LTC', 'BCH', 'BSV', 'BTG', 'DASH', 'ZEC'])

/**
 * A number with a point or an exponent, as data frames and JavaScript write it, may count whole coins. It certainly counts base units where it
 * is so large that nobody has as many coins.
 */
const certainUnits = ({ code, decimals }: Pick<ChainDefinition, 'code' | 'decimals'>): bigint =>
  SCARCE.has(code) ? 10n ** 8n : 10n ** BigInt(Math.min(15, Math.max(12, decimals)))

/**
 * A whole number of base units; accepts a float such as 1.2e+21 if it is whole and can only be base units. `decimals` are those of the asset.
 */
export function wholeUnits(
  text: string,
  line: number,
  asset: Pick<ChainDefinition, 'code' | 'decimals'>,
): bigint {
  if (/^\d+$/.test(text)) return BigInt(text)
  const match = MAY_BE_THOUSANDS.test(text) ? null : /^(\d+)(?:\.(\d*))?(?:[eE]\+?(\d{1,3}))?$/.exec(text)
  if (match !== null) {
    const [, whole, fraction = '', exponent = '0'] = match
    const digits = fraction.replace(/0+$/, '')
    const shift = Number(exponent) - digits.length
    const units = shift >= 0 && shift <= MAX_SHIFT ? BigInt(whole! + digits) * 10n ** BigInt(shift) : null
    if (units === 0n || (units !== null && units >= certainUnits(asset))) return units
    if (units !== null)
      throw new UnreadableRowError(`${text.slice(0, 80)} may be whole coins instead of base units`, line)
  }
  throw new UnreadableRowError(`${text.slice(0, 80)} is not a whole number of base units`, line)
}

/** Whole coins that nobody has, whatever the asset of the chain: an amount of as many is in another unit. */
export const impossibleCoins = (code: string): bigint => 10n ** (SCARCE.has(code) ? 8n : 15n)

/** The supply of a token is below 2^256, and so is every amount. */
const MAX_SHIFT = 80

/** An amount in whole units. */
export const DECIMAL = /^(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/** Converts an amount in whole units to base units. Further digits are floating-point noise and are cut off. */
export function unitsOfDecimal(text: string, decimals: number, line: number): bigint {
  const match = DECIMAL.exec(text)
  if (match === null) throw new UnreadableRowError(`${text.slice(0, 80)} is not an amount`, line)
  const [, whole, fraction = '', exponent = '0'] = match
  const shift = decimals - fraction.length + Number(exponent)
  const digits = BigInt(whole! + fraction)
  if (shift > MAX_SHIFT + decimals)
    throw new UnreadableRowError(`${text.slice(0, 80)} is not an amount`, line)
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
}

/** A height or a position; null if the text is empty. A column with holes comes back from a data frame as `7.0`. */
export function wholeNumber(text: string, name: string, line: number): number | null {
  if (text === '') return null
  const few = fewDigits(text)
  if (few !== null) return few
  const value = Number(text)
  if (
    !Number.isSafeInteger(value) ||
    value < 0 ||
    !/^\d+(?:\.0+)?$/.test(text) ||
    MAY_BE_THOUSANDS.test(text)
  )
    throw new UnreadableRowError(`${name} is not a whole number: ${text.slice(0, 40)}`, line)
  return value
}

/** More digits, and every other notation, take the slow way. */
const FEW_DIGITS = 9
const ZERO = 0x30

/** The number of one to nine digits and nothing else; null for any other text. */
function fewDigits(text: string): number | null {
  if (text.length > FEW_DIGITS) return null
  let value = 0
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return null
    value = 10 * value + digit
  }
  return value
}

const EPOCH_SECONDS = /^(\d{1,11})(?:\.0+)?$/
/** No chain began before Bitcoin. */
const EARLIEST = '2009-01-03'
/** ISO 8601, and the `2023-05-02 12:19:59 UTC` of ethereum-etl. A time without a zone is UTC. */
const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z| ?UTC|[+-]\d\d(?::?\d\d)?)?)?$/

/**
 * Seconds since 1970; null if the text is empty. Accepts seconds and ISO 8601. Every other text is refused: a day and a month may be
 * exchanged, and a small number is the serial number of a spreadsheet. No chain has a time before its first block.
 */
export function secondsOf(
  text: string,
  line: number,
  { code }: Pick<ChainDefinition, 'code'>,
): number | null {
  if (text === '') return null
  if (text !== lastTime.text || code !== lastTime.code)
    lastTime = { text, code, atS: toldSeconds(text, line, code) }
  return lastTime.atS
}

/** The transfers of a block follow one another, and have its time. */
let lastTime = { text: '', code: '', atS: 0 }

function toldSeconds(text: string, line: number, code: string): number {
  const epoch = EPOCH_SECONDS.exec(text)?.[1]
  const atS = epoch === undefined ? isoSeconds(text) : Number(epoch)
  if (atS === null) throw new UnreadableRowError(`${text.slice(0, 40)} is not a time`, line)
  if (atS * 1_000 < Date.parse(findChain(code)?.firstDay ?? EARLIEST))
    throw new UnreadableRowError(`${text.slice(0, 40)} is before the first block of ${code}`, line)
  return atS
}

function isoSeconds(text: string): number | null {
  const match = ISO_TIME.exec(text)
  if (match === null) return null
  const [, year, month, day] = match.map(Number)
  const iso = text
    .replace(/ ?UTC$/, 'Z')
    .replace(' ', 'T')
    .replace(/([+-]\d\d)$/, '$1:00')
  const isDate = !iso.includes('T')
  const parsed = Date.parse(
    isDate || /(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? (isDate ? `${text}T00:00Z` : iso) : `${iso}Z`,
  )
  // A date such as 30 February would otherwise become a day of March.
  const isDay = new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() === day
  return Number.isNaN(parsed) || !isDay ? null : Math.floor(parsed / 1_000)
}

/** Words for success and failure. `1.0` is what a column with holes becomes in a data frame. */
const SUCCEEDED = /^(?:1(?:\.0+)?|0x0*1|true|success)$/i
const FAILED = /^(?:0(?:\.0+)?|0x0+|false|failed)$/i

/** The outcome that a status states; unknown if it is empty. A word that is neither success nor failure refuses its row. */
export function outcomeOf(status: string, line: number): 'proven' | 'failed' | 'unknown' {
  if (status === '') return 'unknown'
  if (status === '1') return 'proven'
  if (SUCCEEDED.test(status)) return 'proven'
  if (FAILED.test(status)) return 'failed'
  throw new UnreadableRowError(`the status ${status.slice(0, 40)} is neither success nor failure`, line)
}

const HEX_HASH = /^(?:0[xX])?([0-9a-fA-F]{64})$/
const LOWER_EVM_HASH = /^0x[0-9a-f]{64}$/
/** The notation of a hash on chains that have another one than 32 bytes in hexadecimal. */
const OTHER_HASHES: Readonly<Record<string, RegExp>> = {
  solana: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
  algorand: /^[A-Z2-7]{52}$/,
  ton: /^[A-Za-z0-9+/_-]{43}=?$/,
  // The place of an extrinsic, as explorers write it.
  substrate: /^\d{1,10}-\d{1,6}$/,
}

/**
 * The one form of a transaction's hash: hexadecimal digits in lower case, with the prefix 0x on EVM chains and without one on
 * others. A hash in another notation of its chain stays as it is; empty for an empty text. Throws UnreadableRowError for anything else:
 * a word such as `nan`, or the rest of a cut hash, would make several transactions one.
 */
export function foldedHash(text: string, { family }: Pick<ChainDefinition, 'family'>, line: number): string {
  const isEvm = family === 'evm'
  if (isEvm && LOWER_EVM_HASH.test(text)) return text
  const trimmed = text.trim()
  const digits = HEX_HASH.exec(trimmed)?.[1]
  if (digits !== undefined) return `${isEvm ? '0x' : ''}${digits.toLowerCase()}`
  if (trimmed !== '' && OTHER_HASHES[family]?.test(trimmed) !== true)
    throw new UnreadableRowError(`${trimmed.slice(0, 80)} is not the hash of a transaction`, line)
  return trimmed
}

/** Decimals of a token in the asset table; undefined for other tokens, which do not count. */
export const tokenDecimals = (chain: string, contract: string): number | undefined =>
  findAsset(chain, contract)?.decimals
