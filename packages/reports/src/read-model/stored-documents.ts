/** The documents of reports: in their rows, or in their records if retention took them from the rows of an old month. */
import { createSlots, LATE, withinMs } from '@cupel/kit/concurrency'
import { noMetrics, silentLogger, topicOf, type Logger, type Metrics } from '@cupel/contracts'
import {
  LogStoppedError,
  LogUnavailableError,
  RecordRetiredError,
  placeOf,
  type EventCodec,
  type EventLog,
  type Retirement,
} from '@cupel/event-log'
import { inParallel, type Tenant } from '@cupel/projections'
import { isDocumentMac, sha256Of } from './document-mac.js'

/** The place of the record of a report, in the topic of its environment. */
export interface ReportPlace {
  readonly reportId: string
  readonly partition: number
  readonly offset: number
}

/** The document of a row: the report as callers receive it, UTF-8 JSON, byte for byte; null if only its record has it. */
export interface StoredDocument extends ReportPlace {
  readonly document: string | null
  readonly documentMac: string | null
}

/** What shows whether the document of a row is that of its record. */
export interface DocumentClaim extends ReportPlace {
  /** Null if the row has no document. */
  readonly sha256: string | null
  readonly mac: string | null
}

/**
 * For each row null if its document is that of its record, or else the document from the record, in their order. Rejects with LogUnavailableError if a record cannot be read now, or is not
 * there any more, and with an error that names the place if the record is not the report of this tenant.
 */
export type ReadDocuments = (tenant: Tenant, claims: readonly DocumentClaim[]) => Promise<(string | null)[]>

/** Records that are read at the same time, for all answers: accounts take turns. */
const MAX_READS = 8
/** For a record: an archive may be in a store that does not answer. */
const READ_MS = 30_000

/** Where the record of a report is that was cut from the log; null if that is not known. */
export type FindRetirement = (tenant: Tenant, reportId: string) => Promise<Retirement | null>

export interface DocumentReaderOptions {
  readonly log: Pick<EventLog, 'read' | 'macs'>
  readonly codec: EventCodec
  /** Absent if an archive is configured: it has what was cut, or cannot be read now. */
  readonly findRetirement?: FindRetirement | undefined
  readonly logger?: Logger | undefined
  readonly metrics?: Metrics | undefined
}

export function documentReader(options: DocumentReaderOptions): ReadDocuments {
  const { log, codec, findRetirement } = options
  const isSound = documentCheck(options)
  const reportIn = codec.partOf('ReportGenerated', ['reportId', 'accountId', 'report'])
  const slots = createSlots(MAX_READS)

  async function read({ accountId, livemode }: Tenant, place: ReportPlace): Promise<string> {
    const { reportId, partition, offset } = place
    const topic = topicOf('ReportGenerated', livemode)
    try {
      for await (const records of log.read({ topic, partition, from: offset, to: offset + 1 }))
        for (const record of records) {
          const data = reportIn(record)
          if (data?.reportId === reportId && data.accountId === accountId) return data.report
        }
    } catch (cause) {
      throw await unreadReport(cause, { accountId, livemode, reportId }, findRetirement)
    }
    throw new Error(`${placeOf({ topic, partition })} has no report ${reportId} at offset ${offset}`)
  }

  async function readInTime(tenant: Tenant, place: ReportPlace): Promise<string> {
    const found = await withinMs(READ_MS, read(tenant, place))
    if (found !== LATE) return found
    throw new LogUnavailableError(`The report ${place.reportId} was not read within ${READ_MS} ms.`)
  }

  return async (tenant, claims) => {
    const found = claims.map((): string | null => null)
    const unsound = [...claims.entries()].filter(([, claim]) => !isSound(tenant, claim))
    await inParallel(unsound, MAX_READS, async ([at, place]) => {
      found[at] = await slots(() => readInTime(tenant, place), { owner: tenant.accountId })
    })
    return found
  }
}

/** Minimum time between two log lines about altered rows; all are counted. */
const ALARM_REST_MS = 10_000

/** Whether the row has the document of its record. A row without its document is not sound, and not altered. Without record keys every document is believed. */
function documentCheck({
  log: { macs },
  logger = silentLogger,
  metrics = noMetrics,
}: DocumentReaderOptions): (tenant: Tenant, claim: DocumentClaim) => boolean {
  const altered = metrics.counter(
    'report_altered_rows_total',
    'Reports that were read from their records because the MAC of the document in the row does not hold.',
  )
  let quietUntil = 0
  return ({ accountId, livemode }, { reportId, sha256, mac }) => {
    if (sha256 === null) return false
    if (macs === undefined) return true
    if (mac !== null && isDocumentMac(macs, mac, { accountId, livemode, reportId, sha256 })) return true
    altered.inc()
    if (performance.now() < quietUntil) return false
    quietUntil = performance.now() + ALARM_REST_MS
    logger.error(
      { report_id: reportId },
      'ALARM: the row of a report was altered; the report is read from its record. Run cupel audit verify',
    )
    return false
  }
}

/** The documents in their order. One that is not in its row, or was altered there, is read from its record. */
export async function documentsOf(
  readDocuments: ReadDocuments,
  tenant: Tenant,
  stored: readonly StoredDocument[],
): Promise<readonly string[]> {
  const read = await readDocuments(tenant, stored.map(claimOf))
  return stored.map(({ document }, at) => (read[at] === null ? document! : read[at]!))
}

function claimOf({ reportId, partition, offset, document, documentMac: mac }: StoredDocument): DocumentClaim {
  return { reportId, partition, offset, mac, sha256: document === null ? null : sha256Of(document) }
}

/** Of a row. */
export const storedDocument = ({
  reportId,
  partition,
  offset,
  document,
  documentMac,
}: StoredDocument): StoredDocument => ({ reportId, partition, offset, document, documentMac })

/** The error of a caller whose report the log does not give, from the error of the log. */
export async function unreadReport(
  cause: unknown,
  { accountId, livemode, reportId }: Tenant & { readonly reportId: string },
  findRetirement: FindRetirement | undefined,
): Promise<unknown> {
  if (!(cause instanceof LogStoppedError)) return cause
  if (cause.reason !== 'truncated-log')
    return new LogUnavailableError(`The report ${reportId} cannot be read: ${cause.message}`, { cause })
  const message = `The report ${reportId} was cut from the log: CUPEL_RETENTION_ARCHIVE must name the archive that has it.`
  const retirement = (await findRetirement?.({ accountId, livemode }, reportId)) ?? null
  return retirement === null
    ? new LogUnavailableError(message, { cause })
    : new RecordRetiredError(message, retirement, { cause })
}
