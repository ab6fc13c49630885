/**
 * Runs ten thousand generated histories of Idempotency-Keys through the gate, its batches and the reservations in the database.
 * Two instances have their own connections. Only the test moves the clock of the database; a killed attempt never ends.
 * A single call must match the model, row for row. Concurrent calls must not break the rules that every
 * Idempotency-Key has to keep.
 */
import {
  accessMigrations,
  createAccount,
  createAdmission,
  issueKey,
  type AdmissionGate,
  type IdempotentRequest,
} from '@cupel/gate/access'
import { silentLogger } from '@cupel/contracts'
import { plans } from '@cupel/domain'
import { eventLogMigrations } from '@cupel/event-log'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { projectionsMigrations } from '@cupel/projections'
import { assertWithin, createTestDatabase, type TestDatabase } from '@cupel/testkit'
import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerIdempotently, idempotentRequest, storedKeyOf } from '@cupel/gate/calls'
import { jsonAnswer, type Answer, type KeyedCall, isRefusal, refuse, type Refusal } from '@cupel/gate/http'
import {
  expectedOf,
  fates,
  KEEP_MS,
  type Fate,
  type ModelCall,
  type ModelRow,
  type Outcome,
  type WorkState,
} from './idempotency-model.js'

const HISTORIES = 10_000
const FEWEST_HISTORIES = 500
/** Number of histories that run side by side and so share batches. */
const AT_ONCE = 100
const MAX_ROUNDS = 6
const LEASE_MS = 6_000
const BODIES = ['first', 'other']

let testDatabase: TestDatabase
let plain: Database
interface Instance {
  readonly database: Database
  readonly gate: AdmissionGate
  /** Each instance has its own key of the account. Calls with one key would wait for its bucket, and so could not race. */
  readonly key: string
}
const instances: Instance[] = []
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  plain = openDatabase({ connectionString, maxConnections: 2, applicationName: 'histories' })
  await migrate(plain, await readMigrations([eventLogMigrations, projectionsMigrations, accessMigrations]))
  await plain.execute('CREATE SCHEMA test_clock')
  await plain.execute(`CREATE TABLE test_clock.clock AS SELECT timestamptz '2030-01-01 00:00Z' AS at`)
  await plain.execute(
    `CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT at FROM test_clock.clock'`,
  )
  const { accountId } = await createAccount(plain, { name: 'Histories', by: 'test' })
  const order = { environment: 'live', scope: 'read-write', plan: 'enterprise', by: 'test' } as const
  // This schema comes before pg_catalog, so a query for the current time returns the time of the test.
  const options = encodeURIComponent('-c search_path=test_clock,pg_catalog,public')
  const separator = connectionString.includes('?') ? '&' : '?'
  const figures = { ...plans.enterprise, refillPerSecond: 1e5, burst: 1e6, hardCapPerSecond: 1e6 }
  for (const applicationName of ['instance-one', 'instance-two']) {
    const { key } = await issueKey(plain, { ...order, accountId })
    const database = openDatabase({
      connectionString: `${connectionString}${separator}options=${options}`,
      maxConnections: 4,
      applicationName,
    })
    instances.push({
      key,
      database,
      gate: createAdmission({ database, plans: { ...plans, enterprise: figures }, leaseMs: LEASE_MS }),
    })
  }
})
afterAll(async () => {
  for (const { gate, database } of instances) {
    await gate.close()
    await database.close()
  }
  await plain.close()
  await testDatabase.drop()
})

interface Step {
  readonly at: number
  readonly body: string
  readonly fate: Fate
  readonly isBehind: boolean
}
/** The steps of a round run at once, the rounds one after the other. */
type Round = readonly Step[]

const step: fc.Arbitrary<Step> = fc.record({
  at: fc.nat(1),
  body: fc.oneof(
    { weight: 4, arbitrary: fc.constant(BODIES[0]!) },
    { weight: 1, arbitrary: fc.constant(BODIES[1]!) },
  ),
  fate: fc.constantFrom(...fates),
  isBehind: fc.oneof(
    { weight: 9, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
})
const round = fc.oneof(
  { weight: 3, arbitrary: fc.array(step, { minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.array(step, { minLength: 2, maxLength: 4 }) },
)
const history = fc.array(round, { minLength: 1, maxLength: MAX_ROUNDS })
/** Time that passes after a round: none, half a lease, just under a lease, a lease, just under a day, a day. */
const pause = fc.constantFrom(0, 0, LEASE_MS / 2, LEASE_MS - 1, LEASE_MS, LEASE_MS, KEEP_MS - 1, KEEP_MS)

/** One key and its history. */
interface Story {
  readonly rounds: readonly Round[]
  readonly idempotencyKey: string
  readonly works: Map<string, WorkState>
  /** The state of `works` before the round. */
  worksBefore: ReadonlyMap<string, WorkState>
  /** Attempts that have not ended, killed ones included, with the time until which each may hold the key. */
  readonly underWay: Map<string, number>
  row: ModelRow | null
  /** A rule that a call broke. */
  violation: string | null
  /** The answer that the key got, for as long as the key stands for it. */
  answered: { readonly body: string; readonly workId: string } | null
}

let nowMs = 0
let stories = 0
let ids = 0
const bodiesByHash = new Map<string, string>()
let alone = 0
let together = 0

/** Ten thousand histories take half a minute on an idle machine. */
const HANG_MS = 600_000

test(
  'whatever happens to it, an Idempotency-Key is one piece of work',
  async () => {
    const suite = {
      name: `histories, ${AT_ONCE} at once`,
      full: HISTORIES / AT_ONCE,
      minimum: FEWEST_HISTORIES / AT_ONCE,
    }
    const { cases } = await assertWithin(
      suite,
      fc.asyncProperty(
        fc.array(history, { minLength: AT_ONCE, maxLength: AT_ONCE }),
        fc.array(pause, { minLength: MAX_ROUNDS, maxLength: MAX_ROUNDS }),
        async (histories, pauses) => {
          const told = histories.map((rounds): Story => ({
            rounds,
            idempotencyKey: `history-${(stories += 1)}`,
            works: new Map(),
            worksBefore: new Map(),
            underWay: new Map(),
            row: null,
            violation: null,
            answered: null,
          }))
          await putClockForward(0)
          for (const [index, pauseMs] of pauses.entries()) {
            const acting = told.filter(({ rounds }) => index < rounds.length)
            for (const story of acting) beginRound(story)
            const taken = await Promise.all(acting.map((story) => takeRound(story, story.rounds[index]!)))
            const rows = await rowsOf(acting)
            for (const [place, story] of acting.entries()) {
              const row = rows.get(storedKeyOf(story.idempotencyKey)) ?? null
              judgeRound(story, taken[place]!, row)
              story.row = row
            }
            await putClockForward(pauseMs)
          }
        },
      ),
      // A failure reports its history at once, because shrinking it would take long.
      { endOnFailure: true },
    )
    process.stdout.write(`histories: ${alone} calls one by one, ${together} calls at once with others\n`)
    // The time budget may end in the middle of a case. That case is not counted.
    expect(stories).toBeGreaterThanOrEqual(cases * AT_ONCE)
  },
  HANG_MS,
)

async function putClockForward(byMs: number): Promise<void> {
  const [row] = await plain.query<{ ms: number }>(
    `UPDATE test_clock.clock SET at = at + $1 * interval '1 millisecond' RETURNING (extract(epoch FROM at) * 1000)::float8 AS ms`,
    [byMs],
  )
  nowMs = row!.ms
}

interface Taken {
  readonly call: ModelCall
  readonly outcome: Outcome
}

function beginRound(story: Story): void {
  story.worksBefore = new Map(story.works)
  if (story.row === null || story.row.createdAtMs > nowMs - KEEP_MS) return
  // After a day the key stands for another request, even if the last attempt at the first one is still running.
  story.answered = null
  story.underWay.clear()
}

async function takeRound(story: Story, steps: Round): Promise<readonly Taken[]> {
  return await Promise.all(steps.map((each) => take(story, each)))
}

/** Makes one call as the frame of the API does; the work is an entry in `works`. */
async function take(story: Story, { at, body, fate, isBehind }: Step): Promise<Taken> {
  const { database, gate, key } = instances[at]!
  const restartId = newId()
  const call: ModelCall = { body, fate, isBehind, candidateId: newId(), restartId }
  let kill = (): void => undefined
  const killed = new Promise<Outcome>((resolve) => (kill = () => resolve({ kind: 'killed' })))
  const idempotent = await requestOf(story, call)
  const admission = await gate.admit({
    authorization: `Bearer ${key}`,
    clientAddress: '203.0.113.7',
    requiredScope: 'read-write',
    idempotent,
  })
  if (!admission.admitted) throw new Error(`not admitted: ${admission.reason}`)
  const answering = answerIdempotently(
    { database, leaseMs: LEASE_MS, logger: silentLogger },
    { caller: admission.caller } as KeyedCall,
    {
      newWorkId: () => Promise.resolve(restartId),
      replay: (_, workId) => Promise.resolve(replayOf(story, workId, isBehind)),
    },
    admission.reservation!,
    (workId) => work(story, workId, fate, kill),
  ).then(
    (result): Outcome => {
      if (isRefusal(result)) return { kind: 'refused', code: result.code }
      const replayed = result.headers?.['idempotency-replayed'] === 'true'
      return { kind: 'answered', workId: String(result.body), replayed }
    },
    (error: unknown): Outcome => {
      if (error !== THROWN) story.violation ??= String(error)
      return { kind: 'refused', code: 'internal_error' }
    },
  )
  return { call, outcome: await Promise.race([answering, killed]) }
}

async function requestOf(story: Story, call: ModelCall): Promise<IdempotentRequest> {
  const request = await idempotentRequest(
    story.idempotencyKey,
    { method: 'POST', url: '/v1/screen' },
    { address: call.body },
    { newWorkId: () => Promise.resolve(call.candidateId) },
  )
  bodiesByHash.set(request.requestHash.toString('hex'), call.body)
  return request
}

const newId = (): string => `work-${(ids += 1)}`

function replayOf({ works }: Story, workId: string, isBehind: boolean) {
  const state = works.get(workId)
  if (state === 'done') return { kind: 'answer', answer: jsonAnswer(200, workId) } as const
  if (isBehind) return { kind: 'unknown-yet', refusal: refuse('unavailable', 'behind') } as const
  return state === 'failed' ? ({ kind: 'failed' } as const) : ({ kind: 'none' } as const)
}

/** Only attempts whose lease is over may still run under this key. */
async function work(story: Story, workId: string, fate: Fate, kill: () => void): Promise<Answer | Refusal> {
  for (const [attempt, untilMs] of story.underWay)
    if (untilMs > nowMs) story.violation ??= `${workId} was begun while ${attempt} was at work`
  const attempt = `${workId}/${newId()}`
  story.underWay.set(attempt, nowMs + LEASE_MS)
  // Let other calls run, as during a real screen.
  await new Promise((resolve) => setImmediate(resolve))
  if (fate === 'killed-before' || fate === 'killed-after') {
    if (fate === 'killed-after') story.works.set(workId, 'done')
    kill()
    return await new Promise<never>(() => undefined)
  }
  if (fate === 'success' || fate === 'late-and-done') story.works.set(workId, 'done')
  if (fate === 'failed') story.works.set(workId, 'failed')
  // After a late answer the work continues.
  if (!fate.startsWith('late')) story.underWay.delete(attempt)
  if (fate === 'thrown') throw THROWN
  return fate === 'success' ? jsonAnswer(200, workId) : refuse(CODES[fate], 'told to')
}

const THROWN = new Error('told to')

const CODES = {
  fault: 'unavailable',
  refused: 'invalid_address',
  failed: 'screening_failed',
  'late-and-done': 'screening_timeout',
  'late-and-lost': 'screening_timeout',
} as const

async function rowsOf(told: readonly Story[]): Promise<Map<string, ModelRow>> {
  const rows = await plain.query<{
    idempotency_key: string
    hash: string
    work_id: string
    held_by: string
    lease: number
    created: number
  }>(
    `SELECT idempotency_key, encode(request_hash, 'hex') AS hash, work_id, held_by,
       (extract(epoch FROM lease_until) * 1000)::float8 AS lease, (extract(epoch FROM created_at) * 1000)::float8 AS created
     FROM access.idempotency WHERE idempotency_key = ANY ($1)`,
    [told.map(({ idempotencyKey }) => storedKeyOf(idempotencyKey))],
  )
  return new Map(
    rows.map((row) => [
      row.idempotency_key,
      {
        body: bodiesByHash.get(row.hash)!,
        workId: row.work_id,
        heldBy: row.held_by,
        leaseUntilMs: row.lease,
        createdAtMs: row.created,
      },
    ]),
  )
}

function judgeRound(story: Story, taken: readonly Taken[], row: ModelRow | null): void {
  if (story.violation !== null) fail(story, story.violation)
  const [first, ...others] = taken
  if (others.length > 0) together += taken.length
  else {
    alone += 1
    const clock = { nowMs, leaseMs: LEASE_MS }
    const { outcome, row: rowAfter, ended } = expectedOf(first!.call, story.row, story.worksBefore, clock)
    const works = [...story.worksBefore, ...(ended === null ? [] : [ended])]
    const took = { outcome: first!.outcome, row, works: [...story.works] }
    if (!isDeepStrictEqual(took, { outcome, row: rowAfter, works }))
      fail(
        story,
        `by itself it did ${JSON.stringify(took)} and should have ${JSON.stringify({ outcome, rowAfter, works })}`,
      )
  }
  for (const { call, outcome } of taken) {
    if (outcome.kind !== 'answered') continue
    if (story.works.get(outcome.workId) !== 'done')
      fail(story, `${outcome.workId} was answered before it was done`)
    story.answered ??= { body: call.body, workId: outcome.workId }
    if (!isDeepStrictEqual(story.answered, { body: call.body, workId: outcome.workId }))
      fail(story, `${JSON.stringify({ call, outcome })} after ${JSON.stringify(story.answered)}`)
  }
  // After an answer the key stands for it for a day.
  if (story.answered !== null && row?.workId !== story.answered.workId)
    fail(story, `answered with ${story.answered.workId}, and the row holds ${String(row?.workId)}`)
}

function fail(story: Story, reason: string): never {
  throw new Error(`${story.idempotencyKey}: ${reason}\nin ${JSON.stringify(story.rounds)}`)
}
