/**
 * Reads a text as every address format it fits: its characters, its checksum, its canonical form and the key under which labels are looked
 * up. The chain table states which chains use a format.
 */
import type { AddressForm, FormFailure, Reader } from './address-form.js'
import { readAlgorand, readStellar } from './base32-addresses.js'
import { readBase58, readByron, readCashAddress, readTronHex } from './base58-addresses.js'
import { bech32ReaderFor, isBech32Writing } from './bech32-addresses.js'
import { readEvm } from './evm-address.js'
import { readMonero } from './monero-address.js'
import { isRippleXWriting, readRippleClassic, readRippleX } from './ripple-address.js'
import { readTonFriendly, readTonRaw } from './ton-address.js'

export interface AddressReading {
  readonly forms: readonly AddressForm[]
  /** The most specific failure if no form was found. */
  readonly failure: FormFailure
}

/** Reads a text without white space, 1 to 256 ASCII characters. Length and first characters pick the readers. */
export function readAddressForms(text: string): AddressReading {
  const forms: AddressForm[] = []
  let failure: FormFailure = 'bad_format'
  for (const read of readersFor(text)) {
    const outcome = read(text)
    if (typeof outcome !== 'string') forms.push(outcome)
    else if (outcome !== 'bad_format') failure = outcome
  }
  return { forms, failure }
}

function readersFor(text: string): readonly Reader[] {
  const length = text.length
  if (text[0] === '0' && (text[1] === 'x' || text[1] === 'X')) return [readEvm]
  if (text.includes(':')) return text.length === 66 || text.length === 67 ? [readTonRaw] : [readCashAddress]
  const readBech32 = bech32ReaderFor(text)
  // A text entirely in the Bech32 alphabet has no other meaning, even if Base58 could read it as a bare key.
  if (readBech32 !== undefined && isBech32Writing(text)) return [readBech32]
  if (isRippleXWriting(text)) return [readRippleX]
  const readers: Reader[] = readBech32 === undefined ? [] : [readBech32]
  if (length === 42 && text.startsWith('41')) readers.push(readTronHex)
  if (length === 42 || length === 61) readers.push(readCashAddress)
  if (length >= 25 && length <= 60) readers.push(readBase58)
  if (length >= 50 && length <= 128 && (text[0] === 'A' || text[0] === 'D')) readers.push(readByron)
  if (length >= 25 && length <= 35 && text[0] === 'r') readers.push(readRippleClassic)
  if (length === 48) readers.push(readTonFriendly)
  if (length === 56 && (text[0] === 'G' || text[0] === 'C')) readers.push(readStellar)
  if (length === 69 && text[0] === 'M') readers.push(readStellar)
  if (length === 58) readers.push(readAlgorand)
  if (length === 95 || length === 106) readers.push(readMonero)
  return readers
}
