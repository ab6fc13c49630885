/** Makes the deliveries of jobs that ended after the backup, and ends them as the log says: the dispatcher continues after them. */
import { topicOf } from '@cupel/contracts'
import { typeOf } from '@cupel/event-log'
import { type PartitionPosition, putCheckpoints, unreadRanges } from '@cupel/projections'
import { DISPATCHER_GROUP, endOfJob } from '@cupel/webhook-dispatcher'
import { insertDeliveries, replayDeliveryEnd } from '@cupel/webhooks'
import type { Notes } from './notes.js'
import { eachEventSince, RESTORE_GROUP, type SinceBackup } from './since-backup.js'

const settled = (count: number): string =>
  `${count} webhook deliveries end as the log tells: nothing of them is sent again.`

export async function replayDeliveries(parts: SinceBackup & { readonly notes: Notes }): Promise<void> {
  const { transaction, log, notes } = parts
  const identity = await log.identity()
  await putCheckpoints(transaction, {
    ...{ group: DISPATCHER_GROUP, log: identity },
    positions: await insertPastDeliveries(parts),
  })
  const positions: PartitionPosition[] = []
  for (const topic of [topicOf('WebhookDelivered', true), topicOf('WebhookDelivered', false)])
    positions.push(
      ...(await eachEventSince(
        parts,
        topic,
        new Set(['WebhookDelivered', 'WebhookExhausted']),
        async (event) => {
          if (event.type !== 'WebhookDelivered' && event.type !== 'WebhookExhausted') return
          const { deliveryId, attempts } = event.data
          const end =
            event.type === 'WebhookDelivered'
              ? ({ status: 'delivered', endedAt: event.data.deliveredAt } as const)
              : ({ status: 'exhausted', endedAt: event.data.exhaustedAt } as const)
          if (await replayDeliveryEnd(transaction, { deliveryId, attempts, ...end })) notes.changed(settled)
        },
      )),
    )
  await putCheckpoints(transaction, { group: RESTORE_GROUP, log: identity, positions })
}

async function insertPastDeliveries({
  transaction,
  log,
  codec,
}: SinceBackup): Promise<readonly PartitionPosition[]> {
  const positions: PartitionPosition[] = []
  const topics = [topicOf('BulkCompleted', true), topicOf('BulkCompleted', false)]
  for (const range of await unreadRanges(transaction, log, { group: DISPATCHER_GROUP, topics })) {
    for await (const records of log.read(range)) {
      const ended = records.filter((record) => /^Bulk(Completed|Cancelled)$/.test(typeOf(record) ?? ''))
      const ends = ended.map((record) => endOfJob(codec, record)).filter((end) => end !== null)
      await insertDeliveries(transaction, ends)
    }
    positions.push({ topic: range.topic, partition: range.partition, next: range.to })
  }
  return positions
}
