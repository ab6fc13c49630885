/** Kills every process that handles webhooks with SIGKILL, from a printed seed. Every webhook must arrive. */
import { casesWithin, noteSkip, runSeed } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { submitJob } from '../src/bulk-client.js'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import type { Victim } from '../src/process-tree.js'
import { seededRandom } from '../src/random.js'
import { until } from '../src/until.js'
import {
  createEndpoint,
  endsOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../src/webhook-receiver.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`webhooks under kills on the Kafka profile: ${missing}`)
const DEVELOPMENT = { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' }
/** Number of kills without a time budget, and the minimum. */
const FULL_KILLS = 100
const FEWEST_KILLS = 5
const OPEN_JOBS = 4
const ADDRESSES_PER_JOB = 20
/** Limit for the next webhook after a kill: claims of a killed sender expire, and Postgres and Kafka recover. */
const PROGRESS_MS = 180_000
/** A process is killed as often as it is listed. */
const victims = [
  ...(['webhook-dispatcher', 'webhook-dispatcher', 'webhook-dispatcher', 'webhook-dispatcher'] as const),
  ...(['projector', 'bulk-coordinator', 'scorer', 'api', 'kafka', 'postgres'] as const),
] as unknown as readonly [Victim, ...Victim[]]

describe.skipIf(missing !== undefined)('webhooks under kill -9', () => {
  const seed = runSeed()
  const random = seededRandom(seed)
  const home = createHome()
  let installation: Installation
  let client: Client
  let receiver: WebhookReceiver

  beforeAll(async () => {
    // One message in four fails the first time. A second failure would delay the next attempt by five minutes.
    const seen = new Set<string>()
    receiver = await startWebhookReceiver((id) => {
      const isFirst = !seen.has(id)
      seen.add(id)
      return isFirst && random.below(4) === 0 ? random.pick(['fail', 'reset']) : 'accept'
    })
    installation = await startInstallation({
      kafka: true,
      home,
      scale: 'webhook-dispatcher=2',
      environment: DEVELOPMENT,
    })
    client = createClient(installation.ready.base_urls, await enterpriseKey(home))
    await createEndpoint(client, receiver, '/one', 'full')
    await createEndpoint(client, receiver, '/two', 'thin')
  })
  afterAll(async () => {
    await client?.close()
    await installation?.stop()
    await receiver?.close()
    removeHome(home)
  })

  test(
    'kills lose no webhook, and repeats have the same id and the same bytes',
    async () => {
      const submitted: string[] = []
      let isStopping = false
      const work = async (worker: number): Promise<void> => {
        for (let n = 0; !isStopping; n += 1) {
          const addresses = Array.from({ length: ADDRESSES_PER_JOB }, () => `0x${random.hex(40)}`)
          const { job_id: jobId } = await submitJob(client, addresses, `job-${worker}-${n}`)
          submitted.push(jobId)
          await until(`the webhook of job ${jobId}`, 3 * PROGRESS_MS, async () => endsOf(receiver).has(jobId))
        }
      }
      const working = Promise.all(Array.from({ length: OPEN_JOBS }, (_, worker) => work(worker)))
      working.catch(() => undefined)
      const killAll = async (): Promise<void> => {
        const suite = { name: 'webhook kills', full: FULL_KILLS, minimum: FEWEST_KILLS }
        for (const kill of casesWithin(suite, seed)) {
          // The first kill hits the process under test.
          const victim = kill === 0 ? 'webhook-dispatcher' : random.pick(victims)
          const pids = await until(`a running ${victim}`, PROGRESS_MS, async () => {
            const found = installation.pids(victim)
            return found.length > 0 ? found : null
          })
          const before = receiver.received.length
          process.kill(pids[random.below(pids.length)]!, 'SIGKILL')
          await until(
            `webhooks after ${victim} was killed`,
            PROGRESS_MS,
            async () => receiver.received.length > before,
          )
        }
      }
      await Promise.race([killAll(), working])
      isStopping = true
      await working
      await until('every webhook', 2 * PROGRESS_MS, async () =>
        submitted.every((jobId) => endsOf(receiver).get(jobId)?.length === 2),
      )
      expect(receiver.offences).toEqual([])
      const ids = new Set(receiver.received.map(({ id }) => id))
      // Each endpoint also received its test message.
      const tests = new Set(
        receiver.received.flatMap(({ id, body }) => (body.includes('"type":"endpoint.test"') ? [id] : [])),
      )
      expect(tests.size).toBeGreaterThanOrEqual(2)
      expect(ids.size).toBe(2 * submitted.length + tests.size)
      const repeats = receiver.received.length - ids.size
      process.stdout.write(
        `webhook kills: ${submitted.length} jobs, ${ids.size} webhooks, ${repeats} repeats\n`,
      )
    },
    60 * 60_000,
  )
})
