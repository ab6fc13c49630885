/** Ends a watch at once, and for good. A pending screening of it becomes a report, and changes nothing else. */
import { decidedEventId } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { writeWatchEvents } from './events.js'
import type { Actor, Owner } from './watch.js'

/** Resolves to whether the account had such a watch. */
export async function removeWatch(
  database: Database,
  order: Owner & Actor & { readonly watchId: string },
): Promise<boolean> {
  const { accountId, livemode, watchId, keyId, person, call } = order
  return await database.transaction({ at: 'watches.change' }, async (transaction) => {
    const removed = await transaction.execute(
      'DELETE FROM watches.watch WHERE watch_id = $1 AND account_id = $2 AND livemode = $3',
      [watchId, accountId, livemode],
    )
    if (removed === 0) return false
    const removedAt = new Date().toISOString()
    const data = { watchId, accountId, livemode, removedAt, removedBy: keyId, actor: person, call }
    const id = decidedEventId('WatchRemoved', watchId)
    await writeWatchEvents(transaction, [
      { type: outboxType('WatchRemoved'), id, subject: watchId, time: removedAt, data },
    ])
    return true
  })
}
