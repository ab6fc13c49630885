/** Which lists are in force, how old they are, and what no list can hide. */
import { describe, expect, test } from 'vitest'
import {
  cleanLabel,
  foreignList,
  judged,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
  restatement,
} from '../../../../test/judgement-builders.js'
import { defaultPolicy } from './default-policy.js'
import { compilePolicy } from './policy.js'

const part = (dataset: string, changes: Parameters<typeof ofacSet>[0] = {}) =>
  ofacSet({ dataset, whole: false, ...changes })

const clean = [cleanLabel()]

describe('several sets of one authority', () => {
  test('631 rows of a list under another name leave the other 422 designated', () => {
    const labelSets = [ofacSet({ total: 1_053 }), part('some-of-it', { asOf: '2026-11-21', total: 631 })]
    expect(judged([ofacLabel()], { labelSets })).toMatchObject({ level: 'red', overallHundredths: 10_000 })
    expect(judged([ofacLabel({ dataset: 'some-of-it' })], { labelSets })).toMatchObject({ level: 'red' })
  })

  test('one file per asset designates together', () => {
    const labelSets = [part('ETH.txt', { asOf: '2026-11-20' }), part('XBT.txt', { asOf: '2026-11-21' })]
    for (const dataset of ['ETH.txt', 'XBT.txt'])
      expect(judged([ofacLabel({ dataset })], { labelSets })).toMatchObject({ level: 'red' })
  })

  test('two whole lists of one day designate together', () => {
    const labelSets = [ofacSet(), ofacSet({ dataset: 'again', asOf: '2026-11-20T18:00:00Z' })]
    expect(judged([ofacLabel()], { labelSets })).toMatchObject({ level: 'red' })
  })

  test('a whole list dated before another is history, whatever its name and source', () => {
    const old = ofacSet({ source: 'mirror', dataset: 'ofac_2024', asOf: '2024-09-27', labelSetSeq: 2 })
    const judgement = judged([ofacLabel({ source: 'mirror', dataset: 'ofac_2024' })], {
      labelSets: [ofacSet(), old],
    })
    expect(judgement).toMatchObject({
      overallHundredths: 0,
      evidence: [{ reason: 'authority_ended' }],
      labelSets: [{ status: 'current' }, { status: 'superseded' }],
    })
    expect(judged(clean, { labelSets: [ofacSet(), old] })).toMatchObject({ level: 'green' })
  })

  test('a list of other parties that is dated later leaves the SDN list in force', () => {
    const others = ofacSet({ dataset: 'non_sdn', asOf: '2026-11-21', versionOf: [] })
    const labelSets = [ofacSet(), others]
    expect(judged([ofacLabel()], { labelSets })).toMatchObject({ level: 'red', overallHundredths: 10_000 })
    expect(judged([ofacLabel({ dataset: 'non_sdn' })], { labelSets })).toMatchObject({ level: 'red' })
    expect(judged(clean, { labelSets })).toMatchObject({
      level: 'green',
      labelSets: [{ status: 'current' }, { status: 'current' }],
    })
  })

  test('only a version of the same list, of any length, is superseded: the later publication says which it is', () => {
    const statuses = (versionOf: readonly string[], changes: Parameters<typeof ofacSet>[0] = {}) =>
      judged([], {
        labelSets: [
          ofacSet({ versionOf: [], ...changes }),
          ofacSet({ dataset: 'later', asOf: '2026-11-21', total: 3, labelSetSeq: 2, versionOf }),
        ],
      }).labelSets.map(({ status }) => status)
    expect(statuses(['ofac_sdn/ofac_sdn'])).toEqual(['superseded', 'current'])
    expect(statuses([])).toEqual(['current', 'current'])
    expect(statuses([], { versionOf: ['ofac_sdn/later'] })).toEqual(['current', 'current'])
    expect(statuses([], { versionOf: ['ofac_sdn/later'], labelSetSeq: 3 })).toEqual(['superseded', 'current'])
  })

  test('a list with rows that nobody could read is incomplete until their exact number is accepted, and ends nothing before', () => {
    const older = ofacSet({ dataset: 'older', asOf: '2026-11-20' })
    const judgedWith = (unreadable: number, accepted: number) =>
      judged(clean, {
        labelSets: [
          ofacSet({ asOf: '2026-11-21', rows: { ...older.rows, unreadable, accepted } }),
          older,
        ],
      })
    expect(judgedWith(2, 0)).toMatchObject({
      level: 'grey',
      levelReasons: ['list_incomplete'],
      labelSets: [{ status: 'incomplete' }, { status: 'current' }],
    })
    expect(judgedWith(2, 1)).toMatchObject({ level: 'grey' })
    expect(judgedWith(2, 2)).toMatchObject({
      level: 'green',
      labelSets: [{ status: 'current' }, { status: 'superseded' }],
    })
  })

  test('a list without a date is not before another', () => {
    const labelSets = [ofacSet(), ofacSet({ dataset: 'undated', asOf: null })]
    expect(judged([ofacLabel({ dataset: 'undated' })], { labelSets })).toMatchObject({ level: 'red' })
    expect(judged([ofacLabel()], { labelSets })).toMatchObject({ level: 'red' })
  })

  test('a withdrawn list is not a list and ends nothing', () => {
    const withdrawn = ofacSet({ total: 0, asOf: '2026-11-21' })
    expect(judged([restatement()], { labelSets: [withdrawn] })).toMatchObject({ level: 'red' })
    const older = ofacSet({ dataset: 'older' })
    expect(judged([ofacLabel({ dataset: 'older' })], { labelSets: [older, withdrawn] })).toMatchObject({
      overallHundredths: 10_000,
    })
    expect(judged(clean, { labelSets: [withdrawn] })).toMatchObject({
      level: 'grey',
      levelReasons: ['stale_labels', 'no_sanctions_list'],
      labelSets: [{ status: 'withdrawn' }],
    })
  })

  test('a list on which its authority names no address is in force, ends nothing and allows no green by itself', () => {
    const bare = (changes: Parameters<typeof labelSet>[0] = {}) =>
      labelSet({
        ...{ source: 'un_sc', dataset: 'un', authorityOrigin: 'un-sc', total: 0, refreshConfigured: true },
        ...{ asOf: '2026-11-20', confirmedAt: '2026-11-21T06:00:00.000Z', ...changes },
      })
    expect(judged(clean, { labelSets: [ofacSet(), bare()] })).toMatchObject({
      level: 'green',
      labelsCoverage: 'complete',
      labelSets: [{ status: 'current' }, { status: 'current' }],
    })
    const restated = restatement({ origin: 'un-sc' })
    expect(judged([restated], { labelSets: [ofacSet(), bare()] })).toMatchObject({ level: 'red' })
    expect(judged(clean, { labelSets: [bare()] })).toMatchObject({ levelReasons: ['no_sanctions_list'] })
    const later = bare({ source: 'ofac_sdn', authorityOrigin: 'us-ofac', asOf: '2026-11-21' })
    expect(judged([ofacLabel()], { labelSets: [ofacSet(), later] })).toMatchObject({ level: 'red' })
    for (const doubtful of [{ confirmedAt: '2026-10-01' }, { staleBase: true }, { visible: 1 }])
      expect(
        judged(clean, { labelSets: [ofacSet(), bare({ asOf: '2026-10-01', ...doubtful })] }),
      ).toMatchObject({ level: 'grey' })
    for (const withdrawn of [{ confirmedAt: null }, { refreshConfigured: false }, { whole: false }])
      expect(judged(clean, { labelSets: [ofacSet(), bare(withdrawn)] }).labelSets[1]).toMatchObject({
        status: 'withdrawn',
      })
  })

  test('a whole list ends a restatement, and parts of one do not', () => {
    expect(judged([restatement()], { labelSets: [part('ETH.txt')] })).toMatchObject({
      level: 'red',
      overallHundredths: 9_000,
    })
    expect(judged([restatement()], { labelSets: [part('ETH.txt'), ofacSet()] })).toMatchObject({
      overallHundredths: 0,
    })
  })

  test('a list without some of its labels ends nothing', () => {
    const labelSets = [ofacSet({ visible: 0 })]
    expect(judged([restatement()], { labelSets })).toMatchObject({ level: 'red' })
    const older = ofacSet({ dataset: 'older', asOf: '2026-11-19' })
    expect(judged([ofacLabel({ dataset: 'older' })], { labelSets: [...labelSets, older] })).toMatchObject({
      level: 'red',
      overallHundredths: 10_000,
    })
  })
})

describe('the age of a list', () => {
  test.each([
    ['OFAC at 48 hours', { asOf: '2026-11-19T09:00:00.000Z' }, 'green', 'complete'],
    ['OFAC a millisecond older', { asOf: '2026-11-19T08:59:59.999Z' }, 'grey', 'stale'],
    ['a list of 2019 that was imported today', { asOf: '2019-11-21' }, 'grey', 'stale'],
    [
      'an old list that its authority confirmed',
      { asOf: '2019-11-21', confirmedAt: '2026-11-21T06:00:00.000Z' },
      'green',
      'complete',
    ],
    ['a list without a date', { asOf: null }, 'grey', 'stale'],
    ['a list with something else as its date', { asOf: 'soon' }, 'grey', 'stale'],
    ['a list of the year 2036', { asOf: '2036-01-01' }, 'grey', 'stale'],
    ['a list that was computed from an older state', { staleBase: true }, 'grey', 'stale'],
  ])('%s', (_name, changes, level, coverage) => {
    const judgement = judged(clean, { labelSets: [ofacSet(changes)] })
    expect(judgement).toMatchObject({ level, labelsCoverage: coverage, scoreIsLowerBound: level === 'grey' })
    expect(judgement.levelReasons).toEqual(level === 'grey' ? ['stale_labels'] : [])
  })

  test.each([
    [true, '2026-10-22T09:00:00.000Z', 'current', 'green'],
    [true, '2026-10-22T08:59:59.999Z', 'old', 'grey'],
    [false, '2020-01-01', 'old', 'green'],
  ])('a set with a refresh configured (%s) that is of %s is %s', (refreshConfigured, asOf, status, level) => {
    const labelSets = [labelSet({ refreshConfigured, asOf }), ofacSet()]
    expect(judged(clean, { labelSets })).toMatchObject({ level, labelSets: [{ status }, {}] })
  })

  test('of several required lists the oldest decides', () => {
    const labelSets = [ofacSet(), part('ETH.txt', { asOf: '2026-01-01' })]
    expect(judged(clean, { labelSets })).toMatchObject({ level: 'grey', levelReasons: ['stale_labels'] })
  })

  test('the lists of the UK, the EU and the UN are required too, once they were published', () => {
    for (const authorityOrigin of ['uk-ofsi', 'eu-fsf', 'un-sc', 'il-nbctf']) {
      const labelSets = [ofacSet(), labelSet({ authorityOrigin, asOf: '2019-01-01' })]
      expect(judged(clean, { labelSets })).toMatchObject({ level: 'grey', levelReasons: ['stale_labels'] })
    }
  })

  test('reports name the earliest date among the whole lists in force', () => {
    const labelSets = [
      labelSet({ asOf: '2001-01-01' }),
      part('ETH.txt', { asOf: '2002-01-01' }),
      ofacSet({ dataset: 'old', asOf: '2003-01-01' }),
      ofacSet({ asOf: '2026-11-19', confirmedAt: '2026-11-21T06:00:00.000Z' }),
      foreignList({ asOf: '2026-11-20' }),
    ]
    expect(judged([], { labelSets }).listsAsOf).toBe('2026-11-20')
    expect(judged([], { labelSets: labelSets.slice(0, 2) }).listsAsOf).toBeNull()
  })
})

describe('lists that are not here', () => {
  test('without a whole sanctions list nothing is green', () => {
    for (const labelSets of [[labelSet()], [labelSet({ whole: true })], [foreignList({ whole: false })]])
      expect(judged(clean, { labelSets })).toMatchObject({
        level: 'grey',
        levelReasons: ['no_sanctions_list'],
        labelsCoverage: 'partial',
        scoreIsLowerBound: true,
      })
  })

  test.each([999, 1_001])('a list of 1,000 labels of which %i are visible: nothing is green', (visible) => {
    for (const labelSets of [[ofacSet({ visible })], [ofacSet(), labelSet({ visible })]])
      expect(judged(clean, { labelSets })).toMatchObject({
        level: 'grey',
        levelReasons: ['list_incomplete'],
        labelsCoverage: 'partial',
        scoreIsLowerBound: true,
      })
  })

  test('they take no level away but green', () => {
    const labelSets = [ofacSet({ visible: 1, asOf: '2019-01-01' })]
    expect(judged([ofacLabel()], { labelSets })).toMatchObject({ level: 'red' })
    expect(judged([label({ category: 'stolen' })], { labelSets: [] })).toMatchObject({ level: 'red' })
  })

  test('a policy that always requires a list is not content with a part of it', () => {
    const strict = compilePolicy({
      ...defaultPolicy,
      freshness: { ...defaultPolicy.freshness, required: [{ origin: 'us-ofac', when: 'always' }] },
    })
    const beside = (...sets: ReturnType<typeof ofacSet>[]) =>
      judged(clean, { policy: strict, labelSets: [foreignList(), ...sets] }).level
    expect(beside()).toBe('grey')
    expect(beside(part('ETH.txt'))).toBe('grey')
    expect(beside(ofacSet())).toBe('green')
  })
})
