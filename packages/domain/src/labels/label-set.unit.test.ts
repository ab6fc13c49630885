import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  diffSet,
  guardRemovals,
  historicalLabels,
  isOlderThanPublished,
  labelIdentity,
  setDate,
  type StatedLabel,
} from './label-set.js'

const set = { source: 'ofac_sdn', dataset: 'sdn' }

function stated(canonicalAddress: string, changes: Partial<StatedLabel> = {}): StatedLabel {
  return {
    chain: 'BTC',
    address: canonicalAddress,
    canonicalAddress,
    lookupKey: `pkh:${canonicalAddress}`,
    category: 'sanctions',
    entity: 'Somebody',
    role: 'owner',
    origin: 'us-ofac',
    kind: 'designation',
    confidencePpm: 990_000,
    sourceUrl: 'https://example.org',
    observedAt: '2026-08-20',
    validFrom: null,
    validTo: null,
    subcategory: '',
    sanction: null,
    ...changes,
  }
}

const party = { list: 'SDN', programmes: ['DPRK3'], entityId: '12345', aliases: [], designatedOn: null }
const listed = stated('a', { sanction: party })

describe('a new version of a set', () => {
  test('asserts what is new, retires what vanished and keeps the rest', () => {
    const difference = diffSet(set, [stated('a'), stated('b')], [stated('b'), stated('c')])
    expect(difference).toMatchObject({
      asserted: [{ address: 'c' }],
      unchanged: [{ address: 'b' }],
      retired: [{ address: 'a' }],
      revised: [],
      repeated: 0,
    })
  })

  test('programmes and aliases in another order are not a change', () => {
    const sanction = { ...party, aliases: ['A', 'B'] }
    const reordered = { ...party, aliases: ['B', 'A'] }
    const { unchanged } = diffSet(set, [stated('a', { sanction })], [stated('a', { sanction: reordered })])
    expect(unchanged).toHaveLength(1)
  })

  test('of two labels that state one fact differently both end, and one begins', () => {
    const twice = [stated('a', { confidencePpm: 1 }), stated('a', { confidencePpm: 2 })]
    const { revised, unchanged } = diffSet(set, twice, [stated('a', { confidencePpm: 2 })])
    expect(revised).toHaveLength(1)
    expect(unchanged).toEqual([])
  })

  test('only a changed observation date is not a change', () => {
    const difference = diffSet(set, [stated('a')], [stated('a', { observedAt: '2026-11-01' })])
    expect(difference).toMatchObject({
      unchanged: [{ observedAt: '2026-08-20' }],
      asserted: [],
      retired: [],
      revised: [],
    })
  })

  test.each<[string, Partial<StatedLabel>]>([
    ['confidence', { confidencePpm: 500_000 }],
    ['role', { role: 'disputed' }],
    ['origin', { origin: 'someone-else' }],
    ['link', { sourceUrl: 'https://example.org/other' }],
    ['date of designation', { validFrom: '2022-04-14' }],
    ['subcategory', { subcategory: 'ransomware' }],
    ['programme', { sanction: { ...party, programmes: ['DPRK3', 'CYBER2'] } }],
    ['alias', { sanction: { ...party, aliases: ['HIDDEN COBRA'] } }],
  ])('another %s revises the same fact and removes none', (_name, changes) => {
    const difference = diffSet(set, [listed], [{ ...listed, ...changes }])
    expect(difference).toMatchObject({
      revised: [{ after: changes }],
      asserted: [],
      retired: [],
      unchanged: [],
    })
  })

  test.each<[string, Partial<StatedLabel>]>([
    ['entity', { entity: 'Another' }],
    ['category', { category: 'darknet' }],
    ['chain', { chain: 'BCH' }],
  ])('another %s is another fact', (_name, changes) => {
    const difference = diffSet(set, [stated('a')], [stated('a', changes)])
    expect(difference).toMatchObject({ asserted: [changes], retired: [{ address: 'a' }] })
  })

  test('a fact stated twice counts once, at the higher confidence', () => {
    const next = [
      stated('a', { confidencePpm: 1 }),
      stated('a', { confidencePpm: 3 }),
      stated('a', { confidencePpm: 2 }),
    ]
    expect(diffSet(set, [], next)).toMatchObject({ asserted: [{ confidencePpm: 3 }], repeated: 2 })
  })

  test('relisting asserts again what was retired before', () => {
    const relisted = diffSet(set, [], [stated('a')])
    expect(relisted.asserted).toHaveLength(1)
  })

  test('applying the difference gives the new version, whatever the versions', () => {
    const addresses = fc.uniqueArray(fc.constantFrom(...'abcdefghij'))
    fc.assert(
      fc.property(addresses, addresses, (before, after) => {
        const { asserted, unchanged, retired } = diffSet(
          set,
          before.map((a) => stated(a)),
          after.map((a) => stated(a)),
        )
        expect([...asserted, ...unchanged].map(({ address }) => address).sort()).toEqual([...after].sort())
        expect([...unchanged, ...retired].map(({ address }) => address).sort()).toEqual([...before].sort())
      }),
    )
  })
})

describe('removals', () => {
  test.each([
    [10, 5, null, true],
    [10, 6, null, false],
    [299, 6, null, false],
    [300, 6, null, true],
    [1_000, 20, null, true],
    [1_000, 21, null, false],
    [1_000, 21, 21, true],
    [1_000, 21, 22, false],
    [1_000, 900, 900, true],
    [0, 0, null, true],
  ])('of %i live labels %i may go, with %s accepted: %s', (liveBefore, removals, accepted, ok) => {
    expect(guardRemovals({ liveBefore, removals, accepted }).ok).toBe(ok)
  })

  test.each([
    [10, 1, false],
    [10, 0, true],
    [11, 2, true],
    [11, 3, false],
    [24, 4, true],
    [24, 5, false],
    [400, 8, true],
    [400, 9, false],
  ])('of %i designations %i may end unconfirmed: %s', (liveBefore, removals, ok) => {
    expect(guardRemovals({ liveBefore, removals, accepted: null, designates: true }).ok).toBe(ok)
  })

  test('a refusal says how many there are and how many may go', () => {
    expect(guardRemovals({ liveBefore: 400, removals: 90, accepted: null })).toEqual({
      ok: false,
      removals: 90,
      limit: 8,
    })
  })
})

describe('dates', () => {
  test.each([
    ['2024-09-27', '2026-08-20', true],
    ['2026-08-20', '2026-08-20', false],
    ['2026-08-20', '2026-08-20T12:00:00.000Z', false],
    ['2026-08-20T11:00:00.000Z', '2026-08-20T12:00:00.000Z', true],
    ['2026-08-21', '2026-08-20', false],
    [null, '2026-08-20', false],
    ['2026-08-20', null, false],
  ])('a set of %s is older than one of %s: %s', (asOf, published, older) => {
    expect(isOlderThanPublished(asOf, published)).toBe(older)
  })

  test('the format’s date comes before the operator’s, that before the newest observation', () => {
    const labels = [{ observedAt: '2026-01-01' }, { observedAt: '2026-03-01' }, { observedAt: null }]
    expect(setDate('2026-08-20', '2025-01-01', labels)).toBe('2026-08-20')
    expect(setDate(null, '2025-01-01', labels)).toBe('2025-01-01')
    expect(setDate(null, null, labels)).toBe('2026-03-01')
    expect(setDate(null, null, [])).toBeNull()
  })

  test('an older set adds ended history for what the set never held, and nothing live', () => {
    const known = new Set([labelIdentity(set, stated('b'))])
    const added = historicalLabels(set, known, [stated('a'), stated('b'), stated('a')], '2026-08-20')
    expect(added).toMatchObject([{ address: 'a', validTo: '2026-08-20' }])
  })
})
