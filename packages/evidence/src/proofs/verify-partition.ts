/** Verifies the records of one partition. It is work for any thread: what it takes and returns is plain data. */
import { hash } from 'node:crypto'
import { reportPartitionAmong, type DomainEvent } from '@cupel/contracts'
import { canonicalJson } from '@cupel/domain'
import {
  type EventLog,
  type ForgeryCheck,
  type LogRange,
  type LogRecord,
  LogStoppedError,
  timeOfRecord,
  TYPE_HEADER,
} from '@cupel/event-log'
import { createIdSet } from './id-set.js'
import { problemAt, type Problem, type ProblemKind } from './problem.js'
import {
  noSignatures,
  openSignatureExamination,
  type SignatureCounts,
  type SignatureExamination,
  type SignatureParts,
} from './report-signatures.js'

export interface PartitionPiece extends LogRange {
  /** Of the topic. */
  readonly partitions: number
  /** Whether the records are only counted: dead letters are stored unchanged. */
  readonly isRaw: boolean
  readonly maxProblems: number
  readonly maxIds: number
}

export interface VerifiedPartition {
  records: number
  readonly byType: Record<string, number>
  /** Records with an id that an earlier record of the range has. */
  repeats: number
  reports: number
  failures: number
  repeatedReports: number
  readonly signatures: SignatureCounts
  problemCount: number
  /** The first problems. */
  readonly problems: Problem[]
}

/** `onRecords` is called with the number of records that were read since its last call. */
export type VerifyPartition = (
  piece: PartitionPiece,
  onRecords: (records: number) => void,
) => Promise<VerifiedPartition>

interface Run extends Pick<SignatureParts, 'log' | 'codec'> {
  readonly piece: PartitionPiece
  readonly forgeryOf: ForgeryCheck
  readonly examination: SignatureExamination
  readonly result: VerifiedPartition
  readonly onRecords: (records: number) => void
}

export async function createPartitionVerifier(parts: SignatureParts): Promise<VerifyPartition> {
  const { log, codec } = parts
  const forgeryOf = await log.forgeryCheck()
  const examination = await openSignatureExamination(parts)
  return async (piece, onRecords) => {
    const result: VerifiedPartition = {
      ...{ records: 0, byType: {}, repeats: 0, reports: 0, failures: 0, repeatedReports: 0 },
      ...{ signatures: noSignatures(), problemCount: 0, problems: [] },
    }
    const shares = Math.max(1, Math.ceil((piece.to - piece.from) / piece.maxIds))
    for (let share = 0; share < shares; share += 1)
      await verifyShare({ log, codec, piece, forgeryOf, examination, result, onRecords }, { share, shares })
    return result
  }
}

function found({ result, piece }: Run, problem: Problem): void {
  result.problemCount += 1
  if (result.problems.length < piece.maxProblems) result.problems.push(problem)
}

const reportTypes: readonly (string | undefined)[] = ['ReportGenerated', 'ScreeningFailed']

/** One pass over a partition. The first pass examines every record; each pass compares one share of the ids. */
async function verifyShare(
  run: Run,
  { share, shares }: { readonly share: number; readonly shares: number },
): Promise<void> {
  const { piece, result } = run
  const { from, to, isRaw } = piece
  const capacity = Math.max(16, Math.ceil((to - from) / shares) * 2)
  const ids = createIdSet(capacity)
  const said = createIdSet(capacity)
  const reportIds = createIdSet(capacity)
  for await (const records of wholeRecords(run)) {
    for (const record of records) {
      const type = record.headers[TYPE_HEADER] ?? ''
      if (share === 0) {
        result.records += 1
        result.byType[type] = (result.byType[type] ?? 0) + 1
      }
      if (isForged(run, record, share)) continue
      if (isRaw) continue
      const id = record.headers['ce_id'] ?? ''
      const isReport = reportTypes.includes(type)
      // A failure and a report of one report id have different event ids, so the report id compares them.
      const isOurs = shareOf(isReport ? record.key : id, shares) === share
      if (share > 0 && !isOurs) continue
      const event = share === 0 || isReport ? decode(run, record, share) : null
      const valueSha256 = hash('sha256', record.value, 'hex')
      if (share === 0 && event?.type === 'ReportGenerated') examineReport(run, record, valueSha256, event)
      if (!isOurs || id === '') continue
      const isNew = ids.add(id)
      if (!isNew) result.repeats += 1
      // A report that was decided twice from different labels may differ. The first record counts, as checked below.
      const isNewText = said.add(`${id} ${valueSha256}`)
      if (!isNew && isNewText && !isReport)
        found(run, problemAt('id-reused', record, `${type} ${id} says something else.`))
      if (!isReport || event === null) continue
      if (!reportIds.add(record.key)) result.repeatedReports += 1
      else if (event.type === 'ReportGenerated') result.reports += 1
      else result.failures += 1
    }
    if (share === 0) run.onRecords(records.length)
  }
}

/** The records of a partition. The log detects a removed record; the reading of this partition ends there. */
async function* wholeRecords(run: Run): AsyncGenerator<readonly LogRecord[]> {
  const { topic, partition, from, to } = run.piece
  const log: EventLog = run.log.unchecked
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
    found(run, problemAt(kind, { topic, partition, offset, since }, error.message))
  }
}

/** A record of another producer is reported and not examined further: all readers ignore it. */
function isForged(run: Run, record: LogRecord, share: number): boolean {
  const forgery = run.forgeryOf(record)
  if (forgery === null) return false
  const detail = `The record under the key ${record.key} was not written by this installation (${forgery}).`
  if (share === 0) found(run, problemAt('forged', record, detail))
  return true
}

function shareOf(id: string, shares: number): number {
  if (shares === 1) return 0
  let hash = 0
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash, 31) + id.charCodeAt(index)
  return (hash >>> 0) % shares
}

function decode(run: Run, record: LogRecord, share: number): DomainEvent | null {
  try {
    return run.codec.decode(record)
  } catch (error) {
    if (share === 0) found(run, problemAt('undecodable', record, (error as Error).message))
    return null
  }
}

function examineReport(
  run: Run,
  record: LogRecord,
  valueSha256: string,
  { data }: DomainEvent<'ReportGenerated'>,
): void {
  const { piece, examination, result } = run
  const { key } = record
  const unsigned = examination.examine(record, valueSha256, result.signatures)
  if (unsigned !== null) found(run, unsigned)
  const wrong = (kind: ProblemKind, detail: string): void => found(run, problemAt(kind, record, detail))
  if (key !== data.reportId || reportPartitionAmong(data.reportId, piece.partitions) !== piece.partition)
    wrong('misplaced', `${data.reportId} is recorded with the key ${key}.`)
  const report = parsed(data.report)
  if (report === null) return wrong('report-contents', `The report of ${data.reportId} is not JSON.`)
  if (hash('sha256', canonicalJson(report), 'hex') !== data.reportSha256)
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
