/** Ed25519 keys with a name, as in C2SP signed-note (https://c2sp.org/signed-note). */
import { createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto'

/** A key for checking signatures. */
export interface PublicKey {
  /** Name of the installation: no spaces and no `+`. */
  readonly name: string
  /** First four bytes of SHA-256(name, newline, 0x01, public key), in hex: 8 characters. */
  readonly id: string
  /** The 32 bytes of RFC 8032. */
  readonly bytes: Buffer
}

export interface Signer {
  readonly key: PublicKey
  /**
   * The Ed25519 signature, 64 bytes. The signed bytes begin with words that no other use of the key begins with, so that a
   * signature never counts for another purpose.
   */
  sign(bytes: Uint8Array): Buffer
}

export interface Verifier {
  readonly publicKeys: readonly PublicKey[]
  /** The keys with this id: usually none or one. */
  knows(keyId: string): boolean
  /** The name of the key with this id; undefined if it is not known. */
  nameOf(keyId: string): string | undefined
  /** Whether a known key with this id signed the bytes. */
  verify(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean
}

const ED25519 = 0x01

export function publicKeyOf(name: string, key: KeyObject): PublicKey {
  const { x } = createPublicKey(key as never).export({ format: 'jwk' })
  const bytes = Buffer.from(x!, 'base64url')
  return { name, bytes, id: keyId(name, bytes) }
}

function keyId(name: string, bytes: Uint8Array): string {
  const input = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), bytes])
  return hash('sha256', input, 'hex').slice(0, 8)
}

/** The key under another name: verifiers of C2SP know the key of a log by the origin of its checkpoints. */
export const keyNamed = (name: string, { bytes }: PublicKey): PublicKey => ({
  name,
  bytes,
  id: keyId(name, bytes),
})

/** The key in one line, as verifiers of C2SP accept it: name, id, algorithm and key. */
export function verifierKey({ name, id, bytes }: PublicKey): string {
  return `${name}+${id}+${Buffer.concat([Buffer.of(ED25519), bytes]).toString('base64')}`
}

/** The key of such a line; null if it has another form, or if its id does not follow from name and key. */
export function parseVerifierKey(line: string): PublicKey | null {
  const [, name, id, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? []
  if (name === undefined || id === undefined || base64 === undefined) return null
  const bytes = Buffer.from(base64, 'base64')
  const key = { name, id, bytes: bytes.subarray(1) }
  return verifierKey(key) === line && keyId(name, key.bytes) === id && key.bytes.length === 32 ? key : null
}

export function openSigner(name: string, privateKey: KeyObject): Signer {
  return { key: publicKeyOf(name, privateKey), sign: (bytes) => sign(null, bytes, privateKey) }
}

/** Checks signatures of these keys only. A key whose id does not follow from its name and bytes is left out. */
export function verifier(publicKeys: readonly PublicKey[]): Verifier {
  const keys = new Map<string, KeyObject>()
  const names = new Map<string, string>()
  for (const { name, id, bytes } of publicKeys)
    if (bytes.length === 32 && id === keyId(name, bytes)) {
      names.set(id, name)
      keys.set(
        id,
        createPublicKey({
          key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
          format: 'jwk',
        }),
      )
    }
  return {
    publicKeys,
    knows: (id) => keys.has(id),
    nameOf: (id) => names.get(id),
    verify(id, bytes, signature) {
      const key = keys.get(id)
      return key !== undefined && verify(null, bytes, key, signature)
    },
  }
}
