/** Reads the records to compare with leaves, and compares a record with its leaf. */
import {
  type AuthenticLog,
  type EventCodec,
  type LogRecord,
  LogStoppedError,
  type Place,
  UndecodableRecordError,
} from '@cupel/event-log'
import { documentSalt, saltedHash, valueSalt, type Leaf } from '../format/leaf.js'
import { reportDecoder, type ReportFields } from '../report-of-leaf.js'
import type { Findings, LeafProblemKind } from './findings.js'
import type { StoredLeaf } from './stored-leaves.js'

export interface PlacedLeaf extends Leaf {
  readonly index: number
  readonly stored: StoredLeaf
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

export function leafCheck(codec: EventCodec): LeafCheck {
  const reportOf = reportDecoder(codec)
  const reportOrNull = (record: LogRecord): ReportFields | null => {
    try {
      return reportOf(record)
    } catch (error) {
      // The verification of the log reports a record that cannot be decoded.
      if (error instanceof UndecodableRecordError) return null
      throw error
    }
  }
  return (record, { eventId, valueHash, documentHash, stored: { seed, reportId } }) => {
    if (!isSameEvent(record.headers['ce_id'] ?? '', eventId)) return 'other-event'
    const report = reportOrNull(record)
    if ((report === null) !== (documentHash === null)) return 'other-report'
    if (seed !== undefined && seed !== null) {
      if (!saltedHash(valueSalt(seed), record.value).equals(valueHash)) return 'other-value'
      if (
        report !== null &&
        !saltedHash(documentSalt(seed), Buffer.from(report.report)).equals(documentHash!)
      )
        return 'other-report'
      if (reportId !== (report?.reportId ?? null)) return 'other-report'
    }
    return null
  }
}

/** An id that a leaf cannot write is empty in the leaf. */
const isSameEvent = (id: string, ofLeaf: string): boolean =>
  ofLeaf === id || (ofLeaf === '' && !/^[ !#-[\]-~]{0,200}$/.test(id))
