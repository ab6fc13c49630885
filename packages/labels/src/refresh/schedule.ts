/** The schedule: when each list is due, who refreshes it, and its last outcome. Each change is one statement; the lease of a killed process expires. */
import type { Queryable } from '@cupel/postgres'

export interface ListState {
  readonly name: string
  readonly place: string | null
  readonly etag: string | null
  readonly lastModified: string | null
  readonly sha256: string | null
  /** The digest of that file that its publisher stated. */
  readonly statedDigest: string | null
  readonly failures: number
}

export type KnownFile = Pick<ListState, 'place' | 'etag' | 'lastModified' | 'sha256' | 'statedDigest'>

export interface ListStatus extends ListState {
  /** UTC, RFC 3339; null if it never happened. */
  readonly dueAt: string
  readonly attemptedAt: string | null
  readonly succeededAt: string | null
  /** When a refresh last brought another file than the one before. */
  readonly changedAt: string | null
  readonly outcome: string | null
  readonly detail: string | null
  /** Milliseconds since the last refresh, by the clock of the database. */
  readonly ageMs: number | null
  /** Milliseconds since `changedAt`, by the same clock. */
  readonly unchangedMs: number | null
  readonly isRunning: boolean
}

/** Longer than a short interruption of the database; renewed during the work. */
export const LEASE_MS = 120_000

/** Adds lists that are new; they are due at once. */
export async function enterLists(database: Queryable, names: readonly string[]): Promise<void> {
  await database.execute(
    `INSERT INTO labels.refreshed_list (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING`,
    [names],
  )
}

/** Leases the list that has been due longest, or null; with `force` also lists that are not due. */
export async function claimList(
  database: Queryable,
  { names, owner, force = false }: { names: readonly string[]; owner: string; force?: boolean },
): Promise<ListState | null> {
  const rows = await database.query<StateRow>(
    `UPDATE labels.refreshed_list SET leased_by = $2, leased_until = now() + $3 * interval '1 ms', attempted_at = now()
     WHERE name = (
       SELECT name FROM labels.refreshed_list
       WHERE name = ANY ($1::text[]) AND ($4 OR due_at <= now()) AND (leased_until IS NULL OR leased_until < now())
       ORDER BY due_at, name LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING name, place, etag, last_modified, sha256, stated_digest, failures`,
    [names, owner, LEASE_MS, force],
  )
  const [row] = rows
  return row === undefined ? null : stateOf(row)
}

/** Resolves to whether the lease was still held. */
export async function renewLease(
  database: Queryable,
  { name, owner }: { name: string; owner: string },
): Promise<boolean> {
  const rows = await database.query(
    `UPDATE labels.refreshed_list SET leased_until = now() + $3 * interval '1 ms'
     WHERE name = $1 AND leased_by = $2 RETURNING name`,
    [name, owner, LEASE_MS],
  )
  return rows.length > 0
}

export interface RefreshRecord {
  readonly name: string
  readonly owner: string
  readonly outcome: string
  readonly detail: string | null
  readonly succeeded: boolean
  /** Whether it brought another file than the one before. */
  readonly hasChanged: boolean
  /** Time until the list is due again. */
  readonly nextInMs: number
  /** Validators for the next fetch; null keeps the current ones. */
  readonly known: KnownFile | null
}

/** Records the outcome and returns the lease. */
export async function recordRefresh(database: Queryable, record: RefreshRecord): Promise<void> {
  const { name, owner, outcome, detail, succeeded, hasChanged, nextInMs, known } = record
  await database.execute(
    `UPDATE labels.refreshed_list SET leased_by = NULL, leased_until = NULL, outcome = $3, detail = $4,
       due_at = now() + $5 * interval '1 ms',
       succeeded_at = CASE WHEN $6 THEN now() ELSE succeeded_at END,
       failures = CASE WHEN $6 THEN 0 ELSE failures + 1 END,
       place = CASE WHEN $7 THEN $8 ELSE place END, etag = CASE WHEN $7 THEN $9 ELSE etag END,
       last_modified = CASE WHEN $7 THEN $10 ELSE last_modified END,
       sha256 = CASE WHEN $7 THEN $11 ELSE sha256 END,
       stated_digest = CASE WHEN $7 THEN $13 ELSE stated_digest END, changed_at = CASE WHEN $12 THEN now() ELSE changed_at END
     WHERE name = $1 AND leased_by = $2`,
    [
      ...[name, owner, outcome, detail, nextInMs, succeeded, known !== null],
      ...[known?.place ?? null, known?.etag ?? null, known?.lastModified ?? null, known?.sha256 ?? null],
      ...[hasChanged, known?.statedDigest ?? null],
    ],
  )
}

/** Every list of the plan, in the order of the plan. */
export async function listStatuses(
  database: Queryable,
  names: readonly string[],
): Promise<readonly ListStatus[]> {
  const rows = await database.query<StatusRow>(
    `SELECT name, place, etag, last_modified, sha256, stated_digest, failures, due_at, attempted_at, succeeded_at, changed_at, outcome, detail,
       (extract(epoch FROM now() - succeeded_at) * 1000)::float8 AS age_ms,
       (extract(epoch FROM now() - changed_at) * 1000)::float8 AS unchanged_ms,
       coalesce(leased_until > now(), false) AS is_running
     FROM labels.refreshed_list WHERE name = ANY ($1::text[]) ORDER BY array_position($1::text[], name)`,
    [names],
  )
  return rows.map((row) => ({
    ...stateOf(row),
    dueAt: row.due_at.toISOString(),
    attemptedAt: row.attempted_at?.toISOString() ?? null,
    succeededAt: row.succeeded_at?.toISOString() ?? null,
    changedAt: row.changed_at?.toISOString() ?? null,
    outcome: row.outcome,
    detail: row.detail,
    ageMs: row.age_ms,
    unchangedMs: row.unchanged_ms,
    isRunning: row.is_running,
  }))
}

/** A page of every list that was entered, by name, and the last name of the page if there are more. */
export async function listSchedules(
  database: Queryable,
  { after, pageSize }: { readonly after: string | null; readonly pageSize: number },
): Promise<{ readonly items: readonly ListStatus[]; readonly next: string | null }> {
  const rows = await database.query<{ name: string }>(
    `SELECT name FROM labels.refreshed_list WHERE $1::text IS NULL OR name > $1 ORDER BY name LIMIT $2`,
    [after, pageSize + 1],
  )
  const names = rows.slice(0, pageSize).map(({ name }) => name)
  const items = await listStatuses(database, names)
  return { items, next: rows.length > pageSize ? names.at(-1)! : null }
}

/** Makes the list due now, unless it is being refreshed; null if no list has this name. */
export async function dueNow(database: Queryable, name: string): Promise<ListStatus | null> {
  await database.execute(
    `UPDATE labels.refreshed_list SET due_at = now() WHERE name = $1 AND (leased_until IS NULL OR leased_until < now())`,
    [name],
  )
  return (await listStatuses(database, [name]))[0] ?? null
}

interface StateRow extends Record<string, unknown> {
  name: string
  place: string | null
  etag: string | null
  last_modified: string | null
  sha256: string | null
  stated_digest: string | null
  failures: number
}

interface StatusRow extends StateRow {
  due_at: Date
  attempted_at: Date | null
  succeeded_at: Date | null
  changed_at: Date | null
  outcome: string | null
  detail: string | null
  age_ms: number | null
  unchanged_ms: number | null
  is_running: boolean
}

function stateOf({ name, place, etag, sha256, failures, ...row }: StateRow): ListState {
  return {
    ...{ name, place, etag, lastModified: row.last_modified, sha256 },
    statedDigest: row.stated_digest,
    failures,
  }
}
