/** Labels that sources assert and retire, and the publications that make both visible. */
import { readFileSync } from 'node:fs'
import {
  topicOf,
  type AssertedLabel,
  type LabelRetired,
  type LabelsAsserted,
  type LabelSetExpected,
  type LabelSetPublished,
} from '@cupel/contracts'
import { furtherLabelKeys, parseAddress } from '@cupel/domain'
import { batchWrite, on, readModelGroup, type Change, type ReadModel } from '@cupel/projections'
import { listedLabels } from './labels.js'

const insertLabel = batchWrite({
  name: 'label-view.assert',
  copiesInto: 'label',
  columns: {
    import_id: 'text',
    label_id: 'text',
    source: 'text',
    dataset: 'text',
    chain: 'text',
    address: 'text',
    canonical_address: 'text',
    lookup_key: 'text',
    category: 'text',
    subcategory: 'text',
    role: 'text',
    entity: 'text',
    origin: 'text',
    kind: 'text',
    confidence_ppm: 'int4',
    source_url: 'text',
    observed_at: 'text',
    valid_from: 'text',
    valid_to: 'text',
    sanction: 'text',
    log_offset: 'int8',
  },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.label (${columns}) SELECT ${columns} FROM ${rows} ORDER BY ord ON CONFLICT DO NOTHING`,
})

const insertKey = batchWrite({
  name: 'label-view.assert-key',
  copiesInto: 'label_key',
  columns: { lookup_key: 'text', import_id: 'text', label_id: 'text' },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.label_key (${columns}) SELECT ${columns} FROM ${rows} ORDER BY ord ON CONFLICT DO NOTHING`,
})

const insertRetirement = batchWrite({
  name: 'label-view.retire',
  copiesInto: 'retirement',
  columns: { label_id: 'text', import_id: 'text', valid_to: 'text', log_offset: 'int8' },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.retirement (${columns}) SELECT ${columns} FROM ${rows} ORDER BY ord ON CONFLICT DO NOTHING`,
})

/** Numbered in the order of the log, without gaps; a repeated record is not a new publication. */
const insertPublication = batchWrite({
  name: 'label-view.publish',
  columns: {
    import_id: 'text',
    kind: 'text',
    source: 'text',
    dataset: 'text',
    sha256: 'text',
    as_of: 'text',
    published_at: 'text',
    historical: 'bool',
    appended: 'bool',
    authority_origin: 'text',
    whole: 'bool',
    replaces: 'text',
    list: 'text',
    version_of: 'text',
    rows: 'text',
    based_on_seq: 'int8',
    confirmed_at: 'text',
    lost_designations: 'int4',
    total: 'int4',
    added: 'int4',
    unchanged: 'int4',
    retired: 'int4',
    refused: 'int4',
    accepted_removals: 'int4',
    reason: 'text',
    imported_by: 'text',
    refresh_configured: 'bool',
    log_offset: 'int8',
  },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.publication (label_set_seq, ${columns})
     SELECT (SELECT coalesce(max(label_set_seq), 0) FROM ${schema}.publication) + row_number() OVER (ORDER BY log_offset), ${columns}
     FROM (SELECT DISTINCT ON (import_id) * FROM ${rows} ORDER BY import_id, ord) AS first
     WHERE NOT EXISTS (SELECT FROM ${schema}.publication known WHERE known.import_id = first.import_id)
     ORDER BY log_offset`,
})

/**
 * The state of a publication when it is applied: how many labels of its set are visible, whom an authority's own list names, and whether
 * its changes were computed before the newest publication of the source or of the authority.
 */
const examinePublication = batchWrite({
  name: 'label-view.examine',
  columns: { import_id: 'text' },
  sql: ({ schema, rows }) =>
    `UPDATE ${schema}.publication s
     SET visible = (SELECT count(DISTINCT l.label_id) FROM ${listedLabels(schema)}),
       parties = (
         SELECT json_agg(DISTINCT party.name ORDER BY party.name)
         FROM ${listedLabels(schema, namesOfParties)} AND s.authority_origin <> '' AND l.category = 'sanctions'),
       stale_base = EXISTS (
         SELECT FROM ${schema}.publication other
         WHERE other.kind = 'published' AND other.label_set_seq > s.based_on_seq AND other.label_set_seq < s.label_set_seq
           AND (other.source = s.source OR other.authority_origin = nullif(s.authority_origin, '')))
     WHERE s.import_id IN (SELECT import_id FROM ${rows})`,
})

/** A listed party by its name, and by each of its other names. */
const namesOfParties = `CROSS JOIN LATERAL (
  SELECT l.entity COLLATE "C" AS name
  UNION SELECT json_array_elements_text(l.sanction::json -> 'aliases') COLLATE "C") party`

/** Fields of an expected set, which has no labels yet. */
const nothingPublished = {
  sha256: '',
  as_of: null,
  published_at: '',
  historical: false,
  appended: false,
  authority_origin: '',
  whole: false,
  replaces: '[]',
  list: '',
  version_of: '[]',
  rows: JSON.stringify({ read: 0, refused: 0, skipped: 0, unreadable: 0, accepted: 0 }),
  based_on_seq: 0,
  confirmed_at: null,
  lost_designations: 0,
  total: 0,
  added: 0,
  unchanged: 0,
  retired: 0,
  refused: 0,
  accepted_removals: null,
  refresh_configured: true,
}

/** An import ends tens of thousands of labels with a record each. */
const MAX_BATCH_RECORDS = 5_000

/**
 * Events keep the key that was derived when they were written, in an older form. So the view derives it again, from the address. Only an
 * address that is refused today keeps its own.
 */
function keyOf(label: Pick<AssertedLabel, 'canonicalAddress' | 'chain' | 'lookupKey'>): string {
  const parsed = parsedOf(label)
  return parsed.ok ? parsed.lookupKey : label.lookupKey
}

export function furtherKeysOf(label: AssertedLabel): readonly string[] {
  const parsed = parsedOf(label)
  return parsed.ok ? furtherLabelKeys(parsed, { isClean: label.category === 'clean_exchange' }) : []
}

/** Each label is asked for its key, and then for its further keys. */
let lastParsed: { address: string; chain: string; parsed: ReturnType<typeof parseAddress> } | null = null

function parsedOf({
  canonicalAddress: address,
  chain,
}: Pick<AssertedLabel, 'canonicalAddress' | 'chain'>): ReturnType<typeof parseAddress> {
  if (lastParsed?.address !== address || lastParsed.chain !== chain)
    lastParsed = { address, chain, parsed: parseAddress(address, chain) }
  return lastParsed.parsed
}

/** The columns of a label, as its event states it. */
export const rowOfLabel = (set: LabelsAsserted, data: AssertedLabel, at: { readonly offset: number }) => ({
  import_id: set.importId,
  label_id: data.labelId,
  source: set.source,
  dataset: set.dataset,
  chain: data.chain,
  address: data.address,
  canonical_address: data.canonicalAddress,
  lookup_key: keyOf(data),
  category: data.category,
  subcategory: data.subcategory,
  role: data.role,
  entity: data.entity,
  origin: data.origin,
  kind: data.kind,
  confidence_ppm: data.confidencePpm,
  source_url: data.sourceUrl,
  observed_at: data.observedAt,
  valid_from: data.validFrom,
  valid_to: data.validTo,
  sanction: data.sanction === null ? null : JSON.stringify(data.sanction),
  log_offset: at.offset,
})

export const rowOfRetirement = (data: LabelRetired, at: { readonly offset: number }) => ({
  label_id: data.labelId,
  import_id: data.importId,
  valid_to: data.validTo,
  log_offset: at.offset,
})

/** The columns of a publication that its event states. */
export const rowOfPublication = (data: LabelSetPublished, at: { readonly offset: number }) => ({
  import_id: data.importId,
  kind: 'published',
  source: data.source,
  dataset: data.dataset,
  sha256: data.sha256,
  as_of: data.asOf,
  published_at: data.publishedAt,
  historical: data.historical,
  appended: data.appended,
  authority_origin: data.authorityOrigin,
  whole: data.whole,
  replaces: JSON.stringify(data.replaces),
  list: data.list,
  version_of: JSON.stringify(data.versionOf),
  rows: JSON.stringify(data.rows),
  based_on_seq: data.basedOnSeq,
  confirmed_at: data.confirmedAt,
  lost_designations: data.lostDesignations,
  total: data.total,
  added: data.added,
  unchanged: data.unchanged,
  retired: data.retired,
  refused: data.refused,
  accepted_removals: data.acceptedRemovals,
  reason: data.reason,
  imported_by: data.importedBy,
  refresh_configured: data.refreshConfigured,
  log_offset: at.offset,
})

export const rowOfExpectation = (data: LabelSetExpected, at: { readonly offset: number }) => ({
  ...nothingPublished,
  import_id: data.expectationId,
  kind: data.expected ? 'expected' : 'dismissed',
  source: data.source,
  dataset: data.dataset,
  reason: data.reason === '' ? null : data.reason,
  imported_by: data.expectedBy,
  log_offset: at.offset,
})

export const labelView: ReadModel = {
  name: 'label-view',
  version: 4,
  schema: 'label_view',
  topics: [topicOf('LabelsAsserted')],
  definition: readFileSync(new URL('./table.sql', import.meta.url), 'utf8'),
  tables: ['label', 'label_key', 'retirement', 'publication'],
  maxBatchRecords: MAX_BATCH_RECORDS,
  resizedBy: ['LabelSetPublished'],
  reducers: [
    on('LabelsAsserted', ({ data }, at) => {
      const labels: Change[] = []
      const keys: Change[] = []
      for (const label of data.labels) {
        labels.push(insertLabel(rowOfLabel(data, label, at)))
        for (const key of furtherKeysOf(label))
          keys.push(insertKey({ lookup_key: key, import_id: data.importId, label_id: label.labelId }))
      }
      return [...labels, ...keys]
    }),
    on('LabelRetired', ({ data }, at) => insertRetirement(rowOfRetirement(data, at))),
    on('LabelSetPublished', ({ data }, at) => [
      insertPublication(rowOfPublication(data, at)),
      examinePublication({ import_id: data.importId }),
    ]),
    on('LabelSetExpected', ({ data }, at) => insertPublication(rowOfExpectation(data, at))),
  ],
}

/** Consumer group of the label view; its checkpoint is the position of the view. */
export const labelViewGroup = readModelGroup(labelView)
export const LABEL_TOPIC = topicOf('LabelsAsserted')
export const LABEL_PARTITION = 0
