/** The load of customers during the faults: interactive screens, reads of new reports, sequential bulk jobs, webhooks, and watches. */
import { setTimeout as pause } from 'node:timers/promises'
import { endedJob, submitJob, type BulkJob } from '../../src/bulk-client.js'
import { createClient, type Client } from '../../src/client.js'
import { startLoad, type Load } from '../../src/load.js'
import type { Random } from '../../src/random.js'
import { until } from '../../src/until.js'
import {
  createEndpoint,
  endsOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../src/webhook-receiver.js'

export interface SubmittedJob {
  readonly addresses: readonly string[]
  readonly job: BulkJob
}

/** The operations whose failure a customer notices. */
export const noticed = ['screens', 'reads', 'jobs', 'webhooks'] as const
export type Noticed = (typeof noticed)[number]

export interface Customers {
  readonly screens: Load
  readonly jobs: readonly SubmittedJob[]
  readonly receiver: WebhookReceiver
  readonly client: Client
  /** Wrong answers of single reads. */
  readonly offences: readonly string[]
  /**
   * The time from which it worked again after `time`. For screens: the start of the first second in which all were answered; for the
   * others: the end of the first success that began later. Null until then.
   */
  workedSince(what: Noticed, time: number): number | null
  /** Ends the load after all operations under way have ended. */
  stop(): Promise<void>
  close(): Promise<void>
}

const SCREENS_PER_SECOND = 10
const JOB_WORKERS = 2
const JOB_ADDRESSES = 12
/** Number of addresses that each job repeats. */
const TWINS = 2
const READ_PAUSE_MS = 250
/** Only a hang takes longer. */
const END_MS = 300_000

interface Success {
  readonly beganAt: number
  readonly endedAt: number
}

export async function startCustomers(options: {
  readonly baseUrls: readonly string[]
  readonly key: string
  readonly random: Random
  /** Listed addresses, which make up half of the screens. */
  readonly addresses: readonly [string, ...string[]]
}): Promise<Customers> {
  const { random, addresses } = options
  const client = createClient(options.baseUrls, options.key)
  const receiver = await startWebhookReceiver()
  await until('a webhook endpoint', END_MS, () => createEndpoint(client, receiver, '/faults', 'thin'))
  const screens = startLoad({ ...options, perSecond: SCREENS_PER_SECOND })
  const jobs: SubmittedJob[] = []
  const offences: string[] = []
  const successes: Record<Exclude<Noticed, 'screens'>, Success[]> = { reads: [], jobs: [], webhooks: [] }
  let isStopping = false
  const awaitedEnds = new Set<Promise<void>>()

  /** The next job does not wait for the webhook of this one. */
  const awaitEnd = (jobId: string, beganAt: number): void => {
    const end = until(`the webhook of ${jobId}`, END_MS, async () => endsOf(receiver).has(jobId))
      .then(() => void successes.webhooks.push({ beganAt, endedAt: Date.now() }))
      .catch((error: unknown) => void offences.push(String(error)))
      .finally(() => awaitedEnds.delete(end))
    awaitedEnds.add(end)
  }
  const submit = async (worker: number): Promise<void> => {
    for (let n = 0; !isStopping; n += 1) {
      const fresh = Array.from({ length: JOB_ADDRESSES - TWINS - 1 }, () => `0x${random.hex(40)}`)
      const wanted = [...fresh, ...fresh.slice(0, TWINS), random.pick(addresses)]
      const beganAt = Date.now()
      const { job_id: jobId } = await submitJob(client, wanted, `job-${worker}-${n}`)
      const job = await endedJob(client, jobId, END_MS)
      successes.jobs.push({ beganAt, endedAt: Date.now() })
      jobs.push({ addresses: wanted, job })
      awaitEnd(jobId, beganAt)
    }
  }
  const read = async (): Promise<void> => {
    for (let last: string | null = null; !isStopping; await pause(READ_PAUSE_MS)) {
      const id = screens.newest()
      if (id === null || id === last) continue
      last = id
      const beganAt = Date.now()
      const answer = await client.report(id).catch(() => null)
      if (answer?.status === 200) {
        successes.reads.push({ beganAt, endedAt: Date.now() })
        if (answer.text !== screens.answered.get(id)) offences.push(`report ${id} is read differently`)
      } else if (answer !== null && answer.status < 500)
        offences.push(`report ${id} is answered ${answer.status}: ${answer.text}`)
    }
  }
  const working = Promise.all([read(), ...Array.from({ length: JOB_WORKERS }, (_, worker) => submit(worker))])
  working.catch((error: unknown) => offences.push(String(error)))
  return {
    ...{ screens, jobs, receiver, client, offences },
    workedSince: (what, time) =>
      what === 'screens'
        ? screens.steadySince(time)
        : (successes[what].find(({ beganAt }) => beganAt > time)?.endedAt ?? null),
    async stop() {
      isStopping = true
      await screens.stop()
      await working
      await Promise.all(awaitedEnds)
    },
    async close() {
      isStopping = true
      await client.close()
      await receiver.close()
    },
  }
}
