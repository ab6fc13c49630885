/**
 * The offset of each partition from which a record without a MAC is forged. It is in the database, where no record of the log can move it:
 * services of 0.1.0 write no MACs, and their records stay valid.
 */
import { endsOf, positionColumns } from '../scan.js'
import type { TopicSpec } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import type { EventLog, LogIdentity, Position } from '../port.js'
import { RecordKeysError, type RecordKeys } from './record-keys.js'

interface Range {
  readonly from: number
  readonly until: number
}

/** The requirement in the database; null while there is none. */
export interface MacsRequired {
  /** The logs that have an open or a closed range. */
  readonly logs: ReadonlySet<LogIdentity>
  /** Whether the record at the position must have a MAC, on the log with this identity. */
  isDue(log: LogIdentity, position: Position): boolean
}

interface RequiredRow {
  readonly logId: string
  readonly topic: string
  readonly partition: number
  readonly firstOffset: number
  readonly untilOffset: number | null
}

/** Rejects with RecordKeysError if MACs are required and the process lacks a key that is in use. */
export async function loadMacsRequired(
  database: Queryable,
  keys: RecordKeys | null,
  topicPrefix: string,
): Promise<MacsRequired | null> {
  const rows = await database.query<RequiredRow>(
    `SELECT log_id AS "logId", topic, partition, first_offset AS "firstOffset", until_offset AS "untilOffset"
     FROM log.macs_required`,
  )
  if (rows.length === 0) return null
  requireKeys(keys, await registeredKeys(database))
  const ranges = new Map<string, Range[]>()
  const openLogs = new Set<LogIdentity>()
  for (const { logId, topic, partition, firstOffset, untilOffset } of rows) {
    const place = placeOf(logId, topic, partition)
    ranges.set(place, [...(ranges.get(place) ?? []), { from: firstOffset, until: untilOffset ?? Infinity }])
    if (untilOffset === null) openLogs.add(logId)
  }
  return {
    logs: new Set(rows.map(({ logId }) => logId)),
    isDue(log, { topic, partition, offset }) {
      const known = ranges.get(placeOf(log, topicPrefix + topic, partition))
      // The topic was made later.
      if (known === undefined) return openLogs.has(log)
      return known.some(({ from, until }) => from <= offset && offset < until)
    },
  }
}

/** Offsets `from` ≤ offset < `until` of a partition; null: no upper end. The topic is without the installation's prefix. */
export interface MacsRequiredRange {
  readonly topic: string
  readonly partition: number
  readonly from: number
  readonly until: number | null
}

/** The requirement on the log, for a copy that is read without the database. */
export async function macsRequiredOf(
  database: Queryable,
  log: LogIdentity,
  topicPrefix: string,
): Promise<readonly MacsRequiredRange[]> {
  return await database.query<MacsRequiredRange & Record<string, unknown>>(
    `SELECT substr(topic, length($2) + 1) AS topic, partition, first_offset AS "from", until_offset AS "until"
     FROM log.macs_required WHERE log_id = $1 AND starts_with(topic, $2) ORDER BY topic, partition, first_offset`,
    [log, topicPrefix],
  )
}

function requireKeys(keys: RecordKeys | null, registered: readonly string[]): void {
  if (keys === null)
    throw new RecordKeysError(
      'This installation requires MACs of its records and this process has no record keys: set CUPEL_RECORD_KEYS_FILE.',
    )
  requireAll(keys, registered)
  if (!registered.includes(keys.activeId))
    throw new RecordKeysError(
      `The active record key ${keys.activeId} is not registered, so that other processes may lack it: run cupel log require-macs.`,
    )
}

function requireAll(keys: RecordKeys, registered: readonly string[]): void {
  const missing = registered.filter((id) => !keys.byId.has(id))
  if (missing.length > 0)
    throw new RecordKeysError(
      `The file of the record keys lacks ${missing.join(', ')}, with which records of this log were written: restore the file from its backup.`,
    )
}

async function registeredKeys(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ keyId: string }>('SELECT key_id AS "keyId" FROM log.record_key')
  return rows.map(({ keyId }) => keyId)
}

/** Whether the log now rejects every record without a MAC, at any position. */
export async function areMacsRequired(database: Queryable, log: LogIdentity): Promise<boolean> {
  const rows = await database.query(
    'SELECT FROM log.macs_required WHERE log_id = $1 AND until_offset IS NULL LIMIT 1',
    [log],
  )
  return rows.length > 0
}

export interface RequireMacsOptions {
  readonly database: Database
  readonly log: EventLog
  readonly keys: RecordKeys
  readonly topics: readonly TopicSpec[]
  readonly topicPrefix: string
  /** Runs in the transaction of the change. */
  readonly record?: (transaction: Queryable) => Promise<void>
}

/**
 * Requires a MAC of every record from the current end of each partition on, and registers the keys of the file. No process that writes
 * without MACs may run. If MACs are already required, only new keys are registered. Resolves to whether anything changed.
 */
export async function requireMacs(options: RequireMacsOptions): Promise<boolean> {
  const { database, log, keys, record } = options
  const [logId, ends] = await Promise.all([log.identity(), prefixedEnds(options)])
  return await database.transaction({ at: 'log.require-macs' }, async (transaction) => {
    await transaction.execute('LOCK TABLE log.macs_required IN EXCLUSIVE MODE')
    requireAll(keys, await registeredKeys(transaction))
    const added = await transaction.execute(
      'INSERT INTO log.record_key (key_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
      [[...keys.byId.keys()]],
    )
    const isOpen = await areMacsRequired(transaction, logId)
    if (!isOpen)
      await transaction.execute(
        `INSERT INTO log.macs_required (log_id, topic, partition, first_offset)
         SELECT $1, * FROM unnest($2::text[], $3::int[], $4::bigint[])
         ON CONFLICT (log_id, topic, partition, first_offset) DO UPDATE SET until_offset = NULL`,
        [logId, ...positionColumns(ends)],
      )
    const hasChanged = added > 0 || !isOpen
    if (hasChanged) await record?.(transaction)
    return hasChanged
  })
}

/**
 * From the current end of each partition on, records without MACs are accepted again, for example those of 0.1.0 after a rollback. The
 * requirement on earlier records stays. Resolves to whether MACs were required.
 */
export async function stopRequiringMacs(options: Omit<RequireMacsOptions, 'keys'>): Promise<boolean> {
  const { database, log, record } = options
  const [logId, ends] = await Promise.all([log.identity(), prefixedEnds(options)])
  return await database.transaction({ at: 'log.require-macs' }, async (transaction) => {
    const closed = await transaction.execute(
      `UPDATE log.macs_required r SET until_offset = greatest(r.first_offset, ends.next)
       FROM unnest($2::text[], $3::int[], $4::bigint[]) AS ends (topic, partition, next)
       WHERE r.log_id = $1 AND r.topic = ends.topic AND r.partition = ends.partition AND r.until_offset IS NULL`,
      [logId, ...positionColumns(ends)],
    )
    if (closed === 0) return false
    // In a topic that was made later, every record had to have a MAC.
    await transaction.execute(
      `INSERT INTO log.macs_required (log_id, topic, partition, first_offset, until_offset)
       SELECT $1, ends.topic, ends.partition, 0, ends.next
       FROM unnest($2::text[], $3::int[], $4::bigint[]) AS ends (topic, partition, next)
       WHERE NOT EXISTS (SELECT FROM log.macs_required r
         WHERE r.log_id = $1 AND r.topic = ends.topic AND r.partition = ends.partition)`,
      [logId, ...positionColumns(ends)],
    )
    await record?.(transaction)
    return true
  })
}

async function prefixedEnds({
  log,
  topics,
  topicPrefix,
}: Omit<RequireMacsOptions, 'keys'>): Promise<Position[]> {
  const ends = await endsOf(log, topics)
  return ends.map(({ topic, ...end }) => ({ ...end, topic: topicPrefix + topic }))
}

const placeOf = (log: LogIdentity, topic: string, partition: number): string => `${log} ${topic} ${partition}`
