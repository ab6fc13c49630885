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

async function hashOfRecord({ log, codec }: RecordedLeafParts, at: Position): Promise<string> {
  const documentOf = documentDecoder(codec)
  for await (const records of log.read({ ...at, from: at.offset, to: at.offset + 1 }))
    for (const record of records)
      return leafHash(Buffer.from(leafOfRecord(record, documentOf).entry)).toString('hex')
  throw new Error(`The log has no record at ${at.topic}/${at.partition}, offset ${at.offset}`)
}

/** The keys name the log before its first checkpoint does. The name that a checkpoint states is the last one. */
function logNameReader({ database, log }: RecordedLeafParts): () => Promise<string | null> {
  let stated: string | null = null
  return async () => {
    if (stated !== null) return stated
    const identity = await log.identity()
    const checkpoint = await readCheckpoint(database, identity)
    if (checkpoint !== null) return (stated = checkpoint.slice(0, checkpoint.indexOf('\n')))
    const key = (await publishedKeys(database)).find((each) => purposeOf(each) === 'checkpoints')
    return key === undefined ? null : originOf(key, identity)
  }
}
