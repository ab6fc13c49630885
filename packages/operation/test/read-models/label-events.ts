/** The events of an import: labels asserted, labels retired, the set published. */
import type { AssertedLabel, DomainEvent, LabelsAsserted, LabelSetPublished } from '@cupel/contracts'
import { event } from './fixture.js'

const SET = { source: 'ofac_sdn', dataset: 'ofac_sdn.csv' }

/** Label `name` states that the address of key `name` belongs to a sanctioned entity. */
export function asserted(
  importId: string,
  name: string,
  { source = SET.source, dataset = SET.dataset, ...more }: Partial<LabelsAsserted & AssertedLabel> = {},
): DomainEvent<'LabelsAsserted'> {
  const label: AssertedLabel = {
    labelId: name,
    chain: 'ETH',
    address: name,
    canonicalAddress: name,
    lookupKey: `evm:${name}`,
    category: 'sanctions',
    subcategory: '',
    sanction: null,
    role: 'owner',
    entity: 'Entity',
    origin: 'us-ofac',
    kind: 'designation',
    confidencePpm: 1_000_000,
    sourceUrl: 'https://example.org/',
    observedAt: '2026-11-01',
    validFrom: null,
    validTo: null,
    ...more,
  }
  return event('LabelsAsserted', `${importId}/${name}`, { importId, source, dataset, labels: [label] })
}

export function retired(importId: string, name: string, validTo = '2026-11-10'): DomainEvent<'LabelRetired'> {
  return event('LabelRetired', `${importId}/${name}`, { ...SET, labelId: name, importId, validTo })
}

export function published(
  importId: string,
  more: Partial<LabelSetPublished> = {},
): DomainEvent<'LabelSetPublished'> {
  return event('LabelSetPublished', importId, {
    ...SET,
    importId,
    sha256: `hash of ${importId}`,
    asOf: '2026-11-01',
    publishedAt: '2026-11-20T12:00:00.000Z',
    historical: false,
    appended: false,
    authorityOrigin: 'us-ofac',
    whole: true,
    replaces: [],
    list: '',
    versionOf: [],
    rows: { read: 1, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
    basedOnSeq: 1_000_000,
    confirmedAt: null,
    lostDesignations: 0,
    total: 1,
    added: 1,
    unchanged: 0,
    retired: 0,
    refused: 0,
    acceptedRemovals: null,
    reason: null,
    importedBy: 'test',
    refreshConfigured: false,
    ...more,
  })
}
