/**
 * The leaf of an event: its position in the log, and salted hashes of its contents. A reader of leaves learns nothing about the
 * contents, and a leaf stays valid when contents and salt are erased.
 */
import { hash } from 'node:crypto'
import { bytesOfBase64, numberOf } from './base64.js'

export interface Leaf {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Empty if the event has an id that a leaf cannot hold. */
  readonly eventId: string
  /** Hash of the record's value. */
  readonly valueHash: Buffer
  /** Hash of the report exactly as callers receive it; null if the event is not a report. */
  readonly documentHash: Buffer | null
}

export const HASH_BYTES = 32
/** Random bytes of one leaf, from which its two salts are derived. */
export const SEED_BYTES = 32
const FORMAT = 'cupel-leaf-1'
const BASE64 = '[A-Za-z0-9+/]{43}='
/** ASCII that JSON writes unchanged. */
const ID = '[ !#-\\[\\]-~]{0,200}'
const WHOLE_ID = new RegExp(`^${ID}$`)
const FORM = new RegExp(
  `^\\["${FORMAT}","([A-Za-z0-9._-]{1,250})",([0-9]+),([0-9]+),"(${ID})","(${BASE64})",(?:"(${BASE64})"|null)\\]$`,
)

/** The text of a leaf: a JSON array in its shortest spelling. The hash of the leaf is RFC 6962's of these bytes. */
export function leafEntry({ topic, partition, offset, eventId, ...hashes }: Leaf): string {
  const id = WHOLE_ID.test(eventId) ? eventId : ''
  const [value, document] = [hashes.valueHash, hashes.documentHash].map(
    (each) => each?.toString('base64') ?? null,
  )
  return JSON.stringify([FORMAT, topic, partition, offset, id, value, document])
}

/** Null if the text differs from what `leafEntry` makes. */
export function parseLeafEntry(entry: string): Leaf | null {
  const [, topic, partition, offset, eventId, value, document] = FORM.exec(entry) ?? []
  if (topic === undefined) return null
  const numbers = [numberOf(partition!), numberOf(offset!)] as const
  const valueHash = bytesOfBase64(value!, HASH_BYTES)
  const documentHash = document === undefined ? null : bytesOfBase64(document, HASH_BYTES)
  if (numbers[0] === null || numbers[1] === null || valueHash === null) return null
  if (document !== undefined && documentHash === null) return null
  return { topic, partition: numbers[0], offset: numbers[1], eventId: eventId!, valueHash, documentHash }
}

/** SHA-256 of the 32 bytes of the salt followed by the contents. */
export function saltedHash(salt: Uint8Array, contents: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([salt, contents]), 'buffer')
}

/** The salts of a leaf. The holder of one of them cannot test contents against the other hash. */
export const valueSalt = (seed: Uint8Array): Buffer => saltedHash(seed, Buffer.from('value'))
export const documentSalt = (seed: Uint8Array): Buffer => saltedHash(seed, Buffer.from('document'))
