import type { Report } from '@cupel/contracts'
import { authorityOrigins, DEMO_SOURCE } from '@cupel/domain'
import { sampleEvidence, sampleReport } from '@cupel/testkit'
import { expect, it } from 'vitest'
import { becauseOf, compareReports, reportDocument, setName, verdictOf } from './index.js'
import { sourceNames } from './source-names.en.js'

it('the list of every authority, the demo and the starter labels have a name', () => {
  expect(Object.keys(authorityOrigins).length).toBeGreaterThan(3)
  expect(Object.keys(sourceNames)).toEqual(
    expect.arrayContaining([...Object.keys(authorityOrigins), DEMO_SOURCE, 'cupel_starter']),
  )
})

const withLists = (...lists: readonly object[]): Report['coverage'] => {
  const { coverage } = sampleReport()
  const [list] = coverage.labels.lists
  return { ...coverage, labels: { ...coverage.labels, lists: lists.map((one) => ({ ...list!, ...one })) } }
}

it('headlines, counterparties and lists have names on a page, in a PDF and in every text', () => {
  const evidence = [sampleEvidence({ sanction: null, source: DEMO_SOURCE, category: 'mixer' })]
  const report = sampleReport({ coverage: withLists({ source: 'uk_ofsi', dataset: 'uk' }) }, { evidence })
  const document = reportDocument(report)
  const named = 'attributed to Lazarus Group (mixer) by demo data of Cupel'
  expect(verdictOf(report).headline).toContain(named)
  expect(document.verdict.headline).toContain(named)
  expect(document.why.counted[0]!.headline.toLowerCase()).toContain(named.toLowerCase())
  expect(document.provenance.lists.rows[0]![0]).toBe('list of OFSI / uk')
  expect(becauseOf(report)).toBe(named)
})

it('a comparison keeps two lists apart that have one name', () => {
  const impostor = { source: sourceNames['uk_ofsi']!, dataset: 'uk' }
  const lists = (labels: number) => withLists({ source: 'uk_ofsi', dataset: 'uk', labels }, impostor)
  const [one, other] = [sampleReport({ coverage: lists(7) }), sampleReport({ coverage: lists(8) })]
  const compared = compareReports(one, { ...other, report_id: 'ffffffffffffffff' })
  expect(compared.lists).toMatchObject([{ label: 'list of OFSI / uk', isChanged: true }])
})

it('a list is named by its publisher in words, and a publisher without a name by its code', () => {
  expect(setName({ source: 'ofac_sdn', dataset: 'sdn' })).toBe('SDN list of OFAC / sdn')
  expect(setName({ source: 'my_list', dataset: 'a\u202Eb' })).toMatch(/^my_list \/ a(?!\u202E)/)
  expect(setName({ source: '', dataset: 'sdn' })).toBe('sdn')
  expect(setName({ source: 'constructor', dataset: 'x' })).toBe('constructor / x')
})

it('an item of evidence has the name of its publisher before the code', () => {
  const [item] = reportDocument(sampleReport()).why.counted
  expect(item!.fields).toContainEqual({ label: 'Source', value: 'ofac_sdn', words: 'SDN list of OFAC' })
})

it('names who first stated a fact, an authority or another, and keeps a code that has no name', () => {
  const statedBy = (origin: string) =>
    reportDocument(sampleReport({}, { evidence: [sampleEvidence({ origin })] })).why.counted[0]!.fields.find(
      ({ label }) => label === 'First stated by',
    )!.value
  const origins = ['us-ofac', 'us-fbi', DEMO_SOURCE, 'service-binance', 'constructor']
  expect(origins.map(statedBy)).toEqual([
    ...['OFAC', 'the FBI', 'demo data of Cupel', 'Binance itself', 'constructor'],
  ])
})
