/**
 * Solana's associated token accounts: the address at which an owner's tokens of a mint lie follows from both. It is the first one of a
 * series that is not on the curve of Ed25519, so that it has no private key. Sources: Solana documentation, "Program Derived Address";
 * SPL Associated Token Account Program; RFC 8032, section 5.1.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { base58 } from '@scure/base'
import { asciiBytes } from './address-form.js'

const ASSOCIATED_PROGRAM = base58.decode('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
/** The token program, and its successor with extensions. */
const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
].map((program) => base58.decode(program))
const MARKER = asciiBytes('ProgramDerivedAddress')
const MAX_BUMP = 255

/** The accounts of an owner for a mint, one for each token program. */
export const tokenAccounts = (owner: string, mint: string): readonly string[] =>
  TOKEN_PROGRAMS.map((program) =>
    base58.encode(derivedAddress([base58.decode(owner), program, base58.decode(mint)])),
  )

function derivedAddress(seeds: readonly Uint8Array[]): Uint8Array {
  for (let bump = MAX_BUMP; bump >= 0; bump--) {
    const parts = [...seeds, Uint8Array.of(bump), ASSOCIATED_PROGRAM, MARKER]
    const address = sha256(Uint8Array.from(parts.flatMap((part) => [...part])))
    if (!isOnCurve(address)) return address
  }
  throw new Error('No derived address is off the curve')
}

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

/** Whether the bytes are a public key: x² = (y² − 1) / (d·y² + 1) has a root, as u/v has one exactly if u·v has. */
export function isOnCurve(bytes: Uint8Array): boolean {
  let y = 0n
  for (let index = bytes.length - 1; index >= 0; index--) y = (y << 8n) | BigInt(bytes[index]!)
  const square = (y & (2n ** 255n - 1n)) ** 2n % P
  return isSquare(((square + P - 1n) * ((D * square + 1n) % P)) % P)
}

/** Whether a number has a square root modulo P: its Jacobi symbol, by quadratic reciprocity, is not −1. Several times faster than a power. */
function isSquare(number: bigint): boolean {
  let [a, n] = [number, P]
  let isNegative = false
  while (a !== 0n) {
    const twos = trailingZeros(a)
    a >>= BigInt(twos)
    const [lowA, lowN] = [Number(a & 7n), Number(n & 7n)]
    if (twos % 2 === 1 && (lowN === 3 || lowN === 5)) isNegative = !isNegative
    if (lowA % 4 === 3 && lowN % 4 === 3) isNegative = !isNegative
    ;[a, n] = [n % a, a]
  }
  return !isNegative
}

function trailingZeros(number: bigint): number {
  let zeros = 0
  let rest = number
  for (; (rest & LOW_BITS) === 0n; rest >>= 32n) zeros += 32
  const low = Number(rest & LOW_BITS)
  return zeros + 31 - Math.clz32(low & -low)
}

const LOW_BITS = 0xffff_ffffn
