/**
 * How long a record may wait for the schema it was written with: a newer release may just have registered it, and the codec
 * loads the schemas again meanwhile. A consumer reads a partition in order, so at most one record of each partition waits.
 */
import { placeOf, type Position, UndecodableRecordError } from '@cupel/event-log'

/** Whether the record at `position` must wait, given the error from reading it. */
export type SchemaPatience = (error: unknown, position: Position) => boolean

/** `patienceMs` counts from the first time the record was read. `now` returns milliseconds that only rise. */
export function createSchemaPatience(patienceMs: number, now = () => performance.now()): SchemaPatience {
  const waiting = new Map<string, { readonly offset: number; readonly since: number }>()
  return (error, position) => {
    if (!isUnknownSchema(error)) return false
    const place = placeOf(position)
    const { offset } = position
    let first = waiting.get(place)
    if (first?.offset !== offset) waiting.set(place, (first = { offset, since: now() }))
    return now() - first.since < patienceMs
  }
}

export function isUnknownSchema(error: unknown): boolean {
  return error instanceof UndecodableRecordError && error.reason === 'unknown-schema'
}
