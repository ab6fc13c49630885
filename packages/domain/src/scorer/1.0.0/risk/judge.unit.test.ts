import { describe, expect, test } from 'vitest'
import {
  ADDRESS,
  cleanLabel,
  GENERATED_AT,
  judged,
  label,
  foreignList,
  labelSet,
  ofacLabel,
  ofacSet,
  restatement,
  scoreOf,
} from '../../../../test/judgement-builders.js'
import { defaultPolicy } from './default-policy.js'
import { compilePolicy } from './policy.js'

const evidenceOf = (judgement: ReturnType<typeof judged>, origin: string) =>
  judgement.evidence.find((item) => item.origin === origin)

describe('designations', () => {
  test('a label on the authority’s own current list is 100, red and decisive, whatever figure its file gives', () => {
    const judgement = judged([ofacLabel({ confidencePpm: 100_000 })], { labelSets: [ofacSet()] })
    expect(judgement).toMatchObject({
      level: 'red',
      overallHundredths: 10_000,
      categoryHundredths: { sanctions: 10_000 },
    })
    expect(judgement.evidence).toMatchObject([
      { confidence: 1, contribution: 100, decisive: true, status: 'live' },
    ])
  })

  test('no policy removes the floor', () => {
    const lenient = compilePolicy({
      ...defaultPolicy,
      weights: { ...defaultPolicy.weights, sanctions: 0 },
      roles: { owner: 0, participant: 0, disputed: 0, infrastructure: 0 },
      levels: { orange: 99, red: 100 },
      ownership: { minimum_confidence: 1, combined_from: 1, combined_cap: 0 },
    })
    const judgement = judged([ofacLabel()], { labelSets: [ofacSet()], policy: lenient })
    expect(judgement).toMatchObject({
      level: 'red',
      overallHundredths: 10_000,
      categoryHundredths: { sanctions: 10_000 },
    })
  })

  test('it counts on every chain of the family, and the evidence names the chain', () => {
    const judgement = judged([ofacLabel()], { labelSets: [ofacSet()], chain: 'BASE' })
    expect(judgement).toMatchObject({ level: 'red', evidence: [{ chain: 'ETH', used: true }] })
  })

  test('what else an authority’s list says of an address is not a designation', () => {
    const judgement = judged([ofacLabel({ category: 'darknet', confidencePpm: 950_000 })], {
      labelSets: [ofacSet()],
    })
    expect(scoreOf(judgement)).toBe(90.25)
  })

  test('a restatement counts at its own confidence, without the floor, while the authority’s list is not here', () => {
    expect(scoreOf(judged([restatement()], { labelSets: [labelSet()] }))).toBe(90)
  })

  test('once the authority’s own list was published here, a restatement of what is not on it has ended', () => {
    const judgement = judged([restatement()], { labelSets: [labelSet(), ofacSet()] })
    expect(judgement).toMatchObject({
      level: 'grey',
      overallHundredths: 0,
      evidence: [{ status: 'ended', used: false, reason: 'authority_ended', contribution: 0 }],
    })
  })

  test('a delisted address stays visible and does not count, nor do its restatements', () => {
    const delisted = ofacLabel({ knownTo: '2026-11-20T00:00:00.000Z', validTo: '2026-11-20' })
    const judgement = judged([delisted, restatement()], { labelSets: [ofacSet()] })
    expect(judgement.overallHundredths).toBe(0)
    expect(judgement.evidence.map(({ reason }) => reason).sort()).toEqual(['authority_ended', 'ended'])
  })

  test('an older list of the same authority, published later under another name, sanctions nobody again', () => {
    const old = ofacLabel({ dataset: 'ofac_2024' })
    const labelSets = [ofacSet(), ofacSet({ dataset: 'ofac_2024', asOf: '2024-09-27', labelSetSeq: 2 })]
    expect(judged([old], { labelSets })).toMatchObject({ level: 'grey', overallHundredths: 0 })
    expect(judged([old, ofacLabel()], { labelSets })).toMatchObject({ level: 'red' })
  })

  test('a label ends at the very instant it is valid to', () => {
    expect(judged([label({ validTo: GENERATED_AT })]).overallHundredths).toBe(0)
    expect(judged([label({ validTo: '2026-11-21T09:00:00.001Z' })]).overallHundredths).toBe(7_200)
  })

  test('a mixer label that goes back to an authority’s paper outlives the delisting', () => {
    const tornado = restatement({ category: 'mixer', kind: 'official_document', confidencePpm: 950_000 })
    expect(scoreOf(judged([tornado], { labelSets: [ofacSet()] }))).toBe(80.75)
  })

  test('a court’s forfeiture is not a designation', () => {
    const forfeited = label({
      category: 'sanctions',
      origin: 'us-doj',
      kind: 'official_document',
      confidencePpm: 750_000,
    })
    expect(judged([forfeited], { labelSets: [ofacSet()] })).toMatchObject({
      level: 'red',
      overallHundredths: 7_500,
    })
  })
})

describe('ownership', () => {
  test('one explorer’s phishing tag is orange', () => {
    expect(judged([label({ confidencePpm: 750_000 })])).toMatchObject({
      level: 'orange',
      overallHundredths: 6_750,
    })
  })

  test('restatements of one origin count once, by their strongest', () => {
    const same = [750_000, 800_000, 650_000].map((confidencePpm) =>
      label({ confidencePpm, origin: 'etherscan' }),
    )
    const judgement = judged(same)
    expect(judgement.categoryHundredths.scam).toBe(8_000)
    expect(judgement.evidence).toHaveLength(1)
    expect(judgement.considered.map(({ reason }) => reason)).toEqual(['same_origin', '', 'same_origin'])
  })

  test('independent origins together say more, and an item of its own says so', () => {
    const judgement = judged([
      label({ origin: 'a', confidencePpm: 750_000 }),
      label({ origin: 'b', confidencePpm: 650_000 }),
    ])
    // 1 − 0.25·0.35 = 0.9125; weighted by 0.9.
    expect(judgement.categoryHundredths.scam).toBe(9_125)
    expect(evidenceOf(judgement, 'combined')).toMatchObject({
      confidence: 0.9125,
      contribution: 82.13,
      decisive: true,
      source: 'combined',
    })
    expect(evidenceOf(judgement, 'a')).toMatchObject({ contribution: 67.5, decisive: false })
  })

  test('together they are never surer than the cap, and never less sure than the best of them', () => {
    const many = ['a', 'b', 'c', 'd'].map((origin) => label({ origin, confidencePpm: 900_000 }))
    expect(judged(many).categoryHundredths.scam).toBe(9_500)
    const sure = judged([
      label({ origin: 'a', confidencePpm: 970_000 }),
      label({ origin: 'b', confidencePpm: 900_000 }),
    ])
    expect(sure.categoryHundredths.scam).toBe(9_700)
    expect(evidenceOf(sure, 'combined')).toBeUndefined()
  })

  test.each([
    ['below one half', { confidencePpm: 499_999 }],
    ['disputed', { role: 'disputed' }],
    ['infrastructure', { role: 'infrastructure' }],
  ])('an origin that is %s adds nothing to another', (_name, changes) => {
    const judgement = judged([
      label({ origin: 'a', confidencePpm: 600_000 }),
      label({ origin: 'b', ...changes }),
    ])
    expect(judgement.categoryHundredths.scam).toBe(6_000)
  })

  test.each([
    ['owner', 8_000],
    ['participant', 5_600],
    ['disputed', 4_000],
    ['infrastructure', 4_000],
    ['a role this version does not know', 4_000],
  ])('%s weighs its factor', (role, hundredths) => {
    expect(judged([label({ role })]).categoryHundredths.scam).toBe(hundredths)
  })

  test('a user of a mixer is not the mixer', () => {
    const user = label({ category: 'mixer', role: 'participant', confidencePpm: 600_000 })
    expect(judged([user])).toMatchObject({ level: 'orange', overallHundredths: 3_570 })
  })

  test('below 0.30 a label is shown and not used', () => {
    const judgement = judged([label({ confidencePpm: 299_999 })])
    expect(judgement.overallHundredths).toBe(0)
    expect(judgement.evidence).toMatchObject([
      { used: false, reason: 'low_confidence', contribution: 0, status: 'live' },
    ])
    expect(judged([label({ confidencePpm: 300_000 })]).overallHundredths).toBe(2_700)
  })

  test('c·ρ is rounded half up to a millionth, points once to a hundredth', () => {
    // 0.333333·0.7 = 0.2333331, then 23.33 points, then 0.85·23.33 = 19.8305.
    const judgement = judged([label({ category: 'mixer', role: 'participant', confidencePpm: 333_333 })])
    expect(judgement.categoryHundredths.mixer).toBe(2_333)
    expect(judgement.overallHundredths).toBe(1_983)
  })

  test('categories are unweighted, the score is their weighted maximum', () => {
    const judgement = judged([
      label({ category: 'darknet' }),
      label({ category: 'stolen', confidencePpm: 850_000 }),
    ])
    expect(judgement.categoryHundredths).toMatchObject({ darknet: 8_000, stolen: 8_500 })
    expect(judgement.overallHundredths).toBe(8_075)
  })
})

describe('levels', () => {
  test.each([
    // 77.77·0.9 = 69.993 and 77.78·0.9 = 70.002: the category is rounded before it is weighted.
    [777_749, 'orange', 6_999],
    [777_750, 'red', 7_000],
  ])('the level follows the rounded score: %i', (confidencePpm, level, overallHundredths) => {
    expect(judged([label({ confidencePpm })])).toMatchObject({ level, overallHundredths })
  })

  test('the bands begin at exactly 25 and 70', () => {
    const even = compilePolicy({
      ...defaultPolicy,
      weights: { ...defaultPolicy.weights, scam: 1 },
      ownership: { ...defaultPolicy.ownership, minimum_confidence: 0 },
    })
    const level = (confidencePpm: number) => judged([label({ confidencePpm })], { policy: even }).level
    expect([699_949, 699_950, 249_949, 249_950].map(level)).toEqual(['orange', 'red', 'grey', 'orange'])
  })

  test('an unlisted address is grey with score 0 and no evidence: not listed is not safe', () => {
    expect(judged([])).toMatchObject({
      level: 'grey',
      levelReasons: ['no_chain_data'],
      overallHundredths: 0,
      evidence: [],
      scoreIsLowerBound: false,
    })
  })

  test('a sure clean attribution on this chain is green', () => {
    expect(judged([cleanLabel()])).toMatchObject({
      level: 'green',
      levelReasons: [],
      categoryHundredths: { clean_exchange: 8_500 },
    })
  })

  test('a weak one is grey', () => {
    expect(judged([cleanLabel({ confidencePpm: 799_999 })])).toMatchObject({
      level: 'grey',
      levelReasons: ['weak_attribution', 'no_chain_data'],
    })
  })

  test('clean never crosses chains', () => {
    const judgement = judged([cleanLabel({ chain: 'BSC' })])
    expect(judgement).toMatchObject({ level: 'grey', categoryHundredths: { clean_exchange: 0 } })
    expect(judgement.evidence).toMatchObject([{ chain: 'BSC', used: false, reason: 'other_chain' }])
  })

  test('clean subtracts from nothing, and with anything illicit that counts is a conflict, never green', () => {
    const judgement = judged([
      cleanLabel(),
      label({ confidencePpm: 300_000, role: 'disputed', entity: 'Accuser' }),
    ])
    expect(judgement).toMatchObject({
      level: 'grey',
      levelReasons: ['conflict'],
      overallHundredths: 1_350,
      conflicts: [{ category: 'scam', clean_entity: 'Some Exchange', illicit_entity: 'Accuser' }],
    })
    expect(judged([cleanLabel(), label()])).toMatchObject({ level: 'red', conflicts: [{}] })
  })

  test.each([
    ['Garantex', 'GARANTEX, OOO'],
    ['garantex: hot wallet 3', 'Garantex'],
    ['Биржа «Гарантекс»', 'ООО Гарантекс'],
    ['G\u0430r\u0430ntex', 'Garantex'],
    ['Ѕuех', 'SUEX'],
    ['B\u0442c-e exchange', 'ВТС-Е'],
  ])('a clean label of %s conflicts with the listed %s of other addresses, and the reason names both', (entity, party) => {
    const labelSets = [labelSet(), ofacSet({ parties: ['Somebody Else', party] })]
    expect(judged([cleanLabel({ entity })], { labelSets })).toMatchObject({
      ...{ level: 'grey', levelReasons: ['conflict'] },
      conflicts: [{ category: 'sanctions', clean_entity: entity, illicit_entity: party }],
    })
  })

  test('no conflict is another name, a name of legal forms only, or one of a list that is not in force', () => {
    const others = [ofacSet({ parties: ['Garant', 'Garantex Europe', 'Ltd.', ''] })]
    const older = ofacSet({ dataset: 'old', asOf: '2020-01-01', parties: ['Garantex'] })
    const newer = ofacSet({ versionOf: ['ofac_sdn/old'], labelSetSeq: 2 })
    for (const labelSets of [others, [older, newer]])
      expect(judged([cleanLabel({ entity: 'Garantex' })], { labelSets })).toMatchObject({
        ...{ level: 'green', conflicts: [] },
      })
  })

  test('what was ended or too weak is not a conflict', () => {
    const weak = [label({ confidencePpm: 100_000 }), label({ validTo: '2020-01-01' })]
    expect(judged([cleanLabel(), ...weak])).toMatchObject({ level: 'green', conflicts: [] })
  })
})

describe('freshness and faults', () => {
  const clean = [cleanLabel()]

  test('without the list of OFAC, or of another authority that a policy always requires, nothing is green', () => {
    const none = { level: 'grey', levelReasons: ['no_sanctions_list'] }
    const british = foreignList({ source: 'uk_ofsi', authorityOrigin: 'uk-ofsi', asOf: '2026-11-20' })
    const required = [...defaultPolicy.freshness.required, { origin: 'uk-ofsi', when: 'always' } as const]
    const strict = compilePolicy({
      ...defaultPolicy,
      freshness: { ...defaultPolicy.freshness, required: required.filter((_list, at) => at !== 1) },
    })
    expect(judged(clean, { labelSets: [british] })).toMatchObject(none)
    expect(judged(clean, { labelSets: [ofacSet({ whole: false })] })).toMatchObject(none)
    expect(judged(clean, { labelSets: [ofacSet()] })).toMatchObject({ level: 'green' })
    expect(judged(clean, { policy: strict, labelSets: [ofacSet()] })).toMatchObject(none)
    expect(judged(clean, { policy: strict, labelSets: [ofacSet(), british] })).toMatchObject({ level: 'green' })
  })

  test('a list that was here and is gone is stale, whether or not the policy always requires it', () => {
    const british = labelSet({ source: 'uk_ofsi', dataset: 'uk', authorityOrigin: 'uk-ofsi', whole: true, total: 0 })
    const gone = judged(clean, { labelSets: [ofacSet(), british] })
    expect(gone).toMatchObject({ level: 'grey', levelReasons: ['stale_labels'], labelsCoverage: 'stale' })
  })

  test('a lagging label view takes green away and says that the score may be too low', () => {
    expect(judged(clean, { labelView: 'lagging' })).toMatchObject({
      level: 'grey',
      levelReasons: ['stale_labels'],
      labelsCoverage: 'stale',
      scoreIsLowerBound: true,
    })
  })

  test('a fault leaves ownership, floors and evidence as they are', () => {
    const healthy = judged([ofacLabel()], { labelSets: [ofacSet()] })
    const faulted = judged(healthy.considered, {
      labelSets: [ofacSet({ asOf: '2020-01-01' })],
      labelView: 'lagging',
    })
    expect(faulted).toMatchObject({ level: 'red', overallHundredths: 10_000, evidence: healthy.evidence })
  })

  test('no published set at all is named in the coverage', () => {
    expect(judged([], { labelSets: [] })).toMatchObject({ labelsCoverage: 'unavailable', level: 'grey' })
  })
})

describe('evidence', () => {
  test('at most 50 items are shown, the strongest first, and the rest is counted', () => {
    const labels = Array.from({ length: 60 }, (_, index) =>
      label({ origin: `origin-${index}`, confidencePpm: 300_000 + index * 1_000 }),
    )
    const judgement = judged(labels)
    expect(judgement.evidence).toHaveLength(50)
    expect(judgement.evidenceOmitted).toBe(10)
    expect(judgement.evidence[0]).toMatchObject({ origin: 'origin-59', decisive: true })
  })

  test('its order does not depend on the order of the labels', () => {
    const labels = [
      label({ origin: 'a' }),
      label({ origin: 'b' }),
      cleanLabel(),
      ofacLabel({ confidencePpm: 1 }),
    ]
    expect(judged([...labels].reverse()).evidence).toEqual(judged(labels).evidence)
  })

  test('it names the labelled address where that is another writing of the same key', () => {
    const other = '0x1111111111111111111111111111111111111111'
    const judgement = judged([
      label({ address: other, origin: 'a' }),
      label({ address: ADDRESS, origin: 'b' }),
    ])
    expect(evidenceOf(judgement, 'a')?.address).toBe(other)
    expect(evidenceOf(judgement, 'b')?.address).toBeNull()
  })

  test('several categories per address each have their evidence', () => {
    const judgement = judged([ofacLabel(), ofacLabel({ category: 'darknet' })], { labelSets: [ofacSet()] })
    expect(judgement.evidence.map(({ category }) => category)).toEqual(['sanctions', 'darknet'])
  })

  test('a category this version does not know is shown and not used', () => {
    expect(judged([label({ category: 'gambling' })])).toMatchObject({
      overallHundredths: 0,
      evidence: [{ category: 'gambling', used: false, reason: 'unknown_category' }],
    })
  })
})
