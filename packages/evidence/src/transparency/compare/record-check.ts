/** Reads the records to compare with leaves, and compares a record with its leaf. */
import {
  type AuthenticLog,
  type EventCodec,
  type LogRecord,
  LogStoppedError,
  type Place,
  type Position,
  UndecodableRecordError,
} from '@cupel/event-log'
import type { Leaf } from '../format/leaf.js'
import { recordHashOf, documentDecoder, documentPartOf, timeHashOf } from '../leaf-of-record.js'
import type { Findings, LeafProblemKind } from './findings.js'
import type { StoredLeaf } from './stored-leaves.js'

export interface ReadLeaf extends Leaf {
  readonly index: number
  readonly stored: StoredLeaf
  /** Where its record is; null if the source does not state it. */
  readonly record: Position | null
}

export interface PlacedLeaf extends ReadLeaf {
  readonly record: Position
}

/** Maximum number of missing records after which a partition is not read further, in one pass. */
const MAX_GAPS = 100

/** The records from `next` on, below `end`, including those of other producers. Missing records are skipped, and reading continues. */
export async function* recordsOf(
  { unchecked }: AuthenticLog,
  { topic, partition, next }: Place & { readonly next: number },
  end: number,
  findings: Findings,
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
      findings.fault(
        `${topic}/${partition} cannot be read behind offset ${from}, to be compared with its leaves.`,
      )
      return
    }
  }
}

export type LeafCheck = (record: LogRecord, leaf: PlacedLeaf) => LeafProblemKind | null

export function leafCheck({
  codec,
  checksTimes,
}: {
  readonly codec: EventCodec
  readonly checksTimes: boolean
}): LeafCheck {
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
  return (record, { recordHash, timeHash, documentHash, stored: { row } }) => {
    if (!recordHashOf(record).equals(recordHash)) return 'other-record'
    if (checksTimes && timeHashOf(record)?.equals(timeHash) === false) return 'other-time'
    const document = documentOrNull(record)
    if (!isSame(document?.hash ?? null, documentHash)) return 'other-document'
    if (row === undefined) return null
    const isRowOfDocument =
      row.documentId === (document?.documentId ?? null) && isSame(row.salt, document?.salt ?? null)
    return isRowOfDocument ? null : 'other-document'
  }
}

const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other)
