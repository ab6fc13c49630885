/**
 * Decides every stored report again. Level A: from the log alone, byte for byte. Level B: the labels of its record are read
 * again from the label view, as of the state it names. Level C: its exposure is measured again on the ledger.
 */
import { recompute } from '@cupel/domain'
import type { AuthenticLog, EventCodec } from '@cupel/event-log'
import { keyIdOf } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { measureExposureAgain } from './recompute-exposure.js'
import { readLabelsAgain, type ReportWithShared } from './recompute-labels.js'
import { MissingSharedInputError, openSharedInputs, type SharedInputsReader } from './shared-inputs.js'
import {
  addTo,
  noCounts,
  tallyOf,
  type LevelCounts,
  type RangeTally,
  type RecomputeFinding,
  type RecomputeLevel,
} from './range-tally.js'
import {
  frontsMissing,
  readStoredReports,
  reportRanges,
  type MissingFront,
  type ReadingProgress,
  type ReportRange,
  type StoredReport,
} from './stored-reports.js'
import { readErasures } from './erasures.js'
import { compared, failed, type RecomputeStatus, type Verdict } from './verdict.js'

export interface RecomputeOptions {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Null with an archive: only level A needs none. */
  readonly database: Database | null
  readonly levels: readonly RecomputeLevel[]
  /** Only reports recorded from then on; UTC, RFC 3339. */
  readonly since?: string | undefined
  readonly reportId?: string | undefined
  readonly onProgress?: (progress: ReadingProgress) => void
  /** Findings kept for the answer; all are counted. */
  readonly maxFindings: number
  readonly maxIds?: number
  /** What an earlier call passed to `onRange`, with the same log and the same question: only the rest is decided. */
  readonly resume?: RecomputeState | undefined
  /** Called at the beginning and after each partition. A rejection ends the work. */
  readonly onRange?: (state: RecomputeState) => Promise<void>
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
  /** Reports of ranges that an earlier call had done. */
  readonly resumedReports: number
  /** There are reports, none differs, every one could be decided again, and none may be gone. */
  readonly isProven: boolean
}

/**
 * Decides the reports again, batch by batch; memory is bounded whatever the log contains. Rejects with CannotResumeError where the log ends
 * before what an earlier call was to decide.
 */
export async function recomputeReports(options: RecomputeOptions): Promise<RecomputeResult> {
  const { levels, database, maxFindings, resume } = options
  const missingFronts = await frontsMissing(options)
  const ranges = resume?.ranges ?? (await reportRanges(options))
  if (resume !== undefined) await requireRanges(options.log, ranges)
  const done = [...(resume?.done ?? [])]
  const resumedReports = done.reduce((sum, { reports }) => sum + reports, 0)
  let tally = tallyOf(levels)
  const found = (place: RecordPlace, reportId: string, verdictOf: (level: RecomputeLevel) => Verdict): void =>
    addTo(tally, { place, reportId, verdictOf, levels, maxFindings })
  const sharedInputs = openSharedInputs(options)
  const erasedKeys = new Set((await readErasures(options)).flatMap(({ keyIds }) => keyIds))
  const onUndecodable = (error: unknown, record: RecordPlace & { readonly key: string }): void =>
    found(record, record.key, () => failed(error))
  const onRangeRead = async (): Promise<void> => {
    done.push(tally)
    tally = tallyOf(levels)
    await options.onRange?.({ ranges, done })
  }

  await options.onRange?.({ ranges, done })
  const reading = { ...options, ranges: ranges.slice(done.length), onUndecodable, onRangeRead }
  for await (const batch of readStoredReports(reading)) {
    const complete: (StoredReport & ReportWithShared)[] = []
    for (const stored of batch) {
      const { data } = stored.report
      if (erasedKeys.has(keyIdOf(data.customerReference ?? '') ?? '')) tally.erasedReferences += 1
      const shared = await sharedOf(sharedInputs, data)
      if (shared instanceof Error) found(stored, data.reportId, () => failed(shared))
      else complete.push({ ...stored, data, shared })
    }
    const verdicts = await Promise.all(levels.map((level) => judges[level](complete, database)))
    complete.forEach((stored, index) =>
      found(stored, stored.data.reportId, (level) => verdicts[levels.indexOf(level)]![index]!),
    )
  }
  return { ...resultOf(done, { levels, maxFindings, missingFronts }), resumedReports }
}

type RecordPlace = Pick<StoredReport, 'topic' | 'partition' | 'offset'>

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
): Omit<RecomputeResult, 'resumedReports'> {
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
    findingsOmitted: omitted + listed.length - findings.length,
    isProven:
      reports > 0 &&
      missingFronts.length === 0 &&
      levels.every((level) => counts[level]!.differs === 0 && counts[level]!.failed === 0),
  }
}

/** The events that a report names, or the error that says which of them the log lacks. */
async function sharedOf(
  sharedInputs: SharedInputsReader,
  report: Parameters<SharedInputsReader['of']>[0],
): Promise<ReportWithShared['shared'] | MissingSharedInputError> {
  try {
    return await sharedInputs.of(report)
  } catch (error) {
    if (error instanceof MissingSharedInputError) return error
    throw error
  }
}

type Judge = (reports: readonly ReportWithShared[], database: Database | null) => Promise<readonly Verdict[]>

const judges: Readonly<Record<RecomputeLevel, Judge>> = {
  A: async (reports) => reports.map(decideAgain),
  B: async (reports, database) => await readLabelsAgain(reports, required(database)),
  C: async (reports, database) => await measureExposureAgain(reports, required(database)),
}

function required(database: Database | null): Database {
  if (database === null) throw new TypeError('Levels B and C read the tables of an installation')
  return database
}

/** A record with a damaged policy or damaged versions cannot be decided; that counts as failed. */
function decideAgain({ data, shared }: ReportWithShared): Verdict {
  try {
    return compared(data, recompute(data, shared))
  } catch (error) {
    return failed(error)
  }
}
