/** Why two decisions about one address differ: the parts of one are exchanged for those of the other, one at a time (docs/adr/0053). */
import type { CandidateRecord, ConsideredLabel, ReportGenerated } from '@cupel/contracts'
import { differences, recompute } from './recompute.js'
import { knownCandidates, recordedFindings, type SharedInputs } from './versions.js'

/** In the order in which they are exchanged. */
export const changeParts = ['labels', 'funds', 'policy', 'scorer', 'time', 'not_examined'] as const
/**
 * - `labels`: the labels of the address and the state of all lists
 * - `funds`: the ledger, the cluster, and what providers of chain data said
 * - `policy`, `scorer`: the numbers, and the code with its tables
 * - `time`: when the decision was made; lists and labels age
 * - `not_examined`: a stage that only one of the decisions has: the other one was made without it, because it was late or failed
 */
export type ChangePart = (typeof changeParts)[number]

/** A decision with the events that it names by hash. */
export interface RecordedDecision {
  readonly recorded: ReportGenerated
  readonly shared: SharedInputs
}

export interface DecidedLevel {
  readonly level: string
  /** Hundredths of a point, 0 to 10,000. */
  readonly scoreHundredths: number
  readonly levelReasons: readonly string[]
}

export interface PartOfChange {
  readonly part: ChangePart
  /** Whether the inputs of this part differ at all. */
  readonly differs: boolean
  /** What this step adds to the score, in hundredths of a point. The steps add up to the change exactly. */
  readonly addedHundredths: number
  /** After this part and those before it are exchanged. */
  readonly after: DecidedLevel
  /** With only this part exchanged. Parts that act together show here: each may change nothing by itself. */
  readonly alone: DecidedLevel
}

export interface ChangeExplanation {
  readonly from: DecidedLevel
  readonly to: DecidedLevel
  readonly parts: readonly PartOfChange[]
  /**
   * Labels and ledger both changed between the two, and so did the exposure, which was measured with both. It counts as funds as a whole,
   * although labels of counterparties may have changed it.
   */
  readonly fundsIncludeLabels: boolean
}

/** The two decisions cannot be compared; the message says why. */
export class ChangeRefusedError extends Error {
  override readonly name = 'ChangeRefusedError'
}

/**
 * Splits the difference of two decisions about one address. Throws a ChangeRefusedError where they are about different things, or where a
 * record does not follow from its inputs, and a RangeError for a scorer that this build does not contain.
 */
export function explainChange(from: RecordedDecision, to: RecordedDecision): ChangeExplanation {
  requireComparable(from.recorded, to.recorded)
  requireSound(from)
  requireSound(to)
  const owners = ownersOfMeasured(from.recorded, to.recorded)
  const withExchanged = (exchanged: readonly ChangePart[]): DecidedLevel =>
    levelOf(decided(mixed(from, to, owners, new Set(exchanged))))
  const first = levelOf(from.recorded)
  let before = first
  const parts = changeParts.map((part, index): PartOfChange => {
    const after = withExchanged(changeParts.slice(0, index + 1))
    const addedHundredths = after.scoreHundredths - before.scoreHundredths
    before = after
    return {
      ...{ part, addedHundredths, after, alone: withExchanged([part]) },
      differs: differs(from, mixed(from, to, owners, new Set([part]))),
    }
  })
  const last = levelOf(to.recorded)
  if (differences(before, last).length > 0)
    throw new Error('All parts together do not give the second decision')
  return { from: first, to: last, parts, fundsIncludeLabels: owners.restsOnBoth }
}

function requireComparable(a: ReportGenerated, b: ReportGenerated): void {
  if (a.canonicalAddress !== b.canonicalAddress || a.chain !== b.chain)
    throw new ChangeRefusedError(
      `The reports are about different addresses: ${a.canonicalAddress} on ${a.chain}, and ${b.canonicalAddress} on ${b.chain}.`,
    )
  if (a.livemode !== b.livemode)
    throw new ChangeRefusedError('One report is live and the other one is of the sandbox.')
}

/** What does not follow from its own inputs is explained by no exchange of them. */
function requireSound(decision: RecordedDecision): void {
  const { recorded } = decision
  const paths = differences(recorded, decided(decision))
  if (paths.length > 0)
    throw new ChangeRefusedError(
      `The report ${recorded.reportId} does not follow from its record: ${paths.slice(0, 3).join(', ')} differ.`,
    )
}

const decided = ({ recorded, shared }: RecordedDecision): ReportGenerated => recompute(recorded, shared)

function levelOf({ level, score, levelReasons }: ReportGenerated): DecidedLevel {
  return { level, scoreHundredths: Math.round(score * 100), levelReasons }
}

/** Who owns what was measured or asked on one chain. */
interface Owners {
  readonly chainFacts: ChangePart
  readonly exposure: ChangePart
  readonly cluster: ChangePart
  readonly history: ChangePart
}

/** The owners on the detected chain and on each candidate. */
interface AllOwners {
  readonly on: (chain: string | null) => Owners
  readonly restsOnBoth: boolean
}

type Stages = Pick<CandidateRecord, 'chainStage' | 'exposure' | 'cluster'> & {
  readonly historyReading?: ReportGenerated['inputs']['historyReading']
}

const isMissing = {
  chainFacts: ({ chainStage }: Stages): boolean => chainStage === 'late' || chainStage === 'failed',
  exposure: ({ exposure }: Stages): boolean => exposure?.status === 'late' || exposure?.status === 'failed',
  cluster: ({ cluster }: Stages): boolean => cluster?.stopped === 'failed',
  history: ({ historyReading }: Stages): boolean => (historyReading?.status ?? 'fresh') !== 'fresh',
}

/**
 * Exposure and cluster are recorded as they were measured, with the labels of others on the ledger of that time. They belong to the part
 * whose change made them different. A stage that one decision lacks is not examined, whatever else changed.
 */
function ownersOfMeasured(a: ReportGenerated, b: ReportGenerated): AllOwners {
  const labelsMoved = a.inputs.labelSetSeq !== b.inputs.labelSetSeq
  const chainMoved =
    isMissing.chainFacts(a.inputs) === isMissing.chainFacts(b.inputs) &&
    differences(chainFactsOf(a), chainFactsOf(b)).length > 0
  const policyMoved = a.inputs.policySha256 !== b.inputs.policySha256
  const ownerOf = (ledgerMoved: boolean): ChangePart => {
    if (ledgerMoved || chainMoved) return 'funds'
    if (labelsMoved) return 'labels'
    return policyMoved ? 'policy' : 'time'
  }
  const ledgerMoved = a.inputs.exposure?.ledgerSeq !== b.inputs.exposure?.ledgerSeq
  const measured: Owners = {
    chainFacts: 'funds',
    exposure: ownerOf(ledgerMoved),
    cluster: ownerOf(a.inputs.cluster?.ledgerSeq !== b.inputs.cluster?.ledgerSeq),
    history: ownerOf(ledgerMoved),
  }
  const on: AllOwners['on'] = (chain) => {
    const [one, other] = [stagesOn(a, chain), stagesOn(b, chain)]
    if (one === undefined || other === undefined) return measured
    const ownerUnlessMissing = (stage: keyof Owners): ChangePart =>
      isMissing[stage](one) === isMissing[stage](other) ? measured[stage] : 'not_examined'
    const history = ownerUnlessMissing('history')
    return {
      chainFacts: ownerUnlessMissing('chainFacts'),
      // What is measured on a history that is not read yet is measured on a part of it.
      exposure: history === 'not_examined' ? history : ownerUnlessMissing('exposure'),
      cluster: ownerUnlessMissing('cluster'),
      history,
    }
  }
  const restsOnBoth =
    ledgerMoved &&
    labelsMoved &&
    on(null).exposure === 'funds' &&
    differences(exposuresOf(a), exposuresOf(b)).length > 0
  return { on, restsOnBoth }
}

const stagesOn = ({ inputs }: ReportGenerated, chain: string | null): Stages | undefined =>
  chain === null ? inputs : inputs.candidates.find((one) => one.chain === chain)

const chainFactsOf = ({ inputs }: ReportGenerated) =>
  [inputs, ...inputs.candidates].map(({ chainFacts }) => chainFacts)
const exposuresOf = ({ inputs }: ReportGenerated) =>
  [inputs, ...inputs.candidates].map(({ exposure }) => exposure)

/** The first decision with these parts of the second one. */
function mixed(
  from: RecordedDecision,
  to: RecordedDecision,
  owners: AllOwners,
  exchanged: ReadonlySet<ChangePart>,
): RecordedDecision {
  const of = (part: ChangePart): RecordedDecision => (exchanged.has(part) ? to : from)
  const inputsOf = (part: ChangePart) => of(part).recorded.inputs
  const { labelSetSeq, labelView, labelStateSha256, labels, ownAddressLabels, originTableVersion } =
    inputsOf('labels')
  const detected = owners.on(null)
  const { chainStage, chainFacts } = inputsOf(detected.chainFacts)
  const { policyId, policyVersion, policySha256 } = inputsOf('policy')
  const { scorerVersion, chainTableVersion, assetTableVersion } = inputsOf('scorer')
  return {
    recorded: {
      ...from.recorded,
      generatedAt: of('time').recorded.generatedAt,
      inputs: {
        ...{ labelSetSeq, labelView, labelStateSha256, labels, ownAddressLabels, originTableVersion },
        ...{ chainStage, chainFacts, policyId, policyVersion, policySha256 },
        ...{ scorerVersion, chainTableVersion, assetTableVersion },
        historyReading: inputsOf(detected.history).historyReading,
        exposure: inputsOf(detected.exposure).exposure,
        cluster: inputsOf(detected.cluster).cluster,
        candidates: mixedCandidates(from, to, { of, owners, labels }),
      },
    },
    shared: {
      labelState: of('labels').shared.labelState,
      policyDocument: of('policy').shared.policyDocument,
    },
  }
}

/** The other chains on which the address is known by these parts. */
function mixedCandidates(
  from: RecordedDecision,
  to: RecordedDecision,
  {
    of,
    owners,
    labels,
  }: {
    readonly of: (part: ChangePart) => RecordedDecision
    readonly owners: AllOwners
    readonly labels: ReportGenerated['inputs']['labels']
  },
): readonly CandidateRecord[] {
  const all = [from, to].flatMap(({ recorded }) => recorded.inputs.candidates)
  const mixed = [...new Map(all.map((one) => [one.chain, one])).values()].map(
    ({ chain, canonicalAddress }): CandidateRecord => {
      const candidateOf = (part: ChangePart): CandidateRecord | undefined =>
        of(part).recorded.inputs.candidates.find((one) => one.chain === chain)
      const owned = owners.on(chain)
      const funds = candidateOf(owned.chainFacts)
      return {
        ...{ chain, canonicalAddress, labels: candidateOf('labels')?.labels ?? [] },
        ...{ chainStage: funds?.chainStage ?? '', chainFacts: funds?.chainFacts ?? [] },
        exposure: candidateOf(owned.exposure)?.exposure ?? null,
        cluster: candidateOf(owned.cluster)?.cluster ?? null,
      }
    },
  )
  const known = new Set(knownCandidates(labels, mixed.map(recordedFindings)).map(({ chain }) => chain))
  return mixed.filter(({ chain }) => known.has(chain))
}

/** Whether an exchange changed any input; what the first decision made of its labels is no input. */
function differs(from: RecordedDecision, other: RecordedDecision): boolean {
  const inputs = ({ recorded, shared }: RecordedDecision) => ({
    ...recorded.inputs,
    labels: recorded.inputs.labels.map(statedOf),
    candidates: recorded.inputs.candidates.map((one) => ({ ...one, labels: one.labels.map(statedOf) })),
    generatedAt: recorded.generatedAt,
    shared,
  })
  return differences(inputs(from), inputs(other)).length > 0
}

const statedOf = ({ labelId, validFrom, validTo, knownTo, confidencePpm }: ConsideredLabel) => ({
  ...{ labelId, validFrom, validTo, knownTo, confidencePpm },
})
