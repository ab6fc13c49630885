/** Deciding a screening, and deciding a recorded one again. */
import type { ReportGenerated } from '@cupel/contracts'
import { CHAIN_TABLE_VERSION } from '../address/chain-table.js'
import type { ChainStage } from '../chain-facts/chain-inputs.js'
import { ASSET_TABLE_VERSION } from '../exposure/asset-table.js'
import type { Sha256Hex } from '../json/canonical-json.js'
import { ORIGIN_TABLE_VERSION } from '../labels/origin-table.js'
import type { LabelViewState } from '../risk/label-facts.js'
import { compilePolicyText } from '../risk/policy.js'
import * as scorer100 from './scorer-1-0-0.js'
import * as scorer110 from './scorer-1-1-0.js'
import type { ScreeningInputs, TableVersions } from './screening-inputs.js'

export type Scorer = (
  inputs: ScreeningInputs,
  tables: TableVersions,
  /** Where the caller has a faster one than plain ECMAScript; the bytes are the same. */
  sha256?: Sha256Hex,
) => ReportGenerated

/** Every released scorer. Each stays runnable for as long as reports of it exist. */
export const scorers: Readonly<Record<string, Scorer>> = {
  [scorer100.SCORER_1_0_0]: scorer100.scoreScreening,
  [scorer110.SCORER_1_1_0]: scorer110.scoreScreening,
}

export const CURRENT_SCORER_VERSION = scorer110.SCORER_1_1_0

const currentTables: TableVersions = {
  chainTableVersion: CHAIN_TABLE_VERSION,
  originTableVersion: ORIGIN_TABLE_VERSION,
  assetTableVersion: ASSET_TABLE_VERSION,
}

export type ScreeningDecision =
  | { readonly outcome: 'decided'; readonly event: ReportGenerated }
  /** Without labels nothing true can be said: the caller is answered 503 and the request is kept. */
  | { readonly outcome: 'unavailable'; readonly detail: string }

/** Decides a screening with the current scorer, or refuses where the label view is missing. */
export function decideScreening(inputs: ScreeningInputs, sha256?: Sha256Hex): ScreeningDecision {
  if (inputs.snapshot.labelView === 'missing') {
    return { outcome: 'unavailable', detail: 'The labels cannot be read at present.' }
  }
  return { outcome: 'decided', event: scorerOf(CURRENT_SCORER_VERSION)(inputs, currentTables, sha256) }
}

function scorerOf(version: string): Scorer {
  const scorer = Object.hasOwn(scorers, version) ? scorers[version] : undefined
  if (scorer === undefined) throw new RangeError(`unknown_scorer_version: ${version}`)
  return scorer
}

/**
 * Decides a recorded screening again from nothing but its record (level A): the result equals the record, byte for
 * byte, unless one of the two was tampered with or the code of a released scorer was changed.
 * Throws a RangeError for a scorer version this build does not have.
 */
export function recompute(recorded: ReportGenerated): ReportGenerated {
  const { inputs } = recorded
  const score = scorerOf(inputs.scorerVersion)
  const { chainTableVersion, originTableVersion, assetTableVersion } = inputs
  const again: ScreeningInputs = {
    request: {
      reportId: recorded.reportId,
      accountId: recorded.accountId,
      livemode: recorded.livemode,
      address: recorded.address,
      canonicalAddress: recorded.canonicalAddress,
      chain: recorded.chain,
      candidateChains: recorded.candidateChains,
      customerReference: recorded.customerReference,
      reportUrl: recorded.reportUrl,
      jobId: recorded.jobId,
      jobIndex: recorded.jobIndex,
    },
    snapshot: {
      labelSetSeq: inputs.labelSetSeq,
      labelView: inputs.labelView as LabelViewState,
      labelsAsOf: inputs.labelsAsOf,
      // What the first decision made of these labels and sets is on them too; the scorer decides it again.
      labelSets: inputs.labelSets,
      labels: inputs.labels,
    },
    chainInputs: { stage: inputs.chainStage as ChainStage, facts: inputs.chainFacts },
    exposure: inputs.exposure,
    policy: compilePolicyText(inputs.policyDocument),
    generatedAt: recorded.generatedAt,
  }
  return score(again, { chainTableVersion, originTableVersion, assetTableVersion })
}

/** Paths at which a record and its recomputation differ, such as `inputs.labels.0.used`; empty where they are equal. */
export function differences(recorded: unknown, recomputed: unknown, path = ''): readonly string[] {
  if (Object.is(recorded, recomputed)) return []
  if (!isComposite(recorded) || !isComposite(recomputed)) return [path]
  const names = new Set([...Object.keys(recorded), ...Object.keys(recomputed)])
  return [...names].flatMap((name) =>
    differences(recorded[name], recomputed[name], path === '' ? name : `${path}.${name}`),
  )
}

function isComposite(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
