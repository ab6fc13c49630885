/**
 * Reads every report from the log. The first record of a report id in its partition, report or failure, is what callers received.
 * Memory is bounded: a partition with more ids than fit in memory is read several times, each time for another share of the
 * ids.
 */
import { reportPartitionAmong, topicOf, type DomainEvent } from '@cupel/contracts'
import {
  type AuthenticLog,
  type EventCodec,
  type Forgery,
  type LogRecord,
  type Place,
  placesOf,
  rangeOf,
  TYPE_HEADER,
} from '@cupel/event-log'
import { createIdSet, fingerprint } from './id-set.js'

/** Maximum number of ids in memory at once: 16 MB. */
const MAX_IDS = 1_000_000

export interface StoredReport {
  readonly report: DomainEvent<'ReportGenerated'>
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

export interface StoredReportsOptions {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** True for live reports, false for sandbox reports; both if it is not given. */
  readonly livemode?: boolean | undefined
  /** Only reports recorded at or after this time; UTC, RFC 3339. */
  readonly since?: string | undefined
  /** Only this report. */
  readonly reportId?: string | undefined
  /** Called for each skipped record: one that is not an event, or one of another producer. Without this callback the read fails there. */
  readonly onUndecodable?: (error: unknown, record: LogRecord) => void
  readonly onProgress?: (progress: ReadingProgress) => void
  /** Only these ranges; by default all records that the log has at the start. */
  readonly ranges?: readonly ReportRange[] | undefined
  /** Called after each range, when the caller has finished its last batch. A rejection ends the read. */
  readonly onRangeRead?: () => Promise<void>
  readonly maxIds?: number | undefined
}

export interface ReadingProgress {
  readonly records: number
  readonly total: number
}

const types: readonly (string | undefined)[] = ['ReportGenerated', 'ScreeningFailed']

/** Returns the reports in batches, up to the current end of the log; ordered within a partition and one share of its ids. */
export async function* readStoredReports(
  options: StoredReportsOptions,
): AsyncGenerator<readonly StoredReport[], void, undefined> {
  const { log, maxIds = MAX_IDS } = options
  const forgeryOf = await log.forgeryCheck()
  const ranges = options.ranges ?? (await reportRanges(options))
  const shares = (range: ReportRange): number => sharesOf(range, maxIds)
  const total = ranges.reduce((sum, range) => sum + recordsToRead(range, maxIds), 0)
  let records = 0
  for (const range of ranges) {
    for (let share = 0; share < shares(range); share += 1) {
      const first = createIdSet(Math.min(maxIds * 2, Math.max(1, range.to - range.from)))
      const isOurs = (id: string): boolean => fingerprint(id).high % shares(range) === share
      for await (const batch of log.unchecked.read(range)) {
        const reports = batch
          .filter((record) => types.includes(record.headers[TYPE_HEADER]) && record.value !== null)
          .filter(({ key }) => options.reportId === undefined || key === options.reportId)
          .filter((record) => isOurs(record.key) && isGenuine(record, forgeryOf(record), options))
          .filter(({ key }) => first.add(key))
          .flatMap((record) => decoded(record, options))
        records += batch.length
        options.onProgress?.({ records, total })
        if (reports.length > 0) yield reports
      }
    }
    await options.onRangeRead?.()
  }
}

const sharesOf = ({ from, to }: ReportRange, maxIds: number): number =>
  Math.max(1, Math.ceil((to - from) / maxIds))

/** Number of records read for a range: one with more ids than fit in memory is read several times. */
export const recordsToRead = (range: ReportRange, maxIds: number = MAX_IDS): number =>
  (range.to - range.from) * sharesOf(range, maxIds)

/** A record of another producer is never the first of its id. */
function isGenuine(
  record: LogRecord,
  forgery: Forgery | null,
  { onUndecodable }: StoredReportsOptions,
): boolean {
  if (forgery === null) return true
  const { topic, partition, offset } = record
  const error = new Error(
    `The record ${topic}/${partition} at ${offset} was not written by this installation (${forgery}).`,
  )
  if (onUndecodable === undefined) throw error
  onUndecodable(error, record)
  return false
}

/** A partition whose oldest records were deleted: reports may be gone, and a repeat may look like the first record of its id. */
export interface MissingFront {
  readonly topic: string
  readonly partition: number
  /** Offset of its oldest record. */
  readonly beginsAt: number
}

/** The partitions of the requested reports that do not begin at offset 0. */
export async function frontsMissing(
  options: Pick<StoredReportsOptions, 'log' | 'livemode' | 'reportId'>,
): Promise<readonly MissingFront[]> {
  return (await reportRanges(options))
    .filter(({ from }) => from > 0)
    .map(({ topic, partition, from }) => ({ topic, partition, beginsAt: from }))
}

/** The records of one partition: `from` is the first offset, `to` the offset after the last. */
export interface ReportRange {
  readonly topic: string
  readonly partition: number
  readonly from: number
  readonly to: number
}

/** The partitions of the requested reports, with the records that the log has now. */
export async function reportRanges({
  log,
  livemode,
  reportId,
}: Pick<StoredReportsOptions, 'log' | 'livemode' | 'reportId'>): Promise<ReportRange[]> {
  const ranges: ReportRange[] = []
  const modes = livemode === undefined ? [true, false] : [livemode]
  for (const topic of modes.map((live) => topicOf('ReportGenerated', live))) {
    const places = await placesOf(log, [topic])
    const holds = ({ partition }: Place): boolean =>
      reportId === undefined || reportPartitionAmong(reportId, places.length) === partition
    ranges.push(...(await Promise.all(places.filter(holds).map((place) => rangeOf(log, place)))))
  }
  return ranges
}

/** The report of a record in the requested range. An older record is not decoded: only its id is used. */
function decoded(record: LogRecord, { codec, since, onUndecodable }: StoredReportsOptions): StoredReport[] {
  const recordedAt = record.headers['ce_time'] ?? ''
  if (since !== undefined && recordedAt < since) return []
  const { topic, partition, offset } = record
  try {
    const report = codec.decodeAs('ReportGenerated', record)
    return report === null ? [] : [{ report, topic, partition, offset }]
  } catch (error) {
    if (onUndecodable === undefined) throw error
    onUndecodable(error, record)
    return []
  }
}
