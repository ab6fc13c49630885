/** The rules of exposure one by one, on small neighbourhoods of ether. */
import { describe, expect, test } from 'vitest'
import { ADDRESS, cleanLabel, label, ofacLabel, ofacSet } from '../../../../test/judgement-builders.js'
import {
  addressOf,
  ETHER,
  measured,
  neighbourhood,
  policyWith,
  transfer,
  wholeHistory,
} from '../../../../test/exposure-builders.js'
import { compiledDefaultPolicy } from '../risk/default-policy.js'
import type { CompiledPolicy } from '../risk/policy.js'
import type { Neighbourhood } from './measure-exposure.js'
import { scoreExposure } from './score-exposure.js'
import type { Transfer } from './transfer.js'

const THIEF = addressOf(1)
const MIDDLE = addressOf(2)
const OTHER = addressOf(3)
const incoming = (changes: Partial<Transfer> = {}): Transfer => transfer(changes)
const outgoing = (changes: Partial<Transfer> = {}): Transfer =>
  transfer({ from: ADDRESS, to: THIEF, ...changes })

interface Options {
  readonly around?: Partial<Neighbourhood>
  readonly policy?: CompiledPolicy
  readonly isCleanService?: boolean
}

function exposed(
  transfers: readonly Transfer[],
  labels: Parameters<typeof measured>[1],
  { around = {}, policy = compiledDefaultPolicy, isCleanService = false }: Options = {},
) {
  const record = measured(neighbourhood(transfers, around), labels, { policy, labelSets: [ofacSet()] })
  return { record, scored: scoreExposure(record.measures, { policy, isCleanService }) }
}

const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const link = '0x514910771af9ca656af840dff83e8264ecf986ca'
const wbtc = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'

const stolenLabel = label({ category: 'stolen', confidencePpm: 950_000 })

describe('counted transfers', () => {
  test.each<[string, Partial<Transfer>]>([
    ['of no value', { amount: 0n }],
    ['of a token outside the table', { contract: addressOf(99) }],
    ['without a sender', { from: '' }],
    ['from the zero address', { from: `0x${'0'.repeat(40)}` }],
  ])('none is made by a transfer %s', (_name, changes) => {
    const { record } = exposed([incoming(changes)], {
      [THIEF]: [ofacLabel()],
      [changes.from ?? '']: [ofacLabel()],
    })
    expect(record).toMatchObject({ measures: [], transfersExamined: 0 })
  })

  test('assets are never added together', () => {
    const { record } = exposed([incoming(), incoming({ contract: usdt, amount: 5_000_000n })], {
      [THIEF]: [stolenLabel],
    })
    expect(record.measures.map(({ asset, amount }) => [asset, amount])).toEqual([
      ['ETH', ETHER.toString()],
      ['USD', (5n * ETHER).toString()],
    ])
  })
})

describe('direct exposure', () => {
  test('by size where the share is unknown: cap · c̄ · ℓ', () => {
    // 1 ETH is 100 dusts: two of three powers of ten. 85 · 0.95 · 0.666667 = 53.83
    const { scored } = exposed([incoming()], { [THIEF]: [stolenLabel] })
    expect(scored).toMatchObject([
      {
        hundredths: 5_383,
        contribution: 5_114,
        evidence: { relation: 'direct', direction: 'in', hops: 1, value: '1 ETH', share: null, used: true },
      },
    ])
  })

  test('by share where all that ever moved is known', () => {
    const clean = incoming({ from: OTHER, amount: 9n * ETHER })
    const { scored } = exposed(
      [incoming(), clean],
      { [THIEF]: [stolenLabel] },
      { around: { ranges: wholeHistory } },
    )
    // x = 0.1, s = 0.375; the size would be worth by itself 0.6 · 0.666667 = 0.4: 85 · 0.95 · 0.4 = 32.30
    expect(scored).toMatchObject([{ hundredths: 3_230, evidence: { share: 0.1 } }])
    const most = exposed(
      [incoming({ amount: 3n * ETHER }), clean],
      { [THIEF]: [stolenLabel] },
      { around: { ranges: wholeHistory } },
    )
    expect(most.scored).toMatchObject([{ hundredths: 8_075, evidence: { share: 0.25 } }])
  })

  test('incoming dust is ignored and shown; outgoing to the sanctioned counts however little', () => {
    const dust = { amount: ETHER / 1_000n }
    const labels = { [THIEF]: [ofacLabel()] }
    expect(exposed([incoming(dust)], labels).scored).toMatchObject([
      { hundredths: 0, evidence: { used: false, reason: 'dust', value: '0.001 ETH' } },
    ])
    expect(exposed([outgoing(dust)], labels).scored).toMatchObject([{ hundredths: 2_500 }])
  })

  test('many outgoing to the sanctioned are not washed by a large clean remainder', () => {
    const funds = incoming({ from: OTHER, amount: 1_000_100n * ETHER })
    const wash = outgoing({ to: OTHER, amount: 1_000_000n * ETHER })
    const { scored } = exposed(
      [funds, outgoing({ amount: 100n * ETHER }), wash],
      { [THIEF]: [ofacLabel()] },
      { around: { ranges: wholeHistory } },
    )
    expect(scored).toMatchObject([{ hundredths: 9_500, evidence: { share: 0.0001 } }])
  })

  test('a source that is hardly attributed is an item of its own and not scored', () => {
    const { record, scored } = exposed([incoming(), incoming({ from: OTHER })], {
      [THIEF]: [stolenLabel],
      [OTHER]: [label({ category: 'stolen', confidencePpm: 499_999 })],
    })
    expect(record.measures.map(({ isWeak, amount }) => [isWeak, amount])).toEqual([
      [false, ETHER.toString()],
      [true, ETHER.toString()],
    ])
    expect(scored[1]).toMatchObject({ hundredths: 0, evidence: { used: false, reason: 'weak_source' } })
  })

  test('a clean service is not scored by what its customers move', () => {
    const stolen = { [THIEF]: [label({ category: 'stolen', confidencePpm: 950_000 })] }
    const { scored } = exposed([incoming()], stolen, { isCleanService: true })
    expect(scored).toMatchObject([
      { hundredths: 0, contribution: 0, evidence: { used: false, reason: 'own_service' } },
    ])
  })

  test('a clean service is scored by its direct dealings with a designated party', () => {
    const { scored } = exposed([incoming()], { [THIEF]: [ofacLabel()] }, { isCleanService: true })
    expect(scored).toMatchObject([{ evidence: { used: true, reason: null } }])
    expect(scored[0]?.contribution).toBeGreaterThanOrEqual(2_500)
  })
})

describe('execution that is not proven', () => {
  test('holds the weighted points below red', () => {
    const { scored } = exposed([outgoing({ amount: 100n * ETHER, proven: false })], {
      [THIEF]: [ofacLabel()],
    })
    expect(scored).toMatchObject([
      {
        hundredths: 6_999,
        contribution: 6_999,
        evidence: { path: [{ execution: 'unknown' }], base: 95, capped_by: 'execution_unknown', weight: 1 },
      },
    ])
  })

  test('does not say that anything is limited where the points are below the limit', () => {
    const { scored } = exposed([incoming({ amount: ETHER / 10n, proven: false })], { [THIEF]: [stolenLabel] })
    expect(scored[0]!.evidence.capped_by).toBeNull()
  })

  test('takes nothing from what is proven', () => {
    const proven = outgoing({ amount: 100n * ETHER })
    const { scored } = exposed([proven, outgoing({ proven: false })], { [THIEF]: [ofacLabel()] })
    expect(scored).toMatchObject([{ hundredths: 9_500 }])
  })

  test('is weighed before it is held: 73.67 points of stolen are 69.99', () => {
    const { scored } = exposed([incoming({ amount: 1_000n * ETHER, proven: false })], {
      [THIEF]: [label({ category: 'stolen', confidencePpm: 1_000_000 })],
    })
    expect(scored).toMatchObject([{ hundredths: 7_367, contribution: 6_999 }])
  })
})

describe('an item about several sources', () => {
  const other = label({ category: 'stolen', source: 'another_list', sourceUrl: 'https://another.example' })
  const scored = exposed([incoming({ amount: 7n * ETHER }), incoming({ from: OTHER, amount: 5n * ETHER })], {
    [THIEF]: [stolenLabel],
    [OTHER]: [other],
  }).scored

  test('gives 12 ETH of two sources to no address, entity, source or link that only one of them has', () => {
    expect(scored[0]!.evidence).toMatchObject({
      ...{ value: '12 ETH', address: null, entity: null, source: '', source_url: '' },
      counterparties: [{ value: '7 ETH' }, { value: '5 ETH' }],
    })
  })

  test('names the source of each counterparty', () => {
    expect(scored[0]!.evidence.counterparties.map(({ source, source_url: link }) => [source, link])).toEqual([
      [stolenLabel.source, stolenLabel.sourceUrl],
      ['another_list', 'https://another.example'],
    ])
  })

  test('says how its points come about: base times factors times weight', () => {
    const { base, factors, weight, contribution } = scored[0]!.evidence
    const product = factors.reduce((points, { value }) => points * value, base! * weight!)
    expect(Math.abs(product - scored[0]!.contribution / 100)).toBeLessThan(0.02)
    expect(contribution).toBe(0)
  })
})

describe('dates of designation', () => {
  const designatedAfter = { [THIEF]: [ofacLabel({ validFrom: '2024-01-01' })] }
  const before = { occurredAtS: Date.parse('2023-06-01') / 1_000 }
  const after = { occurredAtS: Date.parse('2024-06-01') / 1_000 }

  test('known to be before: cap 40, no least, said so', () => {
    const { scored } = exposed([outgoing({ ...before, amount: 100n * ETHER })], designatedAfter)
    expect(scored).toMatchObject([
      {
        hundredths: 4_000,
        evidence: { pre_designation: true, base: 40, capped_by: 'pre_designation', weight: 1 },
      },
    ])
    expect(exposed([outgoing({ ...before, amount: 1n })], designatedAfter).scored).toMatchObject([
      { hundredths: 0 },
    ])
  })

  test('before and after are two items', () => {
    const { scored } = exposed([outgoing(before), outgoing(after)], designatedAfter)
    expect(scored.map(({ evidence }) => evidence.pre_designation)).toEqual([false, true])
  })

  test('unknown counts in full', () => {
    const labels = { [THIEF]: [ofacLabel()] }
    expect(exposed([outgoing({ amount: 100n * ETHER })], labels).scored).toMatchObject([
      { hundredths: 9_500, evidence: { pre_designation: null } },
    ])
  })
})

describe('indirect exposure', () => {
  const first = (changes: Partial<Transfer> = {}): Transfer =>
    transfer({ to: MIDDLE, amount: 4n * ETHER, ...changes })
  const second = (changes: Partial<Transfer> = {}): Transfer =>
    transfer({ from: MIDDLE, amount: 4n * ETHER, ...changes })
  const followed = { around: { followed: [MIDDLE] } }

  test('comes through one that is followed, with its path', () => {
    const path = [first(), second()]
    const { record, scored } = exposed(path, { [THIEF]: [stolenLabel] }, followed)
    expect(record.measures).toMatchObject([
      {
        relation: 'indirect',
        direction: 'in',
        hops: 2,
        amount: (4n * ETHER).toString(),
        sourceAddress: THIEF,
      },
    ])
    expect(scored[0]!.evidence.path).toMatchObject([
      { from: THIEF, to: MIDDLE, transaction: path[0]!.txHash, value: '4 ETH', execution: 'proven' },
      { from: MIDDLE, to: ADDRESS, transaction: path[1]!.txHash },
    ])
  })

  test('and goes the other way, with time reversed', () => {
    const path = [
      transfer({ from: ADDRESS, to: MIDDLE, amount: 2n * ETHER }),
      transfer({ from: MIDDLE, to: THIEF, amount: 2n * ETHER }),
    ]
    const { scored } = exposed(path, { [THIEF]: [stolenLabel] }, followed)
    expect(scored).toMatchObject([{ evidence: { relation: 'indirect', direction: 'out', value: '2 ETH' } }])
    expect(scored[0]!.evidence.path).toMatchObject([{ from: ADDRESS }, { to: THIEF }])
  })

  test('never against time', () => {
    expect(exposed([second(), first()], { [THIEF]: [stolenLabel] }, followed).record.measures).toEqual([])
  })

  test('never through one that is not followed, and never with one hop', () => {
    const path = [first(), second()]
    expect(exposed(path, { [THIEF]: [stolenLabel] }).record.measures).toEqual([])
    const policy = policyWith({ hops: 1 })
    expect(exposed(path, { [THIEF]: [stolenLabel] }, { ...followed, policy }).record.measures).toEqual([])
  })

  test('a source on the way stands for what came through it, only in its own category', () => {
    const labels = {
      [THIEF]: [stolenLabel, label({ category: 'scam' })],
      [MIDDLE]: [label({ category: 'stolen', confidencePpm: 900_000 })],
    }
    const found = exposed([first(), second()], labels, followed).record.measures
    expect(found.map(({ category, relation }) => `${category} ${relation}`)).toEqual([
      'scam indirect',
      'stolen direct',
    ])
  })

  test('three hops where the policy says so', () => {
    const labels = { [THIEF]: [stolenLabel] }
    const path = [transfer({ to: OTHER }), transfer({ from: OTHER, to: MIDDLE }), transfer({ from: MIDDLE })]
    const around = { followed: [MIDDLE, OTHER] }
    expect(exposed(path, labels, { around }).record.measures).toEqual([])
    expect(exposed(path, labels, { around, policy: policyWith({ hops: 3 }) }).record.measures).toMatchObject([
      {
        relation: 'indirect',
        hops: 3,
        paths: [{ steps: [{ from: THIEF }, { from: OTHER }, { from: MIDDLE }] }],
      },
    ])
  })
})

test('of a busy address a bounded number of paths is recorded, those of most value', () => {
  const sources = Array.from({ length: 20 }, (_, n) => addressOf(100 + n))
  const categories = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen']
  const contracts = ['', wbtc, link]
  const transfers = sources.flatMap((from, n) =>
    contracts.map((contract) => incoming({ from, contract, amount: BigInt(n + 1) * ETHER })),
  )
  const labels = Object.fromEntries(
    sources.map((from) => [from, categories.map((category) => label({ category, confidencePpm: 900_000 }))]),
  )
  const { measures } = exposed(transfers, labels).record
  expect(measures).toHaveLength(15)
  for (const { paths } of measures) {
    expect(paths).toHaveLength(13)
    expect(paths[0]).toMatchObject({ amount: (20n * ETHER).toString(), steps: [{ from: sources[19] }] })
  }
  expect(exposed([incoming()], { [THIEF]: [stolenLabel] }).record.measures[0]!.paths).toHaveLength(1)
})

describe('hubs', () => {
  test('what passed through one is shown as nobody’s and not scored', () => {
    const { record, scored } = exposed(
      [incoming()],
      {},
      { around: { cut: [{ address: THIEF, reason: 'hub', hops: 1 }] } },
    )
    expect(record.measures).toMatchObject([{ category: 'unattributed', amount: ETHER.toString() }])
    expect(scored).toMatchObject([
      { hundredths: 0, evidence: { used: false, reason: 'unattributed', entity: '' } },
    ])
  })

  test('a path that a limit ended is told', () => {
    const cut = [{ address: MIDDLE, reason: 'limit', hops: 1 }]
    expect(exposed([incoming()], {}, { around: { cut } }).record.truncated).toBe(true)
  })
})

test('services are told by their owners: neither their users nor a weak word make one', () => {
  const shares = (labels: Parameters<typeof measured>[1]) => exposed([incoming()], labels).record.measures
  expect(shares({ [THIEF]: [cleanLabel()] })).toEqual([])
  expect(
    shares({ [THIEF]: [label({ category: 'mixer', role: 'participant', confidencePpm: 600_000 })] }),
  ).toMatchObject([{ category: 'mixer', isWeak: true }])
})
