/** Reads the erasures that the log records. The erased records stay unchanged, so nothing else shows an erasure. */
import type { EventData } from '@cupel/contracts'
import { type AuthenticLog, type EventCodec, eventsOf } from '@cupel/event-log'

export type Erasure = EventData['PersonalDataErased']

/** In the order of the log, as far as it can be read; an erasure of many keys has several events. */
export async function readErasures(parts: {
  readonly log: AuthenticLog
  readonly codec: EventCodec
}): Promise<Erasure[]> {
  const erasures: Erasure[] = []
  for await (const { data } of eventsOf(parts, ['PersonalDataErased'])) erasures.push(data)
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
