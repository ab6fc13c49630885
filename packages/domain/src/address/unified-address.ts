/** Zcash's unified address (ZIP-316): the receivers of one wallet in several pools, jumbled so that no part can be exchanged. */
import { blake2b } from '@noble/hashes/blake2.js'
import { asciiBytes } from './address-form.js'
import type { HashedOwner } from './look-up-keys.js'

/** The human-readable part, padded with zeros, ends the content and ties it to the network. */
const PADDING = Uint8Array.from([...asciiBytes('u'), ...new Uint8Array(15)])
const MIN_BYTES = 48
const HASH_BYTES = 20
/** Receiver types: a transparent key hash and a transparent script hash. The others are shielded. */
const transparentTypes: Readonly<Record<number, HashedOwner['kind']>> = { 0: 'key', 1: 'script' }

export interface UnifiedAddress {
  /** The owner of its transparent receiver, which everyone can trace; null without one. */
  readonly transparent: HashedOwner | null
}

/** Reads the bytes of a unified address. Undefined if they do not hold receivers in the order of their types. */
export function readUnifiedAddress(bytes: Uint8Array): UnifiedAddress | undefined {
  if (bytes.length < MIN_BYTES) return undefined
  const content = unjumble(bytes)
  const receivers = content.subarray(0, -PADDING.length)
  if (!content.subarray(-PADDING.length).every((byte, index) => byte === PADDING[index])) return undefined
  let transparent: HashedOwner | null = null
  let lastType = -1
  for (let at = 0; at < receivers.length;) {
    const type = readCompactSize(receivers, at)
    const length = type === undefined ? undefined : readCompactSize(receivers, type.end)
    if (type === undefined || length === undefined || type.value <= lastType) return undefined
    at = length.end + length.value
    if (at > receivers.length) return undefined
    lastType = type.value
    const kind = transparentTypes[type.value]
    if (kind === undefined) continue
    // A key hash and a script hash together would be two owners.
    if (transparent !== null || length.value !== HASH_BYTES) return undefined
    transparent = { kind, hash: receivers.slice(length.end, at) }
  }
  return lastType === -1 ? undefined : { transparent }
}

/** Bitcoin's number of 1, 3 or 5 bytes. Undefined if it is cut off or has a shorter form. */
function readCompactSize(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly end: number } | undefined {
  const first = bytes[at]
  if (first === undefined || first === 0xff) return undefined
  if (first < 0xfd) return { value: first, end: at + 1 }
  const size = first === 0xfd ? 2 : 4
  const end = at + 1 + size
  if (end > bytes.length) return undefined
  let value = 0
  for (let index = end - 1; index > at; index--) value = value * 256 + bytes[index]!
  return value < (size === 2 ? 0xfd : 0x10000) ? undefined : { value, end }
}

/** The inverse of F4Jumble: four rounds of a Feistel network over two unequal halves. */
function unjumble(bytes: Uint8Array): Uint8Array {
  const half = Math.min(64, bytes.length >> 1)
  const left = bytes.slice(0, half)
  const right = bytes.slice(half)
  for (const round of [1, 0]) {
    mix(left, hash(right, 'H', round, 0, left.length))
    for (let part = 0; part * 64 < right.length; part++) {
      mix(right.subarray(part * 64, part * 64 + 64), hash(left, 'G', round, part, 64))
    }
  }
  return Uint8Array.from([...left, ...right])
}

function hash(data: Uint8Array, half: 'G' | 'H', round: number, part: number, length: number): Uint8Array {
  const personalization = Uint8Array.from([
    ...asciiBytes(`UA_F4Jumble_${half}`),
    round,
    part & 0xff,
    part >> 8,
  ])
  return blake2b(data, { dkLen: length, personalization })
}

function mix(target: Uint8Array, stream: Uint8Array): void {
  for (let index = 0; index < target.length; index++) target[index]! ^= stream[index]!
}
