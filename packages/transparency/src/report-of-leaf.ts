/** Finds the report of a leaf in the log of events. */
import { UndecodableRecordError, type EventCodec, type EventLog, type LogRecord } from '@cupel/event-log'
import type { Leaf } from './format/leaf.js'

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

export interface ReportReader {
  /** Null if the log no longer has the record of this leaf. */
  reportIdOf(leaf: Leaf): Promise<string | null>
}

/** Records per read. Leaves of a partition follow one another, so most records are found in the last read. */
const RECORDS_A_READ = 256

/** If leaves are requested in order, it reads each record of the log about once. */
export function reportReader({
  log,
  codec,
}: {
  readonly log: EventLog
  readonly codec: EventCodec
}): ReportReader {
  const reportOf = reportDecoder(codec)
  const windows = new Map<
    number,
    ReadonlyMap<number, { readonly eventId: string; readonly reportId: string }>
  >()

  async function windowFrom({ topic, partition, offset }: Leaf) {
    const found = new Map<number, { readonly eventId: string; readonly reportId: string }>()
    const from = Math.max(offset, await log.startOffset(topic, partition))
    const to = Math.min(offset + RECORDS_A_READ, await log.endOffset(topic, partition))
    if (from < to)
      for await (const records of log.read({ topic, partition, from, to }))
        for (const record of records) {
          const report = reportOf(record)
          if (report !== null)
            found.set(record.offset, { eventId: record.headers['ce_id'] ?? '', reportId: report.reportId })
        }
    windows.set(partition, found)
    return found
  }

  return {
    async reportIdOf(leaf) {
      const known = windows.get(leaf.partition)
      const record = (known?.has(leaf.offset) === true ? known : await windowFrom(leaf)).get(leaf.offset)
      return record?.eventId === leaf.eventId ? record.reportId : null
    },
  }
}
