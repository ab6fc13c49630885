/**
 * Makes the leaf of a record. Its salts follow from the MAC of the record: whoever may read the record can check its leaf, with no more
 * than the record, and nobody else can guess it, because a MAC takes the record keys of the installation. No database holds them, so that
 * none is lost with one.
 */
import { hash } from 'node:crypto'
import { caseEntryId, caseEntryText, caseEventTypes, recordedEntry } from '@cupel/contracts'
import { MAC_HEADER, UndecodableRecordError, type EventCodec, type LogRecord } from '@cupel/event-log'
import { sha256 } from '@cupel/signing'
import { leafEntry, saltedHash } from './format/leaf.js'

/** A text that may be shown by itself: a report, or an entry of a case. */
export interface ProvableDocument {
  /** The id of the report, or `caseEntryId`. */
  readonly documentId: string
  readonly text: string
}
export type DocumentOf = (record: LogRecord) => ProvableDocument | null

/** The document of a record; null for a record of another event, and for a record that does not decode. */
export function documentDecoder(codec: EventCodec): DocumentOf {
  const reportOf = codec.partOf('ReportGenerated', ['report', 'reportId'])
  const read = (record: LogRecord): ProvableDocument | null => {
    const report = reportOf(record)
    if (report !== null) return { documentId: report.reportId, text: report.report }
    for (const type of caseEventTypes) {
      const event = codec.decodeAs(type, record)
      if (event === null) continue
      const entry = recordedEntry(event)
      return { documentId: caseEntryId(entry), text: caseEntryText(entry) }
    }
    return null
  }
  return (record) => {
    try {
      return read(record)
    } catch (error) {
      // The schema may become known later. Without this error, the leaf of a document would permanently be one of another event.
      if (!(error instanceof UndecodableRecordError) || error.reason === 'unknown-schema') throw error
      return null
    }
  }
}

export interface MadeLeaf {
  readonly entry: string
  /** For a record with a document: its id, and its salt. */
  readonly documentId: string | null
  readonly salt: Buffer | null
}

const SEED = 'cupel leaf seed v1'

/** The holder of one salt cannot find the others, and so cannot test contents against the other hashes. */
const saltOf = (record: LogRecord, of: 'record' | 'time' | 'document'): Buffer =>
  sha256([Buffer.from(JSON.stringify([SEED, of, record.headers[MAC_HEADER] ?? null]))])

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

/** The document of a record with its salt and its hash; null if the record has none. */
export function documentPartOf(
  record: LogRecord,
  documentOf: DocumentOf,
): { readonly documentId: string; readonly salt: Buffer; readonly hash: Buffer } | null {
  const document = documentOf(record)
  if (document === null) return null
  const salt = saltOf(record, 'document')
  return { documentId: document.documentId, salt, hash: saltedHash(salt, Buffer.from(document.text)) }
}

/** Throws RangeError for a record of a log that gives no times. */
export function leafOfRecord(record: LogRecord, documentOf: DocumentOf): MadeLeaf {
  const timeHash = timeHashOf(record)
  if (timeHash === null) throw new RangeError('A record without the time of the log has no leaf')
  const document = documentPartOf(record, documentOf)
  return {
    entry: leafEntry({ recordHash: recordHashOf(record), timeHash, documentHash: document?.hash ?? null }),
    documentId: document?.documentId ?? null,
    salt: document?.salt ?? null,
  }
}
