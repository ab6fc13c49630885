/** Parses the addresses and numbers of ledger files. */
import { findAsset, findChain, parseAddress } from '@cupel/domain'
import { LedgerFileError } from './ledger-file-error.js'

export interface ChainDefinition {
  readonly code: string
  readonly family: string
  /** Decimals of the native asset. */
  readonly decimals: number
  /** The canonical address; empty for an empty text. Throws LedgerFileError for a text that is not an address of the chain. */
  readonly canonical: (text: string, line: number) => string
}

/** Cache: addresses repeat, and parsing costs more than a look-up. */
const REMEMBERED_ADDRESSES = 100_000
const LOWER_EVM = /^0x[0-9a-f]{40}$/

/** The chain of a code in any case; undefined if it is unknown. */
export function openChain(code: string): ChainDefinition | undefined {
  const chain = findChain(code)
  if (chain === undefined) return undefined
  const remembered = new Map<string, string>()
  const canonical = (text: string, line: number): string => {
    if (text === '') return ''
    if (chain.family === 'evm' && LOWER_EVM.test(text)) return text
    const known = remembered.get(text)
    if (known !== undefined) return known
    const parsed = parseAddress(text, chain.code)
    if (!parsed.ok) throw new LedgerFileError(`${text.slice(0, 80)} is not an address of ${chain.code}`, line)
    if (remembered.size >= REMEMBERED_ADDRESSES) remembered.clear()
    remembered.set(text, parsed.canonical)
    return parsed.canonical
  }
  return { code: chain.code, family: chain.family, decimals: chain.decimals, canonical }
}

/** A whole number of base units; accepts a float such as 1.2e+21 if it is whole. */
export function wholeUnits(text: string, line: number): bigint {
  if (/^\d+$/.test(text)) return BigInt(text)
  const match = /^(\d+)(?:\.(\d*))?(?:[eE]\+?(\d{1,3}))?$/.exec(text)
  if (match !== null) {
    const [, whole, fraction = '', exponent = '0'] = match
    const digits = fraction.replace(/0+$/, '')
    const shift = Number(exponent) - digits.length
    if (shift >= 0 && shift <= MAX_SHIFT) return BigInt(whole! + digits) * 10n ** BigInt(shift)
  }
  throw new LedgerFileError(`${text.slice(0, 80)} is not a whole number of base units`, line)
}

/** The supply of a token is below 2^256, and so is every amount. */
const MAX_SHIFT = 80

/** Converts an amount in whole units to base units. Further digits are floating-point noise and are cut off. */
export function unitsOfDecimal(text: string, decimals: number, line: number): bigint {
  const match = /^(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (match === null) throw new LedgerFileError(`${text.slice(0, 80)} is not an amount`, line)
  const [, whole, fraction = '', exponent = '0'] = match
  const shift = decimals - fraction.length + Number(exponent)
  const digits = BigInt(whole! + fraction)
  if (shift > MAX_SHIFT + decimals) throw new LedgerFileError(`${text.slice(0, 80)} is not an amount`, line)
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
}

/** A height, a position or a time; null if the text is empty. */
export function wholeNumber(text: string, name: string, line: number): number | null {
  if (text === '') return null
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0 || !/^\d+$/.test(text))
    throw new LedgerFileError(`${name} is not a whole number: ${text.slice(0, 40)}`, line)
  return value
}

/** Seconds since 1970. Accepts seconds, an ISO 8601 text, or the `2023-05-02 12:19:59 UTC` of ethereum-etl. */
export function secondsOf(text: string, line: number): number | null {
  if (text === '') return null
  if (/^\d{1,11}$/.test(text)) return Number(text)
  const iso = text.replace(/ UTC$/, 'Z').replace(' ', 'T')
  const parsed = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`)
  if (Number.isNaN(parsed)) throw new LedgerFileError(`${text.slice(0, 40)} is not a time`, line)
  return Math.floor(parsed / 1_000)
}

const HEX_HASH = /^(?:0[xX])?([0-9a-fA-F]+)$/
const LOWER_EVM_HASH = /^0x[0-9a-f]+$/

/**
 * The one form of a transaction's hash: hexadecimal digits in lower case, with the prefix 0x on EVM chains and without one on
 * others. A hash in another notation, such as base58, stays as it is.
 */
export function foldedHash(text: string, { family }: Pick<ChainDefinition, 'family'>): string {
  const isEvm = family === 'evm'
  if (isEvm && LOWER_EVM_HASH.test(text)) return text
  const digits = HEX_HASH.exec(text.trim())?.[1]
  if (digits === undefined) return text.trim()
  return `${isEvm ? '0x' : ''}${digits.toLowerCase()}`
}

/** Decimals of a token in the asset table; undefined for other tokens, which do not count. */
export const tokenDecimals = (chain: string, contract: string): number | undefined =>
  findAsset(chain, contract)?.decimals
