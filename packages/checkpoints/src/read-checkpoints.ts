/** The checkpoints of a file in their order, each with its signature checked. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { appendLeaf, EMPTY_TREE, leafHash, type Tree, type Verifier } from '@cupel/signing'
import { sizeOf } from './checkpoint-files.js'
import {
  BadCheckpointError,
  checkSignature,
  parseLine,
  statementBytes,
  type SignedStatement,
} from './statement.js'

export interface ReadCheckpoint extends SignedStatement {
  readonly line: string
  readonly position: number
  /** The tree over the statements up to this one. */
  readonly tree: Tree
}

export interface CheckpointSource {
  readonly file: string
  readonly log: string
  readonly verifier: Verifier
  /** A line that is stored and perhaps not yet written: it is read after those of the file. */
  readonly lastLine?: string | undefined
}

/**
 * Ends before a last line without its newline: its write was cut off. Throws BadCheckpointError, which names the number, at the first
 * checkpoint that is not the signed next one.
 */
export async function* readCheckpoints(source: CheckpointSource): AsyncGenerator<ReadCheckpoint> {
  let tree: Tree = EMPTY_TREE
  let position = 0
  for await (const line of linesOf(source)) {
    const read = check(line, tree, source)
    tree = read.tree
    yield { ...read, line, position }
    position += Buffer.byteLength(line) + 1
  }
}

function check(
  line: string,
  before: Tree,
  { log, verifier }: CheckpointSource,
): Omit<ReadCheckpoint, 'line' | 'position'> {
  const number = before.size + 1
  try {
    const parsed = parseLine(line)
    const { statement } = parsed
    if (statement.number !== number) throw new BadCheckpointError(`The one after it is ${statement.number}.`)
    if (statement.log !== log) throw new BadCheckpointError(`It is of the log ${statement.log}.`)
    const tree = appendLeaf(before, leafHash(statementBytes(statement)))
    return { ...checkSignature(parsed, tree, verifier), tree }
  } catch (error) {
    if (!(error instanceof BadCheckpointError)) throw error
    throw new BadCheckpointError(`Checkpoint ${number} is not the one that was signed: ${error.message}`, {
      cause: error,
    })
  }
}

async function* linesOf({ file, lastLine }: CheckpointSource): AsyncGenerator<string> {
  const size = await sizeOf(file)
  let last = ''
  if (size > 0) {
    const stream = createReadStream(file, { end: size - 1, encoding: 'utf8' })
    // A line is held back until the next one begins, so that a line without its newline is not read.
    let waiting: string | null = null
    let rest = ''
    stream.on('data', (chunk) => (rest = String(chunk).slice(-1)))
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      if (waiting !== null) yield (last = waiting)
      waiting = line
    }
    if (waiting !== null && rest === '\n') yield (last = waiting)
  }
  const stored = lastLine?.slice(0, -1)
  if (stored !== undefined && stored !== last && numberOf(stored) === numberOf(last) + 1) yield stored
}

function numberOf(line: string): number {
  return line === '' ? 0 : parseLine(line).statement.number
}
