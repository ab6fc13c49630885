/** Counts the records that an erasure reaches, and those that it does not: records with unsealed personal data, from before sealing. */
import { personalEventTypes, topicSpecs, type EventType } from '@cupel/contracts'
import {
  type EventCodec,
  type EventLog,
  type FieldOf,
  type LogRecord,
  scan,
  typeOf,
  UndecodableRecordError,
} from '@cupel/event-log'
import { holdsPlainData, holdsText, keyIdsIn, personalMembers } from '../index.js'

interface Records {
  readonly log: EventLog
  readonly codec: EventCodec
}

export async function countPlainRecords(records: Records, accountId: string): Promise<number> {
  let count = 0
  for await (const { type, data } of personalRecordsOf(records, accountId))
    if (holdsPlainData(type, data)) count += 1
  return count
}

export interface ReferenceRecords {
  /** Records that hold something sealed under the key of the reference. */
  readonly sealed: ReadonlyMap<EventType, number>
  /** Records that hold the reference in plain text. */
  readonly plain: number
}

export async function countReferenceRecords(
  records: Records,
  { accountId, reference, keyId }: { accountId: string; reference: string; keyId: string },
): Promise<ReferenceRecords> {
  const sealed = new Map<EventType, number>()
  let plain = 0
  for await (const { type, data } of personalRecordsOf(records, accountId)) {
    if (keyIdsIn(JSON.stringify(data)).has(keyId)) sealed.set(type, (sealed.get(type) ?? 0) + 1)
    if (holdsText(type, data, reference)) plain += 1
  }
  return { sealed, plain }
}

/** Reads the whole log. Records that cannot be decoded are left out; `cupel audit verify` reports them. */
async function* personalRecordsOf({ log, codec }: Records, accountId: string) {
  const readers = new Map(ownedTypes().map((type) => [type as string, readerOf(codec, type)]))
  for await (const record of scan(log, topicSpecs)) {
    const type = typeOf(record) as EventType
    const data = decodable(() => readers.get(type)?.(record) ?? null)
    if (data !== null && data['accountId'] === accountId) yield { type, data }
  }
}

/** Counts of calls without an account belong to no account. */
const ownedTypes = (): EventType[] => personalEventTypes.filter((type) => type !== 'RefusedRequestsCounted')

/** Reads only the personal fields: a report's inputs are several times larger than the report. */
function readerOf(codec: EventCodec, type: EventType) {
  const read = codec.partOf(type, ['accountId', ...personalMembers(type)] as FieldOf<EventType>[])
  return (record: LogRecord) => read(record) as Record<string, unknown> | null
}

function decodable<T>(read: () => T | null): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof UndecodableRecordError) return null
    throw error
  }
}
