/** Whatever is repeated and however partitions are mixed, a subscriber ends with the first outcomes and the latest reports. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReportReducer, type SubscribedEvent } from '../src/index.js'

interface Made {
  readonly type: 'ReportGenerated' | 'ScreeningFailed'
  readonly id: number
  readonly address: string
  readonly hour: number
  readonly livemode: boolean
  readonly score: number
}

const PARTITIONS = 4
const eventOf = ({ type, id, address, hour, livemode, score }: Made): SubscribedEvent => ({
  type,
  data: {
    ...{ reportId: `r${id}`, accountId: 'acc_1', livemode, chain: 'ETH', canonicalAddress: address },
    ...{ level: 'red', score, generatedAt: `2026-11-21T${hour}:00:00.000Z` },
  },
})

const made = fc.record<Made>({
  type: fc.constantFrom('ReportGenerated', 'ReportGenerated', 'ReportGenerated', 'ScreeningFailed'),
  id: fc.nat({ max: 12 }),
  address: fc.constantFrom('0xaa', '0xbb'),
  hour: fc.integer({ min: 10, max: 12 }),
  livemode: fc.boolean(),
  score: fc.nat({ max: 100 }),
})

/** Computes without the reducer: the first record of each id, and of the reports among them the greatest by time and id. */
function expectedOf(partitions: readonly (readonly Made[])[]) {
  const first = new Map<number, Made>()
  for (const each of partitions.flat()) if (!first.has(each.id)) first.set(each.id, each)
  const reports = [...first.values()].filter(({ type }) => type === 'ReportGenerated')
  reports.sort((one, other) => one.hour - other.hour || (`r${one.id}` < `r${other.id}` ? -1 : 1))
  const latest = new Map(
    reports.map((each) => [`${each.livemode} ${each.address}`, `r${each.id} ${each.score}`]),
  )
  return { latest, outcomes: [...first.values()].map(({ id, type }) => [`r${id}`, type]) }
}

test('records that are read again, and partitions that are mixed, change nothing', () => {
  fc.assert(
    fc.property(fc.array(made, { maxLength: 40 }), fc.infiniteStream(fc.nat()), (all, choices) => {
      // The id names the partition, as it does in the topic.
      const partitions = Array.from({ length: PARTITIONS }, (_, at) =>
        all.filter(({ id }) => id % PARTITIONS === at),
      )
      const reducer = new ReportReducer()
      const next = partitions.map(() => 0)
      const pick = (below: number): number => (choices.next().value as number) % below
      for (let left = 200; left > 0 && next.some((at, index) => at < partitions[index]!.length); left -= 1) {
        const index = pick(PARTITIONS)
        const records = partitions[index]!
        // A consumer that lost its position reads from an earlier one.
        if (pick(5) === 0) next[index] = pick(next[index]! + 1)
        const at = next[index]!
        if (at >= records.length) continue
        reducer.take(eventOf(records[at]!))
        next[index] = at + 1
      }
      for (const [index, records] of partitions.entries())
        for (const record of records.slice(next[index])) reducer.take(eventOf(record))
      const { latest, outcomes } = expectedOf(partitions)
      const said = reducer
        .latestReports()
        .map((each) => [`${each.livemode} ${each.canonicalAddress}`, `${each.reportId} ${each.score}`])
      expect(new Map(said as [string, string][])).toEqual(latest)
      for (const [id, type] of outcomes)
        expect(reducer.outcome(id!)).toBe(type === 'ReportGenerated' ? 'report' : 'failure')
    }),
    { numRuns: 300 },
  )
})

test('the topic of the latest reports ends in the same state, in whatever order its records come', () => {
  fc.assert(
    fc.property(fc.array(made, { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 40 }), (all, again) => {
      const reports = all.map((each, id) => ({ ...each, id, type: 'ReportGenerated' as const }))
      const events = reports.map(eventOf).map(({ data }) => ({ type: 'LatestReportRecorded', data }))
      const reducer = new ReportReducer()
      for (const index of events.length === 0 ? [] : again) reducer.take(events[index % events.length]!)
      for (const event of [...events].reverse()) reducer.take(event)
      const said = reducer
        .latestReports()
        .map((each) => [`${each.livemode} ${each.canonicalAddress}`, `${each.reportId} ${each.score}`])
      expect(new Map(said as [string, string][])).toEqual(expectedOf([reports]).latest)
    }),
  )
})

test('a record without a value is forgotten, and events of other kinds change nothing', () => {
  const reducer = new ReportReducer()
  const about = { accountId: 'acc_1', livemode: true, chain: 'ETH', canonicalAddress: '0xaa' }
  const event = eventOf({
    type: 'ReportGenerated',
    id: 1,
    address: '0xaa',
    hour: 10,
    livemode: true,
    score: 1,
  })
  expect([reducer.take(event), reducer.take(event)]).toEqual(['first', 'repeat'])
  expect(reducer.latest(about)).toMatchObject({ reportId: 'r1', level: 'red', event: event.data })
  reducer.forget({ key: 'acc_1/ETH/0xaa', livemode: false })
  expect(reducer.latest(about)).toBeDefined()
  reducer.forget({ key: 'acc_1/ETH/0xaa', livemode: true })
  expect(reducer.latest(about)).toBeUndefined()
  expect(reducer.take({ type: 'BulkCompleted', data: {} })).toBe('other')
})

test.each(['reportId', 'livemode', 'score', 'generatedAt', 'canonicalAddress'])(
  'an event of a report without %s is refused, and changes nothing',
  (name) => {
    const reducer = new ReportReducer()
    const { type, data } = eventOf({
      type: 'ReportGenerated',
      id: 1,
      address: '0xaa',
      hour: 10,
      livemode: true,
      score: 1,
    })
    expect(() => reducer.take({ type, data: { ...data, [name]: undefined } })).toThrow(name)
    expect(reducer.latestReports()).toEqual([])
    expect(reducer.outcome('r1')).toBeUndefined()
  },
)
