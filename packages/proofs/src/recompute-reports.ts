/**
 * Decides every stored report again. Level A: from the log alone, byte for byte. Level B: the labels of its record are read
 * again from the label view, as of the state it names. Level C: its exposure is measured again on the ledger. Partitions are decided by
 * several deciders at once; the answer is the same whatever their number.
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
  /** What an earlier call passed to `onRange`, with the same log and the same question: only the rest is decided. */
  readonly resume?: RecomputeState | undefined
  /** Called at the beginning, and when another partition is done with all before it; one call at a time. A rejection ends the work. */
  readonly onRange?: (state: RecomputeState) => Promise<void>
  /** Those that decide these partitions, each one at a time; by default one, of this thread. */
  readonly decidersFor?: (ranges: readonly ReportRange[]) => readonly RangeDecider[] | undefined
}

/** How far the work has come. JSON keeps it as it is. */
export interface RecomputeState {
  /** The records in question, as the log had them when the work began. */
  readonly ranges: readonly ReportRange[]
  /** What was found in the first ranges, one entry for each. */
  readonly done: readonly RangeTally[]
}

/** The log no longer has what it had when the work began. */
export class CannotResumeError extends Error {
  override readonly name = 'CannotResumeError'
}

export interface RecomputeResult {
  readonly reports: number
  readonly levels: Readonly<Partial<Record<RecomputeLevel, LevelCounts>>>
  readonly findings: readonly RecomputeFinding[]
  readonly findingsOmitted: number
  /** Where reports may be gone, so that what is left proves nothing of them. */
  readonly missingFronts: readonly MissingFront[]
  /** Reports whose customer reference was erased: it is sealed in their record, and nobody can open it. */
  readonly erasedReferences: number
  /** Versions of the scorer, and policies with their versions, that the reports name: in the order of the log. */
  readonly scorers: readonly CountedName[]
  readonly policies: readonly CountedName[]
  /** The records that were read. */
  readonly ranges: readonly ReportRange[]
  /** Reports of ranges that an earlier call had done. */
  readonly resumedReports: number
  /** There are reports, none differs, every one could be decided again, and none may be gone. */
  readonly isProven: boolean
}

/**
 * Decides the reports again; memory is bounded whatever the log contains. Rejects with CannotResumeError where the log ends before what an
 * earlier call was to decide.
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

/** The tallies of all ranges, in their order; `done` are those of the first ones. */
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
  // Where one fails the others begin nothing more, and the first failure is told when all have stopped.
  const ends = await Promise.allSettled(
    deciders.map((decider) =>
      work(decider).catch((error: unknown) => ((isOver = true), Promise.reject(error))),
    ),
  )
  const failure = ends.find((end) => end.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return tallies as readonly RangeTally[]
}

/** Tells which ranges are done from the first one on without a gap; a range that is done before an earlier one waits for it. */
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

/** Sums what the deciders have read. */
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

/** Of all ranges together. Findings are listed in the order of the log. */
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
