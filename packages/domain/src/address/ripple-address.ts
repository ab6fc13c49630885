/** XRP Ledger: classic addresses and X-addresses, which carry a destination tag. */
import { base58xrp } from '@scure/base'
import { attempt, doubleSha256, endsWithHash, type Reader } from './address-form.js'
import { ownerKey, type HashedOwner } from './look-up-keys.js'

/** Bytes of a classic address: version, 20 of account, 4 of checksum. */
const CLASSIC_BYTES = 25

/** XRP Ledger's own Base58 order, version 0. */
export const readRippleClassic: Reader = (text) => {
  const bytes = attempt(() => base58xrp.decode(text))
  if (bytes === undefined || bytes.length !== CLASSIC_BYTES) return 'bad_format'
  if (!endsWithHash(bytes, 4, doubleSha256)) return 'bad_checksum'
  if (bytes[0] !== 0) return 'bad_format'
  return { format: 'ripple-classic', canonical: text, ...accountOf(bytes.slice(1, 21)) }
}

/** An account id is the hash of its key, the same as in Bitcoin's 1… form. */
function accountOf(hash: Uint8Array) {
  const owner: HashedOwner = { kind: 'key', hash }
  return { owner, lookupKey: ownerKey(owner) }
}

export function encodeRippleClassic(hash: Uint8Array): string {
  const account = Uint8Array.from([0, ...hash])
  return base58xrp.encode(Uint8Array.from([...account, ...doubleSha256(account).subarray(0, 4)]))
}

/** Version of an X-address. With it every X-address begins with the letter X. */
const X_VERSION = [0x05, 0x44] as const

/** Whether a text can only be an X-address, even a mistyped one that another format could read. */
export function isRippleXWriting(text: string): boolean {
  if (text[0] !== 'X' || (text.length !== 46 && text.length !== 47)) return false
  const bytes = attempt(() => base58xrp.decode(text))
  return bytes?.length === 35 && X_VERSION.every((byte, index) => bytes[index] === byte)
}

/** X-address (XLS-5): account, flag and destination tag in one. Labels are about the account. */
export const readRippleX: Reader = (text) => {
  const bytes = attempt(() => base58xrp.decode(text))
  if (bytes === undefined) return 'bad_format'
  if (!endsWithHash(bytes, 4, doubleSha256)) return 'bad_checksum'
  const flag = bytes[22]!
  const tag = bytes.subarray(23, 31)
  const hasValidTag =
    flag === 0 ? tag.every((byte) => byte === 0) : flag === 1 && tag.subarray(4).every((byte) => byte === 0)
  if (!hasValidTag) return 'bad_format'
  const hash = bytes.slice(2, 22)
  return { format: 'ripple-x', canonical: encodeRippleClassic(hash), ...accountOf(hash) }
}
