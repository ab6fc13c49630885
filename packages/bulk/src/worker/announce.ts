/** Appends the ends of jobs that were decided, until each is acknowledged. */
import { topicOf } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { listUnannounced, markAnnounced } from './job-table.js'
import type { Fence } from './lease-table.js'

const MAX_BATCH_ENDS = 100

/** Appends the waiting ends and returns how many. A crash before the rows are marked appends the same bytes again. */
export function createAnnounce(parts: {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly fence: Fence
}): () => Promise<number> {
  const { log, codec, database, fence } = parts
  return async () => {
    const events = await listUnannounced(database, MAX_BATCH_ENDS)
    if (events.length === 0) return 0
    const records = events.map((event) =>
      codec.encode(event, { topic: topicOf(event.type, event.data.livemode), key: event.data.jobId }),
    )
    await log.append('bulk.job-ended', records)
    await database.transaction({ at: 'bulk.announced' }, async (transaction) => {
      await fence(transaction)
      await markAnnounced(
        transaction,
        events.map(({ data }) => data.jobId),
      )
    })
    return events.length
  }
}
