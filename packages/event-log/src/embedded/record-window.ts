/** The newest records of one partition, in memory, for readers that are slightly behind. Other readers query the database. */
import type { LogRecord } from '../port.js'
import type { PageLimits } from './record-pages.js'

const WINDOW_BYTES = 1024 * 1024
const WINDOW_RECORDS = 2_000

export interface RecordWindow {
  /** Adds consecutive records. If they do not follow the window's last record, the window drops its earlier ones. */
  add(records: readonly LogRecord[]): void
  /** Offset after the last record. */
  end(): number
  /** Records from `from` on, within the limits; null if the window does not hold that offset. */
  recent(from: number, limits: PageLimits): LogRecord[] | null
}

interface Slice {
  readonly first: number
  readonly records: readonly LogRecord[]
  readonly bytes: number
}

export function createRecordWindow(from: number): RecordWindow {
  let slices: Slice[] = []
  let end = from
  let bytes = 0
  let count = 0

  return {
    add(records) {
      const first = records[0]!.offset
      if (first !== end) {
        // Another process appended in between.
        slices = []
        bytes = count = 0
      }
      const slice = { first, records, bytes: records.reduce((sum, record) => sum + record.value.length, 0) }
      slices.push(slice)
      bytes += slice.bytes
      count += records.length
      end = first + records.length
      while (slices.length > 1 && (bytes > WINDOW_BYTES || count > WINDOW_RECORDS)) {
        const oldest = slices.shift()!
        bytes -= oldest.bytes
        count -= oldest.records.length
      }
    },
    end: () => end,
    recent: (from, limits) =>
      slices.length === 0 || from < slices[0]!.first || from >= end ? null : page(slices, from, limits),
  }
}

function page(slices: readonly Slice[], from: number, limits: PageLimits): LogRecord[] {
  const found: LogRecord[] = []
  let bytes = 0
  for (const { first, records } of slices) {
    if (first + records.length <= from) continue
    for (let index = Math.max(0, from - first); index < records.length; index++) {
      const record = records[index]!
      if (found.length === limits.records || (bytes > 0 && bytes >= limits.bytes)) return found
      found.push(record)
      bytes += record.value.length
    }
  }
  return found
}
