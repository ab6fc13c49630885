import { riskLevels, type Report } from '@cupel/contracts'
import { capReasons, factorNames, levelReasons, notExaminedItems } from '@cupel/domain'
import {
  sampleCounterparties,
  sampleEvidence,
  sampleExposure,
  sampleExposureEvidence,
  sampleReport,
  sampleReports,
} from '@cupel/testkit'
import { describe, expect, it } from 'vitest'
import { en, limitText, pointsText, reportDocument } from './index.js'
import { MAX_PARTIES_PER_SIDE } from './flow-picture.js'

const documentOf = (changes: Partial<Report> = {}, risk: Partial<Report['risk']> = {}) =>
  reportDocument(sampleReport(changes, risk))
const pointsOf = (report: Report) =>
  new Map(reportDocument(report).unknown.points.map(({ code, text }) => [code, text]))
const pictureOf = (report: Report) => reportDocument(report).flow.picture?.nodes ?? []

describe('the verdict', () => {
  it('names the list, the party and the date of a designation in one sentence', () => {
    expect(documentOf().verdict.headline).toBe(
      'Red, 100 of 100: listed by OFAC as Lazarus Group, designated 2022-04-14',
    )
  })

  it('names amount, hops and party of a decisive exposure', () => {
    const evidence = [sampleExposureEvidence({ decisive: true, pre_designation: true })]
    expect(documentOf({}, { level: 'orange', score: 61.25, evidence }).verdict.headline).toBe(
      'Orange, 61.25 of 100: received 1,204.5 ETH over 2 hops from Tornado Cash (mixer), before the designation',
    )
  })

  it('counts the addresses of an exposure that has several, and the other decisive items', () => {
    const item = sampleExposureEvidence({ decisive: true, entity: null, direction: 'out', hops: 1 })
    expect(documentOf({}, { score: 61.25, evidence: [item, item] }).verdict.headline).toBe(
      'Red, 61.25 of 100: sent 1,204.5 ETH to 3 addresses (mixer) (and 1 more decisive item)',
    )
  })

  it('says of a cluster that the address spent together with another one', () => {
    const item = sampleEvidence({ relation: 'cluster', sanction: null, category: 'scam' })
    expect(documentOf({}, { evidence: [item] }).verdict.headline).toContain(
      'spent together with an address attributed to Lazarus Group (scam)',
    )
  })

  it.each(riskLevels)('has a word, a meaning and an action for %s', (level) => {
    const { verdict } = documentOf({}, { level })
    expect(verdict.levelWord).toBe(en.levels[level])
    expect(verdict.meaning).toBe(en.levelMeanings[level])
    expect(verdict.action.value).toBe(en.actions.levels[level])
  })

  it('shows a level of a later version as it is, and says that it has no words for it', () => {
    const { verdict } = documentOf({}, { level: 'violet' })
    expect(verdict.headline).toMatch(/^violet, 100 of 100: /)
    expect(verdict.meaning).toContain('“violet”')
    expect(verdict.action.value).toMatch(/^Let a person decide/)
  })

  it('says of grey that the address is not cleared, and shows no points as if they were good', () => {
    const { headline } = documentOf({}, { level: 'grey', score: 0, evidence: [] }).verdict
    expect(headline).toBe('Not cleared: too little is known to say green')
    expect(documentOf({}, { level: 'grey', score: 0, evidence: [] }).verdict.score).toBe('')
    expect(documentOf({}, { level: 'grey', score: 12, evidence: [] }).verdict.headline).toContain('12 of 100')
    const categories = { ...sampleReport().risk.categories, sanctions: 12, darknet: 0 }
    const textsOf = (level: string) =>
      documentOf({}, { level, categories }).bars.map(({ category, text }) => [category, text])
    expect(textsOf('grey')).toEqual(
      expect.arrayContaining([
        ['sanctions', '12'],
        ['darknet', en.noPoints],
      ]),
    )
    expect(textsOf('green')).toEqual(expect.arrayContaining([['darknet', '0']]))
  })

  it.each([
    'conflict',
    'illicit_value',
    'illicit_dust',
    'illicit_token',
    'designated_contract',
    'weak_origin',
  ])('does not say that too little is known where %s forbids green', (code) => {
    const { headline } = documentOf({}, { level: 'grey', score: 0, level_reasons: ['partial', code] }).verdict
    expect(headline).toBe('Not cleared: something that is known speaks against green')
  })

  it.each(['late', 'failed'])('says of a stage that was %s that the caller screens again', (reason) => {
    const { coverage } = sampleReport()
    const exposure = { ...coverage.exposure, status: 'unavailable', reason }
    const { headline, action } = documentOf(
      { coverage: { ...coverage, exposure } },
      { level: 'grey', score: 0, evidence: [] },
    ).verdict
    expect(action.value).toContain('Screen it again')
    expect(headline).toBe('Not cleared: the ledger did not answer in time: screen again')
  })

  it.each(['late', 'failed'])('names a stage that was %s, and not a ledger that knows nothing', (reason) => {
    const { coverage } = sampleReport()
    const exposure = { ...coverage.exposure, status: 'unavailable', reason }
    const risk = { ...sampleReport().risk, level: 'grey', level_reasons: ['no_chain_data', 'partial'] }
    const points = pointsOf(sampleReport({ coverage: { ...coverage, exposure }, risk }))
    expect(points.has('no_chain_data')).toBe(false)
    expect(points.get(reason)).toBe(en.exposureReasons[reason])
  })

  it('does not say of green with points that nothing counts', () => {
    const { headline } = documentOf({}, { level: 'green', score: 24.99, evidence: [] }).verdict
    expect(headline).toContain('what counts against it stays below orange')
    expect(headline).not.toContain('nothing that counts')
  })

  it('does not say that 100 of 100 may be too low', () => {
    expect(documentOf({}, { score: 100, score_is_lower_bound: true }).verdict.cautions).toEqual([])
  })

  it('warns of a lower bound, of conflicts and of the sandbox', () => {
    const conflicts = [{ category: 'mixer', clean_entity: 'Kraken', illicit_entity: 'Tornado' }]
    expect(
      documentOf({ livemode: false }, { score: 70, score_is_lower_bound: true, conflicts }).verdict.cautions,
    ).toEqual([
      en.cautions.sandbox,
      en.cautions.lowerBound,
      en.cautions.conflict('Kraken', 'Tornado', 'mixer'),
    ])
  })

  it('names the chains that the address fits besides its own', () => {
    const { subject } = documentOf({ candidate_chains: ['ETH', 'BSC', 'MATIC'] }).verdict
    expect(subject).toContainEqual({ label: en.fields.candidates, value: 'BSC, MATIC' })
  })

  it('has six bars, of which the clean signal is not a risk', () => {
    const { bars } = documentOf()
    expect(bars.map(({ category, points }) => [category, points])).toEqual([
      ['sanctions', 100],
      ['darknet', 0],
      ['mixer', 0],
      ['scam', 0],
      ['stolen', 0],
      ['clean_exchange', 0],
    ])
    expect(bars.filter(({ isRisk }) => !isRisk).map(({ category }) => category)).toEqual(['clean_exchange'])
  })
})

describe('what is not known', () => {
  it.each(levelReasons)('says %s in a sentence, and what a person can do about it', (reason) => {
    const text = pointsOf(sampleReport({}, { level_reasons: [reason] })).get(reason)
    expect(text).toBe(`${en.levelReasons[reason]} ${en.remedies[reason]}`)
    for (const words of [en.levelReasons[reason], en.remedies[reason]]) expect(words).toMatch(/^\p{Lu}.*\.$/u)
  })

  it('shows a reason of a later version as it is', () => {
    const points = pointsOf(sampleReport({}, { level_reasons: ['reason_of_tomorrow', 'constructor'] }))
    expect(points.get('reason_of_tomorrow')).toContain('“reason_of_tomorrow”')
    expect(points.get('constructor')).toContain('“constructor”')
  })

  it('names what was not examined, missing lists, faults and contradictions of providers', () => {
    const { coverage } = sampleReport()
    const points = pointsOf(
      sampleReport({
        coverage: {
          ...coverage,
          labels: { ...coverage.labels, status: 'partial', missing: ['uk_ofsi/list'] },
          chain_data: {
            ...coverage.chain_data,
            status: 'partial',
            faults: [{ source: 'node-1', error: 'circuit_open' }],
            disagreements: ['balance', 'token:USDT'].map((fact) => ({
              fact,
              values: [{ source: 'node-1', value: '1' }],
            })),
          },
          exposure: { ...coverage.exposure, reason: 'late', truncated: true, incomplete: ['range_gap'] },
        },
      }),
    )
    expect([...points.keys()]).toEqual(
      [
        'partial',
        'missing:uk_ofsi/list',
        'late',
        'range_gap',
        'truncated',
        'partial',
        'fault:node-1',
        'disagreement:balance',
        'disagreement:token:USDT',
        'cross_chain',
        'internal_transfers',
        'clusters',
      ].filter((code, index, all) => all.indexOf(code) === index),
    )
    expect(points.get('late')).toBe(en.exposureReasons['late'])
    expect(points.get('missing:uk_ofsi/list')).toBe('A list is expected and never came: list of OFSI / list.')
    expect(points.get('fault:node-1')).toMatch(/node-1 .*: it failed several times/)
    expect(points.get('disagreement:balance')).toContain('about the balance: node-1 1')
    expect(points.get('disagreement:token:USDT')).toContain('about the balance of USDT: node-1 1')
  })

  it('says once what is a reason of the level and a fact of the coverage', () => {
    const { coverage } = sampleReport()
    const exposure = { ...coverage.exposure, reason: null, incomplete: ['no_traces'] }
    const { points } = documentOf(
      { coverage: { ...coverage, exposure } },
      { level: 'grey', level_reasons: ['no_traces'] },
    ).unknown
    expect(points.filter(({ code }) => code === 'no_traces')).toHaveLength(1)
  })
})

describe('the evidence', () => {
  it('begins with the decisive items and ends with those that do not count, each with its reason', () => {
    const decisive = sampleExposureEvidence({ decisive: true })
    const dust = sampleExposureEvidence({ used: false, reason: 'dust' })
    const later = sampleExposureEvidence({ used: false, reason: 'reason_of_tomorrow' })
    const { why } = documentOf({}, { evidence: [dust, sampleExposureEvidence(), decisive, later] })
    expect(why.counted.map(({ isDecisive }) => isDecisive)).toEqual([true, false])
    expect(why.notCounted.map(({ notCountedBecause }) => notCountedBecause)).toEqual([
      en.evidenceReasons['dust'],
      en.unexplained('reason_of_tomorrow'),
    ])
  })

  it('has source, link, date, amount, dollars and every counterparty with the omitted ones', () => {
    const [view] = documentOf({}, { evidence: [sampleExposureEvidence()] }).why.counted
    expect(view!.headline).toBe('Received 1,204.5 ETH over 2 hops from Tornado Cash (mixer)')
    const fields = new Map(view!.fields.map(({ label, value }) => [label, value]))
    expect(fields.get(en.fields.valueUsd)).toBe('$3,612,000.12')
    expect(fields.get(en.fields.firstAt)).toBe('2024-01-02 03:04:05 UTC')
    expect(fields.get(en.fields.share)).toBe('43.12%')
    expect(view!.counterparties!.rows).toHaveLength(4)
    expect(view!.counterparties!.rows.at(-1)).toEqual(['4 others', '', '1.5 ETH', 'no price', ''])
    expect(view!.steps!.rows.map(([when]) => when)).toEqual([
      '2024-01-02 03:04:05 UTC',
      'block 15,000,001'.replaceAll(',', ''),
    ])
  })

  it('says how its points come about, and why they are limited', () => {
    const item = sampleExposureEvidence({
      ...{ base: 95, weight: 1, contribution: 69.99, capped_by: 'execution_unknown', decisive: true },
      factors: [
        { name: 'confidence', value: 1 },
        { name: 'share', value: 0.9 },
      ],
    })
    const { why, verdict } = documentOf({}, { level: 'orange', score: 69.99, evidence: [item] })
    expect(why.counted[0]!.fields.find(({ label }) => label === en.fields.points)?.value).toBe(
      `95 points at most × 1 (confidence) × 0.9 (weight of its share) (${en.points.limits['execution_unknown']}) × 1 (weight of the category) = 69.99 points`,
    )
    expect(verdict.headline).toContain(`; points ${en.points.limits['execution_unknown']}`)
  })

  it('says that a minimum raised the points', () => {
    const item = sampleExposureEvidence({
      ...{ base: 95, weight: 1, contribution: 25, factors: [{ name: 'size', value: 0.01 }] },
    })
    const [view] = documentOf({}, { evidence: [item] }).why.counted
    expect(view!.fields.find(({ label }) => label === en.fields.points)?.value).toContain(en.points.raised)
  })

  it.each(factorNames)('has words for the factor %s', (name) => {
    const item = sampleEvidence({ base: 100, factors: [{ name, value: 0.5 }], weight: 1 })
    expect(pointsText(item)).toContain(`× 0.5 (${en.points.factors[name]})`)
    expect(Object.hasOwn(en.points.factors, name)).toBe(true)
  })

  it.each(notExaminedItems)('says that %s was not examined', (code) => {
    const { coverage } = sampleReport()
    const text = pointsOf(sampleReport({ coverage: { ...coverage, not_examined: [code] } })).get(code)
    expect(text).toMatch(/^\p{Lu}.*\.$/u)
  })

  it('says what the address is on each other chain that was judged', () => {
    const other_chains = [
      { chain: 'LTC', level: 'grey', score: 0, level_reasons: ['no_chain_data'] },
      { chain: 'DOGE', level: 'orange', score: 30, level_reasons: [] },
    ]
    const there = documentOf({ other_chains }).verdict.subject.filter(
      ({ label }) => label === en.fields.judgedChain,
    )
    expect(there.map(({ value }) => value)).toEqual([
      `LTC: Not cleared. ${en.levelReasons['no_chain_data']}`,
      'DOGE: Orange, 30 of 100.',
    ])
  })

  it.each(capReasons)('has words for points that are limited by %s', (cappedBy) => {
    expect(limitText(cappedBy)).not.toBe(en.unexplained(cappedBy))
  })

  it('names the source of each counterparty where the item names none', () => {
    const [one] = sampleCounterparties(1, 'Pool')
    const counterparties = [
      { ...one!, source: 'a_list' },
      { ...one!, source: 'another_list' },
    ]
    const item = sampleExposureEvidence({ source: '', entity: null, counterparties })
    const [view] = documentOf({}, { evidence: [item] }).why.counted
    expect(view!.counterparties!.rows.map(([party]) => party)).toEqual([
      en.counterparties.named('Pool 0', 'a_list'),
      en.counterparties.named('Pool 0', 'another_list'),
      '4 others',
    ])
    expect(view!.fields.some(({ label }) => label === en.fields.source)).toBe(false)
  })

  it('links only http and https', () => {
    const linkOf = (sourceUrl: string) =>
      documentOf({}, { evidence: [sampleEvidence({ source_url: sourceUrl })] }).why.counted[0]!.fields.find(
        ({ label }) => label === en.fields.link,
      )?.href
    expect(linkOf('https://example.com/a')).toBe('https://example.com/a')
    for (const text of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'https://',
      ' https://a',
    ])
      expect(linkOf(text)).toBeUndefined()
  })

  it('takes steps of an unknown form for what they are', () => {
    const path = ['text', null, 7, { transaction: null }, { from: 1, block: 'x' }]
    const [view] = documentOf({}, { evidence: [sampleEvidence({ path })] }).why.counted
    expect(view!.steps!.rows).toEqual([
      ['', '', '', '', ''],
      ['', '1', '', '', ''],
    ])
  })
})

describe('where the money went', () => {
  it('shows every part in the table, the clean, the service and the unattributed one included', () => {
    const { rows } = documentOf({ exposure: [sampleExposure('incoming', 8)] }).flow
    expect(rows.map(({ category }) => category)).toEqual([
      '',
      'sanctions',
      'darknet',
      'mixer',
      'scam',
      'stolen',
      'clean_exchange',
      'service',
      'unattributed',
    ])
  })

  it('never draws more nodes than a person reads, and counts all that it leaves out', () => {
    const exposure = ['incoming', 'outgoing'].map((direction) => {
      const one = sampleExposure(direction, 1)
      const part = {
        ...one.by_category[0]!,
        counterparties: sampleCounterparties(40),
        counterparties_omitted: 60,
      }
      return { ...one, by_category: [part] }
    })
    const nodes = pictureOf(sampleReport({ exposure }))
    expect(nodes.length).toBeLessThanOrEqual(1 + 2 * (2 * MAX_PARTIES_PER_SIDE + 2))
    const left = nodes.filter(({ side }) => side === 'in')
    const others = left.find(({ kind }) => kind === 'others')!
    expect(others.title).toBe(`and ${100 - (left.length - 1)} more`)
    expect(others.parties.length + others.unnamed).toBe(100 - (left.length - 1))
  })

  it('draws risks before clean parts, however much value the clean ones have', () => {
    const one = sampleExposure('incoming', 8)
    const nodes = pictureOf(sampleReport({ exposure: [one] })).filter(({ side }) => side === 'in')
    expect(nodes[0]!.category).toBe('sanctions')
  })

  it('says that nothing moved only where the ledger was examined', () => {
    const { coverage } = sampleReport()
    const introOf = (exposure: Partial<Report['coverage']['exposure']>) =>
      documentOf({ coverage: { ...coverage, exposure: { ...coverage.exposure, ...exposure } } }).flow
    expect(introOf({})).toMatchObject({ picture: null, intro: en.exposureReasons['not_configured'] })
    expect(introOf({ reason: null }).intro).toBe(en.flow.unknown)
    expect(introOf({ status: 'partial', reason: null }).intro).toBe(en.flow.nothing)
  })
})

it('gives the same document for the same report', () => {
  for (const report of Object.values(sampleReports()))
    expect(reportDocument(structuredClone(report))).toEqual(reportDocument(report))
})
