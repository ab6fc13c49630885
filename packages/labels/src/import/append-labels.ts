/** Appends the labels of an import in large batches, two at a time. No label is visible before its publication. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DomainEvent } from '@cupel/contracts'
import type { EventCodec, EventLog, NewRecord } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { nudge } from '@cupel/projections'
import { LABEL_TOPIC, labelViewGroup } from '../read-model/index.js'

const BATCH_RECORDS = 2_000
const BATCH_BYTES = 1024 * 1024
const BATCHES_UNDER_WAY = 2

export interface LabelAppender {
  /** Waits while two batches are unacknowledged. */
  add(event: DomainEvent, key: string): Promise<void>
  /** Resolves when the log has acknowledged all batches. */
  flush(): Promise<void>
  /** Labels that were added or ended. */
  readonly appended: () => number
}

export function createLabelAppender(
  { log, codec, database }: { log: EventLog; codec: EventCodec; database: Queryable },
  onAppended: (labels: number) => void,
): LabelAppender {
  let batch: NewRecord[] = []
  let labels = 0
  let bytes = 0
  let appended = 0
  const underWay: Promise<unknown>[] = []

  async function send(): Promise<void> {
    const [records, ofRecords] = [batch, labels]
    batch = []
    labels = 0
    bytes = 0
    const sending = log.append('labels.append', records).then(() => {
      appended += ofRecords
      onAppended(appended)
      // The view applies this batch while the next ones are encoded. If the nudge is lost, the view is only later.
      nudge(database, [labelViewGroup]).catch(() => undefined)
    })
    // A later `add` or `flush` reports a failure; until then the rejection must not count as unhandled.
    sending.catch(() => undefined)
    underWay.push(sending)
    // Give the log a turn of the event loop to send this batch before the next one is encoded.
    await nextTurn()
    if (underWay.length >= BATCHES_UNDER_WAY) await underWay.shift()
  }

  return {
    appended: () => appended,
    async add(event, key) {
      const record = codec.encode(event, { topic: LABEL_TOPIC, key })
      batch.push(record)
      labels += event.type === 'LabelsAsserted' ? event.data.labels.length : 1
      bytes += record.value.length
      if (batch.length >= BATCH_RECORDS || bytes >= BATCH_BYTES) await send()
    },
    async flush() {
      if (batch.length > 0) await send()
      await Promise.all(underWay.splice(0))
    },
  }
}
