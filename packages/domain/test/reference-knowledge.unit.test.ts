/** Compares the product's level reasons and list of what was not examined with the second calculation, over generated cases. */
import type { ChainFact, ExposurePart, ExposureRecord, Report } from '@cupel/contracts'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  compiledDefaultPolicy,
  decideScreening,
  emptyExposure,
  knownCandidates,
  type ChainFindings,
  type JudgementFacts,
} from '../src/index.js'
import { chainFact, failedFact } from './chain-fact-builders.js'
import { chooser } from './chooser.js'
import { drawnFacts } from './drawn-facts.js'
import { cleanLabel, PUBLISHED_AT } from './judgement-builders.js'
import { referenceJudgement } from './reference-judgement.js'
import {
  referenceKnowledge,
  type ChainCase,
  type KnowledgeCase,
  type ReferenceKnowledge,
} from './reference-knowledge.js'
import { fewestShown } from './variety.js'

const CASES = { name: 'knowledge', full: 100_000, minimum: 1_000, demanded: 100_000 }

type Choose = <T>(choices: readonly T[]) => T

const faults = [
  ['range_gap'],
  ['no_traces', 'no_tokens'],
  ['range_in_future'],
  ['shortfall'],
  ['balance_mismatch'],
  ['execution_unknown'],
  ['unknown_order', 'count_mismatch'],
  ['intermediary_shortfall'],
] as const
const kinds = [['native', 'internal', 'token'], ['native'], ['native', 'token'], []] as const

/** Parts of 1000 base units, by what they are attributed to. */
const divisions: readonly (readonly (readonly [string, number])[])[] = [
  [],
  [['clean_exchange', 1_000]],
  [['clean_exchange', 900]],
  [['clean_exchange', 899]],
  [
    ['clean_exchange', 500],
    ['issuance', 400],
  ],
  [
    ['service', 101],
    ['clean_exchange', 899],
  ],
]
const drawnPart = ([category, amount]: readonly [string, number]): ExposurePart => ({
  ...{ category, relation: 'direct', amount: String(amount), microUsd: null },
  ...{ counterparties: [], counterpartiesOmitted: 0 },
})

function drawnExposure(choose: Choose, policy: JudgementFacts['policy']): ExposureRecord | null {
  const status = choose(['examined', 'none', 'examined', 'absent', 'examined', 'late', 'failed'] as const)
  if (status === 'none') return null
  const record = emptyExposure(status, { ledgerSeq: 7, policy })
  if (status === 'late' || status === 'failed') return record
  const incomplete = choose([[], [], [], ...faults])
  const truncated = choose([false, false, false, true])
  const directions = status === 'absent' ? [] : choose([['in'], ['in', 'out'], ['out']])
  return {
    ...record,
    ranges: choose(kinds).map((kind) => ({ kind, fromHeight: 0, toHeight: 9, toAt: null })),
    ownTransfers: status === 'absent' ? 0 : 3,
    hopsSearched: choose([2, 2, 4, 1]),
    truncated,
    historyComplete: !truncated && incomplete.length === 0,
    incomplete: [...incomplete],
    netBaseUnits: choose(['1000', '0', null]),
    breakdown: directions.map((direction) => ({
      ...{ direction, asset: 'X', contract: '', decimals: 0, total: '1000', microUsd: null },
      ...{ totalComplete: true, parts: choose(divisions).map(drawnPart) },
    })),
  }
}

/** One provider answers, none answers, or one of two answers. */
function drawnAnswers(choose: Choose, chain: string): Pick<ChainCase, 'stage' | 'answers'> {
  const stage = choose(['answered', '', 'answered', 'failed', 'late'] as const)
  if (stage === '') return { stage, answers: [] }
  if (stage !== 'answered')
    return { stage, answers: choose([[], [failedFact(stage === 'late' ? 'late' : 'refused')]]) }
  const fact: ChainFact = chainFact({
    chain,
    balanceBaseUnits: choose(['1000', '0', '999', '1001', null]),
    txCount: choose([4, 0, null]),
    txCountKind: choose(['outgoing', 'total']),
    isContract: choose([null, false, true]),
    tokens: [],
  })
  const named = fact.txCount === null ? { ...fact, txCountKind: null } : fact
  return { stage, answers: choose([[named], [named], [failedFact('refused'), named]]) }
}

/** Adds a service to the members of a cluster, with or without enough confidence. */
function withSomeService(
  cluster: NonNullable<JudgementFacts['cluster']> | null,
  choose: Choose,
): typeof cluster {
  const confidencePpm = choose([0, 0, 400_000, 850_000])
  if (cluster === null || cluster.stopped !== '' || confidencePpm === 0) return cluster
  const member = 'member-9'
  const label = cleanLabel({ address: member, labelId: 'f'.repeat(32), confidencePpm })
  return { ...cluster, labels: [...cluster.labels, { member, txHash: 'ab'.repeat(32), label }] }
}

const chains = ['ETH', 'ETH', 'BSC', 'BTC', 'TRX', 'DOGE', 'XMR', 'SOL', 'XRP', 'ETH'] as const
const number = fc.noBias(fc.nat(2 ** 31 - 1))

function drawnChain(drawn: JudgementFacts, chain: string, one: number, other: number): ChainCase {
  const choose = chooser(one)
  const isBare = choose([true, false])
  const { stage, answers } = drawnAnswers(choose, chain)
  const answered = stage === 'answered' ? answers.find(({ error }) => error === null) : undefined
  const said = answered?.isContract ?? null
  const codeAtAddress = said === null ? 'unknown' : said ? 'contract' : 'none'
  const cluster = isBare ? null : withSomeService(drawn.cluster ?? null, choose)
  const facts = { ...drawn, chain, codeAtAddress, cluster, ...(isBare ? { labels: [] } : {}) } as const
  return { facts, exposure: drawnExposure(chooser(other), compiledDefaultPolicy), stage, answers }
}

/** Another chain with the lists, the policy and the time of the detected one; often little is known of the address there. */
function drawnCandidate(detected: ChainCase, drawn: JudgementFacts, chain: string, one: number): ChainCase {
  const choose = chooser(one)
  const { facts } = detected
  const own = [...drawn.labels, cleanLabel({ chain: 'BSC', confidencePpm: 900_000 })]
  const labels = choose([
    facts.labels,
    [...facts.labels, cleanLabel({ chain, labelId: 'own', confidencePpm: choose([900_000, 400_000]) })],
    own.map((label) => ({ ...label, labelId: `${chain} ${label.labelId}` })),
  ])
  const known = drawnChain(
    { ...facts, labels, cluster: drawn.cluster ?? null },
    chain,
    choose([one, one + 1]),
    one,
  )
  const unused = chainFact({ chain, balanceBaseUnits: '0', txCount: 0, isContract: false, tokens: [] })
  const nothing = {
    exposure: null,
    ...choose([
      { stage: '', answers: [] },
      { stage: 'answered', answers: [unused] },
    ] as const),
  }
  const codeAtAddress = nothing.stage === 'answered' ? 'none' : 'unknown'
  const bare = { ...nothing, facts: { ...known.facts, labels, cluster: null, codeAtAddress } } as const
  return choose([known, bare, bare])
}

const elsewhere = fc.array(fc.tuple(drawnFacts, number), { maxLength: 2 })
/** Half of the cases have no further chain: with one, few are green. */
const drawnCases = fc
  .tuple(drawnFacts, number, number, fc.oneof(fc.constant([]), elsewhere))
  .map(([drawn, one, other, further]): KnowledgeCase => {
    const detected = drawnChain(drawn, chooser(one + 1)(chains), one, other)
    const others = ['BSC', 'TRX', 'BTC'].filter((chain) => chain !== detected.facts.chain)
    const candidates = further.map(([facts, at], place) =>
      drawnCandidate(detected, facts, others[place]!, at),
    )
    return { ...detected, candidates }
  })

const findingsOf = ({ facts, exposure, stage, answers }: ChainCase): ChainFindings => ({
  ...{ chain: facts.chain, canonicalAddress: facts.canonicalAddress, labels: facts.labels },
  ...{ chainInputs: { stage, facts: answers }, exposure, cluster: facts.cluster ?? null },
})

function byProduct({ facts, exposure, stage, answers, candidates }: KnowledgeCase): ReferenceKnowledge {
  const decision = decideScreening(
    {
      request: {
        ...{ reportId: '0'.repeat(16), accountId: 'account', livemode: true, reportUrl: '' },
        ...{ address: facts.canonicalAddress, canonicalAddress: facts.canonicalAddress, chain: facts.chain },
        candidateChains: candidates.map((one) => one.facts.chain),
        ...{ customerReference: null, jobId: null, jobIndex: null },
      },
      snapshot: {
        ...{ labelSetSeq: 1, labelsAsOf: PUBLISHED_AT, labelView: facts.labelView },
        ...{ labelSets: facts.labelSets, labels: facts.labels },
      },
      chainInputs: { stage, facts: answers },
      candidates: knownCandidates(facts.labels, candidates.map(findingsOf)),
      exposure,
      cluster: facts.cluster ?? null,
      policy: facts.policy,
      generatedAt: facts.generatedAt,
    },
    (text) => createHash('sha256').update(text).digest('hex'),
  )
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  const { risk, coverage, other_chains: others = [] } = JSON.parse(decision.event.report) as Report
  const { status, reason, incomplete } = coverage.exposure
  return {
    level: risk.level,
    score: risk.score,
    levelReasons: risk.level_reasons.toSorted(),
    scoreIsLowerBound: risk.score_is_lower_bound,
    notExamined: coverage.not_examined,
    exposure: `${status} ${reason} ${incomplete.toSorted().join()}`,
    otherChains: others.map(
      (one) => `${one.chain} ${one.level} ${one.score} ${one.level_reasons.toSorted().join()}`,
    ),
  }
}

/** Words that must occur in one of 500 cases: the agreement proves nothing about a word that never occurs. */
const words = [
  ...[
    'green',
    'grey',
    'no_chain_data',
    'no_history',
    'partial',
    'weak_attribution',
    'stale_labels',
    'conflict',
    'unattributed',
    'hidden_amounts',
    'candidate_chain',
  ],
  ...['balance_mismatch', 'count_mismatch', ...faults.flat()],
  ...[
    'internal_transfers',
    'clusters',
    'amounts',
    'not_configured',
    'late',
    'failed',
    'no_transfers',
    'complete',
  ],
]

/** A cluster that a service ends, where no other reason prevents its examination. */
const SILENT_CLUSTER = 'a cluster that holds a service'
const holdsService = ({ facts }: KnowledgeCase): boolean => referenceJudgement(facts).clusterHoldsService

test(
  'reasons and what was not examined equal the reference in generated cases',
  { timeout: 1_800_000 },
  async () => {
    const seen = new Map([...words, SILENT_CLUSTER].map((word) => [word, 0]))
    const property = fc.property(drawnCases, (given) => {
      const [ours, theirs] = [byProduct(given), referenceKnowledge(given)]
      if (JSON.stringify(ours) !== JSON.stringify(theirs)) expect(ours, JSON.stringify(given)).toEqual(theirs)
      if (holdsService(given)) seen.set(SILENT_CLUSTER, seen.get(SILENT_CLUSTER)! + 1)
      const said = new Set([
        theirs.level,
        ...theirs.levelReasons,
        ...theirs.notExamined,
        ...theirs.exposure.split(/[ ,]/),
      ])
      for (const word of words) if (said.has(word)) seen.set(word, seen.get(word)! + 1)
    })
    const { cases } = await assertWithin(CASES, property)
    for (const [word, count] of seen) expect(count, word).toBeGreaterThan(fewestShown(cases, 500))
  },
)
