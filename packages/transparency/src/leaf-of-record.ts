/**
 * Makes the leaf of a record. Its salts follow from the MAC of the record: whoever may read the record can check its leaf, with no more
 * than the record, and nobody else can guess it, because a MAC takes the record keys of the installation. No database holds them, so that
 * none is lost with one.
 */
import { hash } from 'node:crypto'
import { MAC_HEADER, UndecodableRecordError, type EventCodec, type LogRecord } from '@cupel/event-log'
import { leafEntry, saltedHash } from './format/leaf.js'

export type ReportFields = { readonly report: string; readonly reportId: string }
export type ReportOf = (record: LogRecord) => ReportFields | null

/** The parts of a report that a leaf needs; null for a record of another event, and for a record that does not decode. */
export function reportDecoder(codec: EventCodec): ReportOf {
  const partOf = codec.partOf('ReportGenerated', ['report', 'reportId'])
  return (record) => {
    try {
      return partOf(record)
    } catch (error) {
      // The schema may become known later. Without this error, the leaf of a report would permanently be one of another event.
      if (!(error instanceof UndecodableRecordError) || error.reason === 'unknown-schema') throw error
      return null
    }
  }
}

export interface MadeLeaf {
  readonly entry: string
  /** For a report: its id, and the salt of its document. */
  readonly reportId: string | null
  readonly salt: Buffer | null
}

const SEED = 'cupel leaf seed v1'

/** The holder of one salt cannot find the others, and so cannot test contents against the other hashes. */
const saltOf = (record: LogRecord, of: 'record' | 'time' | 'document'): Buffer =>
  hash('sha256', JSON.stringify([SEED, of, record.headers[MAC_HEADER] ?? null]), 'buffer')

/** The hash of the record in its leaf: topic without prefix, partition, offset, key, headers in their order, and SHA-256 of the value. */
export function recordHashOf(record: LogRecord): Buffer {
  const { topic, partition, offset, key, headers, value } = record
  const whole = [topic, partition, offset, key, Object.entries(headers), hash('sha256', value, 'hex')]
  return saltedHash(saltOf(record, 'record'), Buffer.from(JSON.stringify(whole)))
}

/** The hash of the time in its leaf; null for a record of a log that gives no times. */
export function timeHashOf(record: LogRecord): Buffer | null {
  const { timestampMs } = record
  return timestampMs === undefined
    ? null
    : saltedHash(saltOf(record, 'time'), Buffer.from(JSON.stringify(timestampMs)))
}

/** The report of a record with its salt and its hash; null if the record is not a report. */
export function reportPartOf(
  record: LogRecord,
  reportOf: ReportOf,
): { readonly reportId: string; readonly salt: Buffer; readonly hash: Buffer } | null {
  const fields = reportOf(record)
  if (fields === null) return null
  const salt = saltOf(record, 'document')
  return { reportId: fields.reportId, salt, hash: saltedHash(salt, Buffer.from(fields.report)) }
}

/** Throws RangeError for a record of a log that gives no times. */
export function leafOfRecord(record: LogRecord, reportOf: ReportOf): MadeLeaf {
  const timeHash = timeHashOf(record)
  if (timeHash === null) throw new RangeError('A record without the time of the log has no leaf')
  const report = reportPartOf(record, reportOf)
  return {
    entry: leafEntry({ recordHash: recordHashOf(record), timeHash, documentHash: report?.hash ?? null }),
    reportId: report?.reportId ?? null,
    salt: report?.salt ?? null,
  }
}
