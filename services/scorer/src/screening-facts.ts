/** What was read, in the words of the decision. Field by field: what a decision records never depends on what a query adds. */
import type { ScreenRequested } from '@cupel/contracts'
import { authorityOriginOf, type LabelFacts, type LabelSetFacts, type ScreeningRequest } from '@cupel/domain'
import type { Label, PublishedSet } from '@cupel/read-models'

export function screeningRequest(data: ScreenRequested): ScreeningRequest {
  return {
    reportId: data.reportId,
    accountId: data.accountId,
    livemode: data.livemode,
    address: data.address,
    canonicalAddress: data.canonicalAddress,
    chain: data.chain,
    candidateChains: data.candidateChains,
    customerReference: data.customerReference,
    reportUrl: data.reportUrl,
    jobId: data.jobId,
    jobIndex: data.jobIndex,
  }
}

export function labelFacts(label: Label): LabelFacts {
  return {
    labelId: label.labelId,
    source: label.source,
    dataset: label.dataset,
    chain: label.chain,
    address: label.canonicalAddress,
    category: label.category,
    role: label.role,
    entity: label.entity,
    origin: label.origin,
    kind: label.kind,
    confidencePpm: label.confidencePpm,
    sourceUrl: label.sourceUrl,
    observedAt: label.observedAt,
    validFrom: label.validFrom,
    validTo: label.validTo,
    knownFrom: label.knownFrom,
    knownTo: label.knownTo,
  }
}

export function setFacts(set: PublishedSet): LabelSetFacts {
  return {
    source: set.source,
    dataset: set.dataset,
    sha256: set.sha256,
    importId: set.importId,
    labelSetSeq: set.labelSetSeq,
    publishedAt: set.publishedAt,
    asOf: set.asOf,
    authorityOrigin: set.authority ? (authorityOriginOf(set.source) ?? '') : '',
    // Nothing refreshes a set by itself yet: a list is required only where the policy names it.
    refreshConfigured: false,
    total: set.total,
  }
}

/** UTC time of the newest of these publications; empty where there is none. */
export function newestPublication(sets: readonly PublishedSet[]): string {
  return sets.reduce((newest, { publishedAt }) => (publishedAt > newest ? publishedAt : newest), '')
}
