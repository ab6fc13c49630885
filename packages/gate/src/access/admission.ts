/**
 * The gate that every call passes: it judges the key, the client address, the scope, the token bucket and the Idempotency-Key.
 * The database judges each call by its own clock, so that a revoked key is refused at once and a bucket is exact over all
 * instances. Calls of one moment share one statement, which makes that cheap.
 */
import { createBatcher } from '@cupel/kit/concurrency'
import { noMetrics, silentLogger, type Logger, type Metrics } from '@cupel/contracts'
import {
  plans as publishedPlans,
  type Environment,
  type Plan,
  type PlanName,
  type Scope,
} from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { createJudging, type Question, type Verdict } from './admit-calls.js'
import { createAuthFailures, MAX_FAILURES_PER_MINUTE } from './auth-failures.js'
import { readBearer, type Bearer } from './bearer.js'
import { releaseReservation, type IdempotentRequest, type Reservation } from './idempotency.js'
import { createPlanTable, type RateLimit } from './plan-table.js'
import { resolveSessions, type AskedSession, type ResolvedSession } from './sessions.js'
import { createRecognition, type Recognition } from './recognition.js'
import { addUpFailures } from './add-up-failures.js'

/** One call at the gate. */
export interface AccessCall {
  /** Value of the Authorization header, with a key or a session token; undefined if the call carries none. */
  readonly authorization: string | undefined
  /** Address of the client in text form, IPv4-mapped addresses as IPv4. */
  readonly clientAddress: string
  readonly requiredScope: Scope
  /** Set if the call has an Idempotency-Key and is valid. */
  readonly idempotent?: IdempotentRequest | null
}

/** The account and key of a call: known once the key is known, even if the call is refused. */
export interface Caller {
  readonly accountId: string
  readonly keyId: string
  readonly environment: Environment
  readonly livemode: boolean
  readonly scope: Scope
  readonly plan: PlanName
  readonly webhookAdmin: boolean
  /** The session of the call; null if the call carries the key itself. */
  readonly session: CallerSession | null
}

export interface CallerSession {
  readonly sessionId: string
  /** Name of the person who signed in; empty if only the key is known. */
  readonly actor: string
  /** The permanent identifier of that person; empty if only the key is known. */
  readonly subject: string
  /** UTC, RFC 3339 with milliseconds: the end of the session if it stays in use. */
  readonly expiresAt: string
}

/** The key is missing or not valid: these count as failed authentications. */
const failedAuthentications = [
  'no_credentials',
  'malformed_credentials',
  'unknown_key',
  'unknown_session',
  'revoked_key',
  'expired_key',
] as const

export type RefusalReason =
  | (typeof failedAuthentications)[number]
  | 'too_many_failures'
  | 'ip_not_allowed'
  | 'scope_required'
  | 'rate_limited'
  | 'unavailable'

export interface Admitted {
  readonly admitted: true
  readonly caller: Caller
  readonly rateLimit: RateLimit
  /** The reservation of the call's Idempotency-Key; null if the call has none. */
  readonly reservation: Reservation | null
}

export interface NotAdmitted {
  readonly admitted: false
  readonly reason: RefusalReason
  readonly caller: Caller | null
  /** Null if the key is not valid, or not allowed from this address. */
  readonly rateLimit: RateLimit | null
  /** Whole seconds after which the same call can succeed; null if waiting does not help. */
  readonly retryAfterSeconds: number | null
}

export type Admission = Admitted | NotAdmitted

export interface AdmissionGate {
  /**
   * Whether the call carries a usable key or token, so that its body is worth reading. It admits no call, and is false if the store does
   * not answer. Never rejects.
   */
  recognises(authorization: string | undefined): Promise<boolean>
  /** Never rejects: if the database does not answer, the refusal is `unavailable`. */
  admit(call: AccessCall): Promise<Admission>
  /**
   * Counts a call with an invalid secret of another kind as a failed authentication of its client. Returns null while the client is within
   * its limit, otherwise the whole seconds to wait.
   */
  noteFailure(clientAddress: string): number | null
  /** Whether the database answered the last statement. */
  readonly isAvailable: () => boolean
  /** Asks the database whether it answers, so that `isAvailable` becomes true even when no calls come. Never rejects. */
  look(): Promise<void>
  /** Answers the waiting calls, then stops. */
  close(): Promise<void>
}

export interface AdmissionOptions {
  readonly database: Database
  readonly logger?: Logger
  readonly metrics?: Metrics
  /** Figures of the plans that an operator changed. */
  readonly plans?: Readonly<Record<PlanName, Plan>>
  /** How long one attempt may work under an Idempotency-Key before another may continue. */
  readonly leaseMs?: number
  /** Failed authentications a minute from one client before further ones are 429. */
  readonly maxFailuresPerMinute?: number
}

/** Calls judged by one statement. */
const MAX_BATCH = 256
/** Statements under way at once; calls that come meanwhile join the next one. */
const MAX_IN_FLIGHT = 2
/** Calls waiting for their statement; more are refused as unavailable. */
const MAX_WAITING = 4_096
/** A call not judged by then is refused as unavailable. */
const ANSWER_TIMEOUT_MS = 2_000
/** The longest a screen takes by default, and a second. */
const LEASE_MS = 6_000
/** The database may answer the next call. */
const UNAVAILABLE_RETRY_SECONDS = 1

const BATCHING = {
  maxBatchItems: MAX_BATCH,
  maxConcurrentBatches: MAX_IN_FLIGHT,
  maxWaitingItems: MAX_WAITING,
  timeoutMs: ANSWER_TIMEOUT_MS,
}

const UNAVAILABLE: Admission = {
  admitted: false,
  reason: 'unavailable',
  caller: null,
  rateLimit: null,
  retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
}

export function createAdmission(options: AdmissionOptions): AdmissionGate {
  const logger = options.logger ?? silentLogger
  const metrics = options.metrics ?? noMetrics
  const refusals = metrics.counter('admission_refusals_total', 'Calls refused at the gate.', ['reason'])
  const planTable = createPlanTable({ plans: options.plans ?? publishedPlans, logger, metrics })
  const failures = countFailures(options, logger)
  const judging = createJudging({
    ...{ database: options.database, logger, metrics },
    settings: { leaseMs: options.leaseMs ?? LEASE_MS, planColumns: planTable.columns },
  })
  const batcher = createBatcher({
    run: judging.judge,
    ...BATCHING,
    onLateResult: (question, verdict) => void giveBack(options.database, logger, question, verdict),
  })

  const sessions = createBatcher({
    run: (asked: readonly AskedSession[]) => resolveSessions(options.database, asked),
    ...BATCHING,
  })

  const judgeCall = async (call: AccessCall): Promise<Admission> => {
    const bearer = readBearer(call.authorization)
    if (!bearer.ok) return notAdmitted(bearer.reason, null)
    const { clientAddress, requiredScope, idempotent = null } = call
    try {
      // A session stands for a key, which is then judged as if the call carried it. Calls with keys wait for no session.
      const session = bearer.kind === 'session' ? await sessions.add(bearer) : null
      if (bearer.kind === 'session' && session === null) return notAdmitted('unknown_session', null)
      const { keyId, keyHash } = bearer.kind === 'key' ? bearer : session!
      const verdict = await batcher.add({ keyId, keyHash, clientAddress, requiredScope, idempotent })
      return admissionOf(verdict, { idempotent, session, standing: planTable.standing })
    } catch {
      // The failed statement is logged already; a full queue and a late answer look the same to the caller.
      return UNAVAILABLE
    }
  }

  const recognition = createRecognition(options.database)

  return {
    recognises: (authorization) =>
      isRecognised(readBearer(authorization), recognition, (bearer) => sessions.add(bearer)),
    async admit(call) {
      let admission = await judgeCall(call)
      if (admission.admitted) return admission
      if (isFailedAuthentication(admission.reason)) {
        const retryAfterSeconds = failures.note(call.clientAddress)
        if (retryAfterSeconds !== null)
          admission = { ...admission, reason: 'too_many_failures', retryAfterSeconds }
      }
      refusals.inc({ reason: admission.reason })
      return admission
    },
    noteFailure: (clientAddress) => failures.note(clientAddress),
    isAvailable: judging.isAvailable,
    look: judging.look,
    async close() {
      await failures.close()
      await sessions.close()
      await recognition.close()
      await batcher.close()
    },
  }
}

function countFailures(
  { database, maxFailuresPerMinute: maxPerMinute = MAX_FAILURES_PER_MINUTE }: AdmissionOptions,
  logger: Logger,
): ReturnType<typeof createAuthFailures> {
  return createAuthFailures({
    maxPerMinute,
    share: (recent) => addUpFailures(database, recent, maxPerMinute),
    onSharingFailed: (error) =>
      logger.warn({ err: error }, 'Only this instance counts failed authentications'),
  })
}

/** The caller was told `unavailable`: nobody works under the key, and a repeat must not wait for the end of the lease. */
async function giveBack(
  database: Database,
  logger: Logger,
  { idempotent }: Question,
  verdict: Verdict,
): Promise<void> {
  if (idempotent === null || verdict.outcome !== 'admitted' || verdict.key_id === null) return
  try {
    const reservation = reservationOf(verdict, callerOf(verdict, verdict.key_id, null), idempotent)
    if (reservation?.kind === 'reserved' || reservation?.kind === 'resumed')
      await releaseReservation(database, reservation)
  } catch (error) {
    logger.debug({ err: error }, 'A late reservation could not be released; it ends with its lease')
  }
}

async function isRecognised(
  bearer: Bearer,
  keys: Recognition,
  resolveSession: (session: AskedSession) => Promise<ResolvedSession | null>,
): Promise<boolean> {
  if (!bearer.ok) return false
  try {
    return bearer.kind === 'key' ? await keys.recognises(bearer) : (await resolveSession(bearer)) !== null
  } catch {
    return false
  }
}

function isFailedAuthentication(reason: RefusalReason): boolean {
  return (failedAuthentications as readonly string[]).includes(reason)
}

function notAdmitted(
  reason: RefusalReason,
  caller: Caller | null,
  rest: Partial<Pick<NotAdmitted, 'rateLimit' | 'retryAfterSeconds'>> = {},
): NotAdmitted {
  return { admitted: false, reason, caller, rateLimit: null, retryAfterSeconds: null, ...rest }
}

interface Judged {
  readonly idempotent: IdempotentRequest | null
  readonly session: ResolvedSession | null
  readonly standing: ReturnType<typeof createPlanTable>['standing']
}

function admissionOf(verdict: Verdict, { idempotent, session, standing }: Judged): Admission {
  if (verdict.key_id === null) return notAdmitted('unknown_key', null)
  const caller = callerOf(verdict, verdict.key_id, session)
  if (verdict.debt_us === null) {
    if (verdict.outcome === 'admitted') throw new Error('A call was admitted without a bucket')
    return notAdmitted(verdict.outcome, caller)
  }
  const { rateLimit, retryAfterSeconds } = standing(caller, verdict.debt_us, verdict.hard_debt_us ?? 0)
  if (verdict.outcome === 'rate_limited')
    return notAdmitted('rate_limited', caller, { rateLimit, retryAfterSeconds })
  if (verdict.outcome !== 'admitted') return notAdmitted(verdict.outcome, caller, { rateLimit })
  return { admitted: true, caller, rateLimit, reservation: reservationOf(verdict, caller, idempotent) }
}

function reservationOf(
  verdict: Verdict,
  caller: Caller,
  request: IdempotentRequest | null,
): Reservation | null {
  if (request === null) return null
  if (verdict.reservation === null || verdict.work_id === null)
    throw new Error('A call with an Idempotency-Key was admitted without a reservation')
  return {
    kind: verdict.reservation,
    workId: verdict.work_id,
    holderId: request.candidateId,
    idempotencyKey: request.key,
    accountId: caller.accountId,
    environment: caller.environment,
  }
}

function callerOf(verdict: Verdict, keyId: string, session: ResolvedSession | null): Caller {
  return {
    accountId: verdict.account_id,
    keyId,
    environment: verdict.environment,
    livemode: verdict.environment === 'live',
    scope: verdict.scope,
    plan: verdict.plan,
    webhookAdmin: verdict.webhook_admin,
    session:
      session === null
        ? null
        : {
            ...{ sessionId: session.sessionId, actor: session.actor },
            ...{ subject: session.subject, expiresAt: session.expiresAt },
          },
  }
}
