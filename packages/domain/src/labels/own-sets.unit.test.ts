import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { laterWholeSet, lostDesignations, type OriginLabel, type SetInForce } from './own-sets.js'

const READ = { read: 9, refused: 0, skipped: 0, unreadable: 0, accepted: 0 }

/** A set that is a version of every other one of these names. */
const own = (dataset: string, more: Partial<SetInForce> = {}): SetInForce => ({
  ...{
    source: 'ofac_sdn',
    dataset,
    authorityOrigin: 'us-ofac',
    whole: true,
    asOf: '2026-11-20',
    total: 9,
    visible: 9,
    labelSetSeq: 1,
    rows: READ,
    versionOf: [
      'ofac_sdn/old',
      'ofac_sdn/sdn',
      'ofac_sdn/mine',
      'ofac_sdn/other',
      'ofac_sdn/a',
      'ofac_sdn/b',
      'ofac_sdn/c',
      'ofac_sdn/d',
    ],
  },
  ...more,
})
const label = (lookupKey: string, dataset: string, source = 'ofac_sdn'): OriginLabel => ({
  ...{ lookupKey, dataset, source },
})
const part = { whole: false, asOf: '2020-01-01' }

describe('a whole set is history once there is a later one', () => {
  test.each<[string, Partial<SetInForce>, Partial<SetInForce>, boolean]>([
    ['with an earlier date', { asOf: '2024-09-27' }, {}, true],
    ['with the same day, and a time', { asOf: '2026-11-20T08:00:00.000Z' }, {}, false],
    ['with a later date', { asOf: '2026-11-21' }, {}, false],
    ['without a date', { asOf: null }, {}, false],
    ['with one without a date', { asOf: '2024-09-27' }, { asOf: null }, false],
    ['with a part', { asOf: '2024-09-27' }, { whole: false }, false],
    ['as a part', { asOf: '2024-09-27', whole: false }, {}, false],
    ['with a set that lost a label', { asOf: '2024-09-27' }, { visible: 8 }, false],
    ['with a much longer version', { asOf: '2024-09-27', total: 1 }, {}, true],
    ['with another list', { asOf: '2024-09-27', versionOf: [] }, { versionOf: [] }, false],
    [
      'with what was another list when it was published last',
      { asOf: '2024-09-27' },
      { versionOf: [], labelSetSeq: 2 },
      false,
    ],
    [
      'with a list with rows that nobody read',
      { asOf: '2024-09-27' },
      { rows: { ...READ, unreadable: 2, accepted: 1 } },
      false,
    ],
    [
      'with a list whose unread rows were accepted',
      { asOf: '2024-09-27' },
      { rows: { ...READ, unreadable: 2, accepted: 2 } },
      true,
    ],
    ['with a withdrawn set', { asOf: '2024-09-27' }, { total: 0 }, false],
    ['with a list of another authority', { asOf: '2024-09-27' }, { authorityOrigin: 'uk-ofsi' }, false],
  ])('%s', (_what, mine, other, isHistory) => {
    expect(laterWholeSet([own('other', other)], own('mine', mine)) !== undefined).toBe(isHistory)
  })

  test('the latest is named', () => {
    const sets = [own('a', { asOf: '2026-11-21' }), own('b', { asOf: '2026-11-22' }), own('c')]
    expect(laterWholeSet(sets, own('d', { asOf: '2025-01-01' }))?.dataset).toBe('b')
  })
})

describe('an address loses its designation', () => {
  const lost = (
    before: readonly [readonly SetInForce[], readonly OriginLabel[]],
    after: readonly [readonly SetInForce[], readonly OriginLabel[]],
  ): string[] =>
    lostDesignations(
      'us-ofac',
      { sets: before[0], labels: before[1] },
      { sets: after[0], labels: after[1] },
    ).lost.map(({ lookupKey }) => lookupKey)

  test('where no set of the authority lists it any more', () => {
    const sets = [own('sdn'), own('urgent', part)]
    const labels = [label('a', 'sdn'), label('b', 'sdn'), label('b', 'urgent'), label('c', 'urgent')]
    expect(lost([sets, labels], [sets, [label('c', 'urgent'), label('b', 'urgent')]])).toEqual(['a'])
  })

  test('where its list becomes history', () => {
    const before = [own('old', { asOf: '2024-09-27' })]
    const labels = [label('a', 'old'), label('b', 'old')]
    expect(
      lost(
        [before, labels],
        [
          [...before, own('sdn')],
          [...labels, label('b', 'sdn')],
        ],
      ),
    ).toEqual(['a'])
  })

  test('where a whole list ends the restatement that gave it, and not where only a part is known', () => {
    const labels = [label('a', 'restated', 'somebody'), label('b', 'restated', 'somebody')]
    const now = [...labels, label('b', 'sdn')]
    expect(lost([[], labels], [[own('sdn')], now])).toEqual(['a'])
    expect(lost([[], labels], [[own('sdn', part)], now])).toEqual([])
    const unread = own('sdn', { rows: { ...READ, unreadable: 1 } })
    expect(lost([[], labels], [[unread], now])).toEqual([])
    expect(lost([[unread], now], [[own('sdn')], now])).toEqual(['a'])
  })

  test('never because a part set is added, whatever sets there are', () => {
    const dates = fc.constantFrom('2024-01-01', '2025-01-01', '2026-01-01', null)
    const anySet = fc.record({ dataset: fc.constantFrom('a', 'b', 'c'), whole: fc.boolean(), asOf: dates })
    const anyLabel = fc.record({
      lookupKey: fc.constantFrom('k', 'l', 'm'),
      dataset: fc.constantFrom('a', 'b', 'c', 'x'),
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(anySet, { selector: ({ dataset }) => dataset }),
        fc.array(anyLabel),
        (sets, some) => {
          const before = sets.map(({ dataset, ...more }) => own(dataset, more))
          const labels = some.map(({ lookupKey, dataset }) => label(lookupKey, dataset))
          expect(lost([before, labels], [[...before, own('added', part)], labels])).toEqual([])
        },
      ),
    )
  })
})
