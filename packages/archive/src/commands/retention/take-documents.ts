/** Takes the documents of a month from the rows of the read model. Each row has its document or not: readers find it in its record. */
import { topicOf } from '@cupel/contracts'
import { endRetirement, beginRetirement, type MonthRetired } from '@cupel/projections'
import type { Database, Queryable } from '@cupel/postgres'
import type { ArchiveContents } from '../../index.js'
import { boundsOf, type Month } from './plan.js'

/** Pages of the table that one transaction reads: some ten megabytes. */
const PAGES_AT_ONCE = 2_000

/**
 * The event is stored before the first document goes. Where it is cut off, the next call goes on. Resolves to the number of rows whose
 * documents this call took.
 */
export async function takeDocuments(
  database: Database,
  retired: MonthRetired,
  contents: ArchiveContents,
): Promise<number> {
  const { month } = retired
  await database.transaction({ at: 'retention.begin' }, (transaction) =>
    beginRetirement(transaction, retired),
  )
  const ends = archivedEnds(contents)
  const pages = await pagesOf(database)
  let taken = 0
  for (let from = 0; from < pages; from += PAGES_AT_ONCE)
    taken += await database.transaction({ at: 'retention.documents' }, async (transaction) => {
      const rows = await transaction.execute(TAKE, [
        ...[`(${from},0)`, `(${from + PAGES_AT_ONCE},0)`, ...Object.values(boundsOf(month))],
        ...[ends.map(({ livemode }) => livemode), ends.map(({ partition }) => partition)],
        ends.map(({ next }) => next),
      ])
      const isLast = from + PAGES_AT_ONCE >= pages
      if (isLast && (await documentsLeft(transaction, month)) === 0) await endRetirement(transaction, retired)
      return rows
    })
  // The next reports are written to the room of the documents.
  await database.execute('VACUUM report_view.report')
  return taken
}

/** The next version of a row fits into the rest of its page, so that no index changes. Only what the archive has is taken. */
const TAKE = {
  name: 'retention.take',
  text: `UPDATE report_view.report r SET document = NULL, document_mac = NULL
         FROM unnest($5::bool[], $6::int4[], $7::int8[]) AS archived (livemode, partition, next)
         WHERE r.ctid >= $1::tid AND r.ctid < $2::tid AND r.document IS NOT NULL
           AND r.ended_at >= $3::timestamptz AND r.ended_at < $4::timestamptz
           AND archived.livemode = r.livemode AND archived.partition = r.log_partition AND r.log_offset < archived.next`,
}

interface ArchivedEnd {
  readonly livemode: boolean
  readonly partition: number
  /** The first offset that the archive does not have. */
  readonly next: number
}

function archivedEnds({ topics, segments }: ArchiveContents): readonly ArchivedEnd[] {
  return [true, false].flatMap((livemode) => {
    const topic = topicOf('ReportGenerated', livemode)
    const { starts = [] } = topics.get(topic) ?? {}
    return starts.map((start, partition) => ({
      ...{ livemode, partition },
      next: segments.get(`${topic}/${partition}`)?.at(-1)?.next ?? start,
    }))
  })
}

async function pagesOf(database: Database): Promise<number> {
  const [row] = await database.query<{ pages: number }>(
    `SELECT (pg_relation_size('report_view.report') / current_setting('block_size')::int8)::int8 AS pages`,
  )
  return row!.pages
}

async function documentsLeft(database: Queryable, month: Month): Promise<number> {
  const [row] = await database.query<{ left: number }>(
    `SELECT count(*)::int8 AS left FROM report_view.report
     WHERE ended_at >= $1::timestamptz AND ended_at < $2::timestamptz AND document IS NOT NULL`,
    Object.values(boundsOf(month)),
  )
  return row!.left
}
