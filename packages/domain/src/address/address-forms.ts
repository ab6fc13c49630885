/**
 * Reads a text as every address format it fits: its characters, its checksum, its canonical form and the key
 * under which labels are looked up. Which chains use a format is the chain table's business.
 */
import { blake2b } from '@noble/hashes/blake2.js'
import { sha256, sha512_256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import {
  base32nopad,
  base58,
  base58xmr,
  base58xrp,
  base64nopad,
  base64urlnopad,
  bech32,
  bech32m,
} from '@scure/base'
import { readByronAddress } from './byron-address.js'
import { decodeCashAddress } from './cash-address.js'
import type { AddressFormat } from './chain-table.js'
import { crc16 } from './crc.js'

/** What stopped a text from being an address; the first word of the explanation a caller gets. */
export type FormFailure = 'bad_format' | 'bad_checksum' | 'eip55_mismatch'

export interface AddressForm {
  readonly format: AddressFormat
  /** The one way this product writes the address. A chain may prefer another, see `parse-address.ts`. */
  readonly canonical: string
  /**
   * What label look-ups compare: equal for all forms and chains that one key (or one script) controls.
   * One secp256k1 key hash is an address on every Bitcoin-like chain, one EVM address on every EVM chain.
   */
  readonly lookupKey: string
  /** What spends from it, where a chain writes the same hash in another form. */
  readonly owner?: HashedOwner
}

export interface HashedOwner {
  readonly kind: 'key' | 'script'
  readonly hash: Uint8Array
}

export interface AddressReading {
  readonly forms: readonly AddressForm[]
  /** The most telling failure where no form was found. */
  readonly failure: FormFailure
}

type Outcome = AddressForm | FormFailure
type Reader = (text: string) => Outcome

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
  const readers: Reader[] = []
  const separator = text.indexOf('1')
  if (separator > 0) {
    const read = bech32Readers[text.slice(0, separator).toLowerCase()]
    if (read !== undefined) readers.push(read)
  }
  if (length === 42 && text.startsWith('41')) readers.push(readTronHex)
  if (length === 42 || length === 61) readers.push(readCashAddress)
  if (length >= 25 && length <= 60) readers.push(readBase58)
  if (length >= 60 && length <= 128 && (text[0] === 'A' || text[0] === 'D')) readers.push(readByron)
  if (length >= 25 && length <= 35 && text[0] === 'r') readers.push(readRippleClassic)
  if ((length === 46 || length === 47) && text[0] === 'X') readers.push(readRippleX)
  if (length === 48) readers.push(readTonFriendly)
  if (length === 56 && (text[0] === 'G' || text[0] === 'C')) readers.push(readStellar)
  if (length === 69 && text[0] === 'M') readers.push(readStellar)
  if (length === 58) readers.push(readAlgorand)
  if (length === 95 || length === 106) readers.push(readMonero)
  return readers
}

/** Any other decoder's exception means that the text is not of its alphabet or shape. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

/** EVM: 40 hex digits; where the case is mixed it is the checksum of EIP-55. */
const readEvm: Reader = (text) => {
  if (text.length !== 42) return 'bad_format'
  let lower = false
  let upper = false
  for (let index = 2; index < 42; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) continue
    if (code >= 97 && code <= 102) lower = true
    else if (code >= 65 && code <= 70) upper = true
    else return 'bad_format'
  }
  const digits = text.slice(2).toLowerCase()
  if (lower && upper && !hasEip55Case(text, digits)) return 'eip55_mismatch'
  const canonical = `0x${digits}`
  return { format: 'evm', canonical, lookupKey: `evm:${canonical}` }
}

function hasEip55Case(text: string, digits: string): boolean {
  const hash = keccak_256(asciiBytes(digits))
  for (let index = 0; index < 40; index++) {
    const code = text.charCodeAt(index + 2)
    if (code <= 57) continue
    const nibble = index % 2 === 0 ? hash[index >> 1]! >> 4 : hash[index >> 1]! & 15
    if (nibble >= 8 !== code < 97) return false
  }
  return true
}

/** EIP-55 writing of an EVM address in lower case. */
export function toEip55(canonical: string): string {
  const digits = canonical.slice(2)
  const hash = keccak_256(asciiBytes(digits))
  let out = '0x'
  for (let index = 0; index < 40; index++) {
    const nibble = index % 2 === 0 ? hash[index >> 1]! >> 4 : hash[index >> 1]! & 15
    out += nibble >= 8 ? digits[index]!.toUpperCase() : digits[index]!
  }
  return out
}

const asciiBytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

const doubleSha256 = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes))

/** Whether the last bytes are the first bytes of a hash over the rest. */
function endsWithHash(
  bytes: Uint8Array,
  checksumBytes: number,
  hash: (body: Uint8Array) => Uint8Array,
): boolean {
  const expected = hash(bytes.subarray(0, -checksumBytes))
  for (let index = 0; index < checksumBytes; index++) {
    if (bytes[bytes.length - checksumBytes + index] !== expected[index]) return false
  }
  return true
}

/** Bytes of a Base58Check address: one or two version bytes, 20 of hash, 4 of checksum. */
const BASE58CHECK_BYTES = 25
const ZCASH_BYTES = 26
const PUBLIC_KEY_BYTES = 32
const SS58_BYTES = 35

/** Bitcoin's Base58 alphabet holds Base58Check addresses, Solana's bare keys and SS58. Case is never folded. */
const readBase58: Reader = (text) => {
  const bytes = attempt(() => base58.decode(text))
  if (bytes === undefined) return 'bad_format'
  if (bytes.length === PUBLIC_KEY_BYTES) {
    return { format: 'solana', canonical: text, lookupKey: `sol:${text}` }
  }
  if (bytes.length === SS58_BYTES && bytes[0] === 0) return readSs58(text, bytes)
  if (bytes.length < BASE58CHECK_BYTES - 1 || bytes.length > ZCASH_BYTES) return 'bad_format'
  if (!endsWithHash(bytes, 4, doubleSha256)) return 'bad_checksum'
  return readBase58Check(text, bytes)
}

/** What the versions in use spend with: a key's hash, a script's hash. */
const base58CheckKinds: Readonly<Record<string, 'key' | 'script' | 'tron'>> = {
  '00': 'key',
  '05': 'script',
  '30': 'key',
  '32': 'script',
  '1e': 'key',
  '16': 'script',
  '21': 'script',
  '4c': 'key',
  '10': 'script',
  '26': 'key',
  '17': 'script',
  '1cb8': 'key',
  '1cbd': 'script',
  '41': 'tron',
}

function readBase58Check(text: string, bytes: Uint8Array): Outcome {
  const versionBytes = bytes.length - 24
  const version = bytesToHex(bytes.subarray(0, versionBytes))
  const kind = base58CheckKinds[version]
  if (kind === undefined) return 'bad_format'
  const hash = bytes.subarray(versionBytes, -4)
  const format = `base58check:${version}` as const
  if (kind === 'tron') return { format, canonical: text, lookupKey: `trx:${text}` }
  return { format, canonical: text, lookupKey: ownerKey({ kind, hash }), owner: { kind, hash } }
}

/** One key for every writing of a key's or a script's hash, whatever the chain. */
function ownerKey({ kind, hash }: HashedOwner): string {
  return `${kind === 'key' ? 'pkh' : 'sh'}:${bytesToHex(hash)}`
}

const SS58_PREFIX = asciiBytes('SS58PRE')

/** SS58 with Polkadot's network prefix 0. */
function readSs58(text: string, bytes: Uint8Array): Outcome {
  const checksum = (body: Uint8Array): Uint8Array =>
    blake2b(Uint8Array.from([...SS58_PREFIX, ...body]), { dkLen: 64 })
  if (!endsWithHash(bytes, 2, checksum)) return 'bad_checksum'
  return { format: 'ss58', canonical: text, lookupKey: `dot:${text}` }
}

/** TRON's hex form: 41 and 20 bytes of hash. It has no checksum; the Base58Check form is the canonical one. */
const readTronHex: Reader = (text) => {
  const bytes = attempt(() => hexToBytesFolded(text))
  if (bytes === undefined) return 'bad_format'
  const canonical = encodeBase58Check(bytes)
  return { format: 'tron-hex', canonical, lookupKey: `trx:${canonical}` }
}

function hexToBytesFolded(text: string): Uint8Array {
  if (!/^[0-9a-fA-F]+$/.test(text) || text.length % 2 !== 0) throw new RangeError('not hexadecimal')
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  )
}

/** Base58Check of version and hash. */
export function encodeBase58Check(versionAndHash: Uint8Array): string {
  const checksum = doubleSha256(versionAndHash).subarray(0, 4)
  return base58.encode(Uint8Array.from([...versionAndHash, ...checksum]))
}

const readCashAddress: Reader = (text) => {
  const decoded = decodeCashAddress(text)
  if (typeof decoded === 'string') return decoded
  const { kind, hash } = decoded
  if (hash.length !== 20 && !(kind === 'script' && hash.length === 32)) return 'bad_format'
  return { format: 'cashaddr', canonical: text.toLowerCase(), lookupKey: ownerKey(decoded), owner: decoded }
}

/** Readers of the human-readable parts in use. Bech32 is accepted all lower or all upper case and compared folded. */
const bech32Readers: Readonly<Record<string, Reader>> = {
  bc: (text) => readSegwit(text, 'bc'),
  ltc: (text) => readSegwit(text, 'ltc'),
  btg: (text) => readSegwit(text, 'btg'),
  bnb: (text) => readCosmos(text, 'bnb', [20]),
  cosmos: (text) => readCosmos(text, 'cosmos', [20, 32]),
  addr: (text) => readShelley(text, 'addr'),
  stake: (text) => readShelley(text, 'stake'),
  zs: (text) => readZcash(text, 'zcash-sapling', bech32, [43]),
  u: (text) => readZcash(text, 'zcash-unified', bech32m, null),
  tex: (text) => readZcash(text, 'zcash-tex', bech32m, [20]),
}

type Bech32Codec = typeof bech32

function bech32Words(text: string, codec: Bech32Codec): Uint8Array | number[] | undefined {
  return attempt(() => codec.decode(text as `${string}1${string}`, false).words)
}

/** A Bech32 text that decodes with the other constant, or with neither: wrong checksum, or not of the alphabet. */
function bech32Failure(text: string): FormFailure {
  const folded = text.toLowerCase()
  if (text !== folded && text !== text.toUpperCase()) return 'bad_format'
  return /^[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{6,}$/.test(folded.slice(folded.indexOf('1') + 1))
    ? 'bad_checksum'
    : 'bad_format'
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
  const hex = bytesToHex(program)
  // A version 0 program of 20 bytes is the hash of a key, the same as in the older 1… form.
  const kind = version !== 0 ? `wit${version}` : program.length === 20 ? 'pkh' : 'wsh'
  const lookupKey = `${kind}:${hex}`
  return { format: `segwit:${prefix}`, canonical: text.toLowerCase(), lookupKey }
}

function readCosmos(text: string, prefix: 'bnb' | 'cosmos', lengths: readonly number[]): Outcome {
  const words = bech32Words(text, bech32)
  if (words === undefined) return bech32Failure(text)
  const bytes = attempt(() => bech32.fromWords(Array.from(words)))
  if (bytes === undefined || !lengths.includes(bytes.length)) return 'bad_format'
  const canonical = text.toLowerCase()
  return { format: `bech32:${prefix}`, canonical, lookupKey: `${prefix}:${canonical}` }
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
  const canonical = text.toLowerCase()
  return { format: 'cardano-shelley', canonical, lookupKey: `ada:${canonical}` }
}

const readByron: Reader = (text) => {
  const bytes = attempt(() => base58.decode(text))
  const outcome = bytes === undefined ? 'bad_format' : readByronAddress(bytes)
  return outcome === 'ok' ? { format: 'cardano-byron', canonical: text, lookupKey: `ada:${text}` } : outcome
}

/** Zcash beside its transparent forms: Sapling (ZIP-32), unified (ZIP-316), and TEX, which is a key hash (ZIP-320). */
function readZcash(
  text: string,
  format: 'zcash-sapling' | 'zcash-unified' | 'zcash-tex',
  codec: Bech32Codec,
  lengths: readonly number[] | null,
): Outcome {
  const words = bech32Words(text, codec)
  if (words === undefined) return bech32Failure(text)
  const bytes = attempt(() => codec.fromWords(Array.from(words)))
  if (bytes === undefined || (lengths === null ? bytes.length < 48 : !lengths.includes(bytes.length))) {
    return 'bad_format'
  }
  const canonical = text.toLowerCase()
  if (format === 'zcash-tex') {
    const owner: HashedOwner = { kind: 'key', hash: bytes }
    return { format, canonical, lookupKey: ownerKey(owner), owner }
  }
  return { format, canonical, lookupKey: `zec:${canonical}` }
}

/** XRP Ledger's own Base58 order, version 0. */
const readRippleClassic: Reader = (text) => {
  const bytes = attempt(() => base58xrp.decode(text))
  if (bytes === undefined || bytes.length !== BASE58CHECK_BYTES) return 'bad_format'
  if (!endsWithHash(bytes, 4, doubleSha256)) return 'bad_checksum'
  if (bytes[0] !== 0) return 'bad_format'
  return { format: 'ripple-classic', canonical: text, lookupKey: `xrp:${text}` }
}

/** X-address (XLS-5): account, flag and destination tag in one. Labels are about the account. */
const readRippleX: Reader = (text) => {
  const bytes = attempt(() => base58xrp.decode(text))
  if (bytes === undefined || bytes.length !== 35) return 'bad_format'
  if (!endsWithHash(bytes, 4, doubleSha256)) return 'bad_checksum'
  const flag = bytes[22]!
  const tag = bytes.subarray(23, 31)
  const hasValidTag =
    flag === 0 ? tag.every((byte) => byte === 0) : flag === 1 && tag.subarray(4).every((byte) => byte === 0)
  if (bytes[0] !== 0x05 || bytes[1] !== 0x44 || !hasValidTag) return 'bad_format'
  const account = Uint8Array.from([0, ...bytes.subarray(2, 22)])
  const canonical = base58xrp.encode(Uint8Array.from([...account, ...doubleSha256(account).subarray(0, 4)]))
  return { format: 'ripple-x', canonical, lookupKey: `xrp:${canonical}` }
}

/** Network bytes of Monero's main network: standard, integrated (with a payment id), subaddress. */
const MONERO_STANDARD = 18
const MONERO_INTEGRATED = 19
const MONERO_SUBADDRESS = 42

const keccakChecksum = (body: Uint8Array): Uint8Array => keccak_256(body)

const readMonero: Reader = (text) => {
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return 'bad_format'
  const bytes = attempt(() => base58xmr.decode(text))
  // A block of 11 letters above 2^64 is of the right alphabet and length, and so a mistyped address.
  if (bytes === undefined) return 'bad_checksum'
  if (bytes.length !== 69 && bytes.length !== 77) return 'bad_format'
  if (!endsWithHash(bytes, 4, keccakChecksum)) return 'bad_checksum'
  const network = bytes[0]
  if (bytes.length === 69 && (network === MONERO_STANDARD || network === MONERO_SUBADDRESS)) {
    return { format: 'monero', canonical: text, lookupKey: `xmr:${text}` }
  }
  if (bytes.length !== 77 || network !== MONERO_INTEGRATED) return 'bad_format'
  // An integrated address is a standard one with a payment id inside.
  const body = Uint8Array.from([MONERO_STANDARD, ...bytes.subarray(1, 65)])
  const canonical = base58xmr.encode(Uint8Array.from([...body, ...keccak_256(body).subarray(0, 4)]))
  return { format: 'monero', canonical, lookupKey: `xmr:${canonical}` }
}

/** TON's raw form: workchain, colon, 64 hex digits of the account. */
const readTonRaw: Reader = (text) => {
  const matched = /^(0|-1):([0-9a-fA-F]{64})$/.exec(text)
  if (matched === null) return 'bad_format'
  const canonical = `${matched[1]}:${matched[2]!.toLowerCase()}`
  return { format: 'ton-raw', canonical, lookupKey: `ton:${canonical}` }
}

/** User-friendly flags: bounceable or not; 0x80 marks the test network. */
const TON_BOUNCEABLE = 0x11
const TON_NON_BOUNCEABLE = 0x51

/** TON's user-friendly form: flag, workchain, account, CRC-16, in either alphabet of Base64. */
const readTonFriendly: Reader = (text) => {
  const codec = text.includes('+') || text.includes('/') ? base64nopad : base64urlnopad
  const bytes = attempt(() => codec.decode(text))
  if (bytes === undefined || bytes.length !== 36) return 'bad_format'
  if (((bytes[34]! << 8) | bytes[35]!) !== crc16(bytes.subarray(0, 34))) return 'bad_checksum'
  if (bytes[0] !== TON_BOUNCEABLE && bytes[0] !== TON_NON_BOUNCEABLE) return 'bad_format'
  const workchain = bytes[1] === 0 ? '0' : bytes[1] === 255 ? '-1' : undefined
  if (workchain === undefined) return 'bad_format'
  const canonical = `${workchain}:${bytesToHex(bytes.subarray(2, 34))}`
  return { format: 'ton-friendly', canonical, lookupKey: `ton:${canonical}` }
}

/** StrKey version bytes (SEP-23): account G…, muxed account M… (an account and an id), contract C…. */
const STELLAR_ACCOUNT = 6 << 3
const STELLAR_MUXED = 12 << 3
const STELLAR_CONTRACT = 2 << 3

const readStellar: Reader = (text) => {
  const bytes = attempt(() => base32nopad.decode(text))
  if (bytes === undefined) return 'bad_format'
  const checksum = crc16(bytes.subarray(0, -2))
  if (bytes.at(-2) !== (checksum & 0xff) || bytes.at(-1) !== checksum >> 8) return 'bad_checksum'
  if (bytes.length === 35 && bytes[0] === STELLAR_ACCOUNT) {
    return { format: 'stellar-account', canonical: text, lookupKey: `xlm:${text}` }
  }
  if (bytes.length === 35 && bytes[0] === STELLAR_CONTRACT) {
    return { format: 'stellar-contract', canonical: text, lookupKey: `xlm:${text}` }
  }
  if (bytes.length !== 43 || bytes[0] !== STELLAR_MUXED) return 'bad_format'
  const body = Uint8Array.from([STELLAR_ACCOUNT, ...bytes.subarray(1, 33)])
  const sum = crc16(body)
  const canonical = base32nopad.encode(Uint8Array.from([...body, sum & 0xff, sum >> 8]))
  return { format: 'stellar-muxed', canonical, lookupKey: `xlm:${canonical}` }
}

const readAlgorand: Reader = (text) => {
  const bytes = attempt(() => base32nopad.decode(text))
  if (bytes === undefined || bytes.length !== 36) return 'bad_format'
  const expected = sha512_256(bytes.subarray(0, 32)).subarray(28)
  if (!expected.every((byte, index) => byte === bytes[32 + index])) return 'bad_checksum'
  return { format: 'algorand', canonical: text, lookupKey: `algo:${text}` }
}
