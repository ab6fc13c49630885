/** Transactions, addresses and assets in answers of java-tron. */
import { textOf, type Fields } from '../answer-values.js'
import { FollowError } from '../follow-error.js'
import type { Status } from '../transfer-rows.js'

export interface TronTransaction {
  readonly id: string
  readonly status: Status
  /** What the transaction does: the type and the fields of its contract. */
  readonly type: string
  readonly value: Fields
}

const ADDRESS = /^41[0-9a-f]{40}$/

/** In hex, with the byte of the chain. */
export function tronAddress(value: unknown, place: string): string {
  const address = typeof value === 'string' ? value.toLowerCase() : ''
  if (!ADDRESS.test(address)) throw new FollowError('unknown_meaning', `${place} is not an address`)
  return address
}

/** `_` is the coin itself in trades. */
const COIN = '_'
const HEX = /^(?:[0-9a-f]{2}){1,64}$/i

/** An asset by its number, or the bytes of its name for those of before numbers; null for the coin itself. */
export function assetOf(hex: unknown, place: string): string | null {
  const digits = textOf(hex, `the asset of ${place}`)
  if (!HEX.test(digits)) throw new FollowError('unknown_meaning', `the asset of ${place} is not known`)
  const name = Buffer.from(digits, 'hex').toString('latin1')
  if (name === COIN) return null
  return /^\d+$/.test(name) ? numbered(name) : `trc10:0x${digits.toLowerCase()}`
}

export const numbered = (number: string): string => `trc10:${number}`

const LONG_NUMBER = /[:[,]\s*-?\d{16,}\s*[,}\]]/
const TEXT_OR_LONG_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d{16,}/g

/** Amounts that a float cannot hold become texts. */
export const tronNumbers = (text: string): string =>
  LONG_NUMBER.test(text)
    ? text.replace(TEXT_OR_LONG_NUMBER, (part) => (part.startsWith('"') ? part : `"${part}"`))
    : text
