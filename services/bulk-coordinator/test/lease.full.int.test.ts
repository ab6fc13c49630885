/** The lease moves between coordinators: every job ends once, and one that lost the lease writes nothing more. */
import { spawn, type ChildProcess } from 'node:child_process'
import { topicOf } from '@cupel/contracts'
import { programArguments, until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  applyFacts,
  sweep,
  factOf,
  type Fact,
  COORDINATOR_GROUP,
  replayJobs,
  createFence,
  LeaseLostError,
  takeLease,
} from '@cupel/bulk/worker'
import {
  addresses,
  ETH,
  openInstallation,
  outcomeRecord,
  submission,
  type Installation,
} from './installation.js'

const CHILD = new URL('./coordinator-child.ts', import.meta.url)
const ITEMS = 300

let installation: Installation
let child: ChildProcess | null = null
beforeEach(async () => {
  installation = await openInstallation()
})
afterEach(async () => {
  child?.kill('SIGKILL')
  child = null
  await installation.close()
})

const distinct = (values: readonly string[]): number => new Set(values).size

/** Checks that the job ended with every result and one end in the log, and that no address was screened under two ids. */
async function expectEndedOnce(jobId: string): Promise<void> {
  expect((await installation.ended(jobId)).data).toMatchObject({ total: ITEMS, completed: ITEMS })
  const ends = (await installation.endingRecords(jobId)).map(({ key, value, headers }) =>
    JSON.stringify([key, value?.toString('base64'), headers]),
  )
  expect(distinct(ends)).toBe(1)
  const requests = (await installation.requests()).filter(({ data }) => data.jobId === jobId)
  expect(distinct(requests.map((request) => JSON.stringify(request)))).toBe(ITEMS)
}

async function epoch(): Promise<number> {
  const [row] = await installation.database.query<{ epoch: number }>('SELECT epoch FROM bulk.lease')
  return row!.epoch
}

test('one that freezes loses the lease, and writes nothing when it wakes', async () => {
  child = spawn(process.execPath, [...(await programArguments(CHILD)), installation.connectionString], {
    stdio: 'ignore',
  })
  await until(async () => expect(await epoch()).toBe(1))
  const service = await installation.coordinator()
  const doing = (): string | undefined => service.checks()[0]!.detail
  await until(() => expect(doing()).toBe('stands by'))
  installation.scorer.decide = ({ jobIndex }) => (jobIndex! < 20 ? 'report' : 'hold')
  const jobId = await installation.submit(addresses(ITEMS))
  await until(() => expect(installation.scorer.seen.length).toBeGreaterThan(100))
  child.kill('SIGSTOP')
  await until(() => expect(doing()).toBe('holds the lease'))
  child.kill('SIGCONT')
  installation.scorer.decide = () => 'report'
  await installation.scorer.release()
  await expectEndedOnce(jobId)
  expect([doing(), await epoch()]).toEqual(['holds the lease', 2])
})

test('a transaction under a lease that was taken since commits nothing', async () => {
  const { database } = installation
  let lost = 0
  const fence = createFence(await takeLease(database), () => (lost += 1))
  await database.transaction({ at: 'test' }, fence)
  // During a transaction of the holder nobody can take the lease.
  await database.transaction({ at: 'test' }, async (transaction) => {
    await fence(transaction)
    await expect(takeLease(database)).rejects.toThrow('lock timeout')
  })
  expect(lost).toBe(0)
  await takeLease(database)
  await expect(
    database.transaction({ at: 'test' }, async (transaction) => {
      await transaction.execute("INSERT INTO bulk.early_outcome VALUES ('r', 'completed', '')")
      await fence(transaction)
    }),
  ).rejects.toThrow(LeaseLostError)
  expect(lost).toBe(1)
  expect(await database.query('SELECT FROM bulk.early_outcome')).toEqual([])
})

test.each(['the submission', 'the outcome'])(
  'an outcome and its submission, read at the same time, meet: %s begins first',
  async (first) => {
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

test('what a database lost of jobs is read from the log again', async () => {
  const service = await installation.coordinator()
  const jobId = await installation.submit(addresses(ITEMS))
  await expectEndedOnce(jobId)
  await service.stop()
  const { database, log, codec } = installation
  await database.execute('TRUNCATE bulk.job, bulk.unit, bulk.early_outcome')
  await database.execute('DELETE FROM projection.checkpoint WHERE group_name = $1', [COORDINATOR_GROUP])
  await database.transaction({ at: 'test' }, (transaction) => replayJobs({ log, codec, transaction }))
  expect(await database.query('SELECT FROM bulk.job WHERE ending IS NOT NULL')).toHaveLength(1)
  const before = (await installation.requests()).length
  await installation.coordinator()
  await installation.ended(await installation.submit(addresses(1)))
  expect((await installation.requests()).length).toBe(before + 1)
  expect(await installation.endingRecords(jobId)).toHaveLength(1)
})

test('old rows are deleted: screenings and jobs that ended, and outcomes that no job came for', async () => {
  const { database } = installation
  await installation.coordinator()
  const [old, older] = [await installation.submit([ETH]), await installation.submit([ETH])]
  await installation.ended(old)
  await installation.ended(older)
  await until(async () =>
    expect(await database.query('SELECT FROM bulk.job WHERE is_announced')).toHaveLength(2),
  )
  const age = (jobId: string, days: number): Promise<number> =>
    database.execute('UPDATE bulk.job SET ended_at = now() - make_interval(days => $2) WHERE job_id = $1', [
      ...[jobId, days],
    ])
  await age(old, 8)
  await age(older, 31)
  await database.execute(
    "INSERT INTO bulk.early_outcome VALUES ('a', 'completed', '', now() - interval '8 days'), ('b', 'completed', '', now())",
  )
  await sweep(database)
  expect(await database.query('SELECT job_id AS id FROM bulk.job')).toEqual([{ id: old }])
  expect(await database.query('SELECT job_id AS id FROM bulk.unit')).toEqual([])
  expect(await database.query('SELECT report_id AS id FROM bulk.early_outcome')).toEqual([{ id: 'b' }])
})
