/**
 * Restarts every API, scorer and projector of an installation in turn, while calls run through a proxy. No call fails, and nothing that
 * was answered is lost.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isBalancerInstalled, startBalancer, type Balancer } from '../src/balancer.js'
import { startCallers } from '../src/callers.js'
import { enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { descendants, victims } from '../src/process-tree.js'
import { until } from '../src/until.js'

const missing =
  process.env['CUPEL_TEST_KAFKA_MISSING'] ?? (isBalancerInstalled() ? undefined : 'haproxy is not installed')
if (missing !== undefined) noteSkip(`a rolling restart: ${missing}`)

const RESTARTED = ['api', 'scorer', 'projector'] as const
type Restarted = (typeof RESTARTED)[number]
/** Each report was read once when it was made. At the end, one report in this many is read again. */
const READ_EVERY = 10
const CALLERS = 4
/** Many times the time haproxy needs to notice, so that a busy machine makes no difference. */
const DRAIN_MS = 3_000
/** A timer and the test's clock differ by a few milliseconds. */
const CLOCK_SLACK_MS = 100
/** Only a hang takes longer. A slow machine must not fail the test. */
const DEADLINE_MS = 60_000
const RESTART_MS = 120_000
const LIMIT_MS = 900_000

describe.skipIf(missing !== undefined)('a rolling restart', () => {
  const home = createHome()
  let installation: Installation
  let balancer: Balancer | undefined
  let key: string

  beforeAll(async () => {
    const environment = {
      CUPEL_WEB: 'false',
      CUPEL_DRAIN_MS: String(DRAIN_MS),
      CUPEL_SCREEN_DEADLINE_MS: String(DEADLINE_MS),
      CUPEL_READ_WAIT_MS: String(DEADLINE_MS),
      // The time limit of a shutdown is only for a hang.
      CUPEL_SHUTDOWN_TIMEOUT_MS: '120000',
    }
    const scale = 'api=3,scorer=2,projector=2'
    installation = await startInstallation({ kafka: true, scale, home, environment })
    key = await enterpriseKey(home)
    const apis = services().filter(({ name }) => name.startsWith('api-'))
    expect(apis).toHaveLength(3)
    balancer = await startBalancer(
      installation.ready.base_urls.map((url, index) => ({ url, healthUrl: apis[index]!.healthUrl })),
    )
    await balancer.untilComplete()
  }, LIMIT_MS)
  afterAll(async () => {
    await balancer?.stop()
    await installation?.stop()
    removeHome(home)
  })

  function services(): { readonly name: string; readonly healthUrl: string }[] {
    const { services: all } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as {
      services: { name: string; healthUrl: string }[]
    }
    return all
  }
  const pidsOf = (service: Restarted): number[] =>
    descendants(installation.supervisor.pid!)
      .filter(({ command }) => victims[service].test(command))
      .map(({ pid }) => pid)
  const isReady = async (healthUrl: string): Promise<boolean> =>
    (await fetch(`${healthUrl}/readyz`)).status === 200

  /** Restarts a process and resolves to the time from the signal to its end, when another process serves in its place. */
  async function restart(service: Restarted, pid: number): Promise<number> {
    const startedAt = performance.now()
    const count = pidsOf(service).length
    process.kill(pid, 'SIGTERM')
    await until(`the end of ${service} ${pid}`, RESTART_MS, async () => !pidsOf(service).includes(pid))
    const endedAfterMs = performance.now() - startedAt
    await until(`another ${service}`, RESTART_MS, async () => pidsOf(service).length === count)
    for (const { name, healthUrl } of services())
      await until(`${name} ready`, RESTART_MS, async () => await isReady(healthUrl))
    await balancer!.untilComplete()
    return endedAfterMs
  }

  test(
    'fails no call, and loses nothing that was answered',
    async () => {
      const callers = startCallers({ baseUrl: balancer!.baseUrl, key, count: CALLERS })
      await callers.answeredMore(CALLERS)
      const drainsMs: number[] = []
      for (const service of RESTARTED) {
        const before = pidsOf(service)
        expect(before.length).toBeGreaterThan(1)
        for (const pid of before) {
          const endedAfterMs = await restart(service, pid)
          if (service === 'api') drainsMs.push(Math.round(endedAfterMs))
          // The process that takes over must show that it can.
          await callers.answeredMore(CALLERS)
        }
        expect(pidsOf(service).filter((pid) => before.includes(pid))).toEqual([])
      }
      const { failures, reports, slowestMs, calls } = await callers.stop()
      process.stdout.write(
        `rolling restart: ${calls} calls, the slowest took ${Math.round(slowestMs)} ms; APIs ended after ${drainsMs.join(', ')} ms\n`,
      )
      expect(failures).toEqual([])
      expect(Math.min(...drainsMs)).toBeGreaterThan(DRAIN_MS - CLOCK_SLACK_MS)
      await expectReadable([...reports].filter((_, index) => index % READ_EVERY === 0))
    },
    LIMIT_MS,
  )

  async function expectReadable(reports: readonly (readonly [string, string])[]): Promise<void> {
    const differing: string[] = []
    for (const [id, text] of reports) {
      const read = await fetch(`${balancer!.baseUrl}/v1/reports/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      if ((await read.text()) !== text) differing.push(`${id}: ${read.status}`)
    }
    expect(differing).toEqual([])
  }
})
