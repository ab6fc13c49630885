/** The policy of a new installation, version 1. Why each number is what it is: docs/adr and the judgement reference. */
import { compilePolicy, type PolicyDocument } from './policy.js'

export const defaultPolicy: PolicyDocument = {
  id: 'default',
  version: 1,
  levels: { orange: 25, red: 70 },
  weights: { sanctions: 1, darknet: 0.95, stolen: 0.95, scam: 0.9, mixer: 0.85 },
  roles: { owner: 1, participant: 0.7, disputed: 0.5, infrastructure: 0.5 },
  ownership: { minimum_confidence: 0.3, combined_from: 0.5, combined_cap: 0.95 },
  green: { clean_confidence: 0.8 },
  freshness: {
    required: [{ origin: 'us-ofac', when: 'once_published' }],
    max_age_hours: 720,
    max_age_hours_by_origin: { 'us-ofac': 48 },
  },
}

export const compiledDefaultPolicy = compilePolicy(defaultPolicy)
