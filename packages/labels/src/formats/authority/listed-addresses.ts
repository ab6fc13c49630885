/** Reads the addresses in a cell that an authority declares to hold one. What is left over and may be an address is unreadable. */
import type { ParsedAddress } from '@cupel/domain'
import {
  addressesInside,
  DASHES,
  isUnmistakable,
  joinedAddress,
  readAddress,
  visible,
} from './lenient-address.js'

export interface ListedAddresses {
  readonly addresses: readonly ParsedAddress[]
  /** The part of the cell that may be an address and cannot be read as one; null if nothing is left. */
  readonly unreadable: string | null
}

/** Anything that separates two addresses, or a word from an address. */
const SEPARATORS = /[\s,;|/\\"'`()[\]{}<>]+/
/** Characters around a word. TON writes `-` and `_` in addresses, so a word is read with them first. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu
/** Words next to an address, such as a ticker or a date, are shorter. */
const SUSPICIOUS_CHARACTERS = 16

/** @param ticker currency that the row names; empty if it names none */
export function listedAddresses(cell: string, ticker: string): ListedAddresses {
  const text = visible(cell).trim()
  const closed = text.replace(/\s/g, '')
  for (const whole of [text, text.replace(AROUND, ''), closed, closed.replace(DASHES, '')]) {
    const addresses = readAddress(whole, ticker)
    const [first] = addresses
    // Words that were pushed together are an address only if that is no chance.
    if (first !== undefined && (/^\S+$/.test(text) || isUnmistakable(first)))
      return { addresses, unreadable: null }
  }
  const words = text.split(SEPARATORS).filter((word) => word !== '')
  const addresses: ParsedAddress[] = []
  const left: string[] = []
  for (let at = 0; at < words.length;) {
    const joined = joinedAddress(words.slice(at), ticker)
    const own = joined?.addresses ?? addressesOf(words[at]!, ticker)
    if (own.length === 0) left.push(words[at]!)
    addresses.push(...own)
    at += joined?.pieces ?? 1
  }
  const unread = left.filter((word) => /\p{N}/u.test(word)).join(' ')
  const isRead = addresses.length > 0 && unread.length < SUSPICIOUS_CHARACTERS
  return { addresses, unreadable: isRead ? null : unread === '' ? text : unread }
}

function addressesOf(word: string, ticker: string): readonly ParsedAddress[] {
  const plain = word.replace(AROUND, '')
  for (const written of [word, plain, plain.replace(DASHES, ''), ...plain.split(/[:=.]/)]) {
    const addresses = readAddress(written, ticker)
    if (addresses.length > 0) return addresses
  }
  return addressesInside(plain, ticker)
}
