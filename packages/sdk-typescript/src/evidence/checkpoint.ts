/** Checkpoints of C2SP: origin, number of leaves and root, as a signed note. */
import { exactBytes } from '../base64.js'
import { ProofVerificationError } from '../errors.js'
import { hex, type Bytes } from './hash-tree.js'
import type { VerifyingKey } from './public-keys.js'

export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly root: Bytes
  readonly keyId: string
}

const LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/
/** Characters that no note holds: some readers would see a carriage return and others would not. */
const CONTROL = /(?!\n)\p{Cc}/u
const KEY_ID_BYTES = 4
const MAX_SIGNATURES = 100

/** Rejects with a ProofVerificationError if no key signed it, or the signature of a known key is wrong. */
export async function openCheckpoint(note: string, keys: readonly VerifyingKey[]): Promise<Checkpoint> {
  const end = note.lastIndexOf('\n\n')
  const lines = note.slice(end + 2).split('\n')
  if (end < 0 || lines.pop() !== '' || lines.length > MAX_SIGNATURES || CONTROL.test(note))
    throw new ProofVerificationError('The checkpoint is not a signed note.')
  const text = note.slice(0, end + 1)
  const origin = note.slice(0, note.indexOf('\n'))
  // The key of a log is a key of the installation under the name of the log.
  const own = keys.filter(({ name }) => origin.startsWith(`${name}/transparency/`))
  const ids = await Promise.all(own.map((key) => key.idAs(origin)))
  let signed: VerifyingKey | null = null
  for (const { name, id, signature } of lines.map(signatureIn)) {
    const key = own[ids.indexOf(id)]
    if (key === undefined || name !== origin) continue
    if (!(await key.verify(new TextEncoder().encode(text), signature)))
      throw new ProofVerificationError(`The signature of the key ${id} on the checkpoint is wrong.`)
    signed ??= key
  }
  if (signed === null) throw new ProofVerificationError('None of the given keys signed the checkpoint.')
  return checkpointIn(text, signed)
}

function signatureIn(line: string) {
  const [, name, base64] = LINE.exec(line) ?? []
  const bytes = base64 === undefined ? null : exactBytes(base64)
  if (bytes === null || bytes.length <= KEY_ID_BYTES)
    throw new ProofVerificationError('A line of the signatures of the checkpoint is not well-formed.')
  return { name: name!, id: hex(bytes.slice(0, KEY_ID_BYTES)), signature: bytes.slice(KEY_ID_BYTES) }
}

function checkpointIn(text: string, { id }: VerifyingKey): Checkpoint {
  const [origin = '', size = '', base64 = '', last, ...more] = text.split('\n')
  const root = exactBytes(base64)
  const isWhole =
    last === '' &&
    more.length === 0 &&
    /^[!-*,-~]+$/.test(origin) &&
    /^(?:0|[1-9][0-9]{0,15})$/.test(size) &&
    Number.isSafeInteger(Number(size))
  if (!isWhole || root?.length !== 32)
    throw new ProofVerificationError('The signed text is not a checkpoint.')
  return { origin, size: Number(size), root, keyId: id }
}
