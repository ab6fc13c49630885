/** Made-up facts for property tests of the judgement. */
import fc from 'fast-check'
import {
  compilePolicy,
  defaultPolicy,
  type CompiledPolicy,
  type JudgementFacts,
  type LabelFacts,
  type LabelSetFacts,
} from '../src/index.js'
import { ADDRESS, GENERATED_AT, label, labelSet } from './judgement-builders.js'

const origins = ['us-ofac', 'uk-ofsi', 'etherscan', 'ransomwhere', 'graphsense']
const lists = [
  ['ofac_sdn', 'ofac_sdn'],
  ['ofac_sdn', 'ofac_2024'],
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
const asOfChoices = [null, '2024-09-27', '2026-08-20', '2026-08-20T12:00:00Z']
const publishedAtChoices = [
  '2026-11-21T08:00:00.000Z',
  '2026-11-19T08:59:59.999Z',
  '2026-10-01T00:00:00.000Z',
  '2026-11-21T08:00:00.000Z',
  '2026-11-19T08:59:59.999Z',
  '2026-10-01T00:00:00.000Z',
  '',
]

/** Reads choices off one number, least significant first: one drawn number is far cheaper than one drawn record. */
function chooser(drawn: number): <T>(choices: readonly T[]) => T {
  let rest = drawn
  return (choices) => {
    const chosen = choices[rest % choices.length]!
    rest = Math.floor(rest / choices.length)
    return chosen
  }
}

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
    chain: choose(['ETH', 'ETH', 'BSC', 'BTC']),
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
    total: choose([1, 499, 500, 1_000]),
  })
  // One that never came is nobody's own list yet.
  return set.publishedAt === ''
    ? { ...set, asOf: null, authorityOrigin: '', refreshConfigured: true, total: 0, sha256: '' }
    : set
}

const compiledDefault = compilePolicy(defaultPolicy)

/** Every third case is decided under a policy of its own. */
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
  })
}

const drawn = fc.nat(2 ** 31 - 1)
/** Facts of one judgement: real list names, edges of every threshold, and every third time a policy of its own. */
export const drawnFacts = fc
  .record({
    labels: fc.array(fc.tuple(drawn, fc.nat(1_000_000)), { maxLength: 8 }),
    sets: fc.array(drawn, { maxLength: 4 }),
    policy: fc.nat(1_000),
    numbers: fc.array(drawn, { minLength: 12, maxLength: 12 }),
  })
  .map((draw): JudgementFacts => {
    const labelSets = new Map(draw.sets.map(drawnSet).map((set) => [set.dataset, set]))
    return {
      chain: 'ETH',
      canonicalAddress: ADDRESS,
      labels: draw.labels.map(([choices, ppm], index) => drawnLabel(choices, ppm, index)),
      labelSets: [...labelSets.values()],
      labelView: draw.policy % 5 === 0 ? 'lagging' : 'current',
      chainKnowledge: { status: 'unavailable' },
      codeAtAddress: codeChoices[draw.policy % codeChoices.length]!,
      generatedAt: GENERATED_AT,
      policy: drawnPolicy(draw.policy, draw.numbers),
    }
  })
