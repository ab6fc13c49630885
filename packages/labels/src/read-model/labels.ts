/** Labels as queries return them: with the times at which they became known here, and whether their source still states them. */
import type { LabelSanction } from '@cupel/contracts'
import { keyParts } from '@cupel/domain'

export interface Label {
  readonly labelId: string
  readonly importId: string
  readonly source: string
  readonly dataset: string
  readonly chain: string
  /** In the notation of the source. */
  readonly address: string
  readonly canonicalAddress: string
  readonly lookupKey: string
  readonly category: string
  /** A more exact category; empty if not stated. */
  readonly subcategory: string
  readonly role: string
  readonly entity: string
  readonly origin: string
  readonly kind: string
  /** Parts per million. */
  readonly confidencePpm: number
  readonly sourceUrl: string
  readonly observedAt: string | null
  readonly validFrom: string | null
  /** End of validity, from the source or from the retirement. */
  readonly validTo: string | null
  /** The authority's details about the listed party; null if the label is not a listing. */
  readonly sanction: LabelSanction | null
  /** When the label became visible here: time of the publication that asserted it. */
  readonly knownFrom: string
  /** When its end became visible here: time of the publication that retired it; null if it is not retired. */
  readonly knownTo: string | null
  /** From a set that was older than the current one: history, never a current statement. */
  readonly historical: boolean
  /** Whether the current set contains it: published, not historical, not retired. */
  readonly listed: boolean
}

/** Order of the columns in the compact form of look-up results. */
export const LABEL_EXPRESSIONS = [
  'l.label_id',
  'l.import_id',
  'l.source',
  'l.dataset',
  'l.chain',
  'l.address',
  'l.canonical_address',
  'l.lookup_key',
  'l.category',
  'l.subcategory',
  'l.role',
  'l.entity',
  'l.origin',
  'l.kind',
  'l.confidence_ppm',
  'l.source_url',
  'l.observed_at',
  'l.valid_from',
  'coalesce(ended.valid_to, l.valid_to)',
  'l.sanction::json',
  'p.published_at',
  'ended.published_at',
  'p.historical',
] as const

export type CompactLabel = readonly [
  labelId: string,
  importId: string,
  source: string,
  dataset: string,
  chain: string,
  address: string,
  canonicalAddress: string,
  lookupKey: string,
  category: string,
  subcategory: string,
  role: string,
  entity: string,
  origin: string,
  kind: string,
  confidencePpm: number,
  sourceUrl: string,
  observedAt: string | null,
  validFrom: string | null,
  validTo: string | null,
  sanction: LabelSanction | null,
  knownFrom: string,
  knownTo: string | null,
  historical: boolean,
]

export function labelOf(compact: CompactLabel): Label {
  // prettier-ignore
  const [labelId, importId, source, dataset, chain, address, canonicalAddress, lookupKey, category, subcategory, role, entity,
    origin, kind, confidencePpm, sourceUrl, observedAt, validFrom, validTo, sanction, knownFrom, knownTo, historical] = compact
  return {
    labelId,
    importId,
    source,
    dataset,
    chain,
    address,
    canonicalAddress,
    lookupKey,
    category,
    subcategory,
    role,
    entity,
    origin,
    kind,
    confidencePpm,
    sourceUrl,
    observedAt,
    validFrom,
    validTo,
    sanction,
    knownFrom,
    knownTo,
    historical,
    listed: !historical && knownTo === null,
  }
}

/**
 * SQL for the visible labels `l`, their publication `p` and, if they were retired, the publication `ended` of the first
 * retirement after them. `upTo` limits both to the state with that label_set_seq. A historical set retires nothing.
 */
export function visibleLabels(upTo: string | null, labels = 'label_view.label'): string {
  const limit = (alias: string): string => (upTo === null ? '' : `AND ${alias}.label_set_seq <= ${upTo}`)
  return `${labels} l
    JOIN label_view.publication p ON p.import_id = l.import_id ${limit('p')}
    LEFT JOIN LATERAL (
      SELECT q.published_at, r.valid_to
      FROM label_view.retirement r JOIN label_view.publication q ON q.import_id = r.import_id
      WHERE r.label_id = l.label_id AND r.log_offset > l.log_offset AND NOT q.historical ${limit('q')}
      ORDER BY q.label_set_seq LIMIT 1
    ) ended ON true`
}

/**
 * SQL for the current labels `l` of the set of a publication `s`, in the state in which `s` became visible; `joined` is joined to each.
 */
export function listedLabels(schema: string, joined = ''): string {
  return `${schema}.label l JOIN ${schema}.publication p ON p.import_id = l.import_id ${joined}
    WHERE p.source = s.source AND p.dataset = s.dataset AND NOT p.historical AND p.label_set_seq <= s.label_set_seq
      AND NOT EXISTS (
        SELECT FROM ${schema}.retirement r JOIN ${schema}.publication q ON q.import_id = r.import_id
        WHERE r.label_id = l.label_id AND r.log_offset > l.log_offset AND NOT q.historical
          AND q.label_set_seq <= s.label_set_seq)`
}

/** Labels that one of these keys finds, each with the key as `found_key`; in place of all labels. */
export const labelsFoundBy = (keys: string): string => `(
  SELECT own.*, own.lookup_key AS found_key FROM label_view.label own WHERE own.lookup_key = ANY (${keys})
  UNION ALL
  SELECT other.*, k.lookup_key FROM label_view.label_key k JOIN label_view.label other USING (import_id, label_id)
  WHERE k.lookup_key = ANY (${keys}))`

/** As LABEL_EXPRESSIONS, with the key that found the label in place of its own. */
export const FOUND_EXPRESSIONS = LABEL_EXPRESSIONS.map((one) =>
  one === 'l.lookup_key' ? 'l.found_key' : one,
)

/** The keys to ask for, as far as labels have them: the parts of all. */
export const askedParts = (lookupKeys: readonly string[]): readonly string[] => [
  ...new Set(lookupKeys.flatMap(keyParts)),
]

/** The labels that parts found, each once under every key that has the part; a clean label only where the part is what spends. */
export function underAskedKeys(found: readonly Label[], lookupKeys: readonly string[]): readonly Label[] {
  if (!lookupKeys.some((key) => keyParts(key).length > 1)) return found
  const askedBy = new Map<string, string[]>()
  for (const key of new Set(lookupKeys))
    for (const part of keyParts(key)) askedBy.set(part, [...(askedBy.get(part) ?? []), key])
  const labels = new Map<string, Label>()
  for (const label of found)
    for (const lookupKey of askedBy.get(label.lookupKey) ?? [])
      if (label.category !== 'clean_exchange' || keyParts(lookupKey)[0] === label.lookupKey)
        labels.set(`${lookupKey} ${label.importId} ${label.labelId}`, { ...label, lookupKey })
  return [...labels.values()]
}
