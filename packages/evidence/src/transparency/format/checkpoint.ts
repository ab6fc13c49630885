/** Checkpoints of C2SP (https://c2sp.org/tlog-checkpoint): origin, number of leaves and root, as a signed note. */
import {
  keyNamed,
  openNote,
  rootOf,
  signNote,
  verifier,
  type PublicKey,
  type Signer,
  type Tree,
  type Verifier,
} from '@cupel/signing'
import { bytesOfBase64, numberOf } from './base64.js'
import { HASH_BYTES } from './leaf.js'

export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly root: Buffer
}

/** The name of the transparency log: the name of the installation's keys, and the log whose events are its leaves. */
export const originOf = ({ name }: Pick<PublicKey, 'name'>, log: string): string =>
  `${name}/transparency/${log}`

/** The key of a log: a key of the installation under the origin of its checkpoints, as C2SP recommends and tlog-policy requires. */
export const logKey = (key: PublicKey, log: string): PublicKey => keyNamed(originOf(key, log), key)

export function signCheckpoint(origin: string, tree: Tree, { key, sign }: Signer): string {
  const text = `${origin}\n${tree.size}\n${rootOf(tree).toString('base64')}\n`
  return signNote(text, { key: keyNamed(origin, key), sign })
}

/** Null if the text is not a checkpoint, or has extra lines, which this package never writes. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const lines = text.split('\n')
  if (lines.length !== 4 || lines[3] !== '') return null
  const [origin, size, root] = [lines[0]!, numberOf(lines[1]!), bytesOfBase64(lines[2]!, HASH_BYTES)]
  if (!/^[!-*,-~]+$/.test(origin) || size === null || root === null) return null
  return { origin, size, root }
}

export interface OpenedCheckpoint extends Checkpoint {
  /** Of the installation. */
  readonly key: PublicKey
}

/**
 * The checkpoint of a note that a key of the log signed: a key of the installation with whose name the origin begins. Null if it is not a
 * checkpoint; throws UnsignedNoteError if the signature is missing or wrong.
 */
export function openCheckpoint(
  note: string,
  { publicKeys }: Pick<Verifier, 'publicKeys'>,
): OpenedCheckpoint | null {
  const origin = note.slice(0, note.indexOf('\n'))
  const own = publicKeys.filter(({ name }) => origin.startsWith(`${name}/transparency/`))
  const named = own.map((key) => keyNamed(origin, key))
  const { text, keyId } = openNote(note, verifier(named))
  const checkpoint = parseCheckpoint(text)
  return checkpoint && { ...checkpoint, key: own[named.findIndex(({ id }) => id === keyId)]! }
}
