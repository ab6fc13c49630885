import { expect, test } from 'vitest'
import { decidedEventId, requestedEventId } from './event-id.js'

test('ids of requests are UUIDv7, never equal, and sort by the millisecond they were made in', () => {
  const ids = Array.from({ length: 10_000 }, requestedEventId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const times = ids.map((id) => id.slice(0, 13))
  expect(times).toEqual([...times].sort())
})

test('the same decision has the same id, another one another', () => {
  expect(decidedEventId('a', 'b')).toBe(decidedEventId('a', 'b'))
  expect(decidedEventId('a', 'b')).not.toBe(decidedEventId('ab'))
})
