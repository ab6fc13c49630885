/** Makes the deliveries of what an account was told after the backup, and ends them as the log says: the dispatcher continues after them. */
import { topicOf } from '@cupel/contracts'
import { typeOf } from '@cupel/event-log'
import { type PartitionPosition, putCheckpoints, unreadRanges } from '@cupel/projections'
import type { MailStyle } from '@cupel/domain'
import {
  changeIn,
  digestIn,
  DISPATCHER_GROUP,
  DISPATCHER_TOPICS,
  dispatcherReads,
  endOfJob,
  failureIn,
  transferReader,
} from '@cupel/webhooks/worker'
import {
  insertChangeDeliveries,
  insertDeliveries,
  insertDigestDeliveries,
  insertFailureDeliveries,
  insertTransferDeliveries,
  replayDeliveryEnd,
} from '@cupel/webhooks'
import type { Notes } from './notes.js'
import { eachEventSince, type SinceBackup } from './since-backup.js'
import { RESTORE_GROUP } from '../../health/index.js'

const settled = (count: number): string =>
  `${count} webhook deliveries end as the log tells: nothing of them is sent again.`

export async function replayDeliveries(
  parts: SinceBackup & { readonly notes: Notes; readonly mailStyle: MailStyle },
): Promise<void> {
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

const TOLD: ReadonlySet<string> = new Set([
  ...['BulkCompleted', 'BulkCancelled', 'ReportChanged', 'WatchesDigested', 'WatchFailed'],
  ...['ReportGenerated', 'ScreeningFailed'],
])

async function insertPastDeliveries({
  transaction,
  log,
  codec,
  mailStyle,
}: SinceBackup & { readonly mailStyle: MailStyle }): Promise<readonly PartitionPosition[]> {
  const positions: PartitionPosition[] = []
  const transferIn = transferReader(codec)
  const reading = { group: DISPATCHER_GROUP, topics: DISPATCHER_TOPICS }
  for (const range of (await unreadRanges(transaction, log, reading)).filter(dispatcherReads)) {
    for await (const records of log.read(range)) {
      const told = records.filter((record) => TOLD.has(typeOf(record) ?? ''))
      const of = <T>(read: (...args: readonly [typeof codec, (typeof told)[number]]) => T | null): T[] =>
        told.map((record) => read(codec, record)).filter((one) => one !== null)
      await insertDeliveries(transaction, of(endOfJob))
      await insertChangeDeliveries(transaction, of(changeIn), mailStyle)
      await insertDigestDeliveries(transaction, of(digestIn), mailStyle)
      await insertFailureDeliveries(transaction, of(failureIn), mailStyle)
      const transfers = of((_, record) => transferIn(record))
      await insertTransferDeliveries(transaction, transfers, mailStyle)
    }
    positions.push({ topic: range.topic, partition: range.partition, next: range.to })
  }
  return positions
}
