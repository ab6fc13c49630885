/** The policy of a new installation, version 1. It states every number that is not fixed; docs/policy.md gives the reasons. */
import { defaultTransferPolicy } from '../transfers/transfer-policy.js'
import { compilePolicy, type PolicyDocument } from './policy.js'

export const defaultPolicy: PolicyDocument = {
  id: 'default',
  version: 1,
  levels: { orange: 25, red: 70 },
  weights: { sanctions: 1, darknet: 0.95, stolen: 0.95, scam: 0.9, mixer: 0.85 },
  roles: { owner: 1, participant: 0.7, disputed: 0.5, infrastructure: 0.5 },
  ownership: { minimum_confidence: 0.3, combined_from: 0.5, combined_cap: 0.95 },
  green: { clean_confidence: 0.8, attributed_share: 0.9, doubtful_share: 0.01 },
  freshness: {
    required: [
      { origin: 'us-ofac', when: 'always' },
      { origin: 'uk-ofsi', when: 'once_published' },
      { origin: 'eu-fsf', when: 'once_published' },
      { origin: 'un-sc', when: 'once_published' },
      { origin: 'il-nbctf', when: 'once_published' },
    ],
    max_age_hours: 720,
    max_age_hours_by_origin: { 'us-ofac': 48 },
  },
  exposure: {
    method: 'haircut',
    hops: 2,
    caps: {
      sanctions: { direct: { in: 90, out: 95 }, indirect: { in: 60, out: 60 } },
      darknet: { direct: { in: 80, out: 80 }, indirect: { in: 45, out: 45 } },
      mixer: { direct: { in: 75, out: 60 }, indirect: { in: 35, out: 25 } },
      scam: { direct: { in: 75, out: 15 }, indirect: { in: 40, out: 5 } },
      stolen: { direct: { in: 85, out: 20 }, indirect: { in: 50, out: 10 } },
    },
    pre_designation_cap: 40,
    direct_sanctions_minimum: 25,
    unproven_maximum: 69.99,
    severe: { minimum: 25, cap: 60 },
    coinjoin_maximum: 24.99,
    source_confidence: 0.5,
    service_confidence: 0.6,
    clean_service_confidence: 0.8,
    share: { sanctions: { from: 0, to: 0.1 }, other: { from: 0.01, to: 0.25 } },
    size_decades: 3,
    size_factor: { sanctions: 1, other: 0.6 },
    history_max_age_hours: 24,
    limits: {
      transfers: 5_000,
      intermediaries: 100,
      transfers_per_intermediary: 1_000,
      transfers_of_intermediaries: 10_000,
      hub_counterparties: 1_000,
      paths: 20,
    },
  },
  cluster: { confidence_factor: 0.9, maximum: 69.99, addresses: 10_000 },
  transfers: defaultTransferPolicy,
}

export const compiledDefaultPolicy = compilePolicy(defaultPolicy)
