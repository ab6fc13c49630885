/** The address of a contract that an account creates. Source: Ethereum Yellow Paper, section 7, with RLP from its appendix B. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'

const SHORT_TEXT = 0x80
const SHORT_LIST = 0xc0

/** The contract that the transaction with this nonce creates; both addresses are canonical EVM addresses. */
export function createdContract(creator: string, nonce: number): string {
  const sender = hexToBytes(creator.slice(2))
  const items = concatBytes(Uint8Array.of(SHORT_TEXT + sender.length), sender, encodedNonce(nonce))
  const hash = keccak_256(concatBytes(Uint8Array.of(SHORT_LIST + items.length), items))
  return `0x${bytesToHex(hash.slice(-20))}`
}

function encodedNonce(nonce: number): Uint8Array {
  if (nonce === 0) return Uint8Array.of(SHORT_TEXT)
  const digits = nonce.toString(16)
  const bytes = hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
  return nonce < SHORT_TEXT ? bytes : concatBytes(Uint8Array.of(SHORT_TEXT + bytes.length), bytes)
}
