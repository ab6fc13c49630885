import { spawn } from 'node:child_process'
import { topicOf } from '@cupel/contracts'
import { appendDeadLetter, FORGED_RECORD, type EventLog, type LogRecord } from '@cupel/event-log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { checkout } from '@cupel/command-line'

const GROUP = 'bulk-coordinator.jobs.v1'
const TOPIC = topicOf('BulkSubmitted')
let commandLine: CommandLine
let log: EventLog

beforeEach(async () => {
  commandLine = await openCommandLine()
  log = commandLine.log
})
afterEach(() => commandLine.close())

async function cupel(...args: string[]): Promise<Record<string, unknown>> {
  const said = await commandLine.cupel(...args, '--json')
  if (said.error !== null) throw said.error
  return JSON.parse(said.out) as Record<string, unknown>
}

const records = (partition: number): Promise<LogRecord[]> => commandLine.records(TOPIC, partition)

/** Appends unreadable records and lays them aside as a group does. */
async function layAside(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const headers = { ce_type: 'BulkSubmitted', ce_id: `event of ${key}` }
    await log.append('test', [{ topic: TOPIC, partition: 2, key, value: Buffer.from(key), headers }])
    const record = (await records(2)).at(-1)!
    await appendDeadLetter(log, 'bulk.dead-letter', { group: GROUP, record, cause: `${key} is not a job` })
  }
}

test('a dead letter is listed with its cause and the place it came from', async () => {
  await layAside('job_a', 'job_b')
  const { dead_letters: letters } = await cupel('dead-letters', 'list')
  expect(letters).toEqual([
    {
      ...{ group: GROUP, offset: 0, cause: 'job_a is not a job', key: 'job_a', type: 'BulkSubmitted' },
      ...{ event_id: 'event of job_a', origin: { topic: TOPIC, partition: 2, offset: 0 } },
    },
    expect.objectContaining({ key: 'job_b', offset: 1 }),
  ])
})

test('a redrive appends the same bytes again and closes the dead letter', async () => {
  await layAside('job_a', 'job_b')
  await cupel('dead-letters', 'redrive', GROUP, '--offset', '1')
  const [, original, again] = await records(2)
  const timestampMs = expect.any(Number) as number
  expect(again).toEqual({ ...original, offset: 2, timestampMs })
  expect((await cupel('dead-letters', 'list'))['dead_letters']).toMatchObject([{ key: 'job_a' }])
  await cupel('dead-letters', 'redrive', `${GROUP}.dlq`, '--all')
  expect((await cupel('dead-letters', 'list', '--group', GROUP))['dead_letters']).toEqual([])
  expect((await records(2)).map(({ key }) => key)).toEqual(['job_a', 'job_b', 'job_b', 'job_a'])
})

test('a record that another producer wrote is never redriven', async () => {
  await layAside('job_a')
  const [record] = await records(2)
  await appendDeadLetter(log, 'bulk.dead-letter', {
    group: GROUP,
    record: record!,
    cause: `${FORGED_RECORD}: no-mac`,
  })
  await expect(cupel('dead-letters', 'redrive', GROUP, '--all')).rejects.toThrow('another producer')
  expect(await records(2)).toHaveLength(1)
})

test('a dismissal closes dead letters and appends no record; a later failure is a new dead letter', async () => {
  await layAside('job_a')
  await cupel('dead-letters', 'dismiss', GROUP, '--all')
  await layAside('job_a')
  expect((await cupel('dead-letters', 'list'))['dead_letters']).toMatchObject([{ key: 'job_a', offset: 2 }])
  expect(await records(2)).toHaveLength(2)
})

test.each([
  [['redrive', GROUP], /with --offset or --all/],
  [['redrive', GROUP, '--offset', '7'], /no open dead letter at offset 7/],
  [['redrive', 'nobody.v1', '--all'], /no group nobody.v1; the groups are scorer.interactive.v1/],
])('%j is refused with what is wrong', async (args, reason) => {
  await layAside('job_a')
  await expect(cupel('dead-letters', ...args)).rejects.toThrow(reason)
})

test.each(['before', 'after'])('a redrive that is killed %s an append loses no letter', async (side) => {
  await layAside('job_a', 'job_b')
  const points = `${side}:dead-letters.redrive:1`
  const program = 'services/cli/dist/main.js'
  const child = spawn(process.execPath, [program, 'dead-letters', 'redrive', GROUP, '--all'], {
    cwd: checkout,
    env: {
      ...process.env,
      ...commandLine.environment,
      CUPEL_FAILPOINT: points,
    },
    stdio: 'ignore',
  })
  const signal = await new Promise<string | null>((resolve) => child.once('close', (_, by) => resolve(by)))
  expect(signal).toBe('SIGKILL')
  expect((await cupel('dead-letters', 'list'))['dead_letters']).toHaveLength(2)
  await cupel('dead-letters', 'redrive', GROUP, '--all')
  expect((await cupel('dead-letters', 'list'))['dead_letters']).toEqual([])
  const keys = (await records(2)).slice(2).map(({ key }) => key)
  expect(new Set(keys)).toEqual(new Set(['job_a', 'job_b']))
})
