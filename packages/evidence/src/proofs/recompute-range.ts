/** Decides the reports of one partition again, in batches: memory is bounded whatever the partition contains. */
import { recompute } from '@cupel/domain'
import type { AuthenticLog, EventCodec } from '@cupel/event-log'
import { keyIdOf } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { readErasures } from './erasures.js'
import { measureExposureAgain } from './recompute-exposure.js'
import { readLabelsAgain, type ReportWithShared } from './recompute-labels.js'
import { addTo, countName, tallyOf, type RangeTally, type RecomputeLevel } from './range-tally.js'
import { MissingSharedInputError, openSharedInputs, type SharedInputsReader } from './shared-inputs.js'
import { readStoredReports, type ReportRange, type StoredReport } from './stored-reports.js'
import { compared, failed, type Verdict } from './verdict.js'

export interface RangeQuestion {
  readonly levels: readonly RecomputeLevel[]
  /** Only reports recorded at or after this time; UTC, RFC 3339. */
  readonly since?: string | undefined
  readonly reportId?: string | undefined
  /** Maximum number of findings kept for the answer; all are counted. */
  readonly maxFindings: number
  readonly maxIds?: number | undefined
}

export interface RangeSource {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Null with an archive: only level A works without a database. */
  readonly database: Database | null
}

/** Decides one partition at a time. */
export interface RangeDecider {
  /** `onRecords` receives the number of records read so far; records of a large partition are read and counted more than once. */
  decide(range: ReportRange, onRecords: (records: number) => void): Promise<RangeTally>
}

/** The decider of this thread. It reads the events that reports name once for all its partitions. */
export function createRangeDecider(source: RangeSource, question: RangeQuestion): RangeDecider {
  const sharedInputs = openSharedInputs(source)
  let erasures: Promise<ReadonlySet<string>> | null = null
  const erasedKeys = (): Promise<ReadonlySet<string>> =>
    (erasures ??= readErasures(source).then((all) => new Set(all.flatMap(({ keyIds }) => keyIds))))
  return {
    decide: (range, onRecords) =>
      decideRange({ source, question, sharedInputs, erasedKeys }, range, onRecords),
  }
}

type RecordPlace = Pick<StoredReport, 'topic' | 'partition' | 'offset'>

async function decideRange(
  {
    source,
    question,
    sharedInputs,
    erasedKeys,
  }: {
    readonly source: RangeSource
    readonly question: RangeQuestion
    readonly sharedInputs: SharedInputsReader
    /** Ids of destroyed keys. */
    readonly erasedKeys: () => Promise<ReadonlySet<string>>
  },
  range: ReportRange,
  onRecords: (records: number) => void,
): Promise<RangeTally> {
  const { levels, maxFindings } = question
  const tally = tallyOf(levels)
  const erased = await erasedKeys()
  const found = (place: RecordPlace, reportId: string, verdictOf: (level: RecomputeLevel) => Verdict): void =>
    addTo(tally, { place, reportId, verdictOf, levels, maxFindings })
  const reading = {
    ...{ ...source, ...question, ranges: [range] },
    onUndecodable: (error: unknown, record: RecordPlace & { readonly key: string }): void =>
      found(record, record.key, () => failed(error)),
    onProgress: ({ records }: { readonly records: number }) => onRecords(records),
  }
  for await (const batch of readStoredReports(reading)) {
    const complete: (StoredReport & ReportWithShared)[] = []
    for (const stored of batch) {
      const { data } = stored.report
      if (erased.has(keyIdOf(data.customerReference ?? '') ?? '')) tally.erasedReferences += 1
      const { scorerVersion, policyId, policyVersion } = data.inputs
      countName(tally.scorers, scorerVersion)
      countName(tally.policies, `${policyId} ${policyVersion}`)
      const shared = await sharedOf(sharedInputs, data)
      if (shared instanceof Error) found(stored, data.reportId, () => failed(shared))
      else complete.push({ ...stored, data, shared })
    }
    const verdicts = await Promise.all(levels.map((level) => judges[level](complete, source.database)))
    complete.forEach((stored, index) =>
      found(stored, stored.data.reportId, (level) => verdicts[levels.indexOf(level)]![index]!),
    )
  }
  return tally
}

/** The events that a report names, or the error that names the event that the log lacks. */
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

/** A record with a damaged policy or damaged versions cannot be decided; it counts as failed. */
function decideAgain({ data, shared }: ReportWithShared): Verdict {
  try {
    return compared(data, recompute(data, shared))
  } catch (error) {
    return failed(error)
  }
}
