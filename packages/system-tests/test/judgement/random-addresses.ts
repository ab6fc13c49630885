/** Valid addresses that no list contains, on several chains, from a printed seed. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base58, base58xrp, bech32, bech32m, createBase58check } from '@scure/base'
import type { Asked } from './judge-addresses.js'

const check = createBase58check(sha256)
type Bytes = (count: number) => Uint8Array

/** Used in turn. Each makes an address of its chain with a valid checksum. */
const recipes: readonly { readonly chain: string; readonly make: (bytes: Bytes) => string }[] = [
  { chain: 'BTC', make: (bytes) => check.encode(prefixed([0x00], bytes(20))) },
  { chain: 'BTC', make: (bytes) => check.encode(prefixed([0x05], bytes(20))) },
  { chain: 'BTC', make: (bytes) => segwit('bc', 0, bytes(20)) },
  { chain: 'BTC', make: (bytes) => segwit('bc', 0, bytes(32)) },
  { chain: 'BTC', make: (bytes) => segwit('bc', 1, bytes(32)) },
  { chain: 'ETH', make: (bytes) => `0x${hex(bytes(20))}` },
  { chain: 'ETH', make: (bytes) => eip55(hex(bytes(20))) },
  ...['BSC', 'MATIC', 'ARB', 'OP', 'BASE', 'AVAX'].map((chain) => ({
    chain,
    make: (bytes: Bytes) => eip55(hex(bytes(20))),
  })),
  { chain: 'TRX', make: (bytes) => check.encode(prefixed([0x41], bytes(20))) },
  { chain: 'LTC', make: (bytes) => check.encode(prefixed([0x30], bytes(20))) },
  { chain: 'LTC', make: (bytes) => segwit('ltc', 0, bytes(20)) },
  { chain: 'DOGE', make: (bytes) => check.encode(prefixed([0x1e], bytes(20))) },
  { chain: 'DASH', make: (bytes) => check.encode(prefixed([0x4c], bytes(20))) },
  { chain: 'ZEC', make: (bytes) => check.encode(prefixed([0x1c, 0xb8], bytes(20))) },
  { chain: 'XRP', make: (bytes) => ripple(bytes(20)) },
  { chain: 'SOL', make: (bytes) => base58.encode(bytes(32)) },
]

/** Returns `count` distinct addresses; the same seed gives the same ones. */
export function randomAddresses(count: number, seed: number): readonly Asked[] {
  const bytes = randomBytes(seed)
  const drawn = new Map<string, Asked>()
  while (drawn.size < count) {
    const { chain, make } = recipes[drawn.size % recipes.length]!
    const address = make(bytes)
    drawn.set(address, { address, chain })
  }
  return [...drawn.values()]
}

/** Bytes from SHA-256 of seed and counter, so every machine draws the same. */
function randomBytes(seed: number): Bytes {
  let counter = 0
  return (count) => {
    counter += 1
    return sha256(new TextEncoder().encode(`${seed} ${counter}`)).slice(0, count)
  }
}

function prefixed(prefix: readonly number[], payload: Uint8Array): Uint8Array {
  return Uint8Array.from([...prefix, ...payload])
}

/** BIP 173 and, from witness version 1 on, BIP 350. */
function segwit(prefix: string, version: number, program: Uint8Array): string {
  const coder = version === 0 ? bech32 : bech32m
  return coder.encode(prefix, [version, ...coder.toWords(program)])
}

function ripple(account: Uint8Array): string {
  const payload = prefixed([0x00], account)
  const checksum = sha256(sha256(payload)).slice(0, 4)
  return base58xrp.encode(Uint8Array.from([...payload, ...checksum]))
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** ERC-55: a letter is upper case where the hash of the lower-case text has a digit of 8 or more. */
function eip55(digits: string): string {
  const hash = hex(keccak_256(new TextEncoder().encode(digits)))
  return `0x${Array.from(digits, (digit, index) =>
    Number.parseInt(hash[index]!, 16) >= 8 ? digit.toUpperCase() : digit,
  ).join('')}`
}
