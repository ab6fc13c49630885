/** Checks whether a record carries a signature of its batch by a known key. It needs only public keys. */
import { rootOfPath } from '../hash-tree.js'
import { verifier, type PublicKey } from '../signing-key.js'
import { parseSignature, SIGNATURE_HEADER } from './signature-header.js'
import { batchText, recordLeaf, type SignableRecord } from './sign-records.js'

export type SignatureVerdict =
  | { readonly kind: 'signed'; readonly keyId: string }
  | { readonly kind: 'no-signature' }
  /** The header is not a signature. */
  | { readonly kind: 'malformed' }
  /** No known key has this id. */
  | { readonly kind: 'unknown-key'; readonly keyId: string }
  /** The key did not sign a batch of this log with this record at this place. */
  | { readonly kind: 'wrong-signature'; readonly keyId: string }

/** `valueSha256` in hex, of a caller that has hashed the value. */
export type SignatureCheck = (record: SignableRecord, valueSha256?: string) => SignatureVerdict

/** Number of batches whose signatures are remembered; the records of one are near each other in several partitions. */
const MAX_REMEMBERED_BATCHES = 4_096

/** Checks records of the log with one of these identities: a copy of an adopted log contains records that were signed for the earlier log. */
export function createSignatureCheck(
  publicKeys: readonly PublicKey[],
  logs: readonly string[],
): SignatureCheck {
  const { knows, nameOf, verify } = verifier(publicKeys)
  const known = new Map<string, boolean>()

  function isSigned(keyId: string, text: Buffer, signature: Buffer): boolean {
    const batch = `${keyId} ${signature.toString('base64')} ${text.toString()}`
    const remembered = known.get(batch)
    if (remembered !== undefined) return remembered
    if (known.size >= MAX_REMEMBERED_BATCHES) known.clear()
    const result = verify(keyId, text, signature)
    known.set(batch, result)
    return result
  }

  return (record, valueSha256) => {
    const header = record.headers[SIGNATURE_HEADER]
    if (header === undefined) return { kind: 'no-signature' }
    const parsed = parseSignature(header)
    if (parsed === null) return { kind: 'malformed' }
    const { keyId, size, index, path, signature } = parsed
    if (!knows(keyId)) return { kind: 'unknown-key', keyId }
    const root = rootOfPath({ leaf: recordLeaf(record, valueSha256), index, size, path })
    const isOurs =
      root !== null &&
      logs.some((log) => isSigned(keyId, batchText(nameOf(keyId)!, log, size, root), signature))
    return { kind: isOurs ? 'signed' : 'wrong-signature', keyId }
  }
}
