/** Precision and recall of the reports, per category and per source. */
import type { Report } from '@cupel/contracts'
import type { FileRow } from '@cupel/system-tests'

export const levels = ['red', 'orange', 'grey', 'green'] as const
export type LevelCounts = Record<(typeof levels)[number], number>

export interface CategoryMeasure {
  readonly category: string
  /** Number of addresses that the lists put into the category. */
  readonly listed: number
  /** Those of them whose report has points in it. */
  readonly found: number
  /** Reports with points in it although no list puts them there. */
  readonly false: number
  readonly precision: number
  readonly recall: number
  /** Levels of the listed addresses. */
  readonly levels: LevelCounts
}

export interface SourceMeasure {
  readonly file: string
  readonly category: string
  readonly rows: number
  readonly levels: LevelCounts
}

export interface SubcategoryMeasure {
  readonly category: string
  readonly subcategory: string
  /** Addresses whose evidence names the subcategory. */
  readonly addresses: number
  readonly levels: LevelCounts
}

export interface ReasonMeasure {
  readonly level: string
  /** The reason of the level: the level reasons of a grey report, the ground of a green one, or the decisive category. */
  readonly reasons: string
  readonly addresses: number
}

export interface ListMeasure {
  readonly list: string
  readonly authority: string
  readonly isWhole: boolean
  readonly date: string
  readonly labels: number
  readonly status: string
}

export const noLevels = (): LevelCounts => ({ red: 0, orange: 0, grey: 0, green: 0 })

export interface JudgedAddress {
  readonly address: string
  readonly chain: string
  readonly report: Report
  /** Rows of the lists for this address and chain; none for unlisted ones. */
  readonly rows: readonly FileRow[]
  /** Rows for the same address on any chain. */
  readonly owned: readonly FileRow[]
}

/** Per category; an address counts on each chain it is listed on. */
export function measureCategories(judged: readonly JudgedAddress[]): readonly CategoryMeasure[] {
  return ['sanctions', 'darknet', 'mixer', 'scam', 'stolen', 'clean_exchange'].map((category) => {
    const counts = { listed: 0, found: 0, false: 0 }
    const byLevel = noLevels()
    for (const { report, rows, owned } of judged) {
      const points = (report.risk.categories as Readonly<Record<string, number>>)[category]!
      const isListed = rows.some((row) => row.category === category)
      if (isListed) {
        counts.listed += 1
        if (points > 0) counts.found += 1
        byLevel[report.risk.level as keyof LevelCounts] += 1
      } else if (points > 0 && !owned.some((row) => row.category === category)) counts.false += 1
    }
    return {
      category,
      ...counts,
      precision: share(counts.found, counts.found + counts.false),
      recall: share(counts.found, counts.listed),
      levels: byLevel,
    }
  })
}

/** Per file and category: every row with the level of its address. */
export function measureSources(judged: readonly JudgedAddress[]): readonly SourceMeasure[] {
  const sources = new Map<string, { rows: number; levels: LevelCounts }>()
  for (const { report, rows } of judged) {
    for (const { file, category } of rows) {
      const key = JSON.stringify([file, category])
      const measure = sources.get(key) ?? { rows: 0, levels: noLevels() }
      sources.set(key, measure)
      measure.rows += 1
      measure.levels[report.risk.level as keyof LevelCounts] += 1
    }
  }
  return [...sources]
    .map(([key, measure]) => {
      const [file, category] = JSON.parse(key) as [string, string]
      return { file, category, ...measure }
    })
    .sort((a, b) => (a.file + a.category < b.file + b.category ? -1 : 1))
}

/** Per subcategory that used evidence names; an address counts once in each. */
export function measureSubcategories(judged: readonly JudgedAddress[]): readonly SubcategoryMeasure[] {
  const measures = new Map<string, { addresses: number; levels: LevelCounts }>()
  for (const { report } of judged) {
    const named = new Set(
      report.risk.evidence.flatMap(({ category, subcategory, used }) =>
        used && subcategory !== null ? [JSON.stringify([category, subcategory])] : [],
      ),
    )
    for (const key of named) {
      const measure = measures.get(key) ?? { addresses: 0, levels: noLevels() }
      measures.set(key, measure)
      measure.addresses += 1
      measure.levels[report.risk.level as keyof LevelCounts] += 1
    }
  }
  return [...measures]
    .map(([key, measure]) => {
      const [category, subcategory] = JSON.parse(key) as [string, string]
      return { category, subcategory, ...measure }
    })
    .sort((a, b) => (a.category + a.subcategory < b.category + b.subcategory ? -1 : 1))
}

/** Per level and reason, in descending order of addresses. */
export function measureReasons(reports: readonly Report[]): readonly ReasonMeasure[] {
  const counts = new Map<string, number>()
  for (const report of reports) {
    const key = JSON.stringify([report.risk.level, reasonsOf(report)])
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts]
    .map(([key, addresses]) => {
      const [level, reasons] = JSON.parse(key) as [string, string]
      return { level, reasons, addresses }
    })
    .sort((a, b) => b.addresses - a.addresses)
}

/** From this many points on, a clean attribution makes an address green. */
const CLEAN_POINTS = 80

function reasonsOf({ risk }: Report): string {
  if (risk.level === 'grey') return risk.level_reasons.join(', ')
  if (risk.level === 'green')
    return risk.categories.clean_exchange >= CLEAN_POINTS ? 'clean attribution' : 'complete history'
  return [...new Set(risk.evidence.filter((item) => item.decisive).map(({ category }) => category))]
    .sort()
    .join(', ')
}

/** The lists that the reports name: every list that is required or is an authority’s own. */
export function measureLists(report: Report): readonly ListMeasure[] {
  return report.coverage.labels.lists.map((list) => ({
    list: `${list.source} ${list.dataset}`,
    authority: list.authority ?? '',
    isWhole: list.whole,
    date: list.list_date ?? '',
    labels: list.labels,
    status: list.status,
  }))
}

/** A ratio with six decimals; 1 if there was nothing to find. */
const share = (part: number, whole: number): number =>
  whole === 0 ? 1 : Math.round((part / whole) * 1e6) / 1e6
