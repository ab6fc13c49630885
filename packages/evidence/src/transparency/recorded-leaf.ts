/** The leaf of a report, made of its record: it is the same before the leaf is in the transparency log and after it. */
import type { RecordedLeaf } from '@cupel/contracts'
import type { EventCodec, EventLog, LogRecord, Position } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { leafHash } from '@cupel/signing'
import { originOf } from './format/checkpoint.js'
import { publishedKeys } from './keys/publish-keys.js'
import { documentDecoder, leafOfRecord, recordHashOf, type DocumentOf } from './leaf-of-record.js'
import { parseLeafEntry } from './format/leaf.js'
import { readCheckpoint } from './read-log.js'

export interface RecordedLeafParts {
  readonly database: Queryable
  readonly log: Pick<EventLog, 'identity' | 'read'>
  readonly codec: EventCodec
}

/** Hashes that a process remembers: some megabytes. The one that was read longest ago goes first. */
const MAX_REMEMBERED = 20_000

/** Null if the installation has no transparency log. Rejects if the record cannot be read. */
export type RecordedLeafOf = (at: Position) => Promise<RecordedLeaf | null>

/** Reads each record once, as long as it is remembered: a record never changes, and a running process never changes its log. */
export function recordedLeafReader(parts: RecordedLeafParts): RecordedLeafOf {
  const hashes = new Map<string, string>()
  const nameOf = logNameReader(parts)
  return async (at) => {
    const log = await nameOf()
    if (log === null) return null
    const place = `${at.topic}/${at.partition}/${at.offset}`
    const hash = hashes.get(place) ?? (await hashOfRecord(parts, at))
    hashes.delete(place)
    hashes.set(place, hash)
    if (hashes.size > MAX_REMEMBERED) hashes.delete(hashes.keys().next().value!)
    return { log, hash }
  }
}

async function hashOfRecord({ database, log, codec }: RecordedLeafParts, at: Position): Promise<string> {
  const documentOf = documentDecoder(codec)
  for await (const records of log.read({ ...at, from: at.offset, to: at.offset + 1 }))
    for (const record of records) {
      const { timestampMs } = record
      const entry =
        timestampMs === undefined
          ? await storedEntry({ database, log }, record, documentOf)
          : leafOfRecord(record, documentOf).entry
      return leafHash(Buffer.from(entry)).toString('hex')
    }
  throw new Error(`The log has no record at ${at.topic}/${at.partition}, offset ${at.offset}`)
}

/** Of a record that comes from an archive, which has no times: its leaf is in the tree, because records without one are never cut. */
async function storedEntry(
  { database, log }: Pick<RecordedLeafParts, 'database' | 'log'>,
  record: LogRecord,
  documentOf: DocumentOf,
): Promise<string> {
  const rows = await database.query<{ entry: string }>(
    `SELECT entry FROM transparency.leaf JOIN transparency.log USING (number) WHERE document_id = $1 AND log = $2 ORDER BY index`,
    [documentOf(record)?.documentId ?? null, await log.identity()],
  )
  const hash = recordHashOf(record)
  const own = rows.find(({ entry }) => parseLeafEntry(entry)?.recordHash.equals(hash) === true)
  if (own !== undefined) return own.entry
  throw new Error(
    `The record ${record.topic}/${record.partition} at ${record.offset} has no leaf in the tree`,
  )
}

/** The keys name the log before its first checkpoint does. The name that a checkpoint states is the last one. */
function logNameReader({ database, log }: RecordedLeafParts): () => Promise<string | null> {
  let stated: string | null = null
  return async () => {
    if (stated !== null) return stated
    const identity = await log.identity()
    const checkpoint = await readCheckpoint(database, identity)
    if (checkpoint !== null) return (stated = checkpoint.slice(0, checkpoint.indexOf('\n')))
    const [key] = await publishedKeys(database)
    return key === undefined ? null : originOf(key, identity)
  }
}
