/** Precision and recall of the reports, per category. */
import type { Report } from '@cupel/contracts'
import type { FileRow } from '../../src/judgement-oracle.js'

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

const noLevels = (): LevelCounts => ({ red: 0, orange: 0, grey: 0, green: 0 })

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

/** A ratio with six decimals; 1 if there was nothing to find. */
const share = (part: number, whole: number): number =>
  whole === 0 ? 1 : Math.round((part / whole) * 1e6) / 1e6
