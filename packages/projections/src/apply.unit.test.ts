import { UndecodableRecordError, type EventCodec, type LogRecord } from '@cupel/event-log'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { noteView, TOPIC } from '../test/note-view.js'
import { createReduce } from './apply.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const record: LogRecord = {
  ...{ topic: TOPIC, partition: 0, offset: 7, key: 'k', value: Buffer.from([1]), timestampMs: 0 },
  headers: { ce_type: 'ReportGenerated' },
}
const codec = {
  decode: (one: LogRecord) => {
    throw new UndecodableRecordError('unknown-schema', one, 'nobody knows its schema')
  },
} as unknown as EventCodec
/** Longer than the read models' wait for a schema. */
const LONG_MS = 60_000

test('a record of a work topic whose schema stays unknown is waited for, then skipped', () => {
  const reduce = createReduce({ ...noteView, workTopics: [TOPIC] }, { codec })
  expect(() => reduce(record)).toThrow(UndecodableRecordError)
  vi.advanceTimersByTime(LONG_MS)
  expect(reduce(record)).toEqual({ type: null, changes: [] })
})

test('in every other topic it is never skipped', () => {
  const reduce = createReduce(noteView, { codec })
  expect(() => reduce(record)).toThrow(UndecodableRecordError)
  vi.advanceTimersByTime(LONG_MS)
  expect(() => reduce(record)).toThrow(UndecodableRecordError)
})
