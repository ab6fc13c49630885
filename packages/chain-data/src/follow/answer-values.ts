/** Reads single values of a node's answers. Each throws a FollowError that names the place, never the value of a whole answer. */
import { FollowError } from './follow-error.js'

export type Fields = Readonly<Record<string, unknown>>

const unknownAt = (place: string, what: string): FollowError =>
  new FollowError('unknown_meaning', `${place} is not ${what}`)

export function fieldsOf(value: unknown, place: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unknownAt(place, 'an object')
  return value as Fields
}

export function listOf(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw unknownAt(place, 'a list')
  return value
}

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

/** `0x…` of at most 256 bits. */
export function hexUnits(value: unknown, place: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw unknownAt(place, 'a quantity')
  return BigInt(value)
}

export function hexNumber(value: unknown, place: string): number {
  const number = typeof value === 'string' && QUANTITY.test(value) ? Number(value) : NaN
  if (!Number.isSafeInteger(number)) throw unknownAt(place, 'a number')
  return number
}

const HASH = /^0x[0-9a-f]{64}$/
const ADDRESS = /^0x[0-9a-f]{40}$/

export function hexHash(value: unknown, place: string): string {
  const hash = typeof value === 'string' ? value.toLowerCase() : ''
  if (!HASH.test(hash)) throw unknownAt(place, 'a hash')
  return hash
}

export function hexAddress(value: unknown, place: string): string {
  const address = typeof value === 'string' ? value.toLowerCase() : ''
  if (!ADDRESS.test(address)) throw unknownAt(place, 'an address')
  return address
}

const BARE_HASH = /^[0-9a-f]{64}$/

/** Without 0x. */
export function bareHash(value: unknown, place: string): string {
  const hash = typeof value === 'string' ? value.toLowerCase() : ''
  if (!BARE_HASH.test(hash)) throw unknownAt(place, 'a hash')
  return hash
}

/** Base units below 2^63, as a JSON number, or as a text of digits if a float cannot hold them. */
export function unitsOf(value: unknown, place: string): bigint {
  if (typeof value === 'string' && /^\d{1,19}$/.test(value)) return BigInt(value)
  return BigInt(wholeOf(value, place))
}

/** A whole number from 0, as a JSON number. */
export function wholeOf(value: unknown, place: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw unknownAt(place, 'a whole number')
  return value as number
}

export function textOf(value: unknown, place: string): string {
  if (typeof value !== 'string') throw unknownAt(place, 'a text')
  return value
}
