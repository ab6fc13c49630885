/** The reports that were in the tree before the first key of the log was: nobody could sign them. */
import { topicOf } from '@cupel/contracts'
import { placeOf, type Place } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'

/**
 * By `topic/partition`, the offset after the last report whose leaf is before that of the first key; empty without such reports. Rows say
 * so: they count only if a comparison with the tree finds no fault. `from` is the first leaf that is compared.
 */
export async function offsetsBeforeKeys(
  database: Queryable,
  log: string,
  from = 0,
): Promise<ReadonlyMap<string, number>> {
  const reports = [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)]
  const [first] = await database.query<{ number: number; index: number }>(
    `SELECT number, index FROM transparency.leaf
     WHERE (number, place) IN (SELECT number, place FROM transparency.place JOIN transparency.log USING (number) WHERE log = $1 AND topic = $2)
     ORDER BY number, index LIMIT 1`,
    [log, topicOf('SigningKeyPublished')],
  )
  if (first === undefined) return new Map()
  const rows = await database.query<Place & { next: number }>(
    `SELECT topic, partition, max(record_offset) + 1 AS next FROM transparency.leaf JOIN transparency.place USING (number, place)
     WHERE number = $1 AND index < $2 AND index >= $4 AND topic = ANY ($3) GROUP BY topic, partition`,
    [first.number, first.index, reports, from],
  )
  return new Map(rows.map((row) => [placeOf(row), row.next]))
}
