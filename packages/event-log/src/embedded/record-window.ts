/** The newest records of one partition, in memory, for readers that are slightly behind. Other readers query the database. */
import type { LogRecord } from '../port.js'
import type { PageLimits } from './record-pages.js'

/** Every partition has so much room. */
const WINDOW_BYTES = 1024 * 1024
/** A small record takes as much, with its key, its headers and their objects. */
const LEAST_RECORD_BYTES = 512
/** More is only for what a reader still has to read: it was appended while the reader rested for a second, or waited for its commit. */
const LARGEST_WINDOW_BYTES = 8 * WINDOW_BYTES
/** All windows of a process, as long as some are larger than each may always be. */
const SHARED_BYTES = 16 * WINDOW_BYTES

/** The bytes in all windows that share it. */
export interface WindowRoom {
  usedBytes: number
}

export interface RecordWindow {
  /**
   * Adds consecutive records. If they do not follow the window's last record, the window drops its earlier ones. `unreadFrom`: every reader has
   * read what is before it.
   */
  add(records: readonly LogRecord[], unreadFrom: number): void
  /** Offset after the last record. */
  end(): number
  /** Records from `from` on, within the limits; null if the window does not hold that offset. */
  recent(from: number, limits: PageLimits): LogRecord[] | null
  /** Gives its room back. */
  close(): void
}

interface Slice {
  readonly first: number
  readonly records: readonly LogRecord[]
  readonly bytes: number
}

export function createRecordWindow(from: number, room: WindowRoom = { usedBytes: 0 }): RecordWindow {
  let slices: Slice[] = []
  let end = from
  let bytes = 0

  const resize = (change: number): void => {
    bytes += change
    room.usedBytes += change
  }
  const isFull = (unreadFrom: number): boolean => {
    const mayHoldMore = bytes <= LARGEST_WINDOW_BYTES && room.usedBytes <= SHARED_BYTES
    const isUnread = slices[0]!.first + slices[0]!.records.length > unreadFrom
    return bytes > WINDOW_BYTES && !(mayHoldMore && isUnread)
  }
  const clear = (): void => {
    slices = []
    resize(-bytes)
  }

  return {
    add(records, unreadFrom) {
      const first = records[0]!.offset
      if (first !== end) {
        // Another process appended in between.
        clear()
      }
      const slice = { first, records, bytes: records.reduce((sum, record) => sum + bytesOf(record), 0) }
      slices.push(slice)
      resize(slice.bytes)
      end = first + records.length
      while (slices.length > 1 && isFull(unreadFrom)) {
        resize(-slices.shift()!.bytes)
      }
    },
    close: clear,
    end: () => end,
    recent: (from, limits) =>
      slices.length === 0 || from < slices[0]!.first || from >= end ? null : page(slices, from, limits),
  }
}

function bytesOf({ value }: LogRecord): number {
  return Math.max(LEAST_RECORD_BYTES, value.length)
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
