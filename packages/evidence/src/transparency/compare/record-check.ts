/** Compares the leaves of one partition with its records. It is work for any thread: what it takes and returns is plain data. */
import {
  type AuthenticLog,
  type EventCodec,
  type ForgeryCheck,
  type LogRecord,
  LogStoppedError,
  type Place,
  timeOfRecord,
  UndecodableRecordError,
} from '@cupel/event-log'
import { documentDecoder, documentPartOf, recordHashOf, timeHashOf } from '../leaf-of-record.js'
import { parseLeafEntry } from '../format/leaf.js'
import type { LeafProblemKind } from './findings.js'

/** Leaves of one partition in the order of their offsets, and the offsets at which their records are looked for. */
export interface LeafRun extends Place {
  /** Oldest offset of the log, and the offset after its last one. */
  readonly start: number
  readonly end: number
  /** Records from this offset on are read... */
  readonly next: number
  /** ...up to before this one: each of the installation must have one of the leaves. */
  readonly to: number
  readonly leaves: readonly RunLeaf[]
  /** Whether the time of each record is compared, where the log gives one. */
  readonly checksTimes: boolean
  /** Whether the log may end before the leaves do. */
  readonly endsEarlier: boolean
}

export interface RunLeaf {
  readonly index: number
  readonly offset: number
  /** The text of the leaf. */
  readonly entry: string
  /** The document that the row of the leaf names; absent for a leaf of a file. */
  readonly row?: { readonly documentId: string | null; readonly salt: Uint8Array | null }
}

export interface ComparedRun {
  /** Number of records that agree with their leaves. */
  readonly records: number
  /** By leaf of the run, the time of a record that agrees, in milliseconds since 1970; 0 for any other. */
  readonly times: Float64Array
  /** Index of the last leaf that agrees, or whose record retention has cut; null if there is none. */
  readonly last: number | null
  /** Offset of the last record that agrees. */
  readonly lastOffset: number | null
  readonly problems: readonly RunProblem[]
  /** Sentences. */
  readonly faults: readonly string[]
}

export interface RunProblem {
  readonly kind: LeafProblemKind
  readonly offset: number
  /** Null if the record has no leaf. */
  readonly index: number | null
  readonly since?: string | null
}

export type CompareRun = (run: LeafRun) => Promise<ComparedRun>

export async function createRunComparison(parts: {
  readonly log: AuthenticLog
  readonly codec: EventCodec
}): Promise<CompareRun> {
  const { log, codec } = parts
  const forgeryOf = await log.forgeryCheck()
  const agrees = leafCheck(codec)
  return async (run) => await compareRun(run, { log, forgeryOf, agrees })
}

async function compareRun(
  run: LeafRun,
  {
    log,
    forgeryOf,
    agrees,
  }: { readonly log: AuthenticLog; readonly forgeryOf: ForgeryCheck; readonly agrees: LeafCheck },
): Promise<ComparedRun> {
  const { leaves, start, end, endsEarlier } = run
  const times = new Float64Array(leaves.length)
  const problems: RunProblem[] = []
  const faults: string[] = []
  let [records, at] = [0, 0]
  let last: number | null = null
  let lastOffset: number | null = null
  const missing = ({ index, offset }: RunLeaf): void => {
    if (offset < start) last = index
    else if (!endsEarlier || offset < end) problems.push({ kind: 'no-record', offset, index })
  }
  for await (const record of recordsOf(log, run, Math.min(run.to, end), (fault) => faults.push(fault))) {
    const { offset } = record
    for (; (leaves[at]?.offset ?? Infinity) < offset; at += 1) missing(leaves[at]!)
    const leaf = leaves[at]
    if (leaf?.offset !== offset) {
      if (forgeryOf(record) === null)
        problems.push({ kind: 'no-leaf', offset, index: null, since: timeOfRecord(record) })
      continue
    }
    const wrong = agrees(record, leaf, run.checksTimes)
    if (wrong !== null) problems.push({ kind: wrong, offset, index: leaf.index })
    else {
      records += 1
      times[at] = Date.parse(timeOfRecord(record) ?? '') || 0
      last = leaf.index
      lastOffset = offset
    }
    at += 1
  }
  for (const leaf of leaves.slice(at)) missing(leaf)
  return { records, times, last, lastOffset, problems, faults }
}

/** Maximum number of missing records after which a partition is not read further, in one pass. */
const MAX_GAPS = 100

/** The records from `next` on, below `end`, including those of other producers. Missing records are skipped, and reading continues. */
export async function* recordsOf(
  { unchecked }: AuthenticLog,
  { topic, partition, next }: Place & { readonly next: number },
  end: number,
  onFault: (sentence: string) => void,
): AsyncGenerator<LogRecord> {
  // A log that lacks a record rejects its page: halves of the page are read, down to the missing record.
  const ranges = next < end ? [{ from: next, to: end }] : []
  let gaps = 0
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    let { from } = range
    const { to } = range
    try {
      for await (const records of unchecked.read({ topic, partition, from, to }))
        for (const record of records) {
          yield record
          from = record.offset + 1
        }
    } catch (error) {
      if (!(error instanceof LogStoppedError)) throw error
      if (to - from > 1) {
        const middle = from + Math.floor((to - from) / 2)
        ranges.push({ from: middle, to }, { from, to: middle })
      } else gaps += 1
      if (gaps <= MAX_GAPS) continue
      onFault(`${topic}/${partition} cannot be read behind offset ${from}, to be compared with its leaves.`)
      return
    }
  }
}

type LeafCheck = (record: LogRecord, leaf: RunLeaf, checksTimes: boolean) => LeafProblemKind | null

function leafCheck(codec: EventCodec): LeafCheck {
  const documentOf = documentDecoder(codec)
  const documentOrNull = (record: LogRecord): ReturnType<typeof documentPartOf> => {
    try {
      return documentPartOf(record, documentOf)
    } catch (error) {
      // The verification of the log reports a record that cannot be decoded.
      if (error instanceof UndecodableRecordError) return null
      throw error
    }
  }
  return (record, { entry, row }, checksTimes) => {
    const leaf = parseLeafEntry(entry)
    if (leaf === null || !recordHashOf(record).equals(leaf.recordHash)) return 'other-record'
    if (checksTimes && timeHashOf(record)?.equals(leaf.timeHash) === false) return 'other-time'
    const document = documentOrNull(record)
    if (!isSame(document?.hash ?? null, leaf.documentHash)) return 'other-document'
    if (row === undefined) return null
    const isRowOfDocument =
      row.documentId === (document?.documentId ?? null) && isSame(row.salt, document?.salt ?? null)
    return isRowOfDocument ? null : 'other-document'
  }
}

const isSame = (one: Uint8Array | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : other.equals(one)
