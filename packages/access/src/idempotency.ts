/**
 * Idempotency-Keys: a reservation holds what was asked and the id its work was given. Whether that work is done is asked where
 * the work is kept, so that nothing is written when it ends and nothing can disagree with it.
 */
import type { Environment } from '@cupel/domain'
import type { Database } from '@cupel/postgres'

/** How long an Idempotency-Key stands for its request. */
export const IDEMPOTENCY_KEEP_MS = 24 * 3_600_000

/** A call with an Idempotency-Key, before it is known whether it is the first. */
export interface IdempotentRequest {
  readonly key: string
  /** SHA-256 of method, path and canonical body. */
  readonly requestHash: Buffer
  /** Id the work gets if this call is the first; unique, so that it names the call as well. */
  readonly candidateId: string
}

/**
 * `reserved`: the first call with this key. `resumed`: an earlier attempt was given up; this call goes on with its id.
 * `held`: an earlier attempt is running or done. `mismatch`: the key stands for another request.
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

/** Lets the next retry go on at once, where this attempt ended without an answer to keep. */
export async function releaseReservation(database: Database, reservation: Reservation): Promise<void> {
  await database.transaction({ at: 'access.reservation' }, (transaction) =>
    transaction.execute(
      `UPDATE access.idempotency SET lease_until = clock_timestamp()
       WHERE account_id = $1 AND environment = $2 AND idempotency_key = $3 AND held_by = $4`,
      [...placeOf(reservation), reservation.holderId],
    ),
  )
}

/** Forgets a reservation whose request turned out to be one that stores nothing. */
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
 * Begins anew where the work of a reservation ended for good without an answer to keep. Null where another call was faster;
 * of any number of calls one gets the reservation.
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

/** Deletes reservations whose time is over; returns how many. Rows that calls hold at the moment are left for the next time. */
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
