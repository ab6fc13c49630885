import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chainFact } from '../../test/chain-fact-builders.js'
import { drawnFacts } from '../../test/drawn-facts.js'
import {
  ADDRESS,
  cleanLabel,
  GENERATED_AT,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
  PUBLISHED_AT,
} from '../../test/judgement-builders.js'
import {
  ChangeRefusedError,
  compiledDefaultPolicy,
  compilePolicy,
  decideScreening,
  defaultPolicy,
  emptyExposure,
  explainChange,
  labelState,
  type ChangePart,
  type JudgementFacts,
  type RecordedDecision,
  type ScreeningInputs,
} from './index.js'
import { changeParts } from './explain-change.js'

type World = Omit<ScreeningInputs, 'originTableVersion' | 'request'>

const world: World = {
  snapshot: {
    ...{ labelSetSeq: 17, labelView: 'current', labelsAsOf: PUBLISHED_AT },
    ...{ labelSets: [ofacSet(), labelSet()], labels: [] },
  },
  policy: compiledDefaultPolicy,
  generatedAt: GENERATED_AT,
}

function decided(
  changes: Partial<World> = {},
  request: Partial<ScreeningInputs['request']> = {},
): RecordedDecision {
  const inputs = { ...world, ...changes }
  const decision = decideScreening({
    ...inputs,
    request: {
      ...{ reportId: '9f2c4a1be07d6358', accountId: 'account-1', livemode: true, address: ADDRESS },
      ...{ canonicalAddress: ADDRESS, chain: 'ETH', candidateChains: [], customerReference: null },
      ...{ reportUrl: 'https://reports.example/1', jobId: null, jobIndex: null },
      ...request,
    },
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return {
    recorded: decision.event,
    shared: { labelState: labelState(inputs.snapshot), policyDocument: inputs.policy.canonical },
  }
}

const withLabels = (
  labelSetSeq: number,
  ...labels: World['snapshot']['labels']
): Pick<World, 'snapshot'> => ({
  snapshot: { ...world.snapshot, labelSetSeq, labels },
})

const pointsOf = (from: RecordedDecision, to: RecordedDecision): Partial<Record<ChangePart, number>> =>
  Object.fromEntries(
    explainChange(from, to)
      .parts.filter(({ differs }) => differs)
      .map(({ part, addedHundredths }) => [part, addedHundredths]),
  )

describe('a change is found in the part that made it:', () => {
  const nothing = decided()
  const milder = compilePolicy({
    ...defaultPolicy,
    version: 2,
    weights: { ...defaultPolicy.weights, scam: 0.5 },
  })

  test('a designation', () => {
    const designated = decided(withLabels(18, ofacLabel()))
    const { from, to, parts } = explainChange(nothing, designated)
    expect([from.level, to.level, to.scoreHundredths]).toEqual(['grey', 'red', 10_000])
    expect(pointsOf(nothing, designated)).toEqual({ labels: 10_000 })
    expect(parts.map(({ alone }) => alone.level)).toEqual(['red', 'grey', 'grey', 'grey', 'grey', 'grey'])
  })

  test('a policy that weighs less', () => {
    const scam = withLabels(18, label())
    expect(pointsOf(decided(scam), decided({ ...scam, policy: milder }))).toEqual({ policy: -3_200 })
  })

  test('an answer of a provider', () => {
    const chainInputs = { stage: 'answered' as const, facts: [chainFact()] }
    const { parts } = explainChange(nothing, decided({ chainInputs }))
    expect(parts.filter(({ differs }) => differs).map(({ part }) => part)).toEqual(['funds'])
  })

  test('a list that has become old while nothing else changed', () => {
    const clean = withLabels(17, cleanLabel())
    const later = decided({ ...clean, generatedAt: '2026-12-24T09:00:00.000Z' })
    const { from, to, parts } = explainChange(decided(clean), later)
    expect([from.level, to.level]).toEqual(['green', 'grey'])
    expect(parts.find(({ differs }) => differs)).toMatchObject({
      part: 'time',
      addedHundredths: 0,
      after: to,
    })
  })

  test('two at once, each with what it adds after those before it', () => {
    const from = decided(withLabels(17, label()))
    const to = decided({ ...withLabels(18, label({ confidencePpm: 900_000 })), policy: milder })
    expect(pointsOf(from, to)).toEqual({ labels: 900, policy: -3_600 })
    const alone = explainChange(from, to).parts.map((part) => part.alone.scoreHundredths)
    expect(alone).toEqual([8_100, 7_200, 4_000, 7_200, 7_200, 7_200])
  })
})

describe('exposure, which is measured with labels on a ledger, belongs', () => {
  const measured = (ledgerSeq: number, status: 'examined' | 'absent') => ({
    exposure: emptyExposure(status, { ledgerSeq, policy: compiledDefaultPolicy }),
  })
  const differing = (from: RecordedDecision, to: RecordedDecision): readonly ChangePart[] =>
    explainChange(from, to)
      .parts.filter(({ differs }) => differs)
      .map(({ part }) => part)

  test('to the funds where the ledger has grown', () => {
    expect(differing(decided(measured(4, 'absent')), decided(measured(5, 'examined')))).toEqual(['funds'])
  })

  test('to the labels if only they have changed', () => {
    const to = decided({ ...measured(4, 'examined'), ...withLabels(18) })
    expect(differing(decided(measured(4, 'absent')), to)).toEqual(['labels'])
  })

  test('to the funds, and says so, where both have', () => {
    const to = decided({ ...measured(5, 'examined'), ...withLabels(18) })
    const explained = explainChange(decided(measured(4, 'absent')), to)
    expect(explained.fundsIncludeLabels).toBe(true)
    expect(explainChange(to, to).fundsIncludeLabels).toBe(false)
  })
})

describe('a stage that one report lacks is called not examined, whatever else changed:', () => {
  const exposed = (status: 'examined' | 'late' | 'failed', ledgerSeq: number) => ({
    exposure: emptyExposure(status, { ledgerSeq, policy: compiledDefaultPolicy }),
  })
  const asked = (stage: 'answered' | 'late' | 'failed') => ({
    chainInputs: { stage, facts: stage === 'answered' ? [chainFact()] : [] },
  })
  const everythingElse = { ...withLabels(18, label()), generatedAt: '2026-11-23T10:00:00.000Z' }

  test.each(['late', 'failed'] as const)('exposure that was %s, lost and found', (status) => {
    const whole = decided(exposed('examined', 4))
    for (const ledgerSeq of [4, 5]) {
      const lacking = decided(exposed(status, ledgerSeq))
      expect(pointsOf(whole, lacking)).toEqual({ not_examined: 0 })
      expect(pointsOf(lacking, whole)).toEqual({ not_examined: 0 })
      const later = decided({ ...exposed(status, ledgerSeq), ...everythingElse })
      expect(pointsOf(whole, later)).toEqual({ labels: 7_200, time: 0, not_examined: 0 })
      expect(explainChange(whole, later).fundsIncludeLabels).toBe(false)
    }
  })

  test.each(['late', 'failed'] as const)('providers that were %s', (stage) => {
    expect(pointsOf(decided(asked('answered')), decided(asked(stage)))).toEqual({ not_examined: 0 })
    const later = decided({ ...asked(stage), ...everythingElse })
    expect(pointsOf(decided(asked('answered')), later)).toEqual({ labels: 7_200, time: 0, not_examined: 0 })
  })

  test('what both lack is not a difference', () => {
    expect(pointsOf(decided(exposed('late', 4)), decided(exposed('late', 4)))).toEqual({})
  })
})

describe('nothing is explained', () => {
  test('of two addresses, two chains, or a live report and one of the sandbox', () => {
    const here = decided()
    for (const other of [{ canonicalAddress: '0x01' }, { chain: 'BSC' }, { livemode: false }])
      expect(() => explainChange(here, decided({}, other))).toThrow(ChangeRefusedError)
  })

  test.each(['first', 'second'])('where the %s record was changed', (which) => {
    const sound = decided()
    const forged = { ...sound, recorded: { ...sound.recorded, level: 'green' } }
    const [from, to] = which === 'first' ? [forged, sound] : [sound, forged]
    expect(() => explainChange(from, to)).toThrow('does not follow from its record: level')
  })
})

test('whatever changed, the parts add up to the hundredth and end at the second decision', () => {
  const drawn = fc.record({
    facts: drawnFacts.filter(({ chain }) => chain === 'ETH'),
    labelSetSeq: fc.nat(3),
    facts2: fc.constantFrom([], [chainFact()], [chainFact({ isContract: true })]),
    generatedAt: fc.constantFrom(GENERATED_AT, '2026-11-23T10:00:00.000Z', '2027-03-01T00:00:00.000Z'),
  })
  const decisionOf = ({ facts, labelSetSeq, facts2, generatedAt }: DrawnWorld): RecordedDecision =>
    decided({
      snapshot: {
        ...{ labelSetSeq, labelsAsOf: PUBLISHED_AT, labels: facts.labels, labelSets: facts.labelSets },
        labelView: facts.labelView,
      },
      ...{ policy: facts.policy, cluster: facts.cluster ?? null, generatedAt },
      chainInputs: { stage: facts2.length === 0 ? '' : 'answered', facts: facts2 },
    })
  fc.assert(
    fc.property(drawn, drawn, (a, b) => {
      const [from, to] = [decisionOf(a), decisionOf(b)]
      const explained = explainChange(from, to)
      const sum = explained.parts.reduce((total, { addedHundredths }) => total + addedHundredths, 0)
      expect(sum).toBe(Math.round(to.recorded.score * 100) - Math.round(from.recorded.score * 100))
      expect(explained.parts.at(-1)!.after).toEqual(explained.to)
      expect(explained.parts.map(({ part }) => part)).toEqual(changeParts)
      for (const { differs, addedHundredths, alone } of explained.parts)
        if (!differs) expect([addedHundredths, alone]).toEqual([0, explained.from])
      // The way back leads through other decisions, and to the opposite change.
      const back = explainChange(to, from).parts.reduce((total, part) => total + part.addedHundredths, 0)
      expect(back).toBe(-sum || 0)
    }),
  )
})

interface DrawnWorld {
  readonly facts: JudgementFacts
  readonly labelSetSeq: number
  readonly facts2: readonly ReturnType<typeof chainFact>[]
  readonly generatedAt: string
}
