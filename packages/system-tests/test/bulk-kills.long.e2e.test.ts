/**
 * Kills every process with SIGKILL while bulk jobs run, from a printed seed. Every accepted job must end with exact counters.
 * No item may be lost, no address may be screened under two ids, and the log must hold one distinct end of each job.
 */
import { casesWithin, noteSkip, runSeed } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endedJob, readJob, submitJob, type BulkJob } from '../src/bulk-client.js'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { effectiveReports, readTopic, type DecodedRecord } from '../src/kafka-log.js'
import type { Victim } from '../src/process-tree.js'
import { seededRandom } from '../src/random.js'
import { until } from '../src/until.js'

/** Number of kills without a time budget, and the minimum. */
const FULL_KILLS = 150
const FEWEST_KILLS = 5
const ACCOUNTS = 3
/** Concurrent jobs of all accounts. */
const OPEN_JOBS = 6
const ADDRESSES_PER_JOB = 300
/** Every job has repeated addresses, and texts that are not addresses. */
const TWINS_PER_JOB = 10
const BAD_PER_JOB = 5
/** Limits for the next completed item after a kill, and for the end of a job. Postgres and Kafka first recover their data. */
const PROGRESS_MS = 180_000
const END_MS = 240_000
/** A process is killed as often as it is listed. */
const victims = [
  ...(['bulk-coordinator', 'bulk-coordinator', 'bulk-coordinator', 'bulk-coordinator'] as const),
  ...(['scorer', 'scorer', 'scorer', 'api', 'api', 'projector', 'projector'] as const),
  ...(['kafka', 'postgres'] as const),
] as unknown as readonly [Victim, ...Victim[]]

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`bulk jobs under kills on the Kafka profile: ${missing}`)

interface Submitted {
  readonly jobId: string
  readonly addresses: readonly string[]
  readonly client: Client
}

describe.skipIf(missing !== undefined)('bulk jobs under kill -9', () => {
  const seed = runSeed()
  const random = seededRandom(seed)
  const home = createHome()
  let installation: Installation
  let clients: Client[]

  beforeAll(async () => {
    installation = await startInstallation({ kafka: true, home, scale: 'bulk-coordinator=2' })
    clients = []
    for (let account = 0; account < ACCOUNTS; account += 1)
      clients.push(createClient(installation.ready.base_urls, await enterpriseKey(home)))
  })
  afterAll(async () => {
    await Promise.all((clients ?? []).map((client) => client.close()))
    await installation?.stop()
    removeHome(home)
  })

  test(
    'kills lose no item and no end',
    async () => {
      const submitted: Submitted[] = []
      const ended: BulkJob[] = []
      let stopping = false
      let progress = 0
      const work = async (client: Client, worker: number): Promise<void> => {
        for (let n = 0; !stopping; n += 1) {
          const addresses = drawAddresses()
          const { job_id: jobId } = await submitJob(client, addresses, `job-${worker}-${n}`)
          submitted.push({ jobId, addresses, client })
          let seen = 0
          ended.push(
            await until(`the end of job ${jobId}`, PROGRESS_MS + END_MS, async () => {
              const job = await readJob(client, jobId)
              if (job === null) return null
              progress += job.completed - seen
              seen = job.completed
              return job.completed_at === null ? null : job
            }),
          )
        }
      }
      const working = Array.from({ length: OPEN_JOBS }, (_, n) => work(clients[n % ACCOUNTS]!, n))
      const failed = Promise.all(working).then(() => undefined)
      // A failing worker ends the test at once, not after the last kill.
      failed.catch(() => undefined)
      const counts = new Map<Victim, number>()
      const killAll = async (): Promise<void> => {
        const suite = { name: 'bulk kills', full: FULL_KILLS, minimum: FEWEST_KILLS }
        for (const kill of casesWithin(suite, seed)) {
          // The first kill hits the process under test.
          const victim = kill === 0 ? 'bulk-coordinator' : random.pick(victims)
          const pids = await until(`a running ${victim}`, PROGRESS_MS, async () => {
            const found = installation.pids(victim)
            return found.length > 0 ? found : null
          })
          const before = progress
          process.kill(pids[random.below(pids.length)]!, 'SIGKILL')
          counts.set(victim, (counts.get(victim) ?? 0) + 1)
          await until(`progress after ${victim} was killed`, PROGRESS_MS, async () => progress > before)
        }
      }
      await Promise.race([killAll(), failed])
      stopping = true
      await failed
      process.stdout.write(
        `bulk kills: ${[...counts].map(([victim, n]) => `${victim} ${n}×`).join(', ')}; ${ended.length} jobs\n`,
      )

      for (const { jobId, addresses, client } of submitted)
        expectExact(await endedJob(client, jobId, END_MS), addresses)
      await expectTopicsConsistent(submitted)
    },
    60 * 60_000,
  )

  function drawAddresses(): string[] {
    const fresh = ADDRESSES_PER_JOB - TWINS_PER_JOB - BAD_PER_JOB
    const addresses = Array.from({ length: fresh }, () => `0x${random.hex(40)}`)
    const twins = Array.from({ length: TWINS_PER_JOB }, () => addresses[random.below(fresh)]!)
    const bad = Array.from({ length: BAD_PER_JOB }, (_, n) => `bad ${n}`)
    return [...addresses, ...twins, ...bad]
  }

  function expectExact(job: BulkJob, addresses: readonly string[]): void {
    expect(job).toMatchObject({
      ...{ status: 'completed_with_errors', total: addresses.length, cancelled: 0 },
      ...{ completed: addresses.length - BAD_PER_JOB, failed: BAD_PER_JOB },
    })
    const results = job.results!
    expect(results.map(({ address }) => address)).toEqual(addresses)
    const reportOf = new Map<string, string>()
    for (const { address, report } of results) {
      if (report === undefined) continue
      expect(report.address).toBe(address)
      expect(reportOf.get(address) ?? report.report_id).toBe(report.report_id)
      reportOf.set(address, report.report_id)
    }
  }

  async function expectTopicsConsistent(jobs: readonly Submitted[]): Promise<void> {
    const bulk = await readTopic(installation.ready, 'screening.bulk.events.v1')
    const ends = bulk.filter(({ type }) => type === 'BulkCompleted' || type === 'BulkCancelled')
    for (const { jobId } of jobs) {
      const of = ends.filter(({ key }) => key === jobId)
      expect(of.length, `ends of ${jobId}`).toBeGreaterThan(0)
      expect(new Set(of.map(contentOf)).size, `distinct ends of ${jobId}`).toBe(1)
    }
    // A submission whose answer was lost can be in the log twice. The first record is the job, and each address has one id.
    const wanted = new Set<string>()
    const seen = new Set<string>()
    for (const { type, key, value } of bulk) {
      if (type !== 'BulkSubmitted' || seen.has(key)) continue
      seen.add(key)
      for (const { reportId } of value['items'] as { reportId: string | null }[])
        if (reportId !== null) wanted.add(reportId)
    }
    expect([...seen].filter((jobId) => !jobs.some((job) => job.jobId === jobId))).toEqual([])
    const requests = await readTopic(installation.ready, 'screening.bulk-screen.events.v1')
    const contents = new Map<string, Set<string>>()
    for (const request of requests)
      contents.set(request.key, (contents.get(request.key) ?? new Set()).add(contentOf(request)))
    expect([...contents].filter(([, distinct]) => distinct.size > 1).map(([id]) => id)).toEqual([])
    expect([...wanted].filter((id) => !contents.has(id))).toEqual([])
    expect([...contents.keys()].filter((id) => !wanted.has(id))).toEqual([])
    const effective = effectiveReports(await readTopic(installation.ready, 'screening.report.events.v1'))
    expect([...wanted].filter((id) => effective.get(id)?.type !== 'ReportGenerated')).toEqual([])
  }
})

function contentOf({ id, type, value }: DecodedRecord): string {
  return JSON.stringify([id, type, value])
}
