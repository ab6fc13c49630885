/** The results for the reports of one partition. It is plain data: JSON preserves it. */
import type { RecomputeStatus, Verdict } from './verdict.js'

export const recomputeLevels = ['A', 'B', 'C'] as const
export type RecomputeLevel = (typeof recomputeLevels)[number]

export interface RecomputeFinding {
  readonly reportId: string
  readonly level: RecomputeLevel
  readonly status: Exclude<RecomputeStatus, 'same' | 'nothing-recorded'>
  /** Names from the record's root, joined by dots. */
  readonly paths: readonly string[]
  readonly reason: string | null
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

export type LevelCounts = Record<RecomputeStatus, number>

export interface RangeTally {
  reports: number
  readonly levels: Readonly<Partial<Record<RecomputeLevel, LevelCounts>>>
  readonly findings: RecomputeFinding[]
  findingsOmitted: number
  /** Reports whose customer reference was erased. */
  erasedReferences: number
  /** Versions of the scorer that the reports name. */
  readonly scorers: CountedName[]
  /** Policies that the reports name, with their versions. */
  readonly policies: CountedName[]
}

/** Number of reports that name one version. `name` is null for the versions beyond the listed ones. */
export interface CountedName {
  readonly name: string | null
  reports: number
}

/** Maximum number of versions listed by name: records of damaged logs may name any. */
const MAX_NAMES = 50
/** Maximum number of stored characters of a name. */
const MAX_NAME_LENGTH = 200

/** Adds reports to the count of a name, as long as there is room for another name. */
export function countName(counted: CountedName[], name: string | null, reports = 1): void {
  const wanted = name?.slice(0, MAX_NAME_LENGTH) ?? null
  const known = counted.find((one) => one.name === wanted)
  if (known !== undefined) known.reports += reports
  else if (wanted === null || counted.filter((one) => one.name !== null).length < MAX_NAMES)
    counted.push({ name: wanted, reports })
  else countName(counted, null, reports)
}

export const tallyOf = (levels: readonly RecomputeLevel[]): RangeTally => ({
  reports: 0,
  levels: Object.fromEntries(levels.map((level) => [level, noCounts()])),
  findings: [],
  findingsOmitted: 0,
  erasedReferences: 0,
  scorers: [],
  policies: [],
})

/** Counts one report with its verdict at every level. */
export function addTo(
  tally: RangeTally,
  {
    place: { topic, partition, offset },
    reportId,
    verdictOf,
    levels,
    maxFindings,
  }: {
    readonly place: { readonly topic: string; readonly partition: number; readonly offset: number }
    readonly reportId: string
    readonly verdictOf: (level: RecomputeLevel) => Verdict
    readonly levels: readonly RecomputeLevel[]
    readonly maxFindings: number
  },
): void {
  tally.reports += 1
  for (const level of levels) {
    const verdict = verdictOf(level)
    const { status } = verdict
    tally.levels[level]![status] += 1
    if (status === 'same' || status === 'nothing-recorded') continue
    if (tally.findings.length === maxFindings) tally.findingsOmitted += 1
    else tally.findings.push({ reportId, level, ...verdict, status, topic, partition, offset })
  }
}

export const noCounts = (): LevelCounts => ({
  same: 0,
  differs: 0,
  failed: 0,
  'not-derivable': 0,
  'nothing-recorded': 0,
})
