/**
 * Verifies that the log is well-formed: every record is an event of its schema, every report matches its hash, repeats have the
 * same contents, report ids are in the partitions they name, and every row of every read model is what the log states.
 * Nothing is changed.
 */
import { createHash } from 'node:crypto'
import { reportPartitionAmong, type DomainEvent, type TopicSpec } from '@cupel/contracts'
import { canonicalJson, sha256Hex } from '@cupel/domain'
import {
  type AuthenticLog,
  type EventCodec,
  type EventLog,
  type ForgeryCheck,
  type LogRecord,
  LogStoppedError,
  placesOf,
  rangeOf,
  timeOfRecord,
  TYPE_HEADER,
} from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { PublicKey } from '@cupel/signing'
import { compareReadModels } from './compare-read-models.js'
import { createIdSet } from './id-set.js'
import { problemAt, type Problem, type ProblemKind } from './problem.js'
import {
  openSignatureExamination,
  type SignatureExamination,
  type SignatureSummary,
} from './report-signatures.js'
import type { ReadingProgress } from './stored-reports.js'

export interface TopicSummary {
  readonly topic: string
  readonly partitions: number
  readonly records: number
  readonly byType: Readonly<Record<string, number>>
  /** Records with an id that an earlier record has. */
  readonly repeats: number
}

export interface VerifyResult {
  readonly log: string
  readonly topics: readonly TopicSummary[]
  readonly records: number
  /** Distinct report ids, each counted by its first record. */
  readonly reports: number
  readonly failures: number
  readonly repeatedReports: number
  readonly signatures: SignatureSummary
  readonly problemCount: number
  /** The first problems. */
  readonly problems: readonly Problem[]
}

export interface VerifyOptions {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Database of the read models to compare; null without one, as with an archive. */
  readonly database: Database | null
  readonly topics: readonly Pick<TopicSpec, 'name'>[]
  /** Topics of dead letters: their records are only counted, because they are stored unchanged. */
  readonly rawTopics: ReadonlySet<string>
  /** Keys that came from another source than the log; null to check signatures with the keys that the log names. */
  readonly publicKeys: readonly PublicKey[] | null
  readonly maxProblems: number
  readonly onProgress?: (progress: ReadingProgress) => void
  readonly maxIds?: number
}

/** Ids in memory at once: 16 MB for ids and 16 MB for digests of their contents. */
const MAX_IDS = 1_000_000
const reportTypes: readonly (string | undefined)[] = ['ReportGenerated', 'ScreeningFailed']

export async function verifyLog(options: VerifyOptions): Promise<VerifyResult> {
  const { log, topics, maxProblems } = options
  const problems: Problem[] = []
  let problemCount = 0
  const found = (problem: Problem): void => {
    problemCount += 1
    if (problems.length < maxProblems) problems.push(problem)
  }
  const forgeryOf = await log.forgeryCheck()
  const signatures = await openSignatureExamination(options, options.publicKeys)
  const summaries: TopicSummary[] = []
  const totals = { reports: 0, failures: 0, repeatedReports: 0 }
  for (const { name } of topics) {
    const tally = { records: 0, byType: {} as Record<string, number>, repeats: 0 }
    const places = await placesOf(log, [name])
    const partitions = places.length
    for (const { partition } of places) {
      const run = { topic: name, partition, partitions, tally, totals, found, forgeryOf, signatures }
      await verifyPartition(run, options)
    }
    summaries.push({ topic: name, partitions, ...tally })
  }
  if (options.database !== null)
    for (const problem of await compareReadModels(options.database, options)) found(problem)
  return {
    log: await log.identity(),
    topics: summaries,
    records: summaries.reduce((sum, { records }) => sum + records, 0),
    ...totals,
    signatures: signatures.summary(),
    problemCount,
    problems,
  }
}

interface PartitionRun {
  readonly topic: string
  readonly partition: number
  /** Of the topic. */
  readonly partitions: number
  readonly tally: { records: number; byType: Record<string, number>; repeats: number }
  readonly totals: { reports: number; failures: number; repeatedReports: number }
  readonly found: (problem: Problem) => void
  readonly forgeryOf: ForgeryCheck
  readonly signatures: SignatureExamination
}

async function verifyPartition(run: PartitionRun, options: VerifyOptions): Promise<void> {
  const { log, maxIds = MAX_IDS } = options
  const { topic, partition } = run
  const { from, to } = await rangeOf(log, run)
  if (from > 0)
    run.found(
      problemAt(
        'truncated',
        { topic, partition, offset: from, since: null },
        `The front of the topic is gone: it begins at offset ${from}, and no read model can be built from it.`,
      ),
    )
  const shares = Math.max(1, Math.ceil((to - from) / maxIds))
  for (let share = 0; share < shares; share += 1) await verifyShare(run, options, { from, to, share, shares })
}

/** One pass over a partition. The first pass examines every record; each pass compares one share of the ids. */
async function verifyShare(
  run: PartitionRun,
  options: VerifyOptions,
  { from, to, share, shares }: { from: number; to: number; share: number; shares: number },
): Promise<void> {
  const { log, codec, rawTopics } = options
  const { topic, tally, totals, found } = run
  const capacity = Math.max(16, Math.ceil((to - from) / shares) * 2)
  const ids = createIdSet(capacity)
  const said = createIdSet(capacity)
  const reportIds = createIdSet(capacity)
  let read = 0
  for await (const records of wholeRecords(run, log.unchecked, { from, to })) {
    for (const record of records) {
      const type = record.headers[TYPE_HEADER] ?? ''
      if (share === 0) {
        tally.records += 1
        tally.byType[type] = (tally.byType[type] ?? 0) + 1
      }
      if (isForged(run, record, share)) continue
      if (rawTopics.has(topic)) continue
      const id = record.headers['ce_id'] ?? ''
      const isReport = reportTypes.includes(type)
      // A failure and a report of one report id have different event ids, so the report id compares them.
      const isOurs = shareOf(isReport ? record.key : id, shares) === share
      if (share > 0 && !isOurs) continue
      const event = share === 0 || isReport ? decode(run, codec, record, share) : null
      if (share === 0 && event?.type === 'ReportGenerated') examineReport(run, record, event)
      if (!isOurs || id === '') continue
      const isNew = ids.add(id)
      if (!isNew) tally.repeats += 1
      // A report that was decided twice from different labels may differ. The first record counts, as checked below.
      const isNewText = said.add(`${id} ${digest(record.value)}`)
      if (!isNew && isNewText && !isReport)
        found(problemAt('id-reused', record, `${type} ${id} says something else.`))
      if (!isReport || event === null) continue
      if (!reportIds.add(record.key)) totals.repeatedReports += 1
      else if (event.type === 'ReportGenerated') totals.reports += 1
      else totals.failures += 1
    }
    read += records.length
    options.onProgress?.({ records: read, total: to - from })
  }
}

/** The records of a partition. The log detects a removed record; the reading of this partition ends there. */
async function* wholeRecords(
  { topic, partition, found }: PartitionRun,
  log: EventLog,
  { from, to }: { from: number; to: number },
): AsyncGenerator<readonly LogRecord[]> {
  let last: LogRecord | undefined
  try {
    for await (const records of log.read({ topic, partition, from, to })) {
      yield records
      last = records.at(-1)
    }
  } catch (error) {
    if (!(error instanceof LogStoppedError)) throw error
    const kind = error.reason === 'gap' ? 'gap' : 'truncated'
    const offset = last === undefined ? from : last.offset + 1
    const since = last === undefined ? null : timeOfRecord(last)
    found(problemAt(kind, { topic, partition, offset, since }, error.message))
  }
}

/** A record of another producer is reported and not examined further: all readers ignore it. */
function isForged({ found, forgeryOf }: PartitionRun, record: LogRecord, share: number): boolean {
  const forgery = forgeryOf(record)
  if (forgery === null) return false
  const detail = `The record under the key ${record.key} was not written by this installation (${forgery}).`
  if (share === 0) found(problemAt('forged', record, detail))
  return true
}

function shareOf(id: string, shares: number): number {
  if (shares === 1) return 0
  let hash = 0
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash, 31) + id.charCodeAt(index)
  return (hash >>> 0) % shares
}

function decode(
  { found }: PartitionRun,
  codec: EventCodec,
  record: LogRecord,
  share: number,
): DomainEvent | null {
  try {
    return codec.decode(record)
  } catch (error) {
    if (share === 0) found(problemAt('undecodable', record, (error as Error).message))
    return null
  }
}

function examineReport(
  { partition, partitions, found, signatures }: PartitionRun,
  record: LogRecord,
  { data }: DomainEvent<'ReportGenerated'>,
): void {
  const { key } = record
  const unsigned = signatures.examine(record)
  if (unsigned !== null) found(unsigned)
  const wrong = (kind: ProblemKind, detail: string): void => found(problemAt(kind, record, detail))
  if (key !== data.reportId || reportPartitionAmong(data.reportId, partitions) !== partition)
    wrong('misplaced', `${data.reportId} is recorded with the key ${key}.`)
  const report = parsed(data.report)
  if (report === null) return wrong('report-contents', `The report of ${data.reportId} is not JSON.`)
  if (sha256Hex(canonicalJson(report)) !== data.reportSha256)
    wrong('report-hash', `${data.reportId} is not what its hash was taken of.`)
  const { risk } = report
  if (report.report_id !== data.reportId || risk?.level !== data.level || risk?.score !== data.score)
    wrong('report-contents', `The report of ${data.reportId} and its record disagree.`)
}

interface ReportText {
  readonly report_id?: string
  readonly risk?: { readonly level?: string; readonly score?: number }
}

function parsed(text: string): ReportText | null {
  try {
    return JSON.parse(text) as ReportText
  } catch {
    // The caller reports that it is not JSON.
    return null
  }
}

const digest = (value: Buffer): string => createHash('sha256').update(value).digest('base64')
