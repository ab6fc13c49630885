/** What is known of other addresses of a cluster: it counts less than a label, is never red by itself, and cleans nothing. */
import { describe, expect, test } from 'vitest'
import {
  foreignList,
  judged,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
} from '../../../../test/judgement-builders.js'
import type { ClusterFacts } from './cluster.js'
import { defaultPolicy } from './default-policy.js'
import type { LabelFacts } from './label-facts.js'
import { compilePolicy } from './policy.js'

const SCREENED = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
const MEMBER = '1dice8EMZmqKvrGE4Qc9bUFf9PX3xaYDp'
const ANOTHER = '1FeexV6bAHb8ybZjqQMjJrcCrHGW9sb6uF'

const of = (changes: Partial<LabelFacts>): LabelFacts => label({ chain: 'BTC', address: MEMBER, ...changes })

function cluster(
  labels: readonly (LabelFacts | { readonly member: string; readonly label: LabelFacts })[],
  changes: Partial<ClusterFacts> = {},
): ClusterFacts {
  return {
    ...{ clusterId: ANOTHER, size: 3, ledgerSeq: 7, stopped: '' },
    labels: labels.map((one) => ({
      txHash: 'ab'.repeat(32),
      ...('member' in one ? one : { member: MEMBER, label: one }),
    })),
    ...changes,
  }
}

function withCluster(
  given: ClusterFacts | null,
  changes: Parameters<typeof judged>[1] = {},
  own: LabelFacts[] = [],
) {
  return judged(own, {
    ...{ chain: 'BTC', canonicalAddress: SCREENED, cluster: given },
    labelSets: [labelSet(), ofacSet(), foreignList()],
    ...changes,
  })
}

test('a label of another member counts with 0.9 · c, and names the member and the transaction that joined it', () => {
  const judgement = withCluster(cluster([of({ category: 'mixer', confidencePpm: 500_000 })]))
  // 0.5·0.9 = 0.45; weighted by 0.85.
  expect(judgement).toMatchObject({ level: 'orange', overallHundredths: 3_825 })
  expect(judgement.categoryHundredths.mixer).toBe(4_500)
  expect(judgement.evidence).toMatchObject([
    {
      ...{
        relation: 'cluster',
        address: MEMBER,
        chain: 'BTC',
        confidence: 0.45,
        contribution: 38.25,
        used: true,
      },
      ...{ decisive: true, path: [{ transaction: 'ab'.repeat(32) }] },
    },
  ])
})

test('a designation of another member is not a designation: orange, never red', () => {
  const designated = ofacLabel({ chain: 'BTC', address: MEMBER })
  const judgement = withCluster(cluster([designated]))
  expect(judgement).toMatchObject({ level: 'orange', overallHundredths: 6_999 })
  expect(withCluster(null, { cluster: null }, [{ ...designated, address: SCREENED }])).toMatchObject({
    level: 'red',
  })
})

test.each(['sanctions', 'darknet', 'stolen', 'scam', 'mixer'])(
  'however sure its labels are, a cluster by itself is at most orange: %s',
  (category) => {
    // The owner of a mixer or of a market is a service, and such a cluster stops.
    const role = category === 'mixer' || category === 'darknet' ? 'participant' : 'owner'
    const labels = ['a', 'b', 'c'].map((origin) => of({ category, role, origin, confidencePpm: 1_000_000 }))
    const judgement = withCluster(cluster(labels), { labelSets: [labelSet()] })
    expect(judgement.level).toBe('orange')
    expect(judgement.overallHundredths).toBeLessThanOrEqual(6_999)
  },
)

test('the strongest label of each category and origin is kept, whoever of the members has it', () => {
  const weak = of({ origin: 'crawl', confidencePpm: 400_000 })
  const strong = { member: ANOTHER, label: of({ address: ANOTHER, origin: 'crawl', confidencePpm: 700_000 }) }
  const judgement = withCluster(cluster([weak, strong, of({ category: 'stolen' })]))
  expect(judgement.cluster?.labels.map(({ member, label: { category } }) => [category, member])).toEqual([
    ['scam', ANOTHER],
    ['stolen', MEMBER],
  ])
})

test('what has ended or is too weak does not count', () => {
  const labels = [
    of({ validTo: '2020-01-01' }),
    of({ confidencePpm: 299_999 }),
    of({ knownTo: '2026-01-01T00:00:00Z' }),
  ]
  const judgement = withCluster(cluster(labels))
  expect(judgement).toMatchObject({ overallHundredths: 0, evidence: [], cluster: { labels: [] } })
})

describe('clean', () => {
  const own = label({ chain: 'BTC', address: SCREENED, category: 'clean_exchange', confidencePpm: 850_000 })

  test('a clean label of another member cleans nothing', () => {
    const judgement = withCluster(cluster([of({ category: 'clean_exchange', confidencePpm: 550_000 })]))
    expect(judgement).toMatchObject({
      level: 'grey',
      categoryHundredths: { clean_exchange: 0 },
      evidence: [],
    })
  })

  test('an illicit label of another member conflicts with a clean label', () => {
    const accused = of({ category: 'scam', confidencePpm: 300_000, entity: 'Accused' })
    const judgement = withCluster(cluster([accused]), {}, [own])
    expect(judgement).toMatchObject({
      level: 'grey',
      levelReasons: ['conflict'],
      conflicts: [{ category: 'scam', illicit_entity: 'Accused' }],
    })
    expect(withCluster(null, {}, [own])).toMatchObject({ level: 'green', conflicts: [] })
  })

  test('a cluster that could not be read: not green, and the score may be too low', () => {
    const failed = cluster([], { clusterId: '', size: 0, stopped: 'failed' })
    expect(withCluster(failed, {}, [own])).toMatchObject({
      level: 'grey',
      levelReasons: ['partial'],
      scoreIsLowerBound: true,
    })
  })
})

describe('a cluster that stops counts nothing and says so', () => {
  const service = (category: string) => ({
    member: ANOTHER,
    label: of({ address: ANOTHER, category, confidencePpm: 600_000 }),
  })

  test.each(['mixer', 'darknet'])('not where a member is a %s: that is the owner', (category) => {
    const judgement = withCluster(cluster([of({ category: 'stolen' }), service(category)]))
    expect(judgement).toMatchObject({ overallHundredths: 6_840, cluster: { stopped: '' } })
  })

  test('where a member is a clean service: its customers spend together', () => {
    const judgement = withCluster(cluster([of({ category: 'stolen' }), service('clean_exchange')]))
    expect(judgement).toMatchObject({
      overallHundredths: 0,
      cluster: { stopped: 'holds_service', labels: [{ member: ANOTHER }] },
    })
  })

  test('where it is too large', () => {
    const judgement = withCluster(cluster([], { size: 10_001, stopped: 'too_large' }))
    expect(judgement).toMatchObject({ overallHundredths: 0, cluster: { stopped: 'too_large' } })
  })
})

test('a cluster that was decided once is decided alike again', () => {
  const labels = [
    of({}),
    of({ origin: 'b', category: 'stolen' }),
    ofacLabel({ chain: 'BTC', address: MEMBER }),
  ]
  for (const given of [
    cluster(labels),
    cluster([...labels, of({ category: 'mixer', origin: 'c', confidencePpm: 700_000 })]),
    cluster([], { stopped: 'too_large' }),
  ]) {
    const first = withCluster(given)
    const again = withCluster(first.cluster)
    expect(again).toEqual(first)
  }
})

test('the numbers are the policy’s', () => {
  const policy = compilePolicy({
    ...defaultPolicy,
    cluster: { confidence_factor: 0.5, maximum: 20, addresses: 10 },
  })
  const halved = withCluster(cluster([of({ category: 'scam', confidencePpm: 400_000 })]), { policy })
  expect(halved.categoryHundredths.scam).toBe(2_000)
  expect(withCluster(cluster([of({})]), { policy }).overallHundredths).toBeLessThanOrEqual(2_000)
})
