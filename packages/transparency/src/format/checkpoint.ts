/** Checkpoints of C2SP (https://c2sp.org/tlog-checkpoint): origin, number of leaves and root, as a signed note. */
import { openNote, rootOf, signNote, type PublicKey, type Signer, type Tree } from '@cupel/signing'
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

export function signCheckpoint(origin: string, tree: Tree, signer: Signer): string {
  return signNote(`${origin}\n${tree.size}\n${rootOf(tree).toString('base64')}\n`, signer)
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
  readonly keyId: string
}

/**
 * The checkpoint of a note that a key of the log signed: a key whose name the origin begins with. Null if it is not a checkpoint; throws
 * UnsignedNoteError if the signature is missing or wrong.
 */
export function openCheckpoint(note: string, open: Parameters<typeof openNote>[1]): OpenedCheckpoint | null {
  const { text, keyId, keyName } = openNote(note, open)
  const checkpoint = parseCheckpoint(text)
  if (checkpoint === null || !checkpoint.origin.startsWith(`${keyName}/transparency/`)) return null
  return { ...checkpoint, keyId }
}
