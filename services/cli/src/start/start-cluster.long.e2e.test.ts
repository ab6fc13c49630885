/** `npm start -- --kafka --brokers 3`: the services run on a cluster that survives the kill of one broker. */
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findJava, keptBrokers } from '@cupel/local-stack'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, cleanUp, cupel, end, start, type Started } from '../../test/started.js'
import { EXIT_USAGE } from '@cupel/command-line'
import type { Ready } from './ready-line.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING'] ?? (await javaMissing())
if (missing !== undefined) noteSkip(`the start of three brokers: ${missing}`)

const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const POLL_MS = 500
const RECOVERY_MS = 120_000

describe.skipIf(missing !== undefined)('three brokers', () => {
  const home = mkdtempSync(join(tmpdir(), 'cupel-start-cluster-'))
  const environment = { CUPEL_LOCAL_BROKER_COMPILER: 'quick' }
  let started: Started
  let ready: Ready

  beforeAll(async () => {
    started = start({ home, environment }, '--kafka', '--brokers', '3')
    ready = await started.ready
  })
  afterAll(async () => {
    await cleanUp(home, [started])
  })

  test('every topic has three replicas, and two acknowledge', async () => {
    expect(ready.log).toMatchObject({ kind: 'kafka', brokers: { length: 3 } })
    expect(await keptBrokers(join(home, 'kafka', 'kafka'))).toBe(3)
    // The check of the topics requires as many replicas as there are brokers.
    const doctor = await cupel({ home }, 'doctor', '--json')
    const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string; state: string }[] }
    expect(findings.filter(({ name }) => name === 'topics')).toEqual([
      expect.objectContaining({ state: 'ok' }),
    ])
  })

  test('a killed broker stops no screening, and is started again', async () => {
    const before = recorded('kafka-2')!
    process.kill(before, 'SIGKILL')
    await expect.poll(screen, { timeout: RECOVERY_MS, interval: POLL_MS }).toMatchObject({ status: 200 })
    await expect.poll(() => recorded('kafka-2') ?? before, { timeout: RECOVERY_MS }).not.toBe(before)
    // Each screen uses other partitions: one may be refused while a partition of the killed broker has no leader.
    await expect.poll(screen, { timeout: RECOVERY_MS, interval: POLL_MS }).toMatchObject({ status: 200 })
  })

  test('another number of brokers is refused in one sentence, and the home keeps its own', async () => {
    const screened = await until(async () => {
      const answer = await screen()
      expect(answer).toMatchObject({ status: 200 })
      return answer
    })
    const { report_id: id } = JSON.parse(screened.text) as { report_id: string }
    await end(started)
    const refused = await cupel({ home }, 'start', '--kafka', '--brokers', '1')
    expect(refused).toMatchObject({ exitCode: EXIT_USAGE, stdout: '' })
    expect(refused.stderr.trim().split('\n')).toEqual([
      `${home} was begun with 3 brokers and cannot be started with one broker: leave --brokers out, or choose another folder with CUPEL_HOME.`,
    ])
    started = start({ home, environment }, '--kafka')
    ready = await started.ready
    expect(ready.log).toMatchObject({ brokers: { length: 3 } })
    await until(async () => expect(await call(ready, `/v1/reports/${id}`)).toEqual(screened))
  })

  async function screen(): Promise<{ status: number; text: string }> {
    return await call(ready, '/v1/screen', { body: { address: LAZARUS } })
  }

  function recorded(name: string): number | undefined {
    const folder = join(home, 'processes')
    return readdirSync(folder)
      .filter((file) => file === `${name}.json`)
      .map((file) => (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { pid: number }).pid)[0]
  }
})

test.each([
  [['--brokers', '3'], '--brokers needs --kafka: the embedded installation has no brokers.'],
  [['--processes'], '--processes needs --kafka: the embedded installation is one process.'],
  [['--kafka', '--brokers', '2'], '--brokers takes 1 or 3, not 2.'],
])('start %j is refused', async (args, sentence) => {
  const home = mkdtempSync(join(tmpdir(), 'cupel-start-cluster-'))
  const refused = await cupel({ home }, 'start', ...args)
  await cleanUp(home, [])
  expect(refused).toMatchObject({ exitCode: EXIT_USAGE, stdout: '' })
  expect(refused.stderr.trim()).toContain(sentence)
})

async function javaMissing(): Promise<string | undefined> {
  try {
    await findJava()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
