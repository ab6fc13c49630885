/** Several coordinators at once, each with some of the shards: every job ends once, even if coordinators die, freeze or join. */
import { spawn, type ChildProcess } from 'node:child_process'
import { topicOf } from '@cupel/contracts'
import { listDeadLetters } from '@cupel/event-log'
import type { RunningService } from '@cupel/service-kit'
import { drawnWithin, killedAt, programArguments, until } from '@cupel/testkit'
import { afterEach, expect, test } from 'vitest'
import { COORDINATOR_GROUP, listShardOwners, replayJobs, setShards } from '../src/index.js'
import { applyFacts } from '../src/apply.js'
import { factOf, type Fact } from '../src/facts.js'
import { createFence, ShardsLostError, takeShards } from '../src/shard-table.js'
import { addresses, openInstallation, outcomeRecord, submission, type Installation } from './installation.js'

const CHILD = new URL('./coordinator-child.ts', import.meta.url)
const SHARDS = 4

let installation: Installation
let child: ChildProcess | null = null
afterEach(async () => {
  child?.kill('SIGKILL')
  child = null
  await installation.close()
})

const distinct = (values: readonly string[]): number => new Set(values).size
const detailsOf = (services: readonly RunningService[]): (string | undefined)[] =>
  services.map((service) => service.checks()[0]!.detail)

/** Submits jobs until every shard has at least one. */
async function submitMany(
  accountOf: (n: number) => string = (n) => `acc_${n % 3}`,
  items = 40,
): Promise<string[]> {
  const jobs: string[] = []
  for (let n = 0; n < 12; n += 1)
    jobs.push(await installation.submit(addresses(items), { accountId: accountOf(n) }))
  return jobs
}

async function shardsOf(jobIds: readonly string[]): Promise<number[]> {
  const rows = await installation.database.query<{ shard: number }>(
    'SELECT shard FROM bulk.job WHERE job_id = ANY($1)',
    [jobIds],
  )
  return rows.map(({ shard }) => shard)
}

/** Checks that each job ended with every result and one end in the log, and that no address was screened under two ids. */
async function expectEndedOnce(jobIds: readonly string[]): Promise<void> {
  for (const jobId of jobIds) {
    expect((await installation.ended(jobId)).data).toMatchObject({ total: 40, completed: 40 })
    const ends = (await installation.endingRecords(jobId)).map(({ key, value, headers }) =>
      JSON.stringify([key, value?.toString('base64'), headers]),
    )
    expect(distinct(ends)).toBe(1)
  }
  const requests = await installation.requests()
  expect(distinct(requests.map((request) => JSON.stringify(request)))).toBe(40 * jobIds.length)
}

/** Starts a coordinator in a separate process; resolves once it holds `shards` shards. */
async function startChild(shards: number): Promise<ChildProcess> {
  const program = await programArguments(CHILD)
  child = spawn(process.execPath, [...program, installation.connectionString], { stdio: 'ignore' })
  const { pid } = child
  await until(async () => {
    const owners = await listShardOwners(installation.database)
    expect(owners.filter(({ owner }) => owner?.endsWith(`/${pid}`))).toHaveLength(shards)
  })
  return child
}

test('two instances share the shards, and the jobs of all shards end once', async () => {
  installation = await openInstallation({ shards: SHARDS })
  const services = [await installation.coordinator(), await installation.coordinator()]
  await until(() => expect(detailsOf(services)).toEqual(['holds 2 of 4 shards', 'holds 2 of 4 shards']))
  const jobs = await submitMany()
  await expectEndedOnce(jobs)
  expect(new Set(await shardsOf(jobs)).size).toBeGreaterThan(1)
  // The second one leaves, and the first one takes its shards.
  await services[1]!.stop()
  await until(() => expect(detailsOf(services.slice(0, 1))).toEqual(['holds 4 of 4 shards']))
  const owners = await listShardOwners(installation.database)
  expect(owners.map(({ shard, owner }) => [shard, owner?.endsWith(`/${process.pid}`)])).toEqual(
    [0, 1, 2, 3].map((shard) => [shard, true]),
  )
})

const kills = [
  'before:bulk.items-released:1',
  'after:bulk.release:1',
  'after:bulk.facts:2',
  'before:bulk.job-ended:1',
  'after:bulk.shards-taken:1',
]

test.each(drawnWithin({ name: 'kills of one of two coordinators', minimum: 1 }, kills))(
  'one of two is killed %s, and its shards go on elsewhere',
  async (failpoint) => {
    installation = await openInstallation({ shards: SHARDS })
    const service = await installation.coordinator()
    await until(() => expect(detailsOf([service])).toEqual(['holds 4 of 4 shards']))
    const epochs = async (): Promise<number> =>
      (await listShardOwners(installation.database)).reduce((sum, { epoch }) => sum + epoch, 0)
    const before = await epochs()
    const jobs = await submitMany()
    installation.scorer.decide = ({ jobIndex }) => (jobIndex! < 20 ? 'report' : 'hold')
    const dead = killedAt(CHILD, [installation.connectionString], failpoint)
    // The child takes its shards while the jobs run.
    await until(async () => expect(await epochs()).toBeGreaterThan(before))
    installation.scorer.decide = () => 'report'
    await installation.scorer.release()
    jobs.push(...(await submitMany()))
    await dead
    await expectEndedOnce(jobs)
  },
)

test('one that freezes loses its shards, and writes nothing of them when it wakes', async () => {
  installation = await openInstallation({ shards: SHARDS })
  const service = await installation.coordinator()
  const frozen = await startChild(2)
  installation.scorer.decide = ({ jobIndex }) => (jobIndex! < 20 ? 'report' : 'hold')
  const jobs = await submitMany()
  await until(() => expect(installation.scorer.seen.length).toBeGreaterThan(100))
  frozen.kill('SIGSTOP')
  await until(() => expect(detailsOf([service])).toEqual(['holds 4 of 4 shards']))
  frozen.kill('SIGCONT')
  installation.scorer.decide = () => 'report'
  await installation.scorer.release()
  await expectEndedOnce(jobs)
  // It returns with a new session, and gets a part again.
  await until(() => expect(detailsOf([service])).toEqual(['holds 2 of 4 shards']))
})

test('a transaction of a shard that was taken since commits nothing', async () => {
  installation = await openInstallation({ shards: 2 })
  const { database } = installation
  const take = (shards: readonly number[]) => takeShards(database, { shards, holder: 'h', process: 'p' })
  const held = await take([0, 1])
  let lost = 0
  const fence = createFence({ holder: 'h', shards: held, count: 2 }, () => (lost += 1))
  await database.transaction({ at: 'test' }, fence)
  // During a transaction of the holder no other session can take its shard.
  await database.transaction({ at: 'test' }, async (transaction) => {
    await fence(transaction)
    await expect(take([1])).rejects.toThrow('lock timeout')
  })
  expect(lost).toBe(0)
  await take([1])
  await expect(
    database.transaction({ at: 'test' }, async (transaction) => {
      await transaction.execute("INSERT INTO bulk.early_outcome VALUES ('r', 'completed', '')")
      await fence(transaction)
    }),
  ).rejects.toThrow(ShardsLostError)
  expect(lost).toBe(1)
  expect(await database.query('SELECT FROM bulk.early_outcome')).toEqual([])
})

test('with another number of shards old jobs finish, and new ones are divided anew', async () => {
  installation = await openInstallation()
  const services = [await installation.coordinator(), await installation.coordinator()]
  installation.scorer.decide = ({ jobIndex }) => (jobIndex! < 20 ? 'report' : 'hold')
  const old = await submitMany()
  await until(async () => expect((await shardsOf(old)).length).toBe(12))
  expect(new Set(await shardsOf(old))).toEqual(new Set([0]))
  await setShards(installation.database, SHARDS)
  await until(() => expect(detailsOf(services)).toEqual(['holds 2 of 4 shards', 'holds 2 of 4 shards']))
  const divided = await submitMany()
  await until(async () => expect((await shardsOf(divided)).length).toBe(12))
  expect(new Set(await shardsOf(divided)).size).toBeGreaterThan(1)
  await setShards(installation.database, 3)
  installation.scorer.decide = () => 'report'
  await installation.scorer.release()
  await expectEndedOnce([...old, ...divided])
  await expect(setShards(installation.database, 0)).rejects.toThrow(RangeError)
  await expect(setShards(installation.database, 9)).rejects.toThrow(RangeError)
})

test.each([
  ['before', 1],
  ['after', 4],
])('a change of the number of shards that is killed %s its commit leaves %i of them', async (side, count) => {
  installation = await openInstallation()
  const jobs = await submitMany()
  await killedAt(CHILD, [installation.connectionString, '4'], `${side}:bulk.shards-set:1`)
  expect(await listShardOwners(installation.database)).toHaveLength(count)
  await installation.coordinator()
  await expectEndedOnce(jobs)
})

test('a cancellation that another coordinator reads ends the job, and releases nothing more of it', async () => {
  installation = await openInstallation({ shards: SHARDS })
  const services = [await installation.coordinator(), await installation.coordinator()]
  await until(() => expect(detailsOf(services)).toEqual(['holds 2 of 4 shards', 'holds 2 of 4 shards']))
  installation.scorer.decide = ({ jobIndex }) => (jobIndex! < 10 ? 'report' : 'hold')
  // The held items fit into the window of any shard.
  const jobs = await submitMany(() => 'acc_1', 20)
  await until(() => expect(distinct(installation.scorer.seen.map(({ jobId }) => jobId!))).toBe(12))
  await until(async () => {
    for (const jobId of jobs) expect(await installation.progress(jobId)).toMatchObject({ endedUnits: 10 })
  })
  for (const jobId of jobs) await installation.cancel(jobId)
  for (const jobId of jobs)
    expect((await installation.ended(jobId)).data).toMatchObject({ total: 20, completed: 10, cancelled: 10 })
  // Their places are free in every shard.
  installation.scorer.decide = () => 'report'
  const next = await submitMany()
  for (const jobId of next) expect((await installation.ended(jobId)).data).toMatchObject({ completed: 40 })
  expect(await listDeadLetters(installation.log, COORDINATOR_GROUP)).toEqual([])
})

test.each(['the submission', 'the outcome'])(
  'an outcome and its submission, read by two at the same time, meet: %s begins first',
  async (first) => {
    installation = await openInstallation({ shards: 2 })
    const { database, codec } = installation
    const event = submission(addresses(1))
    const reportId = event.data.items[0]!.reportId!
    const recordOf = (record: object): Fact =>
      factOf(codec, { partition: 0, offset: 0, timestampMs: 0, ...record } as never)!
    const submitted = recordOf(
      codec.encode(event, { topic: topicOf('BulkSubmitted'), key: event.data.jobId }),
    )
    const outcome = recordOf(outcomeRecord(reportId, 'ReportGenerated'))
    const facts = first === 'the submission' ? [submitted, outcome] : [outcome, submitted]
    let other: Promise<unknown> = Promise.resolve()
    await database.transaction({ at: 'test' }, async (transaction) => {
      await applyFacts(transaction, [facts[0]!])
      other = database.transaction({ at: 'test' }, (second) => applyFacts(second, [facts[1]!]))
      // It goes as far as it can before this one ends: it waits for a lock, or it is done.
      await until(async () => {
        const waiting = await database.query(
          "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        )
        expect(waiting).toHaveLength(1)
      })
    })
    await other
    expect(await installation.progress(event.data.jobId)).toEqual({ released: 0, endedUnits: 1 })
    expect(await database.query('SELECT FROM bulk.early_outcome')).toEqual([])
  },
)

test('what a database lost of jobs is read from the log again, whatever their shards', async () => {
  installation = await openInstallation({ shards: SHARDS })
  const service = await installation.coordinator()
  const jobs = await submitMany()
  await expectEndedOnce(jobs)
  await service.stop()
  const { database, log, codec } = installation
  await database.execute('TRUNCATE bulk.job, bulk.unit, bulk.early_outcome')
  await database.execute('DELETE FROM projection.checkpoint WHERE group_name = $1', [COORDINATOR_GROUP])
  await database.transaction({ at: 'test' }, (transaction) => replayJobs({ log, codec, transaction }))
  const ended = await database.query('SELECT FROM bulk.job WHERE ending IS NOT NULL')
  expect([ended.length, new Set(await shardsOf(jobs)).size > 1]).toEqual([12, true])
  const before = (await installation.requests()).length
  await Promise.all([installation.coordinator(), installation.coordinator()])
  const last = await installation.submit(addresses(1))
  await installation.ended(last)
  expect((await installation.requests()).length).toBe(before + 1)
  for (const jobId of jobs) expect(await installation.endingRecords(jobId)).toHaveLength(1)
})
