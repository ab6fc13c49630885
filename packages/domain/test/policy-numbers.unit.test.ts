/** Every number of a policy does something: another admissible value changes the answer in some generated world. */
import { expect, test } from 'vitest'
import {
  attribute,
  compilePolicy,
  decideScreening,
  defaultPolicy,
  emptyExposure,
  lintPolicy,
  measureExposure,
  policyFault,
  type CompiledPolicy,
  type LabelFacts,
  type Neighbourhood,
  type PolicyDocument,
  type ScreeningInputs,
  type Transfer,
} from '../src/index.js'
import { addressOf, ETHER, neighbourhood, transfer, wholeHistory } from './exposure-builders.js'
import {
  ADDRESS,
  cleanLabel,
  GENERATED_AT,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
} from './judgement-builders.js'

/** Numbers that limit what is read of a ledger: packages/ledger/test/policy-limits.int.test.ts shows the effect of each. */
const ofTheLedger = [
  'exposure.limits.transfers',
  'exposure.limits.intermediaries',
  'exposure.limits.transfers_per_intermediary',
  'exposure.limits.transfers_of_intermediaries',
  'exposure.limits.hub_counterparties',
  'cluster.addresses',
]
/** Numbers that decide about transfers: `judge-transfer.unit.test.ts` shows the effect of each. */
const ofTransfers = ['transfers.illicit_share']
/** Names the text, and decides nothing. */
const VERSION = 'version'

type Path = readonly string[]

/** The path of every number of a document. */
function numbersOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'number') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => numbersOf(inner, [...path, name]))
}

function withNumber(document: PolicyDocument, path: Path, value: number): PolicyDocument {
  const copy = structuredClone(document)
  const holder = path
    .slice(0, -1)
    .reduce((at, name) => at[name] as Record<string, unknown>, copy as unknown as Record<string, unknown>)
  holder[path.at(-1)!] = value
  return copy
}

/** A lower weight of sanctions needs a higher minimum, so that direct dealings stay orange. */
const minimum30 = withNumber(defaultPolicy, ['exposure', 'direct_sanctions_minimum'], 30)
const beginsWith = (path: Path): PolicyDocument =>
  path.join('.') === 'weights.sanctions' ? minimum30 : defaultPolicy

const valueAt = (path: Path): number =>
  path.reduce((at: unknown, name) => (at as Record<string, unknown>)[name], defaultPolicy) as number

const isAdmissible = (document: PolicyDocument): boolean =>
  policyFault(document) === null && !lintPolicy(document).some(({ severity }) => severity === 'error')

/** Policies with another value of one number, below and above that of the default policy. */
function othersOf(path: Path): Readonly<Record<'lower' | 'higher', readonly CompiledPolicy[]>> {
  const value = valueAt(path)
  const drawn = [
    0,
    0.05,
    value / 2,
    value * 0.95,
    (value + 1) / 2,
    value * 1.1,
    value * 2,
    value - 1,
    value + 1,
    1,
    100,
  ]
  const others = [...new Set(drawn)].map((one) => Math.round(one * 10_000) / 10_000)
  const made = (of: readonly number[]): readonly CompiledPolicy[] =>
    of
      .map((one) => withNumber(beginsWith(path), path, one))
      .filter(isAdmissible)
      .map(compilePolicy)
  return {
    lower: made(others.filter((one) => one < value)),
    higher: made(others.filter((one) => one > value)),
  }
}

const [BAD, EXCHANGE, MIDDLE, FAR, STRANGER] = [1, 2, 3, 4, 5].map(addressOf) as [
  string,
  string,
  string,
  string,
  string,
]
const COINJOIN = `coinjoin:0x${'c'.repeat(64)}`
const HOUR_MS = 3_600_000
const ago = (hours: number): string => new Date(Date.parse(GENERATED_AT) - hours * HOUR_MS).toISOString()

interface World {
  readonly labels: Readonly<Record<string, readonly LabelFacts[]>>
  readonly around: Neighbourhood
  readonly facts: Pick<ScreeningInputs['snapshot'], 'labelSets'> & Pick<ScreeningInputs, 'cluster'>
}

type Choose = <T>(choices: readonly T[]) => T

/** Chooses as often as wanted; the same seed makes the same choices. */
function choosing(seed: number): Choose {
  let state = seed
  return (choices) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return choices[Math.floor((state / 2 ** 32) * choices.length)]!
  }
}

const confidences = [
  200_000, 300_000, 400_000, 480_000, 500_000, 580_000, 700_000, 780_000, 800_000, 900_000, 1_000_000,
]
/** Those whose owners end a path. */
const services = ['clean_exchange', 'mixer', 'darknet'] as const
const illicit = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen'] as const
const roleNames = ['owner', 'owner', 'participant', 'disputed', 'infrastructure'] as const

function badLabel(choose: Choose, address: string): LabelFacts {
  const [category, confidencePpm] = [choose(illicit), choose(confidences)]
  const validFrom = choose([null, null, '2023-11-14', '2025-01-01'])
  const isDesignation = choose([true, false])
  if (category === 'sanctions' && isDesignation) return ofacLabel({ address, validFrom })
  const subcategory =
    category === 'scam' ? choose(['', 'ransomware']) : category === 'darknet' ? choose(['', 'csam']) : ''
  return label({ address, category, confidencePpm, subcategory, role: choose(roleNames) })
}

/** Two sources that say the same of the screened address. */
const twoOrigins = (choose: Choose): readonly LabelFacts[] => {
  const category = choose(illicit)
  return ['one', 'another'].map((origin) => label({ category, origin, confidencePpm: choose(confidences) }))
}

/** In ether, of which 0.01 are dust. */
const amounts = [1n, 4n, 10n, 20n, 100n, 900n, 3_000n, 50_000n].map((one) => (one * ETHER) / 1_000n)

/** A world is the same whatever other tests of the process made before. */
function movesOf(choose: Choose): readonly Transfer[] {
  const beganAtS = 1_700_000_000 + choose([0, 0, 100, 600]) * 24 * 3_600
  let made = 0
  const some = (from: string, to: string): readonly Transfer[] => {
    if (choose([true, false])) return []
    made += 1
    const id = made.toString(16).padStart(32, '0')
    const place = { id, txHash: `0x${id}${id}`, blockNumber: made, occurredAtS: beganAtS + made * 3_600 }
    return [
      transfer({ ...place, from, to, amount: choose(amounts), proven: choose([true, true, true, false]) }),
    ]
  }
  return [
    ...some(EXCHANGE, ADDRESS),
    ...some(EXCHANGE, MIDDLE),
    ...some(BAD, FAR),
    ...some(FAR, MIDDLE),
    ...some(BAD, MIDDLE),
    ...some(BAD, ADDRESS),
    ...some(MIDDLE, ADDRESS),
    ...some(STRANGER, ADDRESS),
    ...some(ADDRESS, BAD),
    ...some(ADDRESS, MIDDLE),
    ...some(MIDDLE, BAD),
    ...some(MIDDLE, FAR),
    ...some(FAR, BAD),
    ...some(COINJOIN, ADDRESS).map((one) => ({ ...one, coinJoin: true })),
  ]
}

function drawnWorld(seed: number): World {
  const choose = choosing(seed)
  const toAtS = Date.parse(ago(choose([1, 1, 11, 15, 25, 40]))) / 1_000
  const own = choose<readonly LabelFacts[]>([
    [],
    [],
    [],
    [cleanLabel({ confidencePpm: choose(confidences) })],
    [badLabel(choose, ADDRESS)],
    twoOrigins(choose),
  ])
  const cluster = choose([true, false, false])
    ? {
        ...{ clusterId: 'member', size: 2, ledgerSeq: 7, stopped: '' },
        labels: [{ member: STRANGER, txHash: 'ab'.repeat(32), label: badLabel(choose, STRANGER) }],
      }
    : null
  return {
    labels: {
      [ADDRESS]: own,
      [BAD]: [badLabel(choose, BAD)],
      [EXCHANGE]: [cleanLabel({ address: EXCHANGE, confidencePpm: choose(confidences) })],
      [MIDDLE]: choose([
        [],
        [label({ address: MIDDLE, category: choose(services), confidencePpm: choose(confidences) })],
      ]),
    },
    around: neighbourhood(movesOf(choose), {
      followed: [MIDDLE, FAR],
      ranges: choose([true, true, true, false]) ? wholeHistory.map((one) => ({ ...one, toAtS })) : [],
    }),
    facts: {
      cluster,
      labelSets: [
        labelSet({ refreshConfigured: true, asOf: ago(choose([1, 1, 1, 400, 900])) }),
        ofacSet({ asOf: ago(choose([1, 1, 1, 30, 60])) }),
      ],
    },
  }
}

/** The report on a world, as text. */
function answered({ labels, around, facts }: World, policy: CompiledPolicy): string {
  const { labelSets } = facts
  const attributionOf = (address: string) =>
    attribute(labels[address] ?? [], { chain: 'ETH', labelSets, generatedAt: GENERATED_AT, policy })
  // As a search of the ledger does, no path goes through a service.
  const followed = around.followed.filter((address) => attributionOf(address).service === null)
  const exposure =
    around.transfers.length === 0
      ? emptyExposure('absent', { ledgerSeq: 7, policy })
      : measureExposure({ ...around, followed }, { attributionOf, generatedAt: GENERATED_AT, policy })
  const decision = decideScreening({
    request: {
      ...{ reportId: '0'.repeat(16), accountId: 'account', livemode: true, reportUrl: '' },
      ...{ address: ADDRESS, canonicalAddress: ADDRESS, chain: 'ETH', candidateChains: [] },
      ...{ customerReference: null, jobId: null, jobIndex: null },
    },
    snapshot: {
      ...{ labelSetSeq: 1, labelView: 'current', labelsAsOf: '2026-11-21T08:00:00.000Z' },
      ...{ labelSets, labels: labels[ADDRESS] ?? [] },
    },
    exposure,
    cluster: facts.cluster ?? null,
    policy,
    generatedAt: GENERATED_AT,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return decision.event.report
}

const WORLDS = 400
const worlds = Array.from({ length: WORLDS }, (_, at) => drawnWorld(1 + at * 7_919))
const standard = compilePolicy(defaultPolicy)
const answers = worlds.map((world) => answered(world, standard))

function changesSome(path: Path, policies: readonly CompiledPolicy[]): boolean {
  const first = beginsWith(path)
  const isStandard = first === defaultPolicy
  const begun = compilePolicy(first)
  return worlds.some((world, at) => {
    const before = isStandard ? answers[at] : answered(world, begun)
    return policies.some((policy) => answered(world, policy) !== before)
  })
}

const all = numbersOf(defaultPolicy).map((path) => path.join('.'))

test.each(all.filter((name) => name !== VERSION && ![...ofTheLedger, ...ofTransfers].includes(name)))(
  'a lower and a higher %s, where a policy may have one, change an answer',
  (name) => {
    const path = name.split('.')
    const { lower, higher } = othersOf(path)
    expect(lower.length + higher.length).toBeGreaterThan(0)
    for (const [side, policies] of Object.entries({ lower, higher }))
      if (policies.length > 0) expect(changesSome(path, policies), side).toBe(true)
  },
)

test.each([...ofTheLedger, ...ofTransfers])('%s is a number of the policy', (name) => {
  expect(all).toContain(name)
})

/** Beyond any admissible value: no number is without a range. */
test.each(all.filter((name) => name !== VERSION))('%s has a least and a greatest value', (name) => {
  for (const beyond of [-1, 1e9])
    expect(isAdmissible(withNumber(defaultPolicy, name.split('.'), beyond)), String(beyond)).toBe(false)
})
