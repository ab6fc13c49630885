/** Reads records from the database in pages with a limited number of records and bytes. */
import type { BinaryRow, Database, Queryable } from '@cupel/postgres'
import { TRUNCATED_REMEDY } from '../missing-front.js'
import { LogStoppedError, type Headers, type LogRecord } from '../port.js'
import { readBounds } from './partition-bounds.js'
import type { PartitionAddress } from './topic-directory.js'

export interface PageLimits {
  readonly records: number
  /** A single larger record is a page of its own. */
  readonly bytes: number
}

interface RecordRow extends Record<string, unknown> {
  readonly record_offset: number
  readonly key: string
  readonly headers: Headers
  readonly value: Buffer
  readonly timestamp_ms: number
}

// octet_length does not read the stored value.
const pageOf = (...[id, from, to, records, bytes]: readonly (string | number)[]): string =>
  `SELECT record_offset, key, headers, value, (extract(epoch FROM appended_at) * 1000)::float8 AS timestamp_ms
    FROM (
      SELECT record_offset, key, headers, value, appended_at,
        sum(octet_length(value)) OVER (ORDER BY record_offset ROWS UNBOUNDED PRECEDING)
          - octet_length(value) AS bytes_before
      FROM log.record
      WHERE partition_id = ${id} AND record_offset >= ${from} AND record_offset < ${to}
      ORDER BY record_offset LIMIT ${records}) page
    WHERE bytes_before < ${bytes} ORDER BY record_offset`
const PAGE = { name: 'log.page', text: pageOf('$1', '$2', '$3', '$4', '$5') }

/** The records from `from` on, contiguous, below `to`; empty only if there are none. Throws LogStoppedError if some are gone. */
export async function readPage(
  database: Queryable,
  address: PartitionAddress,
  from: number,
  to: number,
  limits: PageLimits,
): Promise<LogRecord[]> {
  const rows = await database.query<RecordRow>(PAGE, [address.id, from, to, limits.records, limits.bytes])
  return await recordsOf(database, address, from, rows)
}

/** The same for pages of many bytes: a statement that is planned each time costs less than values as text. */
export async function readLargePage(
  database: Database,
  address: PartitionAddress,
  from: number,
  to: number,
  limits: PageLimits,
): Promise<LogRecord[]> {
  const page = pageOf(address.id, from, to, limits.records, limits.bytes)
  const rows = await database.copyOut(`COPY (${page}) TO STDOUT (FORMAT binary)`)
  return await recordsOf(database, address, from, rows.map(binaryRecord))
}

/** No column is null. */
function binaryRecord(fields: BinaryRow): RecordRow {
  const [offset, key, headers, value, time] = fields as readonly Buffer[]
  return {
    record_offset: Number(offset!.readBigInt64BE()),
    key: key!.toString('utf8'),
    headers: JSON.parse(headers!.toString('utf8')) as Headers,
    value: value!,
    timestamp_ms: time!.readDoubleBE(),
  }
}

async function recordsOf(
  database: Queryable,
  address: PartitionAddress,
  from: number,
  rows: readonly RecordRow[],
): Promise<LogRecord[]> {
  if (rows.length === 0 || rows[0]!.record_offset !== from) await explainHole(database, address, from, rows)
  return rows.map((row, index) => {
    if (row.record_offset !== from + index) throw gapError(address, from + index)
    return {
      topic: address.topic,
      partition: address.partition,
      offset: row.record_offset,
      key: row.key,
      value: row.value,
      headers: row.headers,
      timestampMs: row.timestamp_ms,
    }
  })
}

async function explainHole(
  database: Queryable,
  address: PartitionAddress,
  from: number,
  rows: readonly RecordRow[],
): Promise<void> {
  const { start } = await readBounds(database, address.id)
  if (from < start) throw truncatedError(address, from, start)
  if (rows.length > 0) throw gapError(address, from)
}

export function truncatedError(
  { topic, partition }: PartitionAddress,
  from: number,
  start: number,
): LogStoppedError {
  return new LogStoppedError(
    'truncated-log',
    `Reading of ${topic}/${partition} was to go on at offset ${from}, but the log begins at ${start}: the records between were deleted. ${TRUNCATED_REMEDY}`,
  )
}

function gapError({ topic, partition }: PartitionAddress, offset: number): LogStoppedError {
  return new LogStoppedError(
    'gap',
    `Record ${offset} of ${topic}/${partition} is missing although later ones are there: the log is damaged; restore it from a backup.`,
  )
}
