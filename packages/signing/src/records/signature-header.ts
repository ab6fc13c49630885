/** The header of a signed record: `<key id>.<leaves>.<leaf index>.<path>.<signature>`; path and signature in base64url. */

export const SIGNATURE_HEADER = 'cupel_signature'

export interface RecordSignature {
  /** As in C2SP: 8 hex characters. */
  readonly keyId: string
  /** Number of leaves in the tree of the batch, and the index of the record's leaf. */
  readonly size: number
  readonly index: number
  /** The inclusion path, from the leaf up: hashes of 32 bytes. */
  readonly path: readonly Buffer[]
  /** 64 bytes. */
  readonly signature: Buffer
}

/** Maximum number of leaves of a tree that is read. */
const MAX_SIZE = 65_536
const HASH_BYTES = 32
const SIGNATURE_BYTES = 64
const FORM = /^([0-9a-f]{8})\.([1-9][0-9]{0,4})\.(0|[1-9][0-9]{0,4})\.([\w-]*)\.([\w-]+)$/

export function formatSignature({ keyId, size, index, path, signature }: RecordSignature): string {
  return [
    keyId,
    size,
    index,
    Buffer.concat(path).toString('base64url'),
    signature.toString('base64url'),
  ].join('.')
}

/** Null if the text differs from what `formatSignature` makes: a signature has exactly one spelling. */
export function parseSignature(text: string): RecordSignature | null {
  const [, keyId, size, index, path, signature] = FORM.exec(text) ?? []
  if (keyId === undefined) return null
  const bytes = Buffer.from(path!, 'base64url')
  const parsed: RecordSignature = {
    keyId,
    size: Number(size),
    index: Number(index),
    path: Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
      bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    ),
    signature: Buffer.from(signature!, 'base64url'),
  }
  const isWhole =
    parsed.size <= MAX_SIZE &&
    parsed.index < parsed.size &&
    parsed.signature.length === SIGNATURE_BYTES &&
    formatSignature(parsed) === text
  return isWhole ? parsed : null
}
