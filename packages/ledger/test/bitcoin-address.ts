/** Valid Bitcoin addresses for tests. */
import { createHash } from 'node:crypto'

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** A pay-to-script-hash address: the same number gives the same address. */
export const bitcoinAddress = (n: number): string => addressOf(n, 5)

/** The address of a key, pay-to-public-key-hash. */
export const bitcoinKeyAddress = (n: number): string => addressOf(n, 0)

function addressOf(n: number, version: number): string {
  const payload = Buffer.concat([Buffer.of(version), createHash('sha1').update(`address ${n}`).digest()])
  const bytes = Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)])
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = DIGITS[Number(rest % 58n)]! + text
  // Each leading zero byte is one more digit 1.
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text
}
