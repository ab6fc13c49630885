/** The policy: what is in force, what another one would change, and how another one comes into force. */
import type { Endpoint } from '@cupel/gate/http'
import { getPolicy, readPolicyInForce } from './get-policy.js'
import { getPolicyProposal, listPolicyActivations, listPolicyProposals } from './list-proposals.js'
import type { ProposalParts } from './proposal-description.js'
import { activatePolicyProposal, createPolicyProposal } from './propose-policy.js'
import { createComparison, whatIf, type WhatIfParts } from './what-if.js'

export type PolicyParts = WhatIfParts & { readonly proposals: ProposalParts }

export const policyPartsOf = (deps: Omit<ProposalParts, 'now'>): PolicyParts => ({
  policyInForce: (caller) => readPolicyInForce(deps.database, caller),
  compare: createComparison(deps),
  proposals: { ...deps, now: () => new Date() },
})

export function policyFeature({ policy }: { readonly policy: PolicyParts }): readonly Endpoint[] {
  const { proposals } = policy
  return [
    getPolicy(policy.policyInForce),
    whatIf(policy),
    createPolicyProposal(proposals),
    listPolicyProposals(proposals),
    getPolicyProposal(proposals),
    activatePolicyProposal(proposals),
    listPolicyActivations(proposals),
  ]
}
