/** Monero: standard addresses, subaddresses, and integrated addresses, which carry a payment id. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58xmr } from '@scure/base'
import { attempt, endsWithHash, type Reader } from './address-form.js'

/** Network bytes of Monero's main network: standard, integrated (with a payment id), subaddress. */
const MONERO_STANDARD = 18
const MONERO_INTEGRATED = 19
const MONERO_SUBADDRESS = 42

const keccakChecksum = (body: Uint8Array): Uint8Array => keccak_256(body)

export const readMonero: Reader = (text) => {
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return 'bad_format'
  const bytes = attempt(() => base58xmr.decode(text))
  // A block of 11 letters above 2^64 has the right alphabet and length, so the address is mistyped.
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
