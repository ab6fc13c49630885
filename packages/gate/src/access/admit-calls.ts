/** Judges batches of calls with one statement each: builds the input of access.admit_calls and reads its output. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { Environment, PlanName, Scope } from '@cupel/domain'
import { failpoint } from '@cupel/kit/failpoints'
import { UNKNOWN_CLIENT } from '@cupel/kit/http-edge'
import type { Database } from '@cupel/postgres'
import { IDEMPOTENCY_KEEP_MS, type IdempotentRequest, type ReservationKind } from './idempotency.js'

export interface Question {
  readonly keyId: string
  readonly keyHash: Buffer
  readonly clientAddress: string
  readonly requiredScope: Scope
  readonly idempotent: IdempotentRequest | null
}

export interface Verdict extends Record<string, unknown> {
  /** Place in the batch, from 1. */
  readonly ordinal: number
  readonly outcome:
    | 'admitted'
    | 'unknown_key'
    | 'revoked_key'
    | 'expired_key'
    | 'ip_not_allowed'
    | 'scope_required'
    | 'rate_limited'
  readonly key_id: string | null
  readonly account_id: string
  readonly environment: Environment
  readonly scope: Scope
  readonly plan: PlanName
  readonly webhook_admin: boolean
  /** Microseconds until the published bucket is full; null if the caller must not learn it. */
  readonly debt_us: number | null
  readonly hard_debt_us: number | null
  readonly reservation: ReservationKind | null
  readonly work_id: string | null
}

/** The address of no client; a range that contains it contains every address. */
const NOBODYS_ADDRESS = '0.0.0.0'

interface JudgingSettings {
  readonly leaseMs: number
  /** Name, interval, depth, hard interval, hard depth, fair use: one array each. */
  readonly planColumns: readonly unknown[]
}

/** The statement, and whether the database answered the last one. */
export function createJudging(options: {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly settings: JudgingSettings
}): {
  /** One verdict per question, in order. */
  judge(questions: readonly Question[]): Promise<readonly Verdict[]>
  isAvailable(): boolean
  /** Asks the database whether it answers, nothing else. Never rejects. */
  look(): Promise<void>
} {
  const { database, logger, metrics } = options
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
  let isAvailable = true

  async function judge(questions: readonly Question[]): Promise<readonly Verdict[]> {
    const startedMs = performance.now()
    batchSizes.observe(questions.length)
    try {
      const order = keyOrder(questions)
      const inOrder = order.map((index) => questions[index]!)
      failpoint('before', 'access.admit')
      const rows = await database.query<Verdict>(ADMIT_CALLS, columnsOf(inOrder, options.settings))
      failpoint('after', 'access.admit')
      if (rows.length !== questions.length) throw new Error('The store judged another number of calls')
      const verdicts = Array.from<Verdict>({ length: rows.length })
      for (const row of rows) verdicts[order[row.ordinal - 1]!] = row
      isAvailable = true
      return verdicts
    } catch (error) {
      noteOutage(error)
      throw error
    } finally {
      seconds.observe((performance.now() - startedMs) / 1000)
    }
  }

  function noteOutage(error: unknown): void {
    // Logged once per outage, not once per call.
    if (isAvailable)
      logger.error({ err: error }, 'The key store cannot be asked; calls are refused as unavailable')
    isAvailable = false
  }

  async function look(): Promise<void> {
    try {
      await database.query(LOOK)
      isAvailable = true
    } catch (error) {
      noteOutage(error)
    }
  }

  return { judge, isAvailable: () => isAvailable, look }
}

const LOOK = { name: 'access.look', text: 'SELECT 1' }

export const ADMIT_CALLS = {
  name: 'access.admit_calls',
  text: `SELECT * FROM access.admit_calls($1::text[], $2::bytea[], $3::inet[], $4::text[], $5::text[], $6::bytea[], $7::text[],
           $8::bigint, $9::bigint, $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::boolean[])`,
}

/** Places of the questions, sorted by key and, within a key, by arrival: the order that the statement requires. */
export function keyOrder(questions: readonly Question[]): readonly number[] {
  const places = questions.map((_, index) => index)
  // Key ids are ASCII, whose code units are in the order of the store's collation "C". Sorting is stable.
  return places.sort((one, other) => compare(questions[one]!.keyId, questions[other]!.keyId))
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

export function columnsOf(questions: readonly Question[], settings: JudgingSettings): unknown[] {
  const keyIds: string[] = []
  const keyHashes: Buffer[] = []
  const clientAddresses: string[] = []
  const requiredScopes: string[] = []
  const idempotencyKeys: (string | null)[] = []
  const requestHashes: (Buffer | null)[] = []
  const candidateIds: (string | null)[] = []
  for (const { keyId, keyHash, clientAddress, requiredScope, idempotent } of questions) {
    keyIds.push(keyId)
    keyHashes.push(keyHash)
    clientAddresses.push(clientAddress === UNKNOWN_CLIENT ? NOBODYS_ADDRESS : clientAddress)
    requiredScopes.push(requiredScope)
    idempotencyKeys.push(idempotent?.key ?? null)
    requestHashes.push(idempotent?.requestHash ?? null)
    candidateIds.push(idempotent?.candidateId ?? null)
  }
  return [
    keyIds,
    keyHashes,
    clientAddresses,
    requiredScopes,
    idempotencyKeys,
    requestHashes,
    candidateIds,
    settings.leaseMs,
    IDEMPOTENCY_KEEP_MS,
    ...settings.planColumns,
  ]
}
