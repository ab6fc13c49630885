/** Decides a recorded screening again from its record (level A). */
import type { ReportGenerated } from '@cupel/contracts'
import type { ChainStage } from '../chain-facts/chain-inputs.js'
import type { LabelViewState } from '../risk/label-facts.js'
import { compilePolicyText } from '../risk/policy.js'
import { scoreScreening } from './score-screening.js'

/** Returns what this scorer decides from the recorded inputs: the recorded bytes, unless someone changed record or code. */
export function decideAgain(recorded: ReportGenerated): ReportGenerated {
  const { inputs } = recorded
  return scoreScreening({
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
      // The record also has what the first decision made of these labels and sets; the scorer decides it again.
      labelSets: inputs.labelSets,
      labels: inputs.labels,
    },
    chainInputs: { stage: inputs.chainStage as ChainStage, facts: inputs.chainFacts },
    exposure: inputs.exposure,
    policy: compilePolicyText(inputs.policyDocument),
    originTableVersion: inputs.originTableVersion,
    generatedAt: recorded.generatedAt,
  })
}
