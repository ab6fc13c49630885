/** Pending screens: report ids that were returned in a 503 before their report existed. */
import type { DomainEvent } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { outboxType, tenantScope, writeOutboxBatch } from '@cupel/projections'

export interface PendingScreen {
  readonly reportId: string
  readonly accountId: string
  readonly livemode: boolean
}

/** A screen whose id is about to be returned. */
export interface LateScreen extends PendingScreen {
  /** Whether the log has acknowledged its request. */
  readonly isAccepted: boolean
  readonly request: {
    readonly event: DomainEvent<'ScreenRequested'>
    readonly target: { readonly topic: string; readonly key: string }
  }
}

/**
 * Stores ids before they are returned. A request that the log has not acknowledged goes to the outbox in the same transaction, so that its
 * screening goes on whether or not the append succeeds. If two records have one report id, the first counts. Storing an id twice changes
 * nothing.
 */
export async function notePendingScreens(database: Database, screens: readonly LateScreen[]): Promise<void> {
  await database.transaction({ at: 'api.pending-noted' }, async (transaction) => {
    const noted = await transaction.query<{ reportId: string }>(NOTE, [
      screens.map((screen) => screen.reportId),
      screens.map((screen) => screen.accountId),
      screens.map((screen) => screen.livemode),
    ])
    const isNew = new Set(noted.map(({ reportId }) => reportId))
    await writeOutboxBatch(
      transaction,
      screens.flatMap(({ reportId, isAccepted, request }) =>
        isAccepted || !isNew.has(reportId)
          ? []
          : [{ ...request, event: { ...request.event, type: outboxType('ScreenRequested') } }],
      ),
    )
  })
}

const NOTE = `
  INSERT INTO access.pending_screen (report_id, account_id, livemode)
  SELECT * FROM unnest($1::text[], $2::text[], $3::boolean[])
  ON CONFLICT (report_id) DO NOTHING RETURNING report_id AS "reportId"`

/** Whether the id was returned to this account and environment before its report existed. */
export async function isPendingScreen(database: Queryable, screen: PendingScreen): Promise<boolean> {
  const rows = await database.query({ ...IS_PENDING, scope: tenantScope(screen) }, [
    ...[screen.reportId, screen.accountId, screen.livemode],
  ])
  return rows.length > 0
}

const IS_PENDING = {
  name: 'access.is_pending',
  text: 'SELECT 1 FROM access.pending_screen WHERE report_id = $1 AND account_id = $2 AND livemode = $3',
}

// Both run every two seconds, mostly with nothing to do.
const LIST = {
  name: 'access.list-pending-screens',
  text: `SELECT report_id AS "reportId", account_id AS "accountId", livemode FROM access.pending_screen
         ORDER BY noted_at LIMIT $1`,
}
const FORGET = {
  name: 'access.forget-pending-screens',
  text: `DELETE FROM access.pending_screen
         WHERE report_id = ANY ($1::text[]) OR noted_at <= now() - make_interval(secs => $2)`,
}

/** The oldest pending ids. */
export async function listPendingScreens(database: Queryable, limit: number): Promise<PendingScreen[]> {
  return await database.query<PendingScreen & Record<string, unknown>>(LIST, [limit])
}

/** Deletes the given ids, and all ids older than `keepMs`. */
export async function forgetPendingScreens(
  database: Queryable,
  options: { reportIds: readonly string[]; keepMs: number },
): Promise<void> {
  await database.execute(FORGET, [options.reportIds, options.keepMs / 1000])
}
