/** Compares a log with its checkpoints. It changes nothing, and its memory does not grow with the log. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventLog, type Place, placeOf, rangeOf } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { Verifier } from '@cupel/signing'
import { checkpointFile, holds, sizeOf } from './checkpoint-files.js'
import {
  comparePartition,
  type NumberedExtension,
  type PartitionComparer,
  type PartitionComparison,
} from './compare-partition.js'
import { readCheckpoints, type ReadCheckpoint } from './read-checkpoints.js'
import { loadState } from './state.js'
import { BadCheckpointError, type Acceptance } from './statement.js'

export interface LogComparison {
  /** The last valid checkpoint; null if there is none. */
  readonly last: ReadCheckpoint | null
  /** Sentences about the files. Checkpoints after the first fault are not compared. */
  readonly faults: readonly string[]
  readonly partitions: readonly PartitionComparison[]
  /** Losses that operators accepted, each with the number of its checkpoint. */
  readonly accepted: readonly (Acceptance & { readonly number: number; readonly time: string })[]
}

export interface CompareOptions {
  readonly log: EventLog
  readonly database: Database
  /** The folder to compare. */
  readonly folder: string
  readonly verifier: Verifier
  /**
   * How long the file may lack the checkpoint that the database stored last, in milliseconds. Absent: it may lack it, as after a crash
   * between the two writes; the database has its line.
   */
  readonly writeGraceMs?: number
  readonly onProgress?: (progress: { readonly number: number }) => void
}

/** Extensions in memory at once: some ten megabytes. */
const MAX_EXTENSIONS = 20_000

/** Throws the errors of log, database and files; the answer lists faults of the evidence. */
export async function compareLog(options: CompareOptions): Promise<LogComparison> {
  const { log, database, folder, verifier, onProgress } = options
  const identity = await log.identity()
  const file = checkpointFile(folder, identity)
  const before = (await loadState(database, identity)).head
  const trees = createTrees(log)
  const faults: string[] = []
  const accepted: LogComparison['accepted'][number][] = []
  let last: ReadCheckpoint | null = null
  try {
    for await (const read of readCheckpoints({ file, log: identity, verifier, lastLine: before?.line })) {
      const { number, time, partitions, accepted: acceptance } = read.statement
      await trees.add(partitions.map((extension) => ({ ...extension, number })))
      if (acceptance !== null) {
        await trees.end(acceptance.lost)
        accepted.push({ ...acceptance, number, time })
      }
      last = read
      onProgress?.({ number })
    }
    await trees.flush()
  } catch (error) {
    if (!(error instanceof BadCheckpointError)) throw error
    faults.push(error.message)
    await trees.flush()
  }
  const missing = await whatIsMissing(options, file, last?.statement.number ?? 0, before?.number ?? 0)
  if (faults.length === 0 && missing !== null) faults.push(missing)
  const unwritten = before === null ? null : await whatIsUnwritten(options, file, before)
  if (faults.length === 0 && unwritten !== null) faults.push(unwritten)
  return { last, faults, accepted, partitions: trees.results() }
}

const GRACE_REST_MS = 50

async function whatIsUnwritten(
  { writeGraceMs }: CompareOptions,
  file: string,
  { number, position, line }: { readonly number: number; readonly position: number; readonly line: string },
): Promise<string | null> {
  if (writeGraceMs === undefined) return null
  const until = performance.now() + writeGraceMs
  while (!(await holds(file, position, line))) {
    if (performance.now() >= until)
      return `${file} lacks checkpoint ${number}, which the database has: it was removed or changed there, or the projector was ended before it wrote it. Start the projector, which completes the file, and verify again.`
    await sleep(GRACE_REST_MS)
  }
  return null
}

async function whatIsMissing(
  { log, database }: CompareOptions,
  file: string,
  last: number,
  before: number,
): Promise<string | null> {
  if (last < before)
    return `${file} ${last === 0 ? 'is missing or empty' : `ends at checkpoint ${last}`}, and ${before} were made: checkpoints are missing.`
  const after = (await loadState(database, await log.identity())).head?.number ?? 0
  if (last > after)
    return `${file} goes to checkpoint ${last}, and the database knows ${after === 0 ? 'none' : `no more than ${after}`}: an older database was restored, or its rows were changed.`
  const size = await sizeOf(file)
  return size === 0 && last > 0 ? `${file} is missing or empty.` : null
}

/** The trees of all partitions. A tree ends where an operator accepted a loss, and a new one begins. */
function createTrees(log: EventLog) {
  const open = new Map<string, { comparer: PartitionComparer; next: number }>()
  const ended: PartitionComparison[] = []
  let waiting = new Map<string, { place: Place; extensions: NumberedExtension[] }>()
  let count = 0

  async function add(extensions: readonly NumberedExtension[]): Promise<void> {
    for (const extension of extensions) {
      const key = placeOf(extension)
      const list = waiting.get(key) ?? {
        place: { topic: extension.topic, partition: extension.partition },
        extensions: [],
      }
      list.extensions.push(extension)
      waiting.set(key, list)
    }
    count += extensions.length
    if (count >= MAX_EXTENSIONS) await flush()
  }

  async function flush(): Promise<void> {
    const all = waiting
    waiting = new Map()
    count = 0
    for (const [key, { place, extensions }] of all) {
      const tree = open.get(key) ?? (await begin(place, extensions[0]!.from))
      open.set(key, tree)
      for (const { from, to, number } of extensions) {
        if (from !== tree.next)
          throw new BadCheckpointError(
            `Checkpoint ${number} goes on at offset ${from} of ${key}, and the one before it ended at ${tree.next}.`,
          )
        tree.next = to
      }
      await tree.comparer.compare(extensions)
    }
  }

  async function begin(place: Place, first: number): Promise<{ comparer: PartitionComparer; next: number }> {
    const { from: start, to: end } = await rangeOf(log, place)
    return { comparer: comparePartition(log, place, first, { start, end }), next: first }
  }

  async function end(lost: Acceptance['lost']): Promise<void> {
    await flush()
    for (const { topic, partition, from } of lost) {
      const key = placeOf({ topic, partition })
      const result = open.get(key)?.comparer.result()
      open.delete(key)
      // The accepted loss lies behind `from`; a difference before it arose later.
      if (result !== undefined)
        ended.push({
          ...result,
          differences: result.differences.filter((difference) => difference.from < from),
        })
    }
  }

  const results = (): PartitionComparison[] => [
    ...ended,
    ...[...open.values()].map(({ comparer }) => comparer.result()),
  ]

  return { add, end, results, flush }
}
