/** Checks whether a record of a public topic was written by the installation. */
import { exactUrlBytes, toBase64 } from '../base64.js'
import { ConfigurationError, RecordVerificationError } from '../errors.js'
import { hex, leafHash, rootOfPath, sha256, type Bytes } from './hash-tree.js'
import { verifyingKeys, type VerifyingKey } from './public-keys.js'

export type RecordHeader = string | Uint8Array | readonly (string | Uint8Array)[] | null | undefined

/** A record as clients of Kafka give it, not decoded. */
export interface ReceivedRecord {
  readonly topic: string
  readonly key: string | Uint8Array | null
  /** Null or empty for a record without a value. */
  readonly value: Uint8Array | null
  readonly headers: Readonly<Record<string, RecordHeader>> | undefined
}

export interface RecordVerifierOptions {
  /** The text of the file with public keys that the operator gave you: one key on each line. */
  readonly publicKeys: string
  /** The identity of the log, and those that it had before it was adopted; the operator gives them to you. */
  readonly logs: string | readonly string[]
  /** The installation's prefix of topics, if it has one. */
  readonly topicPrefix?: string | undefined
}

const SIGNATURE = 'cupel_signature'
/** Headers that the signature does not cover. */
const BESIDE: ReadonlySet<string> = new Set([SIGNATURE, 'cupel_mac'])
const FORM = /^([0-9a-f]{8})\.([1-9][0-9]{0,4})\.(0|[1-9][0-9]{0,4})\.([\w-]*)\.([\w-]{86})$/
const HASH_BYTES = 32
/** Maximum number of leaves of a tree that is read. */
const MAX_SIZE = 65_536
/** Number of batches whose signatures are remembered: the records of one are near each other. */
const MAX_REMEMBERED = 4_096

/**
 * Every record of a public topic carries the signature of its batch, and its path in the tree of the batch. The signature binds topic, key,
 * value, headers and log. It does not bind partition and offset: the transparency log shows order and completeness.
 */
export class RecordVerifier {
  readonly #keys: Promise<readonly VerifyingKey[]>
  readonly #logs: readonly string[]
  readonly #topicPrefix: string
  readonly #remembered = new Map<string, Promise<boolean>>()

  constructor({ publicKeys, logs, topicPrefix = '' }: RecordVerifierOptions) {
    this.#logs = [logs].flat()
    if (this.#logs.length === 0 || this.#logs.some((log) => log === ''))
      throw new ConfigurationError('The identity of the log is missing.')
    this.#topicPrefix = topicPrefix
    this.#keys = verifyingKeys(publicKeys)
    // `verify` rejects with the reason.
    this.#keys.catch(() => undefined)
  }

  /**
   * Resolves to the id of the key that signed the record; rejects with a RecordVerificationError if none of the keys did. Stop at such a
   * record, or leave it out.
   */
  async verify(record: ReceivedRecord): Promise<string> {
    const keys = await this.#keys
    const headers = headersOf(record)
    const { keyId, size, index, path, signature } = signatureIn(headers)
    const known = keys.filter(({ id }) => id === keyId)
    if (known.length === 0)
      throw new RecordVerificationError(
        'unknown_key',
        `The record is signed by the key ${keyId}, which is not among the given ones.`,
      )
    const leaf = await leafHash(await this.#entryOf(record, headers))
    const root = await rootOfPath(leaf, { index, size, path })
    if (root !== null)
      for (const key of known)
        for (const log of this.#logs)
          if (await this.#isSigned(key, { log, size, root, signature })) return keyId
    throw new RecordVerificationError('wrong_signature', `The record is not what the key ${keyId} signed.`)
  }

  async #entryOf(
    { topic, key, value }: ReceivedRecord,
    headers: ReadonlyMap<string, string>,
  ): Promise<Bytes> {
    if (!topic.startsWith(this.#topicPrefix))
      throw new RecordVerificationError(
        'wrong_signature',
        `The topic ${topic} does not begin with the prefix of the installation.`,
      )
    const names = [...headers.keys()].filter((name) => !BESIDE.has(name)).sort()
    const contents = [
      'cupel-record-1',
      topic.slice(this.#topicPrefix.length),
      key === null ? '' : textOf(key),
      names.map((name) => [name, headers.get(name)]),
      hex(await sha256(new Uint8Array(value ?? []))),
    ]
    return new TextEncoder().encode(JSON.stringify(contents))
  }

  #isSigned(
    key: VerifyingKey,
    { log, size, root, signature }: { log: string; size: number; root: Bytes; signature: Bytes },
  ): Promise<boolean> {
    const text = `${key.name}/batches/${log}\n${size}\n${toBase64(root)}\n`
    const batch = `${key.id} ${toBase64(signature)} ${text}`
    const known = this.#remembered.get(batch)
    if (known !== undefined) return known
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    const result = key.verify(new TextEncoder().encode(text), signature)
    this.#remembered.set(batch, result)
    return result
  }
}

interface BatchSignature {
  readonly keyId: string
  readonly size: number
  readonly index: number
  readonly path: readonly Bytes[]
  readonly signature: Bytes
}

function signatureIn(headers: ReadonlyMap<string, string>): BatchSignature {
  const header = headers.get(SIGNATURE)
  if (header === undefined)
    throw new RecordVerificationError('no_signature', 'The record carries no signature.')
  const [, keyId, size, index, path, signature] = FORM.exec(header) ?? []
  const [hashes, bytes] = [exactUrlBytes(path ?? '='), exactUrlBytes(signature ?? '=')]
  const place = { size: Number(size), index: Number(index) }
  const isWhole = place.size <= MAX_SIZE && place.index < place.size
  if (!isWhole || hashes === null || bytes === null || hashes.length % HASH_BYTES !== 0)
    throw malformed('The signature is malformed.')
  return {
    ...{ ...place, keyId: keyId!, signature: bytes },
    path: Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
      hashes.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    ),
  }
}

/** A record with two headers of a name is one that the installation does not write: each reader could take another one. */
function headersOf({ headers = {} }: ReceivedRecord): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [name, given] of Object.entries(headers)) {
    const values = Array.isArray(given)
      ? (given as readonly (string | Uint8Array)[])
      : [given as string | Uint8Array]
    if (given === undefined) continue
    if (values.length !== 1 || values[0] === null)
      throw malformed(`The header ${name} has not exactly one value.`)
    texts.set(name, textOf(values[0]!))
  }
  return texts
}

function textOf(given: string | Uint8Array): string {
  if (typeof given === 'string') return given
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(given)
  } catch {
    throw malformed('The key or a header is not text in UTF-8.')
  }
}

const malformed = (message: string): RecordVerificationError =>
  new RecordVerificationError('malformed', message)
