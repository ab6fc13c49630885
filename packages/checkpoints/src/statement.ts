/** The statement of a checkpoint, and its line in the file. */
import { hash } from 'node:crypto'
import {
  openNote,
  rootOf,
  signNote,
  UnsignedNoteError,
  type Signer,
  type Tree,
  type Verifier,
} from '@cupel/signing'

/** The hashed range of a partition. Hashes are in base64. */
export interface Extension {
  readonly topic: string
  readonly partition: number
  /** The first new offset; if the partition had no tree, its tree begins there. */
  readonly from: number
  /** The offset behind the last one. */
  readonly to: number
  /** Root of the hash tree over all records from the tree's first to `to`. */
  readonly root: string
  /** The roots of the subtrees of 256 records that became full. */
  readonly subtrees: readonly string[]
}

/** Records that the log no longer holds as they were hashed, accepted by an operator. Their trees end. */
export interface Acceptance {
  readonly by: string
  readonly reason: string
  readonly lost: readonly {
    readonly topic: string
    readonly partition: number
    readonly from: number
    readonly to: number
  }[]
}

export interface Statement {
  /** From 1, without gaps. */
  readonly number: number
  /** When it was signed: UTC, RFC 3339. */
  readonly time: string
  readonly log: string
  readonly partitions: readonly Extension[]
  /** Digest of the state of every partition at that time; see `digestOfState`. */
  readonly state: string
  readonly accepted: Acceptance | null
}

export interface SignedStatement {
  readonly statement: Statement
  readonly keyId: string
}

/** A line that is not a checkpoint, or not the one that belongs here. The message is a sentence. */
export class BadCheckpointError extends Error {
  override readonly name = 'BadCheckpointError'
}

/** The bytes of a statement's leaf in the hash tree over the checkpoints. */
export const statementBytes = (statement: Statement): Buffer => Buffer.from(JSON.stringify(statement))

/** SHA-256 in hex over topic, partition, first offset, next offset and root of every partition, in the order of their names. */
export function digestOfState(
  partitions: Iterable<{
    readonly topic: string
    readonly partition: number
    readonly first: number
    readonly tree: Tree
  }>,
): string {
  const rows = [...partitions].map(({ topic, partition, first, tree }) => {
    return [topic, partition, first, first + tree.size, rootOf(tree).toString('base64')] as const
  })
  rows.sort(([a, i], [b, j]) => (a === b ? i - j : a < b ? -1 : 1))
  return hash('sha256', JSON.stringify(rows), 'hex')
}

/**
 * The line of the file, with its newline. `tree` is the hash tree over all statements with this one. The note is a checkpoint of
 * C2SP (https://c2sp.org/tlog-checkpoint): name of the log of checkpoints, number of checkpoints, root.
 */
export function signedLine(statement: Statement, tree: Tree, signer: Signer): string {
  const note = signNote(noteText(signer.key.name, statement, tree), signer)
  return `${JSON.stringify({ statement, note })}\n`
}

function noteText(name: string, { log, number }: Statement, tree: Tree): string {
  return `${name}/checkpoints/${log}\n${number}\n${rootOf(tree).toString('base64')}\n`
}

/** The statement of a line without its newline, its signature not checked. Throws BadCheckpointError. */
export function parseLine(line: string): { readonly statement: Statement; readonly note: string } {
  const parsed = parsedOf(line)
  // A second spelling of a line would be a second, unsigned history.
  if (parsed === null || JSON.stringify(parsed) !== line)
    throw new BadCheckpointError('It is not a line of a checkpoint.')
  return parsed
}

/** Throws BadCheckpointError unless a known key signed the statement as the last one of the tree. */
export function checkSignature(
  { statement, note }: ReturnType<typeof parseLine>,
  tree: Tree,
  verifier: Verifier,
): SignedStatement {
  try {
    const { text, keyId } = openNote(note, verifier)
    const name = text.slice(0, Math.max(0, text.indexOf('/checkpoints/')))
    if (text !== noteText(name, statement, tree))
      throw new BadCheckpointError('What is signed is not this checkpoint after the ones before it.')
    return { statement, keyId }
  } catch (error) {
    if (error instanceof UnsignedNoteError) throw new BadCheckpointError(error.message)
    throw error
  }
}

function parsedOf(line: string): { statement: Statement; note: string } | null {
  try {
    const { statement, note } = JSON.parse(line) as { statement: Statement; note: unknown }
    const isWhole =
      typeof note === 'string' &&
      [
        statement.number,
        ...statement.partitions.flatMap(({ partition, from, to }) => [partition, from, to]),
      ].every((value) => Number.isSafeInteger(value) && value >= 0) &&
      statement.partitions.every(
        ({ topic, from, to, root, subtrees }) =>
          typeof topic === 'string' && typeof root === 'string' && to > from && subtrees.every(isText),
      ) &&
      [statement.time, statement.log, statement.state].every(isText) &&
      (statement.accepted === null ||
        statement.accepted.lost.every(({ topic, from }) => isText(topic) && from >= 0))
    return isWhole ? { statement, note } : null
  } catch {
    // The caller reports that it is none.
    return null
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'
