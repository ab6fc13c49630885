/** Makes all watches of a call or none. An already watched address keeps its watch and takes the settings of the call. */
import { randomBytes } from 'node:crypto'
import { decidedEventId } from '@cupel/contracts'
import type { ScreenedAddress } from '@cupel/domain'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { writeWatchEvents } from './events.js'
import { KEEP_BATCHES_MS } from './limits.js'
import { listWatchesById } from './queries.js'
import type { Actor, Owner, Watch } from './watch.js'

export interface NewWatch extends ScreenedAddress {
  /** Finds the labels of the address, also those of other chains that share it. */
  readonly lookupKey: string
  readonly reference: string | null
  /** UTC, RFC 3339 with milliseconds; null: without an end. */
  readonly until: string | null
  readonly thresholdHundredths: number
  /** Part of the daily digest. */
  readonly digest: boolean
}

export interface NewWatches {
  readonly batchId: string
  /** In the order of the call; no two of them are the same address on the same chain. */
  readonly watches: readonly NewWatch[]
  /** Maximum number of the account's watches in the environment, without those that ended. */
  readonly maxWatches: number
  /** Prefix of a report id that gives the URL of its page. */
  readonly reportPageUrl: string
}

export type CreateWatchesResult =
  | { readonly ok: true; readonly watches: readonly Watch[] }
  | { readonly ok: false; readonly code: 'too_many_watches' }

/** `wb_` and 20 random hex characters: identifies the watches of one call. */
export function newBatchId(): string {
  return `wb_${randomBytes(10).toString('hex')}`
}

const newWatchId = (): string => `wat_${randomBytes(10).toString('hex')}`

class TooManyError extends Error {}

export async function createWatches(
  database: Database,
  order: Owner & Actor & NewWatches,
): Promise<CreateWatchesResult> {
  try {
    const watchIds = await database.transaction({ at: 'watches.change' }, (transaction) =>
      insertWatches(transaction, order),
    )
    return { ok: true, watches: await listWatchesById(database, order, watchIds) }
  } catch (error) {
    if (error instanceof TooManyError) return { ok: false, code: 'too_many_watches' }
    throw error
  }
}

async function insertWatches(
  transaction: Queryable,
  order: Owner & Actor & NewWatches,
): Promise<readonly string[]> {
  const { accountId, livemode, batchId, reportPageUrl, keyId, person, call } = order
  const owner = { accountId, livemode }
  // Calls of one tenant take turns, so that two calls together cannot pass the limit.
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `cupel.watches ${accountId} ${livemode}`,
  ])
  const rows = await upsert(transaction, order)
  const [counted] = await transaction.query<{ count: number }>(
    `SELECT count(*)::int4 AS count FROM watches.watch
     WHERE account_id = $1 AND livemode = $2 AND (until IS NULL OR until > clock_timestamp())`,
    [accountId, livemode],
  )
  if ((counted?.count ?? 0) > order.maxWatches)
    throw new TooManyError('The account has as many watches as it may have')
  const idOf = new Map(rows.map((row) => [keyOf(row), row.watchId]))
  const watchIds = order.watches.map((one) => idOf.get(keyOf(one))!)
  const [made] = await transaction.query<{ madeAt: string }>(
    `INSERT INTO watches.batch (batch_id, account_id, livemode, watch_ids, made_at)
     VALUES ($1, $2, $3, $4, date_trunc('milliseconds', clock_timestamp())) RETURNING ${asTimes('made_at')}`,
    [batchId, accountId, livemode, watchIds],
  )
  const createdAt = made!.madeAt
  const watches = order.watches.map(({ candidateChains, ...one }, index) => ({
    ...one,
    candidateChains: [...candidateChains],
    watchId: watchIds[index]!,
  }))
  const data = { batchId, ...owner, watches, reportPageUrl, createdAt, createdBy: keyId, actor: person, call }
  const id = decidedEventId('WatchesCreated', batchId)
  await writeWatchEvents(transaction, [
    { type: outboxType('WatchesCreated'), id, subject: batchId, time: createdAt, data },
  ])
  return watchIds
}

const keyOf = ({ chain, canonicalAddress }: { chain: string; canonicalAddress: string }): string =>
  `${chain} ${canonicalAddress}`

/** A new watch is due at once: later reports are compared with its first one. */
async function upsert(
  transaction: Queryable,
  { accountId, livemode, watches, reportPageUrl }: Owner & NewWatches,
): Promise<{ watchId: string; chain: string; canonicalAddress: string }[]> {
  const rows = watches.map((one) => ({ ...one, watchId: newWatchId() }))
  return await transaction.query(
    `INSERT INTO watches.watch AS w (watch_id, account_id, livemode, address, canonical_address, chain, candidate_chains,
       lookup_key, reference, until, threshold_hundredths, digest, report_page_url, created_at, due_at, causes)
     SELECT r."watchId", $1, $2, r.address, r."canonicalAddress", r.chain, r."candidateChains", r."lookupKey", r.reference,
       r.until, r."thresholdHundredths", r.digest, $4, date_trunc('milliseconds', clock_timestamp()), clock_timestamp(), '{created}'
     FROM json_to_recordset($3::json) AS r ("watchId" text, address text, "canonicalAddress" text, chain text,
       "candidateChains" json, "lookupKey" text, reference text, until timestamptz, "thresholdHundredths" int4, digest bool)
     ON CONFLICT (account_id, livemode, chain, canonical_address) DO UPDATE
     SET reference = excluded.reference, until = excluded.until, threshold_hundredths = excluded.threshold_hundredths,
       digest = excluded.digest,
       due_at = CASE WHEN w.until <= clock_timestamp() THEN clock_timestamp() ELSE w.due_at END
     RETURNING ${asFields('watch_id, chain, canonical_address')}`,
    [accountId, livemode, JSON.stringify(rows), reportPageUrl],
  )
}

/** Deletes answers that no repeat can request any more. */
export async function sweepBatches(database: Queryable): Promise<void> {
  await database.execute(
    `DELETE FROM watches.batch WHERE made_at < now() - make_interval(secs => $1::float8 / 1000)`,
    [KEEP_BATCHES_MS],
  )
}
