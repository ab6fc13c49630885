/** Cuts the records of retired months from the front of the report topics, once nobody needs them there any more. */
import { topicOf } from '@cupel/contracts'
import { placeOf, placesOf, type EventLog } from '@cupel/event-log'
import { failpoint } from '@cupel/kit/failpoints'
import { beginRetirement, endRetirement, listCheckpoints, type MonthRetired } from '@cupel/projections'
import { kafkaAccess } from '@cupel/operation/connections'
import { openLog, type Connections } from '@cupel/command-line/installation'
import type { Database } from '@cupel/postgres'
import type { ArchiveContents } from '../../index.js'
import { endOf } from '../../read-archive.js'
import type { Month } from './plan.js'
import type { Cut, PlaceFacts } from './plan-cut.js'

interface Ends extends Record<string, unknown> {
  readonly livemode: boolean
  readonly partition: number
  readonly firstKept: number | null
  readonly lastRetired: number | null
}

/** Readers of each place: the archive, the tree head that it names, and every group that ever read there. */
export async function readPlaces(
  { database, log }: { readonly database: Database; readonly log: EventLog },
  contents: ArchiveContents,
  before: Month,
): Promise<readonly PlaceFacts[]> {
  const identity = await log.identity()
  const topics = new Map([true, false].map((livemode) => [topicOf('ReportGenerated', livemode), livemode]))
  const ends = await database.query<Ends>(
    `SELECT livemode, log_partition AS partition,
       (min(log_offset) FILTER (WHERE ended_at >= month.from))::int8 AS "firstKept",
       (max(log_offset) FILTER (WHERE ended_at < month.from))::int8 AS "lastRetired"
     FROM report_view.report, (SELECT ($1 || '-01T00:00:00Z')::timestamptz AS from) AS month GROUP BY 1, 2`,
    [before],
  )
  const leaves = await database.query<{ topic: string; partition: number; next: number }>(
    `SELECT topic, partition, (max(record_offset) + 1)::int8 AS next
     FROM transparency.log t JOIN transparency.leaf l USING (number) JOIN transparency.place p USING (number, place)
     WHERE t.log = $1 AND l.index < $2 AND topic = ANY ($3::text[]) GROUP BY 1, 2`,
    [identity, contents.tree?.size ?? 0, [...topics.keys()]],
  )
  const checkpoints = (await listCheckpoints(database)).filter((each) => each.log === identity)
  return await Promise.all(
    (await placesOf(log, [...topics.keys()])).map(async (place): Promise<PlaceFacts> => {
      const isHere = (other: { readonly topic: string; readonly partition: number }): boolean =>
        placeOf(other) === placeOf(place)
      const own = ends.find(
        ({ livemode, partition }) => livemode === topics.get(place.topic) && partition === place.partition,
      )
      return {
        ...place,
        start: await log.startOffset(place.topic, place.partition),
        firstKept: own?.firstKept ?? null,
        lastRetired: own?.lastRetired ?? null,
        readers: [
          { name: 'the archive', next: endOf(contents, place.topic, place.partition) ?? 0 },
          { name: 'the signed tree head of the archive', next: leaves.find(isHere)?.next ?? 0 },
          ...checkpoints.filter(isHere).map(({ group, next }) => ({ name: `the group ${group}`, next })),
        ],
      }
    }),
  )
}

/** Runs the work with the log itself: the log of the command goes on in the archive, and does not show where it was cut. */
export async function withBareLog<T>(
  { config, database, logger }: Connections,
  work: (log: EventLog) => Promise<T>,
): Promise<T> {
  const log = await openLog(config, database, logger)
  try {
    return await work(log)
  } finally {
    await log.close()
  }
}

/** The event is stored before the first record goes. Where it is cut off, the next call goes on. */
export async function cutLog(
  { config, database, logger }: Connections,
  retired: MonthRetired,
  cuts: readonly Cut[],
): Promise<void> {
  await database.transaction({ at: 'retention.begin' }, (transaction) =>
    beginRetirement(transaction, retired),
  )
  const prefix = config.CUPEL_TOPIC_PREFIX
  for (const { topic, partition, before } of cuts) {
    failpoint('before', 'retention.cut')
    const wireTopic = prefix + topic
    if (config.CUPEL_LOG === 'embedded')
      await database.query('SELECT log.delete_before($1, $2, $3)', [wireTopic, partition, before])
    else {
      const { connectionOptions, deleteRecordsBefore } = await import('@cupel/event-log/kafka')
      const options = { ...(await kafkaAccess(config)), clientId: 'cupel-cli', logger }
      await deleteRecordsBefore(connectionOptions(options, logger), { wireTopic, partition, offset: before })
    }
    failpoint('after', 'retention.cut')
  }
  await database.transaction({ at: 'retention.cut' }, (transaction) => endRetirement(transaction, retired))
}
