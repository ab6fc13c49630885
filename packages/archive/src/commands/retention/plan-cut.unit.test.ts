import { expect, test } from 'vitest'
import { planCuts, type PlaceFacts } from './plan-cut.js'

const PLACE: PlaceFacts = {
  ...{ topic: 'reports', partition: 3, start: 0, firstKept: 10, lastRetired: 12 },
  readers: [{ name: 'the archive', next: 40 }],
}

test('everything goes before the first report that stays, although older ones are behind it', () => {
  expect(planCuts([PLACE])).toEqual({
    cuts: [{ topic: 'reports', partition: 3, before: 10, records: 10 }],
    refusals: [],
  })
})

test('a place without a report that stays keeps what comes behind the last one that leaves', () => {
  expect(planCuts([{ ...PLACE, firstKept: null, start: 5 }]).cuts).toMatchObject([{ before: 13, records: 8 }])
})

test('nothing goes where nothing may, or where it is gone already', () => {
  expect(planCuts([{ ...PLACE, lastRetired: null }]).cuts).toEqual([])
  expect(planCuts([{ ...PLACE, firstKept: 0 }]).cuts).toEqual([])
  expect(planCuts([{ ...PLACE, start: 10 }]).cuts).toEqual([])
})

test('every reader that has not read so far is named', () => {
  const readers = [
    { name: 'the archive', next: 9 },
    { name: 'the group slow', next: 0 },
    { name: 'the group quick', next: 10 },
  ]
  expect(planCuts([{ ...PLACE, readers }]).refusals).toEqual([
    'reports/3 may be cut before 10, and the archive ends at 9.',
    'reports/3 may be cut before 10, and the group slow ends at 0.',
  ])
})
