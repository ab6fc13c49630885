/**
 * Handles calls that carry an Idempotency-Key. The key names one piece of work with one id. A repeat is answered from the stored
 * result of that work. A call that finds an abandoned attempt continues it. A fault stores nothing.
 */
import { createHash } from 'node:crypto'
import {
  forgetReservation,
  releaseReservation,
  restartReservation,
  type IdempotentRequest,
  type Reservation,
} from '../access/index.js'
import { problemCodes, type Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import {
  type Answer,
  type Idempotency,
  type KeyedCall,
  canonicalJson,
  isRefusal,
  refuse,
  type Refusal,
} from '../http/index.js'

/** 1 to 255 visible ASCII characters: all proxies and servers read these alike. */
const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/
/** A running attempt has usually ended by then. */
const IN_PROGRESS_RETRY_SECONDS = 1

export type KeyHeader =
  | { readonly ok: true; readonly key: string | null }
  | { readonly ok: false; readonly key: null; readonly refusal: Refusal }

/** Reads the Idempotency-Key of a request from Node's raw headers; more than one such header is rejected like a malformed one. */
export function readIdempotencyKey(rawHeaders: readonly string[]): KeyHeader {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.toLowerCase() === 'idempotency-key') values.push(rawHeaders[index + 1]!)
  const [key, ...more] = values
  if (key === undefined) return { ok: true, key: null }
  if (more.length === 0 && KEY_PATTERN.test(key)) return { ok: true, key }
  const detail = 'Idempotency-Key is one field of 1 to 255 visible ASCII characters.'
  return {
    ok: false,
    key: null,
    refusal: refuse('invalid_request', detail, { errors: [{ pointer: '', detail }] }),
  }
}

/** What is stored of a key: it is free text of the caller, who may write a name into it. */
export const storedKeyOf = (key: string): string => createHash('sha256').update(key).digest('base64url')

/** The request of a key. Requests with the same method, path, query and canonical JSON are the same request. */
export async function idempotentRequest(
  key: string,
  request: { readonly method: string; readonly url: string },
  body: unknown,
  idempotency: Pick<Idempotency, 'newWorkId'>,
): Promise<IdempotentRequest> {
  const requestHash = createHash('sha256')
    .update(`${request.method}\n${request.url}\n${canonicalJson(body)}`)
    .digest()
  return { key: storedKeyOf(key), requestHash, candidateId: await idempotency.newWorkId() }
}

export interface IdempotentCallParts {
  readonly database: Database
  readonly leaseMs: number
  readonly logger: Logger
}

/** Answers a call that has a reservation. `work` carries it out under the id it is given. */
export async function answerIdempotently(
  parts: IdempotentCallParts,
  call: KeyedCall,
  idempotency: Idempotency,
  reservation: Reservation,
  work: (workId: string, isResumed: boolean) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  if (reservation.kind === 'mismatch')
    return refuse('idempotency_mismatch', 'This Idempotency-Key was used with another request.')
  let own = reservation
  if (own.kind !== 'reserved') {
    const found = await idempotency.replay(call, own.workId, undefined)
    if (found.kind === 'answer') return replayed(found.answer)
    if (found.kind === 'unknown-yet') return found.refusal
    if (found.kind === 'failed') {
      // Only successes are kept: after a fault one of the repeats starts the work again.
      const workId = await idempotency.newWorkId()
      const restarted = await restartReservation(parts.database, own, { workId, leaseMs: parts.leaseMs })
      if (restarted === null) return inProgress()
      own = restarted
    } else if (own.kind === 'held') return inProgress()
  }
  try {
    const result = await work(own.workId, own.kind === 'resumed')
    // The work of a late answer continues, so its reservation is kept until the lease ends.
    if (isRefusal(result) && result.code !== 'screening_timeout')
      await releaseAfter(parts, own, problemCodes[result.code].status)
    return result
  } catch (error) {
    await releaseAfter(parts, own, 500)
    throw error
  }
}

/** After a fault a retry may continue at once; after a 4xx nothing is stored. If the database is down, the lease ends by itself. */
async function releaseAfter(
  { database, logger }: IdempotentCallParts,
  reservation: Reservation,
  status: number,
): Promise<void> {
  try {
    await (status < 500 ? forgetReservation : releaseReservation)(database, reservation)
  } catch (error) {
    logger.warn({ err: error }, 'A reservation could not be released; it ends with its lease')
  }
}

function inProgress(): Refusal {
  return refuse(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still being answered.',
    { retryAfterSeconds: IN_PROGRESS_RETRY_SECONDS },
  )
}

function replayed(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
}
