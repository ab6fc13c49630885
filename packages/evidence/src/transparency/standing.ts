/** Whether records get leaves, in a row that `cupel status` and `cupel doctor` read: the process that gives them may be gone. */
import { type EventLog, placeOf, placesOf } from '@cupel/event-log'
import type { TopicSpec } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { knownStart } from './known-start.js'
import { ensureLog, loadPositions } from './state.js'

export interface TransparencyStanding {
  readonly leaves: number
  /** Records, and other offsets, behind the last leaves. */
  readonly unleafed: number
  /** Time since a projector last looked for new records without a failure; null if none ever did. */
  readonly checkedAgeMs: number | null
  /** A sentence that says why the last look failed; null if it did not. */
  readonly stopped: string | null
}

/** A projector looks for new records every few seconds. */
const MAX_UNCHECKED_MS = 60_000

/** Null if no projector ever kept a transparency log of this log. */
export async function readStanding(
  database: Queryable,
  log: Pick<EventLog, 'identity' | 'partitionCount' | 'startOffset' | 'endOffset'>,
  topics: readonly TopicSpec[],
): Promise<TransparencyStanding | null> {
  const identity = await log.identity()
  const [row] = await database.query<Omit<TransparencyStanding, 'unleafed'>>(
    `SELECT size AS leaves, stopped, (extract(epoch FROM now() - checked_at) * 1000)::float8 AS "checkedAgeMs"
     FROM transparency.log WHERE log = $1`,
    [identity],
  )
  if (row === undefined) return null
  const positions = await loadPositions(database, identity)
  const unleafed = await Promise.all(
    (await placesOf(log, topics)).map(async (place) => {
      const [start, end] = await Promise.all([
        knownStart(log, place),
        log.endOffset(place.topic, place.partition),
      ])
      return Math.max(0, end - Math.max(start, positions.get(placeOf(place)) ?? 0))
    }),
  )
  return { ...row, unleafed: unleafed.reduce((sum, each) => sum + each, 0) }
}

/** A sentence; null if records get their leaves. Nothing is at fault with a log that has no new records. */
export function standstillOf({ unleafed, checkedAgeMs, stopped }: TransparencyStanding): string | null {
  if (stopped !== null) return `The transparency log has stopped: ${stopped}`
  if (unleafed === 0 || (checkedAgeMs ?? Infinity) <= MAX_UNCHECKED_MS) return null
  const since = checkedAgeMs === null ? 'ever' : `for ${Math.round(checkedAgeMs / 1_000)} s`
  return `${unleafed} records have no leaf of the transparency log, and no projector looked for new ones ${since}.`
}

/** Stores why the last look failed, or null. */
export async function storeStanding(database: Queryable, log: string, stopped: string | null): Promise<void> {
  const { number } = await ensureLog(database, log)
  await database.execute(
    `UPDATE transparency.log SET stopped = $2, checked_at = CASE WHEN $2::text IS NULL THEN now() ELSE checked_at END
     WHERE number = $1`,
    [number, stopped],
  )
}
