/** Where reading of interactive reports goes on. Nothing is stored: how interactive screens fared before says nothing about now. */
import { REPORT_PARTITIONS, topicOf } from '@cupel/contracts'
import type { Checkpoint, EventLog, LogBatch, LogIdentity } from '@cupel/event-log'
import { isBulkPartition } from './lanes.js'

type Place = Pick<LogBatch, 'topic' | 'partition'>

export interface InteractiveEnds {
  /** The end as it was before any reading began, or after the last batch: a later look could be ahead of the reader's own. */
  checkpoint(place: Place): Checkpoint
  passed(batch: LogBatch): void
}

export async function lookUpInteractiveEnds(log: EventLog, identity: LogIdentity): Promise<InteractiveEnds> {
  const ends = new Map<string, number>()
  const places = [true, false].flatMap((livemode) =>
    Array.from({ length: REPORT_PARTITIONS }, (_, partition) => ({
      topic: topicOf('ReportGenerated', livemode),
      partition,
    })),
  )
  await Promise.all(
    places
      .filter(({ partition }) => !isBulkPartition(partition))
      .map(async ({ topic, partition }) => {
        ends.set(keyOf({ topic, partition }), await log.endOffset(topic, partition))
      }),
  )
  return {
    checkpoint: (place) => ({ next: ends.get(keyOf(place)) ?? 0, log: identity }),
    passed: (batch) => void ends.set(keyOf(batch), batch.nextOffset),
  }
}

function keyOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`
}
