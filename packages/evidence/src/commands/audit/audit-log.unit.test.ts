/** An export across a cut reads the segments of an archive one after the other. */
import { topicOf } from '@cupel/contracts'
import type { EventCodec, EventLog, LogRange, LogRecord } from '@cupel/event-log'
import { expect, test } from 'vitest'
import { readAuditLog } from './audit-log.js'

const TOPIC = topicOf('ReportGenerated', true)
const RECORDS = 5_000

test('no read of reports waits for another one with its segment in memory, and every record comes once, by time', async () => {
  let [open, most, read] = [0, 0, 0]
  async function* reading({ topic, partition, from, to }: LogRange): AsyncGenerator<readonly LogRecord[]> {
    open += 1
    most = Math.max(most, open)
    try {
      for (let offset = from; offset < to; offset += 100) {
        read += 100
        yield Array.from({ length: Math.min(100, to - offset) }, (_, at) =>
          recordOf({ topic, partition, offset: offset + at }),
        )
      }
    } finally {
      open -= 1
    }
  }
  const log = { startOffset: () => Promise.resolve(0), read: reading } as unknown as EventLog
  const codec = { partOf: () => () => null } as unknown as EventCodec
  const places = [0, 1, 2].map((partition) => ({ topic: TOPIC, partition, to: RECORDS }))
  const found: string[] = []
  const times: string[] = []
  for await (const entry of readAuditLog(log, codec, places)) {
    // A part of each partition is read ahead.
    if (times.length === 0) expect(read).toBeLessThan(3 * RECORDS)
    times.push(entry.time)
    found.push(entry.kind === 'outcome' ? entry.reportId : '')
  }
  expect([most, open]).toEqual([1, 0])
  expect(new Set(found).size).toBe(3 * RECORDS)
  expect(found).toHaveLength(3 * RECORDS)
  expect(times).toEqual([...times].sort())
})

const recordOf = ({ topic, partition, offset }: { topic: string; partition: number; offset: number }) =>
  ({
    ...{ topic, partition, offset, key: `${partition}-${offset}`, value: Buffer.alloc(0) },
    headers: { ce_type: 'ReportGenerated', ce_time: new Date(offset * 1_000).toISOString() },
  }) as unknown as LogRecord
