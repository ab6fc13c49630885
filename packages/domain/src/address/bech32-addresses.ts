/** Addresses in Bech32 and Bech32m: accepted all lower or all upper case, compared in lower case. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { bech32, bech32m } from '@scure/base'
import { attempt, type FormFailure, type Outcome, type Reader } from './address-form.js'
import { joinedKey, ownerKey, witnessScriptKey, type HashedOwner } from './look-up-keys.js'
import { readUnifiedAddress } from './unified-address.js'

/** Readers, by the human-readable parts in use. Bech32 is accepted all lower or all upper case and compared folded. */
const bech32Readers: Readonly<Record<string, Reader>> = {
  bc: (text) => readSegwit(text, 'bc'),
  ltc: (text) => readSegwit(text, 'ltc'),
  btg: (text) => readSegwit(text, 'btg'),
  bnb: (text) => readCosmos(text, 'bnb', [20]),
  cosmos: (text) => readCosmos(text, 'cosmos', [20, 32]),
  addr: (text) => readShelley(text, 'addr'),
  stake: (text) => readShelley(text, 'stake'),
  zs: (text) => readZcash(text, bech32, readSapling),
  u: (text) => readZcash(text, bech32m, readUnified),
  tex: (text) => readZcash(text, bech32m, readTex),
}

/** Reader of the text's human-readable part, or undefined if no chain uses it. */
export function bech32ReaderFor(text: string): Reader | undefined {
  const separator = text.indexOf('1')
  if (separator < 1 || separator > MAX_PREFIX_LENGTH) return undefined
  const prefix = text.slice(0, separator).toLowerCase()
  return Object.hasOwn(bech32Readers, prefix) ? bech32Readers[prefix] : undefined
}

const MAX_PREFIX_LENGTH = 6

/** Whether every character behind the separator is in the Bech32 alphabet, in one case. */
export function isBech32Writing(text: string): boolean {
  const folded = text.toLowerCase()
  const isOneCase = text === folded || text === text.toUpperCase()
  return isOneCase && /^[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{6,}$/.test(folded.slice(folded.indexOf('1') + 1))
}

type Bech32Codec = typeof bech32

function bech32Words(text: string, codec: Bech32Codec): Uint8Array | number[] | undefined {
  return attempt(() => codec.decode(text as `${string}1${string}`, false).words)
}

/** The failure of a text that decodes with neither constant: its checksum is wrong, or it has characters outside the alphabet. */
function bech32Failure(text: string): FormFailure {
  return isBech32Writing(text) ? 'bad_checksum' : 'bad_format'
}

/** Segregated witness: version 0 with Bech32 (BIP-173), 1 to 16 with Bech32m (BIP-350). */
function readSegwit(text: string, prefix: 'bc' | 'ltc' | 'btg'): Outcome {
  if (text.length > 90) return 'bad_format'
  const v0 = bech32Words(text, bech32)
  const words = v0 ?? bech32Words(text, bech32m)
  if (words === undefined) return bech32Failure(text)
  const version = words[0]
  if (version === undefined || version > 16 || (version === 0) !== (v0 !== undefined)) return 'bad_checksum'
  const program = attempt(() => bech32.fromWords(Array.from(words.slice(1))))
  if (program === undefined || program.length < 2 || program.length > 40) return 'bad_format'
  if (version === 0 && program.length !== 20 && program.length !== 32) return 'bad_format'
  const form = { format: `segwit:${prefix}`, canonical: text.toLowerCase() } as const
  if (version !== 0) return { ...form, lookupKey: `wit${version}:${bytesToHex(program)}` }
  // A version 0 program of 20 bytes is the hash of a key, the same as in the older 1… form.
  return program.length === 20
    ? { ...form, ...ownedBy({ kind: 'key', hash: program }) }
    : { ...form, lookupKey: witnessScriptKey(program) }
}

function readCosmos(text: string, prefix: 'bnb' | 'cosmos', lengths: readonly number[]): Outcome {
  const words = bech32Words(text, bech32)
  if (words === undefined) return bech32Failure(text)
  const bytes = attempt(() => bech32.fromWords(Array.from(words)))
  if (bytes === undefined || !lengths.includes(bytes.length)) return 'bad_format'
  const canonical = text.toLowerCase()
  // 20 bytes are the hash of a secp256k1 key, the same as in Bitcoin's 1… form; 32 are the account of a module or contract.
  const owned =
    bytes.length === 20 ? ownedBy({ kind: 'key', hash: bytes }) : { lookupKey: `atom:${canonical}` }
  return { format: `bech32:${prefix}`, canonical, ...owned }
}

/** Shelley: header type 0 to 7 for payments, 14 and 15 for stakes (CIP-19); network 1 is the main one. */
function readShelley(text: string, prefix: 'addr' | 'stake'): Outcome {
  const words = bech32Words(text, bech32)
  if (words === undefined) return bech32Failure(text)
  const bytes = attempt(() => bech32.fromWords(Array.from(words)))
  const header = bytes?.[0]
  if (bytes === undefined || header === undefined || (header & 15) !== 1) return 'bad_format'
  const type = header >> 4
  if (prefix === 'stake' ? type !== 14 && type !== 15 : type > 7) return 'bad_format'
  const expected = prefix === 'stake' || type >= 6 ? 29 : 57
  const isPointer = prefix === 'addr' && (type === 4 || type === 5)
  if (isPointer ? bytes.length < 32 || bytes.length > 56 : bytes.length !== expected) return 'bad_format'
  const credential = (isScript: boolean, start: number): string =>
    `ada:${isScript ? 'script' : 'key'}:${bytesToHex(bytes.subarray(start, start + 28))}`
  // Who pays is who holds the payment credential; the stake credential joins the addresses of one wallet.
  const isBase = prefix === 'addr' && type < 4
  const stake = isBase ? [credential((type & 2) === 2, 29)] : []
  const lookupKey = joinedKey([credential((type & 1) === 1, 1), ...stake])
  return { format: 'cardano-shelley', canonical: text.toLowerCase(), lookupKey }
}

/** Zcash's forms other than the transparent ones: Sapling (ZIP-32), unified (ZIP-316), and TEX, which is a key hash (ZIP-320). */
function readZcash(
  text: string,
  codec: Bech32Codec,
  read: (bytes: Uint8Array, canonical: string) => Outcome,
): Outcome {
  const words = bech32Words(text, codec)
  if (words === undefined) return bech32Failure(text)
  const bytes = attempt(() => codec.fromWords(Array.from(words)))
  return bytes === undefined ? 'bad_format' : read(bytes, text.toLowerCase())
}

function readSapling(bytes: Uint8Array, canonical: string): Outcome {
  if (bytes.length !== 43) return 'bad_format'
  return { format: 'zcash-sapling', canonical, lookupKey: `zec:${canonical}` }
}

function readTex(hash: Uint8Array, canonical: string): Outcome {
  if (hash.length !== 20) return 'bad_format'
  return { format: 'zcash-tex', canonical, ...ownedBy({ kind: 'key', hash }) }
}

/** Labels apply to the traceable part: the transparent receiver, if there is one. */
function readUnified(bytes: Uint8Array, canonical: string): Outcome {
  const unified = readUnifiedAddress(bytes)
  if (unified === undefined) return 'bad_format'
  const { transparent } = unified
  const owned = transparent === null ? { lookupKey: `zec:${canonical}` } : ownedBy(transparent)
  return { format: 'zcash-unified', canonical, ...owned }
}

const ownedBy = (owner: HashedOwner) => ({ owner, lookupKey: ownerKey(owner) })

/** The address of a witness program: version 0 with Bech32, later ones with Bech32m. */
export function encodeSegwit(prefix: string, version: number, program: Uint8Array): string {
  const codec = version === 0 ? bech32 : bech32m
  return codec.encode(prefix, [version, ...codec.toWords(program)], false)
}
