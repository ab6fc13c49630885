/** Cardano's Byron addresses: CBOR array of a tagged byte string and its CRC-32 (CIP-19). Those of the main network begin with A or D. */
import { crc32 } from './crc.js'

/** Checks the bytes that Base58 decodes to. */
export function readByronAddress(bytes: Uint8Array): 'ok' | 'bad_format' | 'bad_checksum' {
  // 82: array of two; d8 18: tag 24, embedded CBOR; 58 n: byte string of n bytes.
  if (bytes[0] !== 0x82 || bytes[1] !== 0xd8 || bytes[2] !== 0x18 || bytes[3] !== 0x58) return 'bad_format'
  const payloadEnd = 5 + (bytes[4] ?? 0)
  if (payloadEnd >= bytes.length) return 'bad_format'
  const stated = readUnsigned(bytes, payloadEnd)
  if (stated === undefined) return 'bad_format'
  return stated === crc32(bytes.subarray(5, payloadEnd)) ? 'ok' : 'bad_checksum'
}

/** A CBOR unsigned integer that fills the rest of the bytes; undefined otherwise. */
function readUnsigned(bytes: Uint8Array, at: number): number | undefined {
  const head = bytes[at]
  if (head === undefined) return undefined
  const width = head < 24 ? 0 : ({ 24: 1, 25: 2, 26: 4 } as Record<number, number>)[head]
  if (width === undefined || at + 1 + width !== bytes.length) return undefined
  if (width === 0) return head
  let value = 0
  for (let index = at + 1; index < bytes.length; index++) value = value * 256 + bytes[index]!
  return value
}
