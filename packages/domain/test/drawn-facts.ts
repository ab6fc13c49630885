/** Made-up facts for property tests of the judgement. */
import fc from 'fast-check'
import { chooser } from './chooser.js'
import {
  compilePolicy,
  defaultPolicy,
  type CompiledPolicy,
  type JudgementFacts,
  type LabelFacts,
  type LabelSetFacts,
} from '../src/index.js'
import { ADDRESS, GENERATED_AT, label, labelSet, ofacSet } from './judgement-builders.js'

const origins = ['us-ofac', 'uk-ofsi', 'etherscan', 'ransomwhere', 'graphsense']
const lists = [
  ['ofac_sdn', 'ofac_sdn'],
  ['ofac_sdn', 'ofac_2024'],
  ['ofac_sdn', 'XBT.txt'],
  ['uk_ofsi', 'uk_ofsi'],
  ['some_pack', 'some_pack'],
] as const

const codeChoices = ['unknown', 'none', 'contract'] as const
const edges = [
  0, 1, 299_999, 300_000, 499_999, 500_000, 714_285, 714_286, 799_999, 800_000, 950_000, 1_000_000,
]
const categoryChoices = [
  'sanctions',
  'sanctions',
  'darknet',
  'mixer',
  'scam',
  'stolen',
  'clean_exchange',
  'gambling',
]
const roleChoices = ['owner', 'owner', 'participant', 'disputed', 'infrastructure', 'bystander']
const validToChoices = [
  null,
  null,
  null,
  '2026-11-21',
  '2026-11-21T09:00:00.000Z',
  '2026-11-21T09:00:00.001Z',
]
const knownToChoices = [null, null, null, null, '2026-11-20T00:00:00.000Z']
const asOfChoices = [
  null,
  '2024-09-27',
  '2026-10-22',
  '2026-11-19',
  '2026-11-20',
  '2026-11-20T12:00:00Z',
  '2026-11-20',
  '2026-11-21',
]
const confirmedAtChoices = [
  null,
  null,
  '2026-11-19T08:59:59.999Z',
  '2026-11-19T09:00:00.000Z',
  '2026-11-21T08:00:00.000Z',
]
const publishedAtChoices = [
  '2026-11-21T08:00:00.000Z',
  '2026-11-19T08:59:59.999Z',
  '2026-10-01T00:00:00.000Z',
  '2026-11-21T08:00:00.000Z',
  '2026-11-19T08:59:59.999Z',
  '2026-10-01T00:00:00.000Z',
  '',
]

/** A set is a version of those that it names, if it was published last. */
const allLists = lists.map((list) => list.join('/'))

const authority: Readonly<Record<string, string>> = { ofac_sdn: 'us-ofac', uk_ofsi: 'uk-ofsi' }

function drawnLabel(drawn: number, ppm: number, index: number): LabelFacts {
  const choose = chooser(drawn)
  const [source, dataset] = choose(lists)
  return label({
    labelId: String(index),
    source,
    dataset,
    category: choose(categoryChoices),
    origin: choose(origins),
    role: choose(roleChoices),
    chain: choose(['ETH', 'ETH', 'BSC', 'BTC', 'TRX']),
    validTo: choose(validToChoices),
    knownTo: choose(knownToChoices),
    confidencePpm: choose([true, false]) ? edges[ppm % edges.length]! : ppm,
  })
}

function drawnSet(drawn: number): LabelSetFacts {
  const choose = chooser(drawn)
  const [source, dataset] = choose(lists)
  const set = labelSet({
    source,
    dataset,
    authorityOrigin: authority[source] ?? '',
    asOf: choose(asOfChoices),
    publishedAt: choose(publishedAtChoices),
    refreshConfigured: choose([true, false]),
    total: choose([0, 1, 500, 1_000, 1_000]),
    whole: choose([true, true, false]) && Object.hasOwn(authority, source),
    confirmedAt: choose(confirmedAtChoices),
  })
  const isCounted = choose([true, true, true, true, false])
  // A list that never came has no authority yet.
  return set.publishedAt === ''
    ? {
        ...set,
        ...{ asOf: null, confirmedAt: null, authorityOrigin: '', whole: false, refreshConfigured: true },
        ...{ total: 0, visible: 0, sha256: '' },
      }
    : {
        ...set,
        visible: isCounted ? set.total : Math.max(0, set.total + choose([-1, 1])),
        staleBase: choose([false, false, false, true]),
        labelSetSeq: choose([1, 2, 3]),
        parties: [],
        versionOf: choose([allLists, [], allLists, allLists.slice(1)]),
        rows: { ...set.rows, unreadable: choose([0, 0, 0, 2]), accepted: choose([0, 0, 2]) },
      }
}

const stops = ['', '', '', '', 'failed', 'too_large']

/** Puts every fourth address in a cluster. */
function drawnCluster(
  drawn: number,
  members: readonly (readonly [number, number])[],
): NonNullable<JudgementFacts['cluster']> | null {
  if (drawn % 4 !== 0) return null
  const labels = members.map(([choices, ppm], index) => ({
    member: `member-${index % 2}`,
    txHash: 'ab'.repeat(32),
    label: { ...drawnLabel(choices, ppm, 100 + index), address: `member-${index % 2}` },
  }))
  const stopped = chooser(members.length + drawn)(stops)
  return { clusterId: 'member-0', size: 3, ledgerSeq: 7, stopped, labels: stopped === '' ? labels : [] }
}

const compiledDefault = compilePolicy(defaultPolicy)

/** Gives every third case its own policy. */
function drawnPolicy(drawn: number, numbers: readonly number[]): CompiledPolicy {
  if (drawn % 3 !== 0) return compiledDefault
  const f = numbers.map((number) => (number % 101) / 100)
  const orange = 1 + (drawn % 98)
  const when = drawn % 2 === 0 ? 'always' : 'once_published'
  return compilePolicy({
    ...defaultPolicy,
    levels: { orange, red: orange + 1 },
    weights: { sanctions: f[0]!, darknet: f[1]!, mixer: f[2]!, scam: f[3]!, stolen: f[4]! },
    roles: { owner: f[5]!, participant: f[6]!, disputed: f[7]!, infrastructure: f[8]! },
    ownership: { minimum_confidence: f[9]!, combined_from: f[10]!, combined_cap: f[11]! },
    freshness: { ...defaultPolicy.freshness, required: [{ origin: 'us-ofac', when }] },
    cluster: { ...defaultPolicy.cluster, confidence_factor: f[0]!, maximum: f[1]! * 100 },
  })
}

/** A clean address with a fresh list; little or nothing is missing, so that green occurs too. */
function nearlyGreen(labels: readonly (readonly [number, number])[], drawn: number): JudgementFacts {
  const [, ppm] = labels[0] ?? [0, 0]
  const choose = chooser(drawn)
  const clean = label({ category: 'clean_exchange', confidencePpm: choose(cleanConfidences) })
  const set = ofacSet({
    asOf: choose(['2026-11-20', '2026-11-20', '2026-11-21', '2024-09-27']),
    staleBase: choose([false, false, false, true]),
    whole: choose([true, true, true, false]),
  })
  return {
    chain: 'ETH',
    canonicalAddress: ADDRESS,
    labels: [clean, ...labels.slice(1, 2).map(([choices], index) => drawnLabel(choices, ppm, index))],
    labelSets: [choose([set, set, { ...set, visible: set.total - 1 }])],
    labelView: 'current',
    chainKnowledge: { status: 'unavailable' },
    codeAtAddress: 'none',
    generatedAt: GENERATED_AT,
    policy: compiledDefault,
  }
}
const cleanConfidences = [850_000, 1_000_000, 800_000, 799_999]

const drawn = fc.nat(2 ** 31 - 1)
/** Facts of one judgement: real list names, edges of every threshold, and a separate policy in every third case. */
export const drawnFacts = fc
  .record({
    labels: fc.array(fc.tuple(drawn, fc.nat(1_000_000)), { maxLength: 8 }),
    sets: fc.array(drawn, { maxLength: 4 }),
    policy: fc.nat(100_000),
    members: fc.array(fc.tuple(drawn, fc.nat(1_000_000)), { maxLength: 3 }),
    numbers: fc.array(drawn, { minLength: 12, maxLength: 12 }),
  })
  .map((draw): JudgementFacts => {
    if (draw.policy % 6 === 1) return nearlyGreen(draw.labels, draw.policy)
    const labelSets = new Map(draw.sets.map(drawnSet).map((set) => [set.dataset, set]))
    return {
      chain: draw.policy % 7 === 0 ? 'TRX' : 'ETH',
      canonicalAddress: ADDRESS,
      labels: draw.labels.map(([choices, ppm], index) => drawnLabel(choices, ppm, index)),
      labelSets: [...labelSets.values()],
      cluster: drawnCluster(draw.policy, draw.members),
      labelView: draw.policy % 5 === 0 ? 'lagging' : 'current',
      chainKnowledge: { status: 'unavailable' },
      codeAtAddress: codeChoices[draw.policy % codeChoices.length]!,
      generatedAt: GENERATED_AT,
      policy: drawnPolicy(draw.policy, draw.numbers),
    }
  })
