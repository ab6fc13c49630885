/** Public keys of an installation, as its operator gives them: one line each, as in C2SP signed-note. */
import { exactBytes } from '../base64.js'
import { ConfigurationError } from '../errors.js'
import { hex, joined, sha256, type Bytes } from './hash-tree.js'

export interface VerifyingKey {
  readonly name: string
  /** 8 hexadecimal characters, which follow from name and key. */
  readonly id: string
  /** The id of the same key under another name. */
  idAs(name: string): Promise<string>
  verify(text: Bytes, signature: Bytes): Promise<boolean>
}

const ED25519 = 1

/** Empty lines and lines that begin with # do not count. Rejects with a ConfigurationError. */
export async function verifyingKeys(text: string): Promise<readonly VerifyingKey[]> {
  const keys: VerifyingKey[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const key = await keyOf(line.trim())
    if (key === null)
      throw new ConfigurationError(`Line ${index + 1} of the public keys is not a public key.`)
    keys.push(key)
  }
  if (keys.length === 0) throw new ConfigurationError('The file has no public key.')
  return keys
}

async function keyOf(line: string): Promise<VerifyingKey | null> {
  const [, name, id, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? []
  const bytes = base64 === undefined ? null : exactBytes(base64)
  if (bytes?.length !== 33 || bytes[0] !== ED25519) return null
  const idAs = async (as: string): Promise<string> =>
    hex(await sha256(joined(new TextEncoder().encode(`${as}\n`), bytes))).slice(0, 8)
  if ((await idAs(name!)) !== id) return null
  const key = await crypto.subtle.importKey('raw', bytes.slice(1), 'Ed25519', false, ['verify'])
  return {
    ...{ name: name!, id, idAs },
    verify: (text, signature) => crypto.subtle.verify('Ed25519', key, signature, text),
  }
}
