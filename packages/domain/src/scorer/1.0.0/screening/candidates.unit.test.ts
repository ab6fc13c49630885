import { describe, expect, test } from 'vitest'
import { chainFact } from '../../../../test/chain-fact-builders.js'
import {
  ADDRESS,
  cleanLabel,
  GENERATED_AT,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
  PUBLISHED_AT,
} from '../../../../test/judgement-builders.js'
import {
  compiledDefaultPolicy,
  decideScreening,
  differences,
  emptyExposure,
  explainChange,
  knownCandidates,
  labelState,
  recompute,
  type ChainFindings,
  type LabelFacts,
  type RecordedDecision,
} from '../../index.js'

const onChain = (chain: string, over: Partial<ChainFindings> = {}): ChainFindings => ({
  ...{ chain, canonicalAddress: ADDRESS, labels: [] },
  ...over,
})

/** Decides as the scorer does: of the candidates only those on which something knows the address. */
function decided(labels: readonly LabelFacts[], candidates: readonly ChainFindings[]): RecordedDecision {
  const snapshot = {
    ...{ labelSetSeq: 17, labelView: 'current' as const, labelsAsOf: PUBLISHED_AT },
    ...{ labelSets: [ofacSet(), labelSet()], labels },
  }
  const decision = decideScreening({
    snapshot,
    candidates: knownCandidates(labels, candidates),
    policy: compiledDefaultPolicy,
    generatedAt: GENERATED_AT,
    request: {
      ...{ reportId: '9f2c4a1be07d6358', accountId: 'account-1', livemode: true, address: ADDRESS },
      ...{ canonicalAddress: ADDRESS, chain: 'ETH', candidateChains: ['ETH', 'BSC', 'MATIC'] },
      ...{ customerReference: null, reportUrl: 'https://reports.example/1', jobId: null, jobIndex: null },
    },
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  const shared = { labelState: labelState(snapshot), policyDocument: compiledDefaultPolicy.canonical }
  expect(differences(decision.event, recompute(decision.event, shared))).toEqual([])
  return { recorded: decision.event, shared }
}

const riskOf = ({ recorded }: RecordedDecision) => JSON.parse(recorded.report).risk
const clean = cleanLabel({ chain: 'ETH', confidencePpm: 950_000 })
const answered = (over: object) => ({ stage: 'answered' as const, facts: [chainFact({ chain: 'BSC', ...over })] })
const unused = { balanceBaseUnits: '0', txCount: 0, isContract: false, tokens: [] }

describe('an address without a named chain is green only if it is green on every chain that knows it:', () => {
  test('nothing knows it on another chain', () => {
    const { recorded } = decided([clean], [onChain('BSC', { labels: [clean] }), onChain('MATIC')])
    expect([recorded.level, recorded.inputs.candidates]).toEqual(['green', []])
  })

  test.each<[string, Partial<ChainFindings>]>([
    ['a label', { labels: [clean, label({ chain: 'BSC', labelId: 'weak', confidencePpm: 200_000 })] }],
    ['a label of another key', { labels: [label({ chain: 'XRP', labelId: 'weak', confidencePpm: 200_000 })] }],
    ['a ledger that was late', { exposure: emptyExposure('late', { ledgerSeq: 3, policy: compiledDefaultPolicy }) }],
    ['a provider', { chainInputs: answered({ ...unused, txCount: 4 }) }],
    ['a provider that did not answer', { chainInputs: answered({ ...unused, error: 'timeout' }) }],
    ['a provider that was late', { chainInputs: { stage: 'late', facts: [] } }],
  ])('%s knows it there, and it is not cleared', (_name, over) => {
    const { recorded } = decided([clean], [onChain('BSC', over)])
    expect([recorded.level, recorded.levelReasons]).toEqual(['grey', ['candidate_chain']])
    expect(JSON.parse(recorded.report).other_chains).toMatchObject([{ chain: 'BSC', level: 'grey' }])
  })

  test.each<[string, Partial<ChainFindings>]>([
    ['a provider knows nothing of it', { chainInputs: answered(unused) }],
    ['the ledger does not hold it', { exposure: emptyExposure('absent', { ledgerSeq: 3, policy: compiledDefaultPolicy }) }],
    ['its own clean label clears it', { labels: [cleanLabel({ chain: 'BSC', labelId: 'own', confidencePpm: 950_000 })] }],
  ])('%s', (_name, over) => {
    expect(decided([clean], [onChain('BSC', over)]).recorded.level).toBe('green')
  })
})

test.each<[string, Partial<ChainFindings>]>([
  ['exposure', { exposure: emptyExposure('late', { ledgerSeq: 3, policy: compiledDefaultPolicy }) }],
  ['exposure', { exposure: emptyExposure('failed', { ledgerSeq: 3, policy: compiledDefaultPolicy }) }],
  ['chain_data', { chainInputs: { stage: 'late', facts: [] } }],
  ['clusters', { cluster: { clusterId: '', size: 0, ledgerSeq: 3, stopped: 'failed', labels: [] } }],
])('a report says that %s is missing on another chain', (stage, over) => {
  const { recorded } = decided([clean], [onChain('BSC', over), onChain('MATIC')])
  expect(JSON.parse(recorded.report).coverage.missing_stages).toEqual([stage])
})

test('the score is that of the worst chain, and each item names its chain', () => {
  const scam = label({ chain: 'BSC', labelId: 'scam', category: 'scam', confidencePpm: 900_000 })
  const contract = answered({ ...unused, chain: 'ETH', isContract: true })
  const detected = decided([scam], [])
  const judged = decided([clean], [onChain('BSC', { labels: [scam] }), onChain('MATIC', { chainInputs: contract })])
  expect(judged.recorded.score).toBe(detected.recorded.score)
  expect(judged.recorded.level).toBe(detected.recorded.level)
  expect(judged.recorded.levelReasons).toEqual([])
  const evidence: { chain: string; category: string; decisive: boolean }[] = riskOf(judged).evidence
  expect(evidence.filter(({ decisive }) => decisive)).toMatchObject([{ chain: 'BSC', category: 'scam' }])
})

test('a label that counts on several chains is shown once', () => {
  const designation = ofacLabel()
  const judged = decided([designation], [onChain('BSC', { labels: [designation, cleanLabel({ chain: 'BSC' })] })])
  expect([judged.recorded.level, judged.recorded.score]).toEqual(['red', 100])
  const sanctions = riskOf(judged).evidence.filter(({ category }: { category: string }) => category === 'sanctions')
  expect(sanctions).toHaveLength(1)
})

test('a change on another chain is explained by the part that made it', () => {
  const before = decided([clean], [])
  const scam = label({ chain: 'BSC', labelId: 'scam', category: 'scam', confidencePpm: 900_000 })
  const labelled = explainChange(before, decided([clean], [onChain('BSC', { labels: [scam] })]))
  expect(labelled.parts.filter(({ differs }) => differs).map(({ part }) => part)).toEqual(['labels'])
  expect(labelled.to.level).not.toBe('green')
  const funded = explainChange(before, decided([clean], [onChain('BSC', { chainInputs: answered({ ...unused, txCount: 4 }) })]))
  expect(funded.parts.filter(({ differs }) => differs).map(({ part }) => part)).toEqual(['funds'])
  expect(funded.to).toMatchObject({ level: 'grey', levelReasons: ['candidate_chain'] })
})
