/**
 * The file with the signing keys of an installation. One key signs; earlier ones are kept without their private half, so that their
 * signatures can be checked. Only processes that sign read the file.
 */
import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createKeyFile, replaceKeyFile } from './key-file.js'
import {
  openSigner,
  publicKeyOf,
  verifier,
  type PublicKey,
  type Signer,
  type Verifier,
} from './signing-key.js'

export interface SigningKeys {
  readonly signer: Signer
  /** Every key of the file, the earliest first: it verifies all earlier signatures of the installation. */
  readonly publicKeys: readonly (PublicKey & { readonly createdAt: string })[]
  readonly verifier: Verifier
}

/** The file cannot be used; the message is a sentence without secrets. */
export class SigningKeysError extends Error {
  override readonly name = 'SigningKeysError'
}

interface KeyEntry {
  readonly id: string
  readonly publicKey: string
  /** PKCS #8 in base64; null for a key that no longer signs. */
  readonly privateKey: string | null
  readonly createdAt: string
}

interface KeyFile {
  readonly name: string
  readonly active: string
  readonly keys: readonly KeyEntry[]
}

/** Throws SigningKeysError if the file is missing, unreadable or contradicts itself. */
export function readSigningKeys(file: string): SigningKeys {
  const { name, active, keys } = readKeyFile(file)
  const entry = keys.find(({ id }) => id === active)
  const privateKey = entry?.privateKey ?? null
  if (privateKey === null)
    throw new SigningKeysError(`${file} holds no private key ${active}, which it names as the active one.`)
  const publicKeys = keys.map(({ id, publicKey, createdAt }) => {
    return { name, id, bytes: Buffer.from(publicKey, 'base64'), createdAt }
  })
  const signer = openSigner(name, privateKeyOf(file, privateKey))
  const check = verifier(publicKeys)
  if (signer.key.id !== active || publicKeys.some(({ id }) => !check.knows(id)))
    throw new SigningKeysError(`${file} names a key by an id that is not the one of its bytes.`)
  return { signer, publicKeys, verifier: check }
}

/**
 * Writes the file with a first key, readable only by its owner. `name` is that of the installation; a random one by default. Does nothing
 * if the file already exists.
 */
export function createSigningKeys(file: string, name = `cupel/${randomBytes(6).toString('hex')}`): void {
  const first = newKey(name)
  createKeyFile(file, { name, active: first.id, keys: [first] } satisfies KeyFile)
}

/**
 * Makes a new key the active one and deletes the private half of the others. Running processes sign with the old one until they restart.
 * If there is no file, it makes one with a first key.
 */
export function rotateSigningKey(file: string, name?: string): PublicKey {
  if (!existsSync(file)) {
    createSigningKeys(file, name)
    return readSigningKeys(file).signer.key
  }
  const { name: own, keys } = readKeyFile(file)
  const next = newKey(own)
  const earlier = keys.map((key) => ({ ...key, privateKey: null }))
  replaceKeyFile(file, { name: own, active: next.id, keys: [...earlier, next] } satisfies KeyFile)
  return readSigningKeys(file).signer.key
}

function newKey(name: string): KeyEntry {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { id, bytes } = publicKeyOf(name, privateKey)
  return {
    id,
    publicKey: bytes.toString('base64'),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    createdAt: new Date().toISOString(),
  }
}

function privateKeyOf(file: string, text: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' })
  } catch {
    // The cause might repeat a part of the key.
    throw new SigningKeysError(`${file} holds a private key that cannot be read.`)
  }
}

function readKeyFile(file: string): KeyFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new SigningKeysError(`The signing keys ${file} cannot be read (${code}).`)
  }
  const keys = parsed(text)
  if (keys === null) throw new SigningKeysError(`${file} is not a file of signing keys.`)
  return keys
}

function parsed(text: string): KeyFile | null {
  try {
    const file = JSON.parse(text) as Partial<KeyFile> | null
    const isWhole =
      typeof file?.name === 'string' &&
      /^[^\s+]+$/.test(file.name) &&
      typeof file.active === 'string' &&
      Array.isArray(file.keys) &&
      file.keys.every(isKeyEntry)
    return isWhole ? (file as KeyFile) : null
  } catch {
    // The caller reports that it is not a file of keys, without quoting any part of it.
    return null
  }
}

function isKeyEntry(entry: Partial<KeyEntry> | null): boolean {
  return (
    typeof entry?.id === 'string' &&
    typeof entry.publicKey === 'string' &&
    typeof entry.createdAt === 'string' &&
    (entry.privateKey === null || typeof entry.privateKey === 'string')
  )
}
