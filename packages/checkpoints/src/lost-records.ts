/** Tells whether a log lacks signed records: a process that starts on such a log would continue as if they never existed. */
import { open, type FileHandle } from 'node:fs/promises'
import type { EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { openNote, UnsignedNoteError, type Verifier } from '@cupel/signing'
import { checkpointFile, CheckpointsStoppedError } from './checkpoint-files.js'
import { olderDatabase, requireSameEnds, type HistoryParts } from './open-history.js'
import { loadState, type PartitionState } from './state.js'
import { BadCheckpointError, parseLine } from './statement.js'

/** Bytes to read from the end of a file to find its last line. A longer last line is ignored. */
const TAIL_BYTES = 1024 * 1024
/** Partitions whose last records are read at once. */
const CONCURRENT_PARTITIONS = 16

/**
 * A sentence that says what is gone and what to do; null if nothing is. Unreadable or unsigned files prove no loss: the running checkpoints
 * report them. Throws the errors of log and database.
 */
export async function lostRecords(parts: HistoryParts): Promise<string | null> {
  const { log, database, folders, verifier } = parts
  const identity = await log.identity()
  const { head, partitions } = await loadState(database, identity)
  for (const folder of folders) {
    const file = checkpointFile(folder, identity)
    const number = await lastSigned(file, identity, verifier)
    // A checkpoint is in the database before it is in a file.
    if (number > (head?.number ?? 0) && !(await hasCaughtUp(database, identity, number)))
      return olderDatabase(file, head === null ? 'knows none of them' : `ends at checkpoint ${head.number}`)
        .message
  }
  return await otherEnd(log, [...partitions.values()])
}

/** Whether another process has made the checkpoint since. */
async function hasCaughtUp(database: Database, log: string, number: number): Promise<boolean> {
  return ((await loadState(database, log)).head?.number ?? 0) >= number
}

async function otherEnd(log: EventLog, states: readonly PartitionState[]): Promise<string | null> {
  for (let from = 0; from < states.length; from += CONCURRENT_PARTITIONS) {
    const some = states.slice(from, from + CONCURRENT_PARTITIONS)
    const looks = some.map((state) => requireSameEnds(log, { partitions: new Map([['', state]]) }))
    const failed = (await Promise.allSettled(looks)).find(({ status }) => status === 'rejected')
    if (failed?.status !== 'rejected') continue
    if (failed.reason instanceof CheckpointsStoppedError) return failed.reason.message
    throw failed.reason
  }
  return null
}

/** The number of the last checkpoint in the file that a known key signed; 0 if there is none, or if the file cannot be read. */
async function lastSigned(file: string, log: string, verifier: Verifier): Promise<number> {
  try {
    const line = await lastLine(file)
    if (line === null) return 0
    const { note, statement } = parseLine(line)
    const { text } = openNote(note, verifier)
    const [origin, number] = text.split('\n')
    return origin!.endsWith(`/checkpoints/${log}`) && Number(number) === statement.number
      ? statement.number
      : 0
  } catch (error) {
    const isOfFile =
      error instanceof BadCheckpointError ||
      error instanceof UnsignedNoteError ||
      (error as NodeJS.ErrnoException).syscall !== undefined
    // An outage of the folder prevents no start, and an unsigned line proves nothing.
    if (isOfFile) return 0
    throw error
  }
}

async function lastLine(file: string): Promise<string | null> {
  const handle: FileHandle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    const text = buffer.toString('utf8', 0, bytesRead)
    // Text after the last newline was cut off.
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
    return lines.at(-2) ?? null
  } finally {
    await handle.close()
  }
}
