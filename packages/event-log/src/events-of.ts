/** Events of some types, as far as they can be read: who verifies the log reports every other record. */
import { topicOf, type DomainEvent, type EventType } from '@cupel/contracts'
import { UndecodableRecordError, type EventCodec } from './event-codec.js'
import type { AuthenticLog } from './authentic/index.js'
import { LogStoppedError, typeOf } from './port.js'
import { rangesOf } from './scan.js'

/** In the order of topics, partitions and offsets; without records of other producers. The reading of a partition ends at a gap. */
export async function* eventsOf<T extends EventType>(
  { log, codec }: { readonly log: AuthenticLog; readonly codec: EventCodec },
  types: readonly T[],
): AsyncGenerator<DomainEvent<T>> {
  const forgeryOf = await log.forgeryCheck()
  const wanted = new Set<string | undefined>(types)
  for (const range of await rangesOf(log, [...new Set(types.map((type) => topicOf(type)))])) {
    if (range.from === range.to) continue
    try {
      for await (const records of log.unchecked.read(range))
        for (const record of records) {
          if (!wanted.has(typeOf(record)) || forgeryOf(record) !== null) continue
          const event = readable(() => codec.decode(record))
          if (event !== null) yield event as DomainEvent<T>
        }
    } catch (error) {
      if (!(error instanceof LogStoppedError)) throw error
    }
  }
}

/** Null if the record cannot be decoded. */
export function readable<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof UndecodableRecordError) return null
    throw error
  }
}
