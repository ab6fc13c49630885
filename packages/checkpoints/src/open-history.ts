/** Finds the last checkpoint and completes what a crash cut off. Refuses to start if files, database and log contradict each other. */
import { type EventLog, placeOf, rangeOf } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import {
  checkpointFile,
  CheckpointsStoppedError,
  endsWith,
  levelFiles,
  sizeOf,
  writeLine,
} from './checkpoint-files.js'
import { shorterLog } from './extend.js'
import { leafPages } from './record-leaf.js'
import { loadState, nextOf, type Head, type State } from './state.js'
import type { Verifier } from '@cupel/signing'
import { BadCheckpointError, checkSignature, digestOfState, parseLine } from './statement.js'

export interface HistoryParts {
  readonly log: EventLog
  readonly database: Database
  /** The first folder is the home's; the others hold copies. */
  readonly folders: readonly string[]
  readonly verifier: Verifier
}

export interface History extends State {
  readonly log: string
  readonly files: readonly string[]
}

/** Throws CheckpointsStoppedError with a sentence that says what to do, and the errors of database, files and log. */
export async function openHistory(parts: HistoryParts): Promise<History> {
  const { log, database, folders } = parts
  const identity = await log.identity()
  const files = folders.map((folder) => checkpointFile(folder, identity))
  await levelFiles(files)
  const state = await loadState(database, identity)
  const history = { log: identity, files, ...state }
  const { head } = state
  if (head === null) {
    if ((await sizeOf(files[0]!)) === 0) return history
    throw olderDatabase(files[0]!, 'knows none of them')
  }
  requireSigned(head, state, parts.verifier)
  await writeLine(files, head.position, head.line)
  if (await endsWith(files[0]!, head.position, head.line)) return history
  // Another writer may have made the next checkpoint meanwhile.
  if ((await loadState(database, identity)).head?.number !== head.number) return await openHistory(parts)
  throw olderDatabase(files[0]!, `ends at checkpoint ${head.number}`)
}

/** A row of the database becomes a line of the file only if it has the signature of this installation. */
function requireSigned({ line, number, tree }: Head, { partitions }: State, verifier: Verifier): void {
  try {
    const { statement } = checkSignature(parseLine(line.slice(0, -1)), tree, verifier)
    if (statement.number === number && statement.state === digestOfState(partitions.values())) return
  } catch (error) {
    if (!(error instanceof BadCheckpointError)) throw error
  }
  throw new CheckpointsStoppedError(
    `The rows of checkpoint ${number} in the database are not those that were signed: restore the database. Where only these rows were lost, take what the files say: cupel log accept-shorter --reason "…"`,
  )
}

/** Whether the log still ends at the signed state, or continues it. Throws CheckpointsStoppedError. */
export async function requireSameEnds(
  log: EventLog,
  { partitions }: Pick<History, 'partitions'>,
): Promise<void> {
  const signed = await Promise.all(
    [...partitions.values()].map(async (state) => {
      const { from: start, to: end } = await rangeOf(log, state)
      return { state, start, end }
    }),
  )
  for (const { state, start, end } of signed) {
    const next = nextOf(state)
    if (end < next) throw shorterLog(state, end, next)
    if (start >= next) continue
    for await (const [leaf] of leafPages(log, state, { from: next - 1, to: next }))
      if (!leaf!.equals(state.lastLeaf))
        throw new CheckpointsStoppedError(
          `The record ${next - 1} of ${placeOf(state)} is not the one that was signed: the log was changed, or an older one was restored and went on. Compare them (cupel audit verify), then restore the log, or accept the loss: cupel log accept-shorter --reason "…"`,
        )
  }
}

export function olderDatabase(file: string, what: string): CheckpointsStoppedError {
  return new CheckpointsStoppedError(
    `${file} holds later checkpoints than the database, which ${what}: an older database was restored, or two installations write into this folder. Compare them (cupel audit verify), then restore the newer database, or accept this one: cupel log accept-shorter --reason "…"`,
  )
}
