/**
 * Converts query results to the facts of a decision, field by field, so that a new field of a query does not change what a
 * decision records. The scorer decides from these facts, and a recomputation reads them again.
 */
import type { LabelFacts, LabelSetFacts } from '@cupel/domain'
import type { Label } from './labels.js'
import type { PublishedSet } from './sets.js'

export function labelFacts(label: Label): LabelFacts {
  return {
    labelId: label.labelId,
    source: label.source,
    dataset: label.dataset,
    chain: label.chain,
    address: label.canonicalAddress,
    category: label.category,
    subcategory: label.subcategory,
    role: label.role,
    entity: label.entity,
    origin: label.origin,
    kind: label.kind,
    confidencePpm: label.confidencePpm,
    sourceUrl: label.sourceUrl,
    observedAt: label.observedAt,
    validFrom: label.validFrom,
    validTo: label.validTo,
    sanction: label.sanction,
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
    authorityOrigin: set.authorityOrigin,
    whole: set.whole,
    confirmedAt: set.confirmedAt,
    refreshConfigured: set.refreshConfigured,
    total: set.total,
    visible: set.visible,
    staleBase: set.staleBase,
    rows: set.rows,
    versionOf: set.versionOf,
    parties: set.parties,
  }
}

/** UTC time of the newest of these publications; empty if there is none. */
export function newestPublication(sets: readonly PublishedSet[]): string {
  return sets.reduce((newest, { publishedAt }) => (publishedAt > newest ? publishedAt : newest), '')
}
