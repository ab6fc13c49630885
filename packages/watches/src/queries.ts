/** Reads watches for their account. Row security and the check of each row back the condition of the query (docs/adr/0150). */
import type { Queryable } from '@cupel/postgres'
import { tenantScope } from '@cupel/projections'
import { WATCH_FIELDS, type Owner, type Watch } from './watch.js'

/** Position in the list: the last watch of the previous page. */
export interface WatchCursor {
  readonly createdAt: string
  readonly watchId: string
}

export interface WatchPage {
  readonly items: readonly Watch[]
  /** Null at the end of the list. */
  readonly next: WatchCursor | null
}

/** Newest first. */
export async function listWatches(
  database: Queryable,
  owner: Owner,
  {
    pageSize,
    after,
    changedIn,
  }: {
    readonly pageSize: number
    readonly after: WatchCursor | null
    /** Only watches whose last digest with a change is the one of this day; YYYY-MM-DD. */
    readonly changedIn: string | null
  },
): Promise<WatchPage> {
  const values: unknown[] = [pageSize + 1]
  const parameter = (value: unknown): string => `$${2 + values.push(value)}`
  const conditions = [
    ...(changedIn === null ? [] : [`w.digest_day = ${parameter(changedIn)}::date`]),
    ...(after === null
      ? []
      : [
          `(w.created_at, w.watch_id) < (${parameter(after.createdAt)}::timestamptz, ${parameter(after.watchId)})`,
        ]),
  ]
  const rows = await own(
    database,
    owner,
    `${['true', ...conditions].join(' AND ')} ORDER BY w.created_at DESC, w.watch_id DESC LIMIT $3`,
    values,
  )
  const items = rows.slice(0, pageSize)
  const last = items.at(-1)
  const isMore = rows.length > pageSize && last !== undefined
  return { items, next: isMore ? { createdAt: last.createdAt, watchId: last.watchId } : null }
}

export async function getWatch(database: Queryable, owner: Owner, watchId: string): Promise<Watch | null> {
  const [watch] = await own(database, owner, 'w.watch_id = $3', [watchId])
  return watch ?? null
}

/** In the order of the ids; removed watches are left out. */
export async function listWatchesById(
  database: Queryable,
  owner: Owner,
  watchIds: readonly string[],
): Promise<Watch[]> {
  return await own(
    database,
    owner,
    'w.watch_id = ANY ($3::text[]) ORDER BY array_position($3::text[], w.watch_id)',
    [watchIds],
  )
}

/** The watches that a call made; null if there was no such call. */
export async function findBatch(database: Queryable, owner: Owner, batchId: string): Promise<Watch[] | null> {
  const [batch] = await database.query<{ watch_ids: string[] }>({ text: BATCH, scope: tenantScope(owner) }, [
    owner.accountId,
    owner.livemode,
    batchId,
  ])
  return batch === undefined ? null : await listWatchesById(database, owner, batch.watch_ids)
}

const BATCH = 'SELECT watch_ids FROM watches.batch WHERE account_id = $1 AND livemode = $2 AND batch_id = $3'

async function own(
  database: Queryable,
  owner: Owner,
  condition: string,
  values: readonly unknown[],
): Promise<Watch[]> {
  const text = `SELECT ${WATCH_FIELDS} FROM watches.watch w WHERE w.account_id = $1 AND w.livemode = $2 AND ${condition}`
  const rows = await database.query<Watch & Record<string, unknown>>({ text, scope: tenantScope(owner) }, [
    owner.accountId,
    owner.livemode,
    ...values,
  ])
  for (const { accountId, livemode } of rows)
    if (accountId !== owner.accountId || livemode !== owner.livemode)
      throw new Error('A query of watches returned a row of another tenant')
  return rows
}
