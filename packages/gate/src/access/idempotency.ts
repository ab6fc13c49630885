/**
 * Idempotency-Keys: a reservation holds the hash of the request and the id of its work. The report or job itself shows whether
 * the work is done, so nothing is written when it ends, and the two cannot disagree.
 */
import type { Environment } from '@cupel/domain'
import type { Database } from '@cupel/postgres'

/** How long an Idempotency-Key is remembered. */
export const IDEMPOTENCY_KEEP_MS = 24 * 3_600_000

/** A call with an Idempotency-Key, before it is known whether it is the first. */
export interface IdempotentRequest {
  readonly key: string
  /** SHA-256 of method, path and canonical body. */
  readonly requestHash: Buffer
  /** The id of the work if this call is the first; unique, so it identifies the call too. */
  readonly candidateId: string
}

/**
 * `reserved`: the first call with this key. `resumed`: an earlier attempt was given up; this call continues with its id. `held`: an earlier
 * attempt is running or done. `mismatch`: the key was used for another request.
 */
export type ReservationKind = 'reserved' | 'resumed' | 'held' | 'mismatch'

export interface Reservation {
  readonly kind: ReservationKind
  /** report_id or job_id, the same through all retries. */
  readonly workId: string
  /** Names the call that made this reservation. */
  readonly holderId: string
  readonly idempotencyKey: string
  readonly accountId: string
  readonly environment: Environment
}

/** Ends the lease, so that the next retry can continue at once: this attempt ended without an answer. */
export async function releaseReservation(database: Database, reservation: Reservation): Promise<void> {
  await database.transaction({ at: 'access.reservation' }, (transaction) =>
    transaction.execute(
      `UPDATE access.idempotency SET lease_until = clock_timestamp()
       WHERE account_id = $1 AND environment = $2 AND idempotency_key = $3 AND held_by = $4`,
      [...placeOf(reservation), reservation.holderId],
    ),
  )
}

/** Deletes a reservation whose request stores nothing. */
export async function forgetReservation(database: Database, reservation: Reservation): Promise<void> {
  await database.transaction({ at: 'access.reservation' }, (transaction) =>
    transaction.execute(
      `DELETE FROM access.idempotency
       WHERE account_id = $1 AND environment = $2 AND idempotency_key = $3 AND held_by = $4`,
      [...placeOf(reservation), reservation.holderId],
    ),
  )
}

/**
 * Reserves the key again after its work failed for good. Null if another call did so first: of any number of calls exactly one gets the
 * reservation.
 */
export async function restartReservation(
  database: Database,
  reservation: Reservation,
  restart: { readonly workId: string; readonly leaseMs: number },
): Promise<Reservation | null> {
  const rows = await database.transaction({ at: 'access.reservation' }, (transaction) =>
    transaction.execute(
      `UPDATE access.idempotency
       SET work_id = $5, held_by = $5, lease_until = clock_timestamp() + $6 * interval '1 millisecond'
       WHERE account_id = $1 AND environment = $2 AND idempotency_key = $3 AND work_id = $4`,
      [...placeOf(reservation), reservation.workId, restart.workId, restart.leaseMs],
    ),
  )
  if (rows === 0) return null
  return { ...reservation, kind: 'reserved', workId: restart.workId, holderId: restart.workId }
}

/** Rows deleted by one statement, so that none runs long. */
const FORGET_LIMIT = 5_000

/** Deletes expired reservations and returns their number. Skips rows that calls have locked. */
export async function forgetOldReservations(database: Database): Promise<number> {
  return await database.transaction({ at: 'access.reservation' }, (transaction) =>
    transaction.execute(
      `DELETE FROM access.idempotency WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM access.idempotency WHERE created_at <= clock_timestamp() - $1 * interval '1 millisecond'
         ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [IDEMPOTENCY_KEEP_MS, FORGET_LIMIT],
    ),
  )
}

function placeOf({ accountId, environment, idempotencyKey }: Reservation): readonly string[] {
  return [accountId, environment, idempotencyKey]
}
