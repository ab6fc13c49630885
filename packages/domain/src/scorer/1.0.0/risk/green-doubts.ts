/**
 * What the origin of an address's value says against green. A whole history is not enough: nearly all of what came in must be
 * explained by clean services or issuance, and nothing may touch anybody illicit.
 */
import type { ExposureBreakdown, ExposureMeasure, ExposureRecord } from '@cupel/contracts'
import { UNATTRIBUTED } from '../exposure/measures.js'
import { ignoredDustOf } from '../exposure/ignored-dust.js'
import { dustOf, isMeasured } from '../tables/asset-dust.js'
import { chainFactsOf } from '../tables/chain-table.js'
import type { LevelReason } from './level-reasons.js'
import type { CompiledPolicy } from './policy.js'

/** Why value that is known keeps an address from green, in the order of the report. */
export const greenDoubtReasons = [
  'hidden_amounts',
  'illicit_value',
  'illicit_dust',
  'weak_origin',
  'unattributed',
] as const satisfies readonly LevelReason[]
export type GreenDoubt = (typeof greenDoubtReasons)[number]

const PPM_N = 1_000_000n

/** Parts of a breakdown that explain where value is from. */
const explaining: ReadonlySet<string> = new Set(['clean_exchange', 'issuance'])

type MeasuredRecord = Pick<ExposureRecord, 'breakdown' | 'measures' | 'ownTransfers'>

/** The doubts of a record; none means that the value of the address is explained. */
export function greenDoubts(
  chain: string,
  { breakdown, measures, ownTransfers }: MeasuredRecord,
  policy: CompiledPolicy,
): readonly GreenDoubt[] {
  // Anyone can emit a token, so what came in of one outside the asset table says nothing by itself.
  const incoming = breakdown.filter(
    ({ direction, total, contract }) => direction === 'in' && BigInt(total) > 0n && isMeasured(chain, contract),
  )
  const isIgnored = ignoredDustOf(measures)
  const found: Readonly<Record<GreenDoubt, boolean>> = {
    hidden_amounts: chainFactsOf(chain)?.hidesAmounts === true,
    illicit_value: measures.some((one) => isIllicit(one) && !isIgnored(one)),
    illicit_dust: incoming.some((flow) =>
      reaches(
        sumOf(measures, flow, (one) => isIllicit(one) && isIgnored(one)),
        flow,
        policy,
      ),
    ),
    weak_origin: incoming.some(
      (flow) =>
        isOfNote(chain, flow, measures) &&
        reaches(
          // A hub has no label, not a weak one: its value is nobody's.
          sumOf(measures, flow, ({ isWeak, category }) => isWeak && category !== UNATTRIBUTED),
          flow,
          policy,
        ),
    ),
    unattributed: ownTransfers > 0 && !isExplained(chain, incoming, measures, policy),
  }
  return greenDoubtReasons.filter((reason) => found[reason])
}

/** Attributed to an illicit label of a confidence that counts; a category that is not known is no harmless one. */
const isIllicit = ({ category, isWeak, amount }: ExposureMeasure): boolean =>
  category !== UNATTRIBUTED && !isWeak && BigInt(amount) > 0n

function sumOf(
  measures: readonly ExposureMeasure[],
  { contract }: ExposureBreakdown,
  isMeant: (one: ExposureMeasure) => boolean,
): bigint {
  return measures
    .filter((one) => one.direction === 'in' && one.contract === contract && isMeant(one))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

/** Whether value is a part of what came in that forbids green. */
const reaches = (value: bigint, { total }: ExposureBreakdown, { doubtfulSharePpm }: CompiledPolicy): boolean =>
  value > 0n && value * PPM_N >= BigInt(total) * BigInt(doubtfulSharePpm)

/** Anyone can send a little of an asset, so an asset of which less than dust came in says nothing, unless it is illicit. */
const isOfNote = (chain: string, flow: ExposureBreakdown, measures: readonly ExposureMeasure[]): boolean =>
  BigInt(flow.total) >= dustOf(chain, flow.contract) || sumOf(measures, flow, isIllicit) > 0n

/** Where nothing but dust came in, that dust is what must be explained: an address of which nothing is known is not green. */
function isExplained(
  chain: string,
  incoming: readonly ExposureBreakdown[],
  measures: readonly ExposureMeasure[],
  { attributedSharePpm }: CompiledPolicy,
): boolean {
  const ofNote = incoming.filter((flow) => isOfNote(chain, flow, measures))
  const judged = ofNote.length > 0 ? ofNote : incoming
  return (
    judged.length > 0 &&
    judged.every(({ total, parts }) => {
      const explained = parts
        .filter(({ category }) => explaining.has(category))
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      return explained * PPM_N >= BigInt(total) * BigInt(attributedSharePpm)
    })
  )
}
