import type { DomainEvent } from '@cupel/contracts'
import { describe, expect, test } from 'vitest'
import type { PriceImport } from './prices/read-prices.js'
import { nothingLeft, segmentEvent } from './segment-event.js'
import type { Segment } from './segments.js'
import {
  ledgerContradiction,
  newestOf,
  nothingStated,
  stating,
  statingAll,
  type StatedLedger,
} from './stated-ledger.js'

const segmentOf = (ledgerSeq: number, over: Partial<Segment> = {}): Segment => ({
  ...{ segmentId: ledgerSeq, ledgerSeq, chain: 'ETH', format: 'csv', fileName: `${ledgerSeq}.csv` },
  ...{ sha256: String(ledgerSeq).repeat(64), covers: ['native'], completeFrom: 1, completeTo: 9 },
  ...{ completeToAtS: 1_700_000_000, firstHeight: 1, lastHeight: 9, replaces: false },
  ...{ assetTableVersion: '1', rowsDone: 4, counts: { added: 3, known: 1, 'left_out.zero_value': 2 } },
  ...{ publishedAt: `2026-11-2${ledgerSeq}T00:00:00.000Z`, importedBy: 'test', rowSums: '4,1,2,3,4' },
  history: null,
  ...over,
})
const historyOf = (provider: string) => ({
  ...{ address: '0xab', provider, height: 9, hash: '', atS: 1_700_000_000, incomplete: ['truncated'] },
})
const prices = (priceSeq: number): PriceImport => ({
  ...{ priceSeq, sha256: 'ab', fileName: 'p.csv', prices: 1, assets: ['ETH'], firstDay: '2026-11-20' },
  ...{ lastDay: '2026-11-20', importedAt: '2026-11-21T00:00:00.000Z', importedBy: 'test' },
})

let ids = 0
const eventOf = (type: DomainEvent['type'], data: object): DomainEvent =>
  ({ type, data, envelope: { id: `event-${(ids += 1)}` } }) as DomainEvent
const imported = (segment: Segment) => eventOf('LedgerSegmentImported', segmentEvent(segment, ''))
const stated = (...events: readonly DomainEvent[]): StatedLedger => events.reduce(stating, nothingStated)
const three = [1, 2, 3].map((seq) => segmentOf(seq))
const faultOf = (segments: readonly Segment[], ledger: StatedLedger, tables: readonly PriceImport[] = []) =>
  ledgerContradiction({ segments, prices: tables }, ledger)

describe('rows are used only as the log states them:', () => {
  test('unchanged rows, and rows whose event is still to come', () => {
    expect(faultOf(three, stated(...three.map(imported)))).toBeNull()
    expect(faultOf(three, stated(imported(three[0]!)))).toBeNull()
    expect(faultOf([], nothingStated)).toBeNull()
  })

  test('a history too, whose event is decoded as a record with a class of its own', () => {
    const segment = segmentOf(1, { history: historyOf('explorer') })
    const event = imported(segment)
    class Decoded {}
    const { history } = event.data as { history: object }
    const data = { ...event.data, history: Object.assign(new Decoded(), history) }
    expect(faultOf([segment], stated({ ...event, data } as DomainEvent))).toBeNull()
  })

  test.each([
    ['segmentId', { segmentId: 9 }],
    ['chain', { chain: 'BTC' }],
    ['format', { format: 'blocks' }],
    ['history', { history: historyOf('another') }],
    ['fileName', { fileName: 'x' }],
    ['sha256', { sha256: 'x' }],
    ['covers', { covers: ['native', 'token'] }],
    ['completeFrom', { completeFrom: 0 }],
    ['completeTo', { completeTo: 10 }],
    ['completeToAt', { completeToAtS: 1_800_000_000 }],
    ['completeToAt', { completeToAtS: null }],
    ['firstHeight', { firstHeight: 0 }],
    ['lastHeight', { lastHeight: 10 }],
    ['replaces', { replaces: true }],
    ['assetTableVersion', { assetTableVersion: '2' }],
    ['rows', { rowsDone: 5 }],
    ['added', { counts: { added: 4, known: 1, 'left_out.zero_value': 2 } }],
    ['leftOut', { counts: { added: 3, known: 1 } }],
    ['importedAt', { publishedAt: '2026-11-01T00:00:00.000Z' }],
    ['importedBy', { importedBy: 'x' }],
    ['rowSums', { rowSums: '3,1,2,3,4' }],
  ] satisfies [string, Partial<Segment>][])('another %s is named', (field, over) => {
    const rows = [three[0]!, segmentOf(2, over), three[2]!]
    expect(faultOf(rows, stated(...three.map(imported)))).toBe(
      `The ledger has segment 2 with another ${field} than the log.`,
    )
  })

  test('a removed row is named by its file, and one before the first by its number', () => {
    const ledger = stated(...three.map(imported))
    expect(faultOf(three.slice(0, 2), ledger)).toMatch(/^The ledger lacks segment 3 \(ETH, 3\.csv/)
    expect(faultOf([segmentOf(0), ...three], ledger)).toMatch(/has a segment 0, which no event/)
    const second = segmentOf(2, { segmentId: 9 })
    expect(faultOf([second, ...three], ledger)).toBe('The ledger has two segments 2.')
    expect(faultOf([...three, second], ledger)).toBe('The ledger has two segments 2.')
    expect(faultOf(three, stated(imported(three[0]!), imported(three[2]!)))).toBe(
      'The log does not state segment 2 of the ledger.',
    )
  })
})

describe('a ledger that lost segments', () => {
  const ledger = stated(...three.map(imported))

  test('is used again once each of their files was imported again, in any order', () => {
    const third = segmentOf(2, { ...three[2], segmentId: 7, ledgerSeq: 2, publishedAt: 'later' })
    const half = stating(ledger, imported(third))
    expect(faultOf([three[0]!, third], half)).toMatch(/lacks segment 2 \(ETH, 2\.csv/)
    const second = segmentOf(3, { ...three[1], segmentId: 8, ledgerSeq: 3, publishedAt: 'later' })
    expect(faultOf([three[0]!, third, second], stating(half, imported(second)))).toBeNull()
  })

  test('is used again where an operator accepted the loss: its last segment, or none, is stated again', () => {
    expect(faultOf([three[0]!], stating(ledger, imported(three[0]!)))).toBeNull()
    const none = eventOf('LedgerSegmentImported', nothingLeft('accepted'))
    expect(faultOf([], stating(ledger, none))).toBeNull()
  })

  test('an append that is repeated accepts nothing', () => {
    const other = imported(segmentOf(3, { fileName: 'x', sha256: 'x', publishedAt: 'later' }))
    const repeated = [other, other].reduce(stating, ledger)
    expect(faultOf([...three.slice(0, 2), segmentOf(3)], repeated)).toMatch(/lacks segment 3 \(ETH, 3\.csv/)
  })
})

describe('prices are used only as the log states them:', () => {
  const ledger = stated(eventOf('PriceTableImported', { ...prices(2), reason: '' }))

  test('the last stated table is in force, whatever came after it', () => {
    expect(faultOf([], ledger, [prices(3), prices(2), prices(1)])).toBeNull()
    expect(faultOf([], ledger, [prices(1)])).toMatch(/lacks the price table p\.csv/)
    expect(faultOf([], ledger, [prices(2), prices(0)])).toMatch(/has a price table 0, which no event/)
    expect(faultOf([], ledger, [{ ...prices(2), sha256: 'x' }, prices(2)])).toBe(
      'The ledger has two price tables 2.',
    )
    expect(faultOf([], ledger, [{ ...prices(2), sha256: 'cd' }])).toBe(
      'The ledger has price table 2 with another sha256 than the log.',
    )
  })
})

test('events together give the state that they give one after another', () => {
  const [one, two, three_] = three.map(imported) as [DomainEvent, DomainEvent, DomainEvent]
  const other = imported(segmentOf(2, { sha256: 'f'.repeat(64) }))
  const priced = eventOf('PriceTableImported', { ...prices(1), reason: '' })
  const orders: readonly (readonly DomainEvent[])[] = [
    [one, two, three_],
    [one, one, two, two, priced, three_],
    [one, two, three_, other, three_],
    [one, two, eventOf('LedgerSegmentImported', nothingLeft('')), one],
  ]
  for (const events of orders)
    for (let first = 0; first <= events.length; first += 1) {
      const before = statingAll(nothingStated, events.slice(0, first))
      const kept = new Map(before.segments)
      expect(statingAll(before, events.slice(first))).toEqual(stated(...events))
      expect(before.segments).toEqual(kept)
    }
})

test('the newest statements take further ones without the earlier ones, and are those of the rows from their number on', () => {
  const all = stated(...three.map(imported))
  const newest = newestOf(all, 3)
  expect([...newest.segments.keys()]).toEqual([3])
  expect([...newestOf(all, 9).segments.keys()]).toEqual([3])
  const next = [segmentOf(4), segmentOf(5)]
  const [later, whole] = [newest, all].map((one) => statingAll(one, next.map(imported)))
  expect([...later!.segments.keys()]).toEqual([3, 4, 5])
  expect(ledgerContradiction({ segments: [three[2]!, ...next], prices: [] }, later!, 3)).toBeNull()
  expect(ledgerContradiction({ segments: [...three, ...next], prices: [] }, whole!)).toBeNull()
})
