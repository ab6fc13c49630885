/** Compares the rows that say which lists are in force with their events, once for each row and process. */
import { lastRecord, type EventCodec, type EventLog, type LogRecord } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { loadCheckpoint } from '@cupel/projections'
import { listSets, newestLabelSetSeq, type PublishedSet } from './sets.js'
import { labelViewGroup, LABEL_PARTITION, LABEL_TOPIC } from './reducers.js'
import {
  isPublication,
  misnumbering,
  publicationContradiction,
  readPublicationRows,
  statedPublication,
  type PublicationRow,
} from './stated.js'

const PLACE = { topic: LABEL_TOPIC, partition: LABEL_PARTITION }
/** Records that are read from the log at once. */
const READ_AT_ONCE = 8

export interface StatedInputsDeps {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Queryable
}

export interface StatedPublications {
  /** Why the sets of the state `labelSetSeq` must not be used, as a sentence; null where the log states them. */
  faultOf(labelSetSeq: number, sets: readonly PublishedSet[]): Promise<string | null>
  /** The same for the sets that are in force now, if their state was not compared before. */
  fault(): Promise<string | null>
  /** The same for every publication that there ever was, if one changed since it was compared: they say which sets were in force when. */
  faultOfAll(): Promise<string | null>
}

export function createStatedPublications({ log, codec, database }: StatedInputsDeps): StatedPublications {
  /** The rows that agreed, as text, by import. */
  const agreed = new Map<string, string>()
  let newestAgreed = 0
  /** The hash of all rows that agreed. */
  let allAgreed: string | null = null

  async function examine(row: PublicationRow): Promise<string | null> {
    const text = JSON.stringify(row)
    if (agreed.get(row.import_id) === text) return null
    const record = await recordAt(log, row.log_offset)
    const fault = publicationContradiction(row, record === null ? null : statedPublication(codec, record))
    if (fault === null) agreed.set(row.import_id, text)
    return fault
  }

  /** An import ends with its publication: the last record mostly says what the newest row must be. */
  async function lacksTheLast(next: number, newest: number): Promise<string | null> {
    if (newest < newestAgreed)
      return `label-view has ${newest} publications, and had ${newestAgreed}: rows were removed.`
    const last = await lastRecord(log, PLACE)
    if (last === null || last.offset >= next || !isPublication(last)) return null
    const importId = statedPublication(codec, last)?.import_id
    const [known] = await database.query('SELECT FROM label_view.publication WHERE import_id = $1 LIMIT 1', [
      importId,
    ])
    return known === undefined ? `label-view lacks the last publication of the log, at ${last.offset}.` : null
  }

  /** `newest`: the number of the newest of all rows. */
  async function compared(rows: readonly PublicationRow[], newest: number): Promise<string | null> {
    const next = (await loadCheckpoint(database, { group: labelViewGroup, ...PLACE }))?.next ?? 0
    for (let from = 0; from < rows.length; from += READ_AT_ONCE) {
      const faults = await Promise.all(rows.slice(from, from + READ_AT_ONCE).map(examine))
      const fault = faults.find((one) => one !== null)
      if (fault !== undefined) return fault
    }
    return (await misnumbering(database)) ?? (await lacksTheLast(next, newest))
  }

  async function faultOf(labelSetSeq: number, sets: readonly PublishedSet[]): Promise<string | null> {
    const imports = sets.map(({ importId }) => importId)
    const fault = await compared(await readPublicationRows(database, imports), labelSetSeq)
    if (fault !== null) return fault
    // What was compared must be what was read.
    if (JSON.stringify(await listSets(database)) !== JSON.stringify(sets)) return CHANGED
    newestAgreed = labelSetSeq
    return null
  }

  async function faultOfAll(): Promise<string | null> {
    const hash = await hashOfAll(database)
    if (hash === allAgreed) return null
    const newest = await newestLabelSetSeq(database)
    const fault = await compared(await readPublicationRows(database), newest)
    if (fault !== null) return fault
    if (hash !== (await hashOfAll(database))) return CHANGED
    ;[allAgreed, newestAgreed] = [hash, newest]
    return null
  }

  return {
    faultOf,
    faultOfAll,
    async fault() {
      const newest = await newestLabelSetSeq(database)
      return newest === newestAgreed ? null : await faultOf(newest, await listSets(database))
    },
  }
}

const CHANGED = 'label-view changed while it was compared with the log.'

async function recordAt(log: EventLog, offset: number): Promise<LogRecord | null> {
  if (offset < 0 || offset >= (await log.endOffset(PLACE.topic, PLACE.partition))) return null
  for await (const records of log.read({ ...PLACE, from: offset, to: offset + 1 }))
    for (const record of records) if (record.offset === offset) return record
  return null
}

async function hashOfAll(database: Queryable): Promise<string> {
  const [row] = await database.query<{ hash: string }>({
    name: 'label-view.hash-of-publications',
    text: `SELECT coalesce(md5(string_agg(md5(p::text), '' ORDER BY log_offset, import_id)), '') AS hash FROM label_view.publication p`,
  })
  return row!.hash
}
