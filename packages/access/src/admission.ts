/**
 * The gate every call passes: who calls, from where, and whether the key may do this.
 * Keys are judged in the database on every call, so that a revoked key is refused at once on every instance. Calls of the
 * same moment share one statement, which keeps that affordable.
 */
import { noMetrics, silentLogger, type Logger, type Metrics } from '@cupel/contracts'
import type { Environment, PlanName, Scope } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { readBearer } from './bearer.js'
import { createBatcher, type Batcher } from './batcher.js'

/** One call at the gate. */
export interface AccessCall {
  /** Value of the Authorization header, or undefined where the call carries none. */
  readonly authorization: string | undefined
  /** Address of the client in text form, IPv4-mapped addresses as IPv4. */
  readonly clientAddress: string
  readonly requiredScope: Scope
}

/** Whose call it is: known as soon as the key is, even where the call is refused. */
export interface Caller {
  readonly accountId: string
  readonly keyId: string
  readonly environment: Environment
  readonly livemode: boolean
  readonly scope: Scope
  readonly plan: PlanName
  readonly webhookAdmin: boolean
}

export type RefusalReason =
  | 'no_credentials'
  | 'malformed_credentials'
  | 'unknown_key'
  | 'revoked_key'
  | 'expired_key'
  | 'ip_not_allowed'
  | 'scope_required'
  | 'unavailable'

export type Admission =
  | { readonly admitted: true; readonly caller: Caller }
  | { readonly admitted: false; readonly reason: RefusalReason; readonly caller: Caller | null }

export interface AdmissionGate {
  /** Never rejects: a store that cannot be asked is the refusal `unavailable`. */
  admit(call: AccessCall): Promise<Admission>
  /** Whether the last statement was answered. */
  readonly isAvailable: () => boolean
  /** Answers what waits, then stops. */
  close(): Promise<void>
}

export interface AdmissionOptions {
  readonly database: Database
  readonly logger?: Logger
  readonly metrics?: Metrics
}

/** Calls judged by one statement. */
const MAX_BATCH = 256
/** Statements under way at once; what comes meanwhile joins the next one. */
const MAX_IN_FLIGHT = 2
/** Calls waiting for their statement; more are refused as unavailable. */
const MAX_WAITING = 4_096
/** A call not judged by then is refused as unavailable. */
const ANSWER_TIMEOUT_MS = 2_000

interface Question {
  readonly keyId: string
  readonly keyHash: Buffer
  readonly clientAddress: string
  readonly requiredScope: Scope
}

interface Verdict extends Record<string, unknown> {
  readonly outcome:
    'admitted' | Exclude<RefusalReason, 'no_credentials' | 'malformed_credentials' | 'unavailable'>
  readonly key_id: string | null
  readonly account_id: string
  readonly environment: Environment
  readonly scope: Scope
  readonly plan: PlanName
  readonly webhook_admin: boolean
}

const UNAVAILABLE: Admission = { admitted: false, reason: 'unavailable', caller: null }

export function createAdmission(options: AdmissionOptions): AdmissionGate {
  const logger = options.logger ?? silentLogger
  const metrics = options.metrics ?? noMetrics
  const batchSizes = metrics.histogram(
    'admission_batch_calls',
    'Calls judged by one statement.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  )
  const seconds = metrics.histogram(
    'admission_seconds',
    'Time the store took to judge a batch of calls.',
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2],
  )
  let available = true

  const judge = async (questions: readonly Question[]): Promise<readonly Verdict[]> => {
    const startedMs = performance.now()
    batchSizes.observe(questions.length)
    try {
      const verdicts = await options.database.query<Verdict>(ADMIT_CALLS, columns(questions))
      if (verdicts.length !== questions.length) throw new Error('The store judged another number of calls')
      available = true
      return verdicts
    } catch (error) {
      // Said once per outage, not once per call.
      if (available)
        logger.error({ err: error }, 'The key store cannot be asked; calls are refused as unavailable')
      available = false
      throw error
    } finally {
      seconds.observe((performance.now() - startedMs) / 1000)
    }
  }
  const batcher: Batcher<Question, Verdict> = createBatcher({
    run: judge,
    maxBatch: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT,
    maxWaiting: MAX_WAITING,
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
  })

  return {
    async admit(call) {
      const bearer = readBearer(call.authorization)
      if (!bearer.ok) return { admitted: false, reason: bearer.reason, caller: null }
      const { clientAddress, requiredScope } = call
      try {
        return admissionOf(
          await batcher.ask({ keyId: bearer.keyId, keyHash: bearer.keyHash, clientAddress, requiredScope }),
        )
      } catch {
        // Logged once where the statement failed; a full queue or a late answer is the same to the caller.
        return UNAVAILABLE
      }
    },
    isAvailable: () => available,
    close: () => batcher.close(),
  }
}

const ADMIT_CALLS = {
  name: 'access.admit_calls',
  text: `SELECT outcome, key_id, account_id, environment, scope, plan, webhook_admin
         FROM access.admit_calls($1::text[], $2::bytea[], $3::inet[], $4::text[])`,
}

function columns(questions: readonly Question[]): unknown[] {
  const keyIds: string[] = []
  const keyHashes: Buffer[] = []
  const clientAddresses: string[] = []
  const requiredScopes: string[] = []
  for (const question of questions) {
    keyIds.push(question.keyId)
    keyHashes.push(question.keyHash)
    clientAddresses.push(question.clientAddress)
    requiredScopes.push(question.requiredScope)
  }
  return [keyIds, keyHashes, clientAddresses, requiredScopes]
}

function admissionOf(verdict: Verdict): Admission {
  const caller = verdict.key_id === null ? null : callerOf(verdict, verdict.key_id)
  if (verdict.outcome !== 'admitted') return { admitted: false, reason: verdict.outcome, caller }
  if (caller === null) throw new Error('A call was admitted without a key')
  return { admitted: true, caller }
}

function callerOf(verdict: Verdict, keyId: string): Caller {
  return {
    accountId: verdict.account_id,
    keyId,
    environment: verdict.environment,
    livemode: verdict.environment === 'live',
    scope: verdict.scope,
    plan: verdict.plan,
    webhookAdmin: verdict.webhook_admin,
  }
}
