/** Writes many records at once: one round trip, one short transaction. */
import type { Queryable } from '@cupel/postgres'
import type { Headers } from '../port.js'

export interface PlacedRecord {
  readonly partitionId: number
  readonly key: string
  readonly value: Buffer
  readonly headers: Headers
}

const APPEND = {
  name: 'log.append',
  // The time of the records is the default of their column.
  text: `SELECT log.append($1, $2, $3, $4, $5, $6, $7, $8)::text AS first_offsets,
    (extract(epoch FROM now()) * 1000)::float8 AS timestamp_ms`,
}

export interface WrittenRecords {
  /** The first offset in each partition. */
  readonly firstOffsets: ReadonlyMap<number, number>
  /** When the log took the records. */
  readonly timestampMs: number
}

/** Records of one partition take offsets in the given order. */
export async function writeRecords(
  database: Queryable,
  records: readonly PlacedRecord[],
): Promise<WrittenRecords> {
  const partitionIds: number[] = []
  const places = new Map<number, { place: number; count: number }>()
  const count = records.length
  const recordPlaces = new Array<number>(count)
  const ordinals = new Array<number>(count)
  const starts = new Array<number>(count)
  const keyBytes = new Array<number>(count)
  const headerBytes = new Array<number>(count)
  const valueBytes = new Array<number>(count)
  const headerTexts = new Array<string>(count)
  let size = 0
  records.forEach((record, index) => {
    let partition = places.get(record.partitionId)
    if (partition === undefined) {
      partition = { place: partitionIds.push(record.partitionId), count: 0 }
      places.set(record.partitionId, partition)
    }
    recordPlaces[index] = partition.place
    ordinals[index] = partition.count++
    const headers = JSON.stringify(record.headers)
    headerTexts[index] = headers
    starts[index] = size + 1
    keyBytes[index] = Buffer.byteLength(record.key)
    headerBytes[index] = Buffer.byteLength(headers)
    valueBytes[index] = record.value.length
    size += keyBytes[index]! + headerBytes[index]! + record.value.length
  })

  // One buffer is sent as binary; the elements of an array would be sent, and parsed, as two hexadecimal digits a byte.
  const packed = Buffer.allocUnsafe(size)
  let at = 0
  records.forEach((record, index) => {
    at += packed.write(record.key, at)
    at += packed.write(headerTexts[index]!, at)
    at += record.value.copy(packed, at)
  })

  const [row] = await database.query<{ first_offsets: string; timestamp_ms: number }>(APPEND, [
    partitionIds,
    recordPlaces,
    ordinals,
    starts,
    keyBytes,
    headerBytes,
    valueBytes,
    packed,
  ])
  const firstOffsets = row!.first_offsets.slice(1, -1).split(',').map(Number)
  return {
    firstOffsets: new Map(partitionIds.map((id, index) => [id, firstOffsets[index]!])),
    timestampMs: row!.timestamp_ms,
  }
}
