/**
 * Decides every stored report again. Level A: only from the log, byte for byte. Level B: the labels of its record are read
 * again from the label view, as of the recorded state. Level C: its exposure is measured again on the ledger. Several deciders
 * work on partitions at once; the result does not depend on their number.
 */
import type { AuthenticLog } from '@cupel/event-log'
import {
  countName,
  noCounts,
  type CountedName,
  type LevelCounts,
  type RangeTally,
  type RecomputeFinding,
  type RecomputeLevel,
} from './range-tally.js'
import {
  createRangeDecider,
  type RangeDecider,
  type RangeQuestion,
  type RangeSource,
} from './recompute-range.js'
import {
  frontsMissing,
  recordsToRead,
  reportRanges,
  type MissingFront,
  type ReadingProgress,
  type ReportRange,
} from './stored-reports.js'
import type { RecomputeStatus } from './verdict.js'

export interface RecomputeOptions extends RangeSource, RangeQuestion {
  readonly onProgress?: (progress: ReadingProgress) => void
  /** The state that an earlier call passed to `onRange`, with the same log and the same question: only the rest is decided. */
  readonly resume?: RecomputeState | undefined
  /** Called at the start, and when a partition and all before it are done; one call at a time. A rejection ends the work. */
  readonly onRange?: (state: RecomputeState) => Promise<void>
  /** The deciders for these partitions; each decides one at a time. By default one, in this thread. */
  readonly decidersFor?: (ranges: readonly ReportRange[]) => readonly RangeDecider[] | undefined
}

/** The progress of the work. It is plain data: JSON preserves it. */
export interface RecomputeState {
  /** The requested records, as the log had them when the work began. */
  readonly ranges: readonly ReportRange[]
  /** The results of the first ranges, one entry for each. */
  readonly done: readonly RangeTally[]
}

/** The log no longer has all records that it had when the work began. */
export class CannotResumeError extends Error {
  override readonly name = 'CannotResumeError'
}

export interface RecomputeResult {
  readonly reports: number
  readonly levels: Readonly<Partial<Record<RecomputeLevel, LevelCounts>>>
  readonly findings: readonly RecomputeFinding[]
  readonly findingsOmitted: number
  /** Places where reports may be gone, so that the rest of the log proves nothing about them. */
  readonly missingFronts: readonly MissingFront[]
  /** Reports whose customer reference was erased: it is sealed in their record, and nobody can open it. */
  readonly erasedReferences: number
  /** Versions of the scorer, and policies with their versions, that the reports name, in the order of the log. */
  readonly scorers: readonly CountedName[]
  readonly policies: readonly CountedName[]
  /** The records that were read. */
  readonly ranges: readonly ReportRange[]
  /** Reports of ranges that an earlier call had completed. */
  readonly resumedReports: number
  /** There are reports, none differs, all could be decided again, and none may be gone. */
  readonly isProven: boolean
}

/**
 * Decides the reports again; memory is bounded whatever the log contains. Rejects with CannotResumeError if the log ends before the
 * records that an earlier call had to decide.
 */
export async function recomputeReports(options: RecomputeOptions): Promise<RecomputeResult> {
  const { levels, maxFindings, resume } = options
  const missingFronts = await frontsMissing(options)
  const ranges = resume?.ranges ?? (await reportRanges(options))
  if (resume !== undefined) await requireRanges(options.log, ranges)
  const done = resume?.done ?? []
  const resumedReports = done.reduce((sum, { reports }) => sum + reports, 0)
  const tallies = await decideRanges(options, ranges, done)
  return { ...resultOf(tallies, { levels, maxFindings, missingFronts }), ranges, resumedReports }
}

/** The tallies of all ranges, in their order; `done` holds the tallies of the first ranges. */
async function decideRanges(
  options: RecomputeOptions,
  ranges: readonly ReportRange[],
  done: readonly RangeTally[],
): Promise<readonly RangeTally[]> {
  const left = ranges.slice(done.length)
  const deciders = options.decidersFor?.(left) ?? [createRangeDecider(options, options)]
  const tallies: (RangeTally | undefined)[] = [...done]
  const tell = teller(options, ranges)
  await tell(tallies)
  const noteProgress = progressOf(options, left)
  let next = done.length
  let isOver = false
  const work = async (decider: RangeDecider): Promise<void> => {
    while (next < ranges.length && !isOver) {
      const index = next
      next += 1
      tallies[index] = await decider.decide(ranges[index]!, (records) => noteProgress(index, records))
      await tell(tallies)
    }
  }
  // If one fails, the others start nothing new, and the first failure is thrown when all have stopped.
  const ends = await Promise.allSettled(
    deciders.map((decider) =>
      work(decider).catch((error: unknown) => ((isOver = true), Promise.reject(error))),
    ),
  )
  const failure = ends.find((end) => end.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return tallies as readonly RangeTally[]
}

/** Reports the ranges that are done without a gap from the first one on; a range that is done early waits for those before it. */
function teller({ onRange }: RecomputeOptions, ranges: readonly ReportRange[]) {
  let told = -1
  let last: Promise<void> = Promise.resolve()
  return (tallies: readonly (RangeTally | undefined)[]): Promise<void> =>
    (last = last.then(async () => {
      const gap = tallies.findIndex((tally) => tally === undefined)
      const done = (gap < 0 ? tallies : tallies.slice(0, gap)) as readonly RangeTally[]
      if (done.length <= told) return
      told = done.length
      await onRange?.({ ranges, done: [...done] })
    }))
}

/** Sums the records that the deciders have read. */
function progressOf({ onProgress, maxIds }: RecomputeOptions, ranges: readonly ReportRange[]) {
  const total = ranges.reduce((sum, range) => sum + recordsToRead(range, maxIds), 0)
  const read = new Map<number, number>()
  return (index: number, records: number): void => {
    read.set(index, records)
    onProgress?.({ records: [...read.values()].reduce((sum, one) => sum + one, 0), total })
  }
}

async function requireRanges(log: AuthenticLog, ranges: readonly ReportRange[]): Promise<void> {
  for (const { topic, partition, to } of ranges) {
    const count = await log.partitionCount(topic)
    const end = partition < count ? await log.endOffset(topic, partition) : 0
    if (end < to)
      throw new CannotResumeError(
        `${topic}/${partition} ends at offset ${end}, and it had ${to} when the work began.`,
      )
  }
}

/** The result of all ranges together. Findings are listed in the order of the log. */
function resultOf(
  tallies: readonly RangeTally[],
  {
    levels,
    maxFindings,
    missingFronts,
  }: Pick<RecomputeOptions, 'levels' | 'maxFindings'> & Pick<RecomputeResult, 'missingFronts'>,
): Omit<RecomputeResult, 'ranges' | 'resumedReports'> {
  const counts: Partial<Record<RecomputeLevel, LevelCounts>> = {}
  for (const level of levels) {
    const sum = (counts[level] = noCounts())
    for (const status of Object.keys(sum) as RecomputeStatus[])
      for (const tally of tallies) sum[status] += tally.levels[level]![status]
  }
  const reports = tallies.reduce((sum, tally) => sum + tally.reports, 0)
  const listed = tallies.flatMap(({ findings }) => findings)
  const findings = listed.slice(0, maxFindings)
  const omitted = tallies.reduce((sum, tally) => sum + tally.findingsOmitted, 0)
  return {
    ...{ reports, levels: counts, findings, missingFronts },
    erasedReferences: tallies.reduce((sum, tally) => sum + (tally.erasedReferences ?? 0), 0),
    scorers: summed(tallies.map(({ scorers }) => scorers)),
    policies: summed(tallies.map(({ policies }) => policies)),
    findingsOmitted: omitted + listed.length - findings.length,
    isProven:
      reports > 0 &&
      missingFronts.length === 0 &&
      levels.every((level) => counts[level]!.differs === 0 && counts[level]!.failed === 0),
  }
}

function summed(all: readonly (readonly CountedName[])[]): readonly CountedName[] {
  const sum: CountedName[] = []
  for (const { name, reports } of all.flat()) countName(sum, name, reports)
  return sum
}
