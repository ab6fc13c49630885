/** Decides a recorded screening again from its record and from what it names by hash (level A). */
import type { CandidateRecord, LabelStateRecorded, ReportGenerated } from '@cupel/contracts'
import type { ChainStage } from '../chain-facts/chain-inputs.js'
import type { LabelViewState } from '../risk/label-facts.js'
import { compilePolicyText } from '../risk/policy.js'
import { scoreScreening } from './score-screening.js'
import { screeningRequest, type ChainFindings } from './screening-inputs.js'

/** The events that a report names by hash. */
export interface SharedInputs {
  readonly labelState: LabelStateRecorded
  /** RFC 8785 text of the policy. */
  readonly policyDocument: string
}

/** What a record holds of another chain, as a decision takes it. */
export const recordedFindings = ({ chainStage, chainFacts, ...findings }: CandidateRecord): ChainFindings => ({
  ...findings,
  chainInputs: { stage: chainStage as ChainStage, facts: chainFacts },
})

/** Returns what this scorer decides from the recorded inputs: the recorded bytes, unless someone changed record or code. */
export function decideAgain(
  recorded: ReportGenerated,
  { labelState, policyDocument }: SharedInputs,
): ReportGenerated {
  const { inputs } = recorded
  return scoreScreening({
    request: screeningRequest(recorded),
    snapshot: {
      labelSetSeq: inputs.labelSetSeq,
      labelView: inputs.labelView as LabelViewState,
      labelsAsOf: labelState.labelsAsOf,
      labelSets: labelState.labelSets,
      // The record also has what the first decision made of these labels; the scorer decides it again.
      labels: inputs.labels,
    },
    chainInputs: { stage: inputs.chainStage as ChainStage, facts: inputs.chainFacts },
    historyReading: inputs.historyReading,
    exposure: inputs.exposure,
    cluster: inputs.cluster,
    candidates: inputs.candidates.map(recordedFindings),
    ownAddressLabels: inputs.ownAddressLabels,
    policy: compilePolicyText(policyDocument),
    originTableVersion: inputs.originTableVersion,
    generatedAt: recorded.generatedAt,
  })
}
