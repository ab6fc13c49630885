/** The policy: what is in force and was, what another one would change, and how another one comes into force. */
import type { Endpoint } from '@cupel/gate/http'
import type { Database } from '@cupel/postgres'
import { getPolicy, readPolicyInForce } from './get-policy.js'
import { listPolicyActivations, type ActivationParts } from './list-activations.js'
import { createComparison, whatIf, type WhatIfParts } from './what-if.js'

export { policyChange, type PolicyChangeParts } from './policy-change.js'

export type PolicyParts = WhatIfParts & { readonly activations: ActivationParts }

export const policyPartsOf = (deps: ActivationParts & { readonly database: Database }): PolicyParts => ({
  policyInForce: (caller) => readPolicyInForce(deps.database, caller),
  compare: createComparison(deps),
  activations: deps,
})

export const policyFeature = ({ policy }: { readonly policy: PolicyParts }): readonly Endpoint[] => [
  getPolicy(policy.policyInForce),
  whatIf(policy),
  listPolicyActivations(policy.activations),
]
