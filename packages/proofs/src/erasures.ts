/** Reads the erasures that the log records. The erased records stay unchanged, so nothing else shows an erasure. */
import { topicOf, type EventData } from '@cupel/contracts'
import {
  type AuthenticLog,
  type EventCodec,
  type LogRecord,
  LogStoppedError,
  rangesOf,
  typeOf,
  UndecodableRecordError,
} from '@cupel/event-log'

export type Erasure = EventData['PersonalDataErased']

/**
 * In the order of the log; an erasure of many keys has several events. Records of other producers are ignored. The verification reports
 * undecodable records and a log that is not whole: this function returns what it can read.
 */
export async function readErasures({
  log,
  codec,
}: {
  readonly log: AuthenticLog
  readonly codec: EventCodec
}): Promise<Erasure[]> {
  const forgeryOf = await log.forgeryCheck()
  const topic = topicOf('PersonalDataErased')
  const erasures: Erasure[] = []
  for (const range of await rangesOf(log, [topic])) {
    if (range.from === range.to) continue
    try {
      for await (const records of log.unchecked.read(range))
        for (const record of records)
          if (typeOf(record) === 'PersonalDataErased' && forgeryOf(record) === null)
            erasures.push(...erasureIn(codec, record))
    } catch (error) {
      if (!(error instanceof LogStoppedError)) throw error
    }
  }
  return joined(erasures)
}

function joined(erasures: readonly Erasure[]): Erasure[] {
  const byPlace = new Map<string, Erasure>()
  for (const erasure of erasures) {
    const { scope, accountId, period, erasedAt } = erasure
    const isOne = scope !== 'reference'
    const place = JSON.stringify([scope, accountId, period, erasedAt, isOne ? '' : erasure.keyIds])
    const before = byPlace.get(place)
    byPlace.set(
      place,
      before === undefined ? erasure : { ...before, keyIds: [...before.keyIds, ...erasure.keyIds] },
    )
  }
  return [...byPlace.values()]
}

function erasureIn(codec: EventCodec, record: LogRecord): Erasure[] {
  try {
    const event = codec.decodeAs('PersonalDataErased', record)
    return event === null ? [] : [event.data]
  } catch (error) {
    if (error instanceof UndecodableRecordError) return []
    throw error
  }
}
