/**
 * The latest report of each account about each address on a chain, for all accounts. It is used for the topic that holds this state.
 *
 * The latest of two reports is the one that was decided later (`ended_at`). For two in one millisecond it is the one with the greater id.
 * A later record with the id of a report is ignored, because this view stores only the first one. So the latest report is the greatest
 * element of a set that only grows. It is the same in whatever order records are read, and however often.
 */
import { asFields, asTimes, type Queryable } from '@cupel/postgres'

export interface LatestReport {
  readonly accountId: string
  readonly livemode: boolean
  readonly chain: string
  readonly canonicalAddress: string
  readonly address: string
  readonly reportId: string
  readonly level: string
  readonly score: number
  /** UTC, RFC 3339 with milliseconds. */
  readonly endedAt: string
  readonly jobId: string | null
  readonly logPartition: number
  readonly logOffset: number
}

/** The subject of a report. */
export interface ReportedAddress {
  readonly accountId: string
  readonly livemode: boolean
  readonly chain: string
  readonly canonicalAddress: string
}

/** A record of a topic of reports. */
export interface ReportRecord {
  readonly reportId: string
  readonly livemode: boolean
  readonly partition: number
  readonly offset: number
}

const FIELDS = asFields(
  [
    ...[
      'r.account_id',
      'r.livemode',
      'r.chain',
      'r.canonical_address',
      'r.address',
      'r.report_id',
      'r.level',
    ],
    ...['r.score', 'r.job_id', 'r.log_partition', 'r.log_offset'],
  ].join(', '),
)
const TIMES = asTimes('r.ended_at')

const AMONG = {
  name: 'report-view.latest-among',
  text: `SELECT ${FIELDS}, ${TIMES}
         FROM unnest($1::text[], $2::bool[], $3::int4[], $4::int8[]) AS w (report_id, livemode, log_partition, log_offset)
         JOIN report_view.report r USING (report_id, livemode, log_partition, log_offset)
         WHERE r.state = 'generated' AND NOT EXISTS (
           SELECT FROM report_view.report later
           WHERE later.account_id = r.account_id AND later.livemode = r.livemode
             AND later.canonical_address = r.canonical_address AND later.state = 'generated'
             AND later.chain = r.chain AND (later.ended_at, later.report_id) > (r.ended_at, r.report_id))
         ORDER BY r.ended_at, r.report_id`,
}

/**
 * The reports among these records that are the latest ones of their addresses now, oldest first. A record that is not the first one with
 * its id does not count as a report. The view must have applied the records already.
 */
export async function latestReportsAmong(
  database: Queryable,
  records: readonly ReportRecord[],
): Promise<LatestReport[]> {
  if (records.length === 0) return []
  return await database.query<LatestReport>(AMONG, [
    records.map(({ reportId }) => reportId),
    records.map(({ livemode }) => livemode),
    records.map(({ partition }) => partition),
    records.map(({ offset }) => offset),
  ])
}

const OF = {
  name: 'report-view.latest-of',
  text: `SELECT ${FIELDS}, ${TIMES}
         FROM unnest($1::text[], $2::bool[], $3::text[], $4::text[]) AS w (account_id, livemode, chain, canonical_address)
         CROSS JOIN LATERAL (
           SELECT * FROM report_view.report each
           WHERE each.account_id = w.account_id AND each.livemode = w.livemode
             AND each.canonical_address = w.canonical_address AND each.state = 'generated' AND each.chain = w.chain
           ORDER BY each.ended_at DESC, each.report_id DESC LIMIT 1) r`,
}

/** The latest report about each of these addresses; none for an address without a report. */
export async function latestReportsOf(
  database: Queryable,
  addresses: readonly ReportedAddress[],
): Promise<LatestReport[]> {
  if (addresses.length === 0) return []
  return await database.query<LatestReport>(OF, [
    addresses.map(({ accountId }) => accountId),
    addresses.map(({ livemode }) => livemode),
    addresses.map(({ chain }) => chain),
    addresses.map(({ canonicalAddress }) => canonicalAddress),
  ])
}

const ADDRESSES = {
  name: 'report-view.reported-addresses',
  text: `SELECT DISTINCT account_id AS "accountId", livemode, canonical_address AS "canonicalAddress", chain
         FROM report_view.report
         WHERE account_id = $1 AND livemode = $2 AND state = 'generated' AND canonical_address >= $3
           AND (canonical_address, chain) > ($3, $4)
         ORDER BY canonical_address, chain LIMIT $5`,
}
const PAGE = 1_000

/** Every address on a chain that an account has reports about, in pages. */
export async function* reportedAddressesOf(
  database: Queryable,
  accountId: string,
): AsyncGenerator<readonly ReportedAddress[]> {
  for (const livemode of [true, false])
    for (let after = { canonicalAddress: '', chain: '' }; ;) {
      const { canonicalAddress, chain } = after
      const values = [accountId, livemode, canonicalAddress, chain, PAGE]
      const page = await database.query<ReportedAddress>(ADDRESSES, values)
      if (page.length > 0) yield page
      if (page.length < PAGE) break
      after = page.at(-1)!
    }
}
