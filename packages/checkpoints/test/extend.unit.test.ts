import type { EventLog } from '@cupel/event-log'
import { expect, test } from 'vitest'
import { extend } from '../src/extend.js'

test('the work pauses after each record that is read, and after each that is added to the tree', async () => {
  const place = { topic: 'a.topic', partition: 3 }
  const records = Array.from({ length: 70 }, (_, offset) => {
    return { ...place, offset, key: '', value: Buffer.from(`value ${offset}`), headers: {} }
  })
  const log = {
    startOffset: async () => 0,
    endOffset: async () => records.length,
    async *read() {
      yield records
    },
  } as unknown as EventLog
  let taken = 0
  const pauses = { next: () => void (taken += 1) as undefined }
  const extended = await extend(log, [place], new Map(), { maxRecords: 1_000, pauses })
  expect(extended).toMatchObject({ records: 70, hasMore: false })
  expect(taken).toBe(2 * 70)
})
