/**
 * One Ed25519 signature for a batch of records: over the root of the hash tree of RFC 6962 whose leaves are the records. Each record
 * carries the signature and its path in the tree, so that it can be checked by itself, with public keys.
 */
import { hash } from 'node:crypto'
import { leafHash, wholeTree } from '../hash-tree.js'
import type { Signer } from '../signing-key.js'
import { formatSignature, SIGNATURE_HEADER } from './signature-header.js'

export { SIGNATURE_HEADER } from './signature-header.js'

/** The content that a signature covers. Topics are without the prefix of the installation. */
export interface SignableRecord {
  readonly topic: string
  readonly key: string
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
}

const FORMAT = 'cupel-record-1'
/** Headers that are added after the leaf is made. */
const BESIDE: ReadonlySet<string> = new Set([SIGNATURE_HEADER, 'cupel_mac'])

/**
 * The leaf of a record: RFC 6962's leaf hash of a JSON array in UTF-8 of format, topic, key, every other header in the order of the
 * names, and SHA-256 of the value in hex. The value of a report names its id, account, environment, request and document.
 * A caller that has hashed the value passes its hash.
 */
export function recordLeaf(
  { topic, key, headers, value }: SignableRecord,
  valueSha256 = hash('sha256', value, 'hex'),
): Buffer {
  const names = Object.keys(headers).filter((name) => !BESIDE.has(name))
  const contents = names.sort().map((name) => [name, headers[name]])
  return leafHash(Buffer.from(JSON.stringify([FORMAT, topic, key, contents, valueSha256])))
}

/** The signed text: a C2SP checkpoint whose origin says that it is a batch of records of this log. */
export function batchText(keyName: string, log: string, size: number, root: Buffer): Buffer {
  return Buffer.from(`${keyName}/batches/${log}\n${size}\n${root.toString('base64')}\n`)
}

/** The records in their order, each with the signature of the batch instead of any other. `log` is the identity of the log. */
export function signRecords<T extends SignableRecord>(
  records: readonly T[],
  { signer, log }: { readonly signer: Signer; readonly log: string },
): T[] {
  if (records.length === 0) return []
  const tree = wholeTree(records.map((record) => recordLeaf(record)))
  const size = records.length
  const signature = signer.sign(batchText(signer.key.name, log, size, tree.root))
  return records.map((record, index) => {
    const text = formatSignature({ keyId: signer.key.id, size, index, path: tree.path(index), signature })
    return { ...record, headers: { ...record.headers, [SIGNATURE_HEADER]: text } }
  })
}
