/**
 * Sessions: a person exchanges a key once for a token that lives for hours. The gate judges a call with the token like a call with the key:
 * the key's scope, bucket, allowlist, expiry and revocation apply at once.
 */
import { hash, randomBytes } from 'node:crypto'
import { renderSessionToken, SESSION_TOKEN_RANDOM_BYTES } from '@cupel/domain'
import type { Database, Queryable } from '@cupel/postgres'

export interface SessionOrder {
  /** The key that the session stands for. */
  readonly keyId: string
  /** Name of the person, if a sign-in service vouches for it; empty otherwise. */
  readonly actor: string
  /** The permanent identifier of the person, as that service states it; empty if there is none. */
  readonly subject?: string
}

export interface IssuedSession {
  /** The token itself; it is shown only here. */
  readonly token: string
  readonly sessionId: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly expiresAt: string
}

/** The session of a token. */
export interface ResolvedSession {
  readonly sessionId: string
  readonly keyId: string
  readonly keyHash: Buffer
  readonly actor: string
  readonly subject: string
  readonly expiresAt: string
}

/** A session token as a call carries it. */
export interface AskedSession {
  readonly sessionId: string
  readonly tokenHash: Buffer
}

/** A session ends at the latest this long after the sign-in. */
export const SESSION_LIFETIME_MS = 8 * 3_600_000
/** A session ends when no call used it for this long. */
export const SESSION_IDLE_MS = 3_600_000
/** Open sessions per key; a further one ends the oldest. */
export const MAX_SESSIONS_PER_KEY = 500
/** Rows that one sweep deletes. */
const SWEEP_ROWS = 1_000

/** Begins a session of an admitted key. The session ends with the key, if the key ends first. */
export async function beginSession(
  database: Database,
  { keyId, actor, subject = '' }: SessionOrder,
): Promise<IssuedSession> {
  const { sessionId, token } = renderSessionToken(randomBytes(SESSION_TOKEN_RANDOM_BYTES))
  return await database.transaction({ at: 'access.session' }, async (transaction) => {
    await transaction.execute(END_OLDEST, [keyId, MAX_SESSIONS_PER_KEY - 1])
    const [row] = await transaction.query<{ expiresAt: string }>(BEGIN, [
      ...[sessionId, hashSessionToken(token), keyId, actor, SESSION_LIFETIME_MS, subject],
    ])
    if (row === undefined) throw new Error(`Key ${keyId} of a new session was admitted and does not exist`)
    return { token, sessionId, expiresAt: row.expiresAt }
  })
}

const TIME = `to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "expiresAt"`

const BEGIN = `
  INSERT INTO access.session (session_id, token_hash, key_id, actor, begun_at, expires_at, used_at, subject)
  SELECT $1, $2, key_id, $4, clock_timestamp(),
    least(clock_timestamp() + $5::bigint * interval '1 millisecond', expires_at, revoked_at), clock_timestamp(), $6
  FROM access.api_key WHERE key_id = $3
  RETURNING ${TIME}`

const END_OLDEST = `
  DELETE FROM access.session WHERE session_id = ANY (ARRAY(
    SELECT session_id FROM access.session WHERE key_id = $1 ORDER BY begun_at DESC, session_id OFFSET $2 FOR UPDATE SKIP LOCKED))`

/** Ends a session at once, on every instance. Ending it twice changes nothing. */
export async function endSession(database: Database, sessionId: string): Promise<void> {
  await database.transaction({ at: 'access.session' }, (transaction) =>
    transaction.execute('DELETE FROM access.session WHERE session_id = $1', [sessionId]),
  )
}

/** Deletes a bounded number of ended sessions; returns how many. */
export async function forgetEndedSessions(database: Queryable): Promise<number> {
  return await database.execute(FORGET, [SESSION_IDLE_MS, SWEEP_ROWS])
}

const FORGET = `
  DELETE FROM access.session WHERE session_id = ANY (ARRAY(
    SELECT session_id FROM access.session
    WHERE expires_at <= clock_timestamp() OR used_at <= clock_timestamp() - $1::bigint * interval '1 millisecond'
    LIMIT $2 FOR UPDATE SKIP LOCKED))`

export function hashSessionToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** The sessions of the tokens, in the order of the tokens; null for a session that is unknown or ended. */
export async function resolveSessions(
  database: Queryable,
  asked: readonly AskedSession[],
): Promise<readonly (ResolvedSession | null)[]> {
  const rows = await database.query<Omit<ResolvedSession, 'sessionId'> & { readonly ordinal: number }>(
    RESOLVE,
    [asked.map(({ sessionId }) => sessionId), asked.map(({ tokenHash }) => tokenHash), SESSION_IDLE_MS],
  )
  const resolved = Array.from<ResolvedSession | null>({ length: asked.length }).fill(null)
  for (const { ordinal, ...row } of rows)
    resolved[ordinal - 1] = { ...row, sessionId: asked[ordinal - 1]!.sessionId }
  return resolved
}

const RESOLVE = {
  name: 'access.resolve_sessions',
  text: `SELECT ordinal, key_id AS "keyId", key_hash AS "keyHash", actor, subject, ${TIME}
         FROM access.resolve_sessions($1::text[], $2::bytea[], $3::bigint)`,
}
