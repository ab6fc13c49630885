/**
 * The leaf of a record: salted hashes of the whole record, of the time that the log gave it, and of the document that may be shown by
 * itself. It names nothing in clear: a reader of leaves learns how many records there are.
 */
import { sha256 } from '@cupel/signing'
import { bytesOfBase64 } from './base64.js'

export interface Leaf {
  /** Hash of the record with its place. */
  readonly recordHash: Buffer
  readonly timeHash: Buffer
  /** Hash of the report exactly as callers receive it, or of the text of an entry of a case; null for any other record. */
  readonly documentHash: Buffer | null
}

export const HASH_BYTES = 32
const FORMAT = 'cupel-leaf-1'
const BASE64 = '[A-Za-z0-9+/]{43}='
const FORM = new RegExp(`^\\["${FORMAT}","(${BASE64})","(${BASE64})",(?:"(${BASE64})"|null)\\]$`)

/** The text of a leaf: a JSON array in its shortest spelling. The hash of the leaf is RFC 6962's of these bytes. */
export function leafEntry({ recordHash, timeHash, documentHash }: Leaf): string {
  const [record, time, document] = [recordHash, timeHash, documentHash].map(
    (each) => each?.toString('base64') ?? null,
  )
  return JSON.stringify([FORMAT, record, time, document])
}

/** Null if the text differs from what `leafEntry` makes. */
export function parseLeafEntry(entry: string): Leaf | null {
  const [, ...texts] = FORM.exec(entry) ?? []
  const [record, time, document] = texts.map((text) => bytesOfBase64(text ?? '', HASH_BYTES))
  if (!record || !time || (texts[2] !== undefined && document === null)) return null
  return { recordHash: record, timeHash: time, documentHash: document ?? null }
}

/** SHA-256 of the 32 bytes of the salt followed by the contents. */
export function saltedHash(salt: Uint8Array, contents: Uint8Array): Buffer {
  return sha256([salt, contents])
}
