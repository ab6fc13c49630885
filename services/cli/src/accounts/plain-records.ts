/** Counts what cannot be erased: records that hold personal data of an account as it is, from before it was sealed. */
import { topicSpecs, type EventType } from '@cupel/contracts'
import {
  typeOf,
  UndecodableRecordError,
  type EventCodec,
  type EventLog,
  type FieldOf,
  type LogRecord,
} from '@cupel/event-log'
import { holdsPlainData, personalFields, personalMembers } from '@cupel/personal-data'

/** Reads the whole log. Records that nobody can decode are told by `cupel audit verify`, and are not counted. */
export async function countPlainRecords(
  { log, codec }: { readonly log: EventLog; readonly codec: EventCodec },
  accountId: string,
): Promise<number> {
  const readers = new Map(ownedTypes().map((type) => [type as string, readerOf(codec, type)]))
  let count = 0
  for (const { name: topic } of topicSpecs)
    for (let partition = 0; partition < (await log.partitionCount(topic)); partition += 1) {
      const [from, to] = await Promise.all([
        log.startOffset(topic, partition),
        log.endOffset(topic, partition),
      ])
      if (from === to) continue
      for await (const records of log.read({ topic, partition, from, to }))
        for (const record of records) {
          const type = typeOf(record) as EventType
          const data = decodable(() => readers.get(type)?.(record) ?? null)
          if (data !== null && data['accountId'] === accountId && holdsPlainData(type, data)) count += 1
        }
    }
  return count
}

/** Counts of calls of nobody belong to no account. */
const ownedTypes = (): EventType[] =>
  (Object.keys(personalFields) as EventType[]).filter((type) => type !== 'RefusedRequestsCounted')

/** Reads the personal fields alone: a report's inputs are several times larger than the report. */
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
