/** Judges addresses by all shared labels and by the contents of a ledger, as a screening would. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  authorityOriginOf,
  classifyLabel,
  compiledDefaultPolicy,
  judge,
  parseAddress,
  type Judgement,
  type LabelFacts,
  type LabelSetFacts,
} from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { parse } from 'csv-parse/sync'
import { examineAddress } from '../src/index.js'

export const GENERATED_AT = '2026-11-21T09:00:00.000Z'

interface LabelRow {
  readonly address: string
  readonly chain: string
  readonly category: string
  readonly entity: string
  readonly source: string
  readonly source_url: string
  readonly confidence: string
  readonly observed_at: string
}

export const readCsv = <Row>(path: string): Row[] =>
  parse(readFileSync(path, 'utf8'), { columns: true, skip_empty_lines: true }) as Row[]

export interface SharedJudge {
  labelsAt(address: string): readonly LabelFacts[]
  /** Addresses with a label of the category. */
  withCategory(category: string, fits?: (label: LabelFacts) => boolean): ReadonlySet<string>
  /** The judgement by labels and by the ledger's state 1. */
  judged(address: string): Promise<Judgement>
  /** The judgement only by labels. */
  byLabels(address: string): Judgement
}

/** Reads the labels of these addresses of one chain, and the sets of all files. */
export function openSharedJudge({
  shared,
  chain,
  addresses,
  database,
}: {
  readonly shared: string
  readonly chain: string
  readonly addresses: ReadonlySet<string>
  readonly database: Database
}): SharedJudge {
  const labels = new Map<string, LabelFacts[]>()
  const labelSets: LabelSetFacts[] = []
  let count = 0
  for (const name of readdirSync(join(shared, 'labels')).sort()) {
    const dataset = name.replace(/\.csv$/, '')
    const all = readCsv<LabelRow>(join(shared, 'labels', name))
    const authorityOrigin = authorityOriginOf(all[0]!.source) ?? ''
    labelSets.push({
      ...{ source: all[0]!.source, dataset, sha256: '', importId: dataset, labelSetSeq: 1 },
      ...{
        publishedAt: GENERATED_AT,
        asOf: '2026-08-20',
        authorityOrigin,
        refreshConfigured: false,
        total: all.length,
        visible: all.length,
        whole: authorityOrigin !== '',
        confirmedAt: null,
        staleBase: false,
        rows: { read: 0, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
        versionOf: [],
        parties: [],
      },
    })
    for (const row of all) {
      if (!addresses.has(row.address)) continue
      const parsed = parseAddress(row.address, row.chain)
      if (!parsed.ok) throw new Error(row.address)
      const confidencePpm = row.confidence === '' ? null : Math.round(Number(row.confidence) * 1e6)
      const label: LabelFacts = {
        ...{ labelId: String(count++).padStart(6, '0'), source: row.source, dataset, chain: row.chain },
        ...{
          address: parsed.canonical,
          category: row.category,
          entity: row.entity,
          sourceUrl: row.source_url,
        },
        ...classifyLabel({ ...row, sourceUrl: row.source_url, confidencePpm }),
        ...{
          observedAt: row.observed_at,
          validFrom: null,
          validTo: null,
          subcategory: '',
          sanction: null,
          knownFrom: GENERATED_AT,
          knownTo: null,
        },
      }
      labels.set(parsed.lookupKey, [...(labels.get(parsed.lookupKey) ?? []), label])
    }
  }
  const policy = compiledDefaultPolicy
  const labelsAt = (address: string): readonly LabelFacts[] => {
    const parsed = parseAddress(address, chain)
    return parsed.ok ? (labels.get(parsed.lookupKey) ?? []) : []
  }
  const factsOf = (address: string) => ({
    ...{
      chain,
      canonicalAddress: address,
      labels: labelsAt(address),
      labelSets,
      labelView: 'current' as const,
    },
    ...{ generatedAt: GENERATED_AT, policy },
  })
  return {
    labelsAt,
    withCategory: (category, fits = () => true) =>
      new Set(
        [...labels.values()]
          .flat()
          .filter((one) => one.category === category && fits(one))
          .map(({ address }) => address),
      ),
    async judged(address) {
      const exposure = await examineAddress(database, {
        ...{ chain, address, ledgerSeq: 1, policy, labelSets, generatedAt: GENERATED_AT },
        labelsOf: async (keys) =>
          new Map(keys.flatMap((key) => (labels.has(key) ? [[key, labels.get(key)!] as const] : []))),
      })
      return judge({
        ...factsOf(address),
        chainKnowledge: { status: 'examined', isPartial: true, incomplete: [], hasHistory: true, doubts: [] },
        exposure: exposure.measures,
      })
    },
    byLabels: (address) => judge({ ...factsOf(address), chainKnowledge: { status: 'unavailable' } }),
  }
}
