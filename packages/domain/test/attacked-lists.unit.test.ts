/** What somebody may do to the lists: green is refused, and the reason names the attack. */
import { expect, test } from 'vitest'
import type { LabelSetFacts } from '../src/index.js'
import { cleanLabel, judged, labelSet, ofacSet, restatement } from './judgement-builders.js'

const whole = ofacSet()
const rows = { ...whole.rows, unreadable: 2 }
const of2019 = { asOf: '2019-03-01' }
const later = { labelSetSeq: 2 }
const greenWith = (labelSets: readonly LabelSetFacts[]) => {
  const { level, levelReasons, scoreIsLowerBound } = judged([cleanLabel({ confidencePpm: 950_000 })], {
    labelSets,
  })
  return [level, levelReasons.toSorted(), scoreIsLowerBound]
}

test.each<[string, readonly LabelSetFacts[], readonly string[]]>([
  ['is older than the policy allows', [ofacSet({ asOf: '2026-11-19' })], ['stale_labels']],
  ['is an old edition that was imported today', [ofacSet({ ...of2019, ...later })], ['stale_labels']],
  ['lost its date', [ofacSet({ asOf: null })], ['stale_labels']],
  ['has a date of next month', [ofacSet({ asOf: '2026-12-21' })], ['stale_labels']],
  ['was computed before another publication', [ofacSet({ staleBase: true })], ['stale_labels']],
  ['is expected and never came', [whole, ofacSet({ dataset: 'other', publishedAt: '' })], ['stale_labels']],
  ['was withdrawn', [ofacSet({ total: 0 })], ['no_sanctions_list', 'stale_labels']],
  ['is only restated by others', [labelSet({ source: 'some_pack' })], ['no_sanctions_list']],
  ['is one of its parts', [ofacSet({ dataset: 'ETH.txt', whole: false })], ['no_sanctions_list']],
  [
    'is the list of another authority',
    [labelSet({ source: 'uk_ofsi', authorityOrigin: 'uk-ofsi', asOf: '2026-11-20' })],
    ['no_sanctions_list'],
  ],
  [
    'is old, with a fresh list of other parties',
    [ofacSet({ ...of2019, versionOf: [] }), ofacSet({ dataset: 'non_sdn', ...later, versionOf: [] })],
    ['stale_labels'],
  ],
  ['has rows that nobody could read', [ofacSet({ rows })], ['list_incomplete']],
  [
    'has other rows that nobody could read than were accepted',
    [ofacSet({ rows: { ...rows, accepted: 1 } })],
    ['list_incomplete'],
  ],
  ['lost a row on the way', [ofacSet({ visible: 999 })], ['list_incomplete']],
  ['lost a row, with a whole list in force', [whole, labelSet({ visible: 999 })], ['list_incomplete']],
  [
    'is fresh, and that of the UK is old',
    [whole, labelSet({ source: 'uk_ofsi', authorityOrigin: 'uk-ofsi' })],
    ['stale_labels'],
  ],
])('a list that %s', (_name, labelSets, reasons) => {
  expect(greenWith(labelSets)).toEqual(['grey', reasons, true])
})

test.each<[string, readonly LabelSetFacts[]]>([
  ['an older edition of it comes after it', [whole, ofacSet({ dataset: 'older', ...of2019, ...later })]],
  ['its unreadable rows were accepted by their number', [ofacSet({ rows: { ...rows, accepted: 2 } })]],
])('and green stays if %s', (_name, labelSets) => {
  expect(greenWith(labelSets)).toEqual(['green', [], false])
})

test('a restatement that the authority does not state never comes back with a damaged list', () => {
  const named = [cleanLabel({ confidencePpm: 950_000 }), restatement()]
  for (const set of [whole, ofacSet({ rows }), ofacSet({ visible: 999 }), ofacSet(of2019)])
    expect(judged(named, { labelSets: [set] }).level).not.toBe(set === whole ? 'red' : 'green')
})
