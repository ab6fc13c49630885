/** Judges every address of the shared label files, with all of them imported. */
import {
  authorityOriginOf,
  classifyLabel,
  compiledDefaultPolicy,
  judge,
  parseAddress,
  type CompiledPolicy,
  type Judgement,
  type JudgementFacts,
  type LabelFacts,
  type LabelSetFacts,
} from '../src/index.js'
import type { SharedRow } from './shared-labels.js'

export const IMPORTED_AT = '2026-11-21T08:00:00.000Z'
export const GENERATED_AT = '2026-11-21T09:00:00.000Z'

/** A row as the label view holds it after the import of its file. */
export function labelOfRow(row: SharedRow, index: number): LabelFacts & { readonly lookupKey: string } {
  const parsed = parseAddress(row.address, row.chain)
  if (!parsed.ok) throw new Error(`${row.file}: ${row.address} refused`)
  const confidencePpm = row.confidence === '' ? null : Math.round(Number(row.confidence) * 1e6)
  return {
    labelId: String(index).padStart(6, '0'),
    source: row.source,
    dataset: row.file.replace(/\.csv$/, ''),
    chain: row.chain,
    address: parsed.canonical,
    lookupKey: parsed.lookupKey,
    category: row.category,
    entity: row.entity,
    sourceUrl: row.source_url,
    ...classifyLabel({ ...row, sourceUrl: row.source_url, confidencePpm }),
    observedAt: row.observed_at,
    validFrom: null,
    validTo: null,
    sanction: null,
    knownFrom: IMPORTED_AT,
    knownTo: null,
  }
}

export function labelSetsOf(labels: readonly LabelFacts[]): readonly LabelSetFacts[] {
  const sets = new Map<string, LabelSetFacts>()
  for (const { source, dataset, observedAt } of labels) {
    const known = sets.get(dataset)
    const asOf = known !== undefined && known.asOf! > observedAt! ? known.asOf : observedAt
    const authorityOrigin = authorityOriginOf(source) ?? ''
    sets.set(dataset, {
      source,
      dataset,
      asOf,
      authorityOrigin,
      sha256: '',
      importId: dataset,
      labelSetSeq: 1,
      publishedAt: IMPORTED_AT,
      whole: authorityOrigin !== '',
      // The same as after a refresh of an authority's list: the rows of the shared lists are older than a list may be.
      confirmedAt: authorityOrigin === '' ? null : IMPORTED_AT,
      refreshConfigured: false,
      total: (known?.total ?? 0) + 1,
      visible: (known?.total ?? 0) + 1,
      staleBase: false,
      rows: { read: 0, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
      versionOf: [],
      parties: [],
    })
  }
  return [...sets.values()]
}

export interface JudgedAddress {
  readonly address: string
  readonly chain: string
  readonly category: string
  readonly labels: readonly LabelFacts[]
  readonly facts: JudgementFacts
  readonly judgement: Judgement
}

/** Judges every distinct (address, category) of the rows once, on the chain of its first row. */
export function judgeRows(
  rows: readonly SharedRow[],
  policy: CompiledPolicy = compiledDefaultPolicy,
): readonly JudgedAddress[] {
  const labels = rows.map(labelOfRow)
  const labelSets = labelSetsOf(labels)
  const byKey = new Map<string, LabelFacts[]>()
  for (const label of labels) byKey.set(label.lookupKey, [...(byKey.get(label.lookupKey) ?? []), label])
  const judged = new Map<string, JudgedAddress>()
  for (const [index, row] of rows.entries()) {
    const key = JSON.stringify([row.address, row.category])
    if (judged.has(key)) continue
    const { lookupKey, address: canonicalAddress } = labels[index]!
    const facts: JudgementFacts = {
      chain: row.chain,
      canonicalAddress,
      labels: byKey.get(lookupKey)!,
      labelSets,
      labelView: 'current',
      chainKnowledge: { status: 'unavailable' },
      generatedAt: GENERATED_AT,
      policy,
    }
    judged.set(key, {
      address: row.address,
      chain: row.chain,
      category: row.category,
      labels: facts.labels,
      facts,
      judgement: judge(facts),
    })
  }
  return [...judged.values()]
}
