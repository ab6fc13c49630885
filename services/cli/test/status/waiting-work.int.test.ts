/** What waits is told from its own time on, and brokers whose replicas are not in step are told in one sentence. */
import type { EventLog, TopicFault } from '@cupel/event-log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { readLaggingReplicas, readWaiting } from '@cupel/operation/health'

let installation: CommandLine
beforeEach(async () => (installation = await openCommandLine()))
afterEach(() => installation.close())

const fault = (topic: string, of: Partial<TopicFault> = {}): TopicFault => ({
  ...{ topic, setting: 'retention.ms', found: '1', wanted: '-1', isMended: false },
  ...of,
  sentence: `The topic ${topic} is at fault.`,
})
const kafka = (faults: readonly TopicFault[]) => ({
  log: { kind: 'kafka', topicFaults: async () => faults } as unknown as EventLog,
})

test('topics with replicas that are not in step are one fault of the brokers; other faults of topics are not', async () => {
  const behind = { setting: 'in-sync replicas', isPassing: true } as const
  expect(
    await readLaggingReplicas(kafka([fault('a.v1'), fault('b.v1', behind), fault('c.v1', behind)])),
  ).toMatchObject([
    {
      part: 'brokers',
      detail: '2 topics have replicas that are not in step, as b.v1: a broker is down or behind.',
    },
  ])
  expect(await readLaggingReplicas(kafka([fault('a.v1')]))).toEqual([])
})

test('topics that cannot be seen are never in step', async () => {
  const unseen = { setting: 'topic', found: null, wanted: 'present' }
  expect(await readLaggingReplicas(kafka([fault('a.v1', unseen), fault('b.v1')]))).toMatchObject([
    { part: 'brokers', detail: expect.stringMatching(/^1 topics do not exist, or .* as a\.v1: /) as string },
  ])
})

test('a screen that was promised lately, or has its report, waits for nobody', async () => {
  const { database } = installation
  await database.execute(
    `INSERT INTO access.pending_screen VALUES ('622f9400217f0c00', 'acc_1', true, now() - interval '4 minutes'),
       ('622f9400217f0c01', 'acc_1', true, now() - interval '1 hour')`,
  )
  await database.execute(
    `INSERT INTO report_view.report (report_id, account_id, livemode, state, failure_code, ended_at, log_partition, log_offset)
     VALUES ('622f9400217f0c01', 'acc_1', true, 'failed', 'internal_error', now(), 0, 0)`,
  )
  expect(await readWaiting({ database })).toEqual([])
  await database.execute(`UPDATE access.pending_screen SET noted_at = now() - interval '6 minutes'`)
  expect(await readWaiting({ database })).toMatchObject([
    { part: 'screens', detail: expect.stringContaining('1 screens') as string },
  ])
})
