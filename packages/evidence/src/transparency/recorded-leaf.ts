/** The leaf of a report, made of its record: it is the same before the leaf is in the transparency log and after it. */
import type { RecordedLeaf } from '@cupel/contracts'
import type { EventCodec, EventLog, Position } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { leafHash, purposeOf } from '@cupel/signing'
import { originOf } from './format/checkpoint.js'
import { publishedKeys } from './keys/publish-keys.js'
import { leafOfRecord, documentDecoder } from './leaf-of-record.js'
import { readCheckpoint } from './read-log.js'

export interface RecordedLeafParts {
  readonly database: Queryable
  readonly log: Pick<EventLog, 'identity' | 'read'>
  readonly codec: EventCodec
}

/** Null if the installation has no transparency log. Rejects if the record cannot be read. */
export async function readRecordedLeaf(parts: RecordedLeafParts, at: Position): Promise<RecordedLeaf | null> {
  const name = await logName(parts)
  if (name === null) return null
  const documentOf = documentDecoder(parts.codec)
  for await (const records of parts.log.read({ ...at, from: at.offset, to: at.offset + 1 }))
    for (const record of records)
      return {
        log: name,
        hash: leafHash(Buffer.from(leafOfRecord(record, documentOf).entry)).toString('hex'),
      }
  throw new Error(`The log has no record at ${at.topic}/${at.partition}, offset ${at.offset}`)
}

/** The keys name the log before its first checkpoint does. */
async function logName({ database, log }: RecordedLeafParts): Promise<string | null> {
  const identity = await log.identity()
  const checkpoint = await readCheckpoint(database, identity)
  if (checkpoint !== null) return checkpoint.slice(0, checkpoint.indexOf('\n'))
  const key = (await publishedKeys(database)).find((each) => purposeOf(each) === 'checkpoints')
  return key === undefined ? null : originOf(key, identity)
}
