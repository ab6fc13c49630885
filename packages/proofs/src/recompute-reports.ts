/**
 * Decides every stored report again. Level A: from the log alone, byte for byte. Level B: the labels of its record are read
 * again from the label view, as of the state it names. Level C: its exposure is measured again on the ledger.
 */
import { recompute } from '@cupel/domain'
import type { AuthenticLog, EventCodec } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { measureExposureAgain } from './recompute-exposure.js'
import { readLabelsAgain, type ReportWithShared } from './recompute-labels.js'
import { MissingSharedInputError, openSharedInputs, type SharedInputsReader } from './shared-inputs.js'
import {
  frontsMissing,
  readStoredReports,
  type MissingFront,
  type ReadingProgress,
  type StoredReport,
} from './stored-reports.js'
import { compared, failed, type RecomputeStatus, type Verdict } from './verdict.js'

export const recomputeLevels = ['A', 'B', 'C'] as const
export type RecomputeLevel = (typeof recomputeLevels)[number]

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
}

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

export interface RecomputeResult {
  readonly reports: number
  readonly levels: Readonly<Partial<Record<RecomputeLevel, LevelCounts>>>
  readonly findings: readonly RecomputeFinding[]
  readonly findingsOmitted: number
  /** Where reports may be gone, so that what is left proves nothing of them. */
  readonly missingFronts: readonly MissingFront[]
  /** There are reports, none differs, every one could be decided again, and none may be gone. */
  readonly isProven: boolean
}

/** Decides the reports again, batch by batch; memory is bounded whatever the log contains. */
export async function recomputeReports(options: RecomputeOptions): Promise<RecomputeResult> {
  const { levels, database } = options
  const tally = createTally({ ...options, missingFronts: await frontsMissing(options) })
  const sharedInputs = openSharedInputs(options)
  const onUndecodable = (error: unknown, record: RecordPlace & { readonly key: string }): void =>
    tally.report(record, record.key, () => failed(error))

  for await (const batch of readStoredReports({ ...options, onUndecodable })) {
    const complete: (StoredReport & ReportWithShared)[] = []
    for (const stored of batch) {
      const { data } = stored.report
      const shared = await sharedOf(sharedInputs, data)
      if (shared instanceof Error) tally.report(stored, data.reportId, () => failed(shared))
      else complete.push({ ...stored, data, shared })
    }
    const verdicts = await Promise.all(levels.map((level) => judges[level](complete, database)))
    complete.forEach((stored, index) =>
      tally.report(stored, stored.data.reportId, (level) => verdicts[levels.indexOf(level)]![index]!),
    )
  }
  return tally.result()
}

type RecordPlace = Pick<StoredReport, 'topic' | 'partition' | 'offset'>

function createTally({
  levels,
  maxFindings,
  missingFronts,
}: Pick<RecomputeOptions, 'levels' | 'maxFindings'> & Pick<RecomputeResult, 'missingFronts'>) {
  const counts = Object.fromEntries(levels.map((level) => [level, noCounts()])) as Partial<
    Record<RecomputeLevel, LevelCounts>
  >
  const findings: RecomputeFinding[] = []
  let reports = 0
  let omitted = 0
  return {
    /** Counts one report with its verdict at every level. */
    report(
      { topic, partition, offset }: RecordPlace,
      reportId: string,
      verdictOf: (level: RecomputeLevel) => Verdict,
    ): void {
      reports += 1
      for (const level of levels) {
        const verdict = verdictOf(level)
        const { status } = verdict
        counts[level]![status] += 1
        if (status === 'same' || status === 'nothing-recorded') continue
        if (findings.length === maxFindings) omitted += 1
        else findings.push({ reportId, level, ...verdict, status, topic, partition, offset })
      }
    },
    result: (): RecomputeResult => ({
      reports,
      levels: counts,
      findings,
      findingsOmitted: omitted,
      missingFronts,
      isProven:
        reports > 0 &&
        missingFronts.length === 0 &&
        levels.every((level) => counts[level]!.differs === 0 && counts[level]!.failed === 0),
    }),
  }
}

const noCounts = (): LevelCounts => ({
  same: 0,
  differs: 0,
  failed: 0,
  'not-derivable': 0,
  'nothing-recorded': 0,
})

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
