/**
 * The address of a standard output script, for files that leave it out. Sources: BIP-16, BIP-141, BIP-341 for the forms of scripts, and the
 * address table for the versions.
 */
import { createHash } from 'node:crypto'
import { encodeBase58Check, encodeSegwit } from '@cupel/domain'

/** Version bytes of a key's and of a script's hash, and the prefix of segregated witness; in hex. */
const forms: Readonly<
  Record<string, { readonly key: string; readonly script: string; readonly segwit?: string }>
> = {
  BTC: { key: '00', script: '05', segwit: 'bc' },
  LTC: { key: '30', script: '32', segwit: 'ltc' },
  DOGE: { key: '1e', script: '16' },
  BSV: { key: '00', script: '05' },
  DASH: { key: '4c', script: '10' },
  ZEC: { key: '1cb8', script: '1cbd' },
  BTG: { key: '26', script: '17', segwit: 'btg' },
}

const KEY_HASH = /^76a914([0-9a-f]{40})88ac$/
const SCRIPT_HASH = /^a914([0-9a-f]{40})87$/
/** OP_0 or OP_1 to OP_16, and a program of 2 to 40 bytes. */
const WITNESS = /^(00|5[1-9a-f]|60)([0-9a-f]{2})((?:[0-9a-f]{2}){2,40})$/

/** The address; empty for a script that is not standard, or of a chain whose forms are not listed. */
export function addressOfScript(chain: string, script: unknown): string {
  const form = forms[chain]
  if (form === undefined || typeof script !== 'string') return ''
  const hex = script.toLowerCase()
  const keyHash = KEY_HASH.exec(hex)?.[1]
  if (keyHash !== undefined) return encodeBase58Check(bytesOf(form.key + keyHash))
  const scriptHash = SCRIPT_HASH.exec(hex)?.[1]
  if (scriptHash !== undefined) return encodeBase58Check(bytesOf(form.script + scriptHash))
  const [, version, length, program] = WITNESS.exec(hex) ?? []
  if (program === undefined || form.segwit === undefined) return ''
  if (Number.parseInt(length!, 16) !== program.length / 2) return ''
  const number = version === '00' ? 0 : Number.parseInt(version!, 16) - 0x50
  if (number === 0 && program.length !== 40 && program.length !== 64) return ''
  return encodeSegwit(form.segwit, number, bytesOf(program))
}

const PUBLIC_KEY = '(?:0[23][0-9a-f]{64}|04[0-9a-f]{128})'
const PAYS_KEY = new RegExp(`^(?:21|41)(${PUBLIC_KEY})ac$`)
/** OP_m, the keys with their lengths, OP_n, OP_CHECKMULTISIG. */
const PAYS_KEYS = new RegExp(`^5[1-9a-f]((?:(?:21|41)${PUBLIC_KEY})+)5[1-9a-f]ae$`)

/** The addresses that an output script pays: those of its keys if it names keys; none for a script that is not standard. */
export function addressesOfScript(chain: string, script: string): readonly string[] {
  const hex = script.toLowerCase()
  const key = forms[chain]?.key
  const single = PAYS_KEY.exec(hex)?.[1]
  const several = PAYS_KEYS.exec(hex)?.[1]
  const keys = single !== undefined ? [single] : several === undefined ? [] : keysIn(several)
  if (key !== undefined && keys.length > 0)
    return keys.map((one) => encodeBase58Check(bytesOf(key + hash160(one))))
  const address = addressOfScript(chain, hex)
  return address === '' ? [] : [address]
}

/** Keys after their lengths. */
function keysIn(pushed: string): readonly string[] {
  const keys: string[] = []
  for (let at = 0; at < pushed.length;) {
    const digits = 2 * Number.parseInt(pushed.slice(at, at + 2), 16)
    keys.push(pushed.slice(at + 2, at + 2 + digits))
    at += 2 + digits
  }
  return keys
}

const hash160 = (hex: string): string =>
  createHash('ripemd160').update(createHash('sha256').update(hex, 'hex').digest()).digest('hex')

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
