/** The documents of reports: in their rows, or in their records if retention took them from the rows of an old month. */
import { createSlots, LATE, withinMs } from '@cupel/kit/concurrency'
import { topicOf } from '@cupel/contracts'
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

/** The place of the record of a report, in the topic of its environment. */
export interface ReportPlace {
  readonly reportId: string
  readonly partition: number
  readonly offset: number
}

/** The report as callers receive it, UTF-8 JSON, byte for byte; or where its record has it. */
export type StoredDocument = string | ReportPlace

/**
 * The documents at these places, in their order. Rejects with LogUnavailableError if a record cannot be read now, or is not
 * there any more, and with an error that names the place if the record is not the report of this tenant.
 */
export type ReadDocuments = (tenant: Tenant, places: readonly ReportPlace[]) => Promise<string[]>

/** Records that are read at the same time, for all answers: accounts take turns. */
const MAX_READS = 8
/** For a record: an archive may be in a store that does not answer. */
const READ_MS = 30_000

/** Where the record of a report is that was cut from the log; null if that is not known. */
export type FindRetirement = (tenant: Tenant, reportId: string) => Promise<Retirement | null>

export interface DocumentReaderOptions {
  readonly log: Pick<EventLog, 'read'>
  readonly codec: EventCodec
  /** Absent if an archive is configured: it has what was cut, or cannot be read now. */
  readonly findRetirement?: FindRetirement | undefined
}

export function documentReader({ log, codec, findRetirement }: DocumentReaderOptions): ReadDocuments {
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

  return async (tenant, places) => {
    const found: string[] = []
    await inParallel([...places.entries()], MAX_READS, async ([at, place]) => {
      found[at] = await slots(() => readInTime(tenant, place), { owner: tenant.accountId })
    })
    return found
  }
}

/** The documents in their order; those that are not in their rows are read. */
export async function documentsOf(
  readDocuments: ReadDocuments,
  tenant: Tenant,
  stored: readonly StoredDocument[],
): Promise<readonly string[]> {
  const places = stored.filter((document) => typeof document !== 'string')
  const read = places.length === 0 ? [] : await readDocuments(tenant, places)
  let next = 0
  return stored.map((document) => (typeof document === 'string' ? document : read[next++]!))
}

/** Of a row. */
export function storedDocument({
  reportId,
  document,
  partition,
  offset,
}: ReportPlace & { readonly document: string | null }): StoredDocument {
  return document ?? { reportId, partition, offset }
}

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
