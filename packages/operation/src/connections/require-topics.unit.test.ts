import { silentLogger } from '@cupel/contracts'
import { type EventLog, type TopicFault, installationTopics } from '@cupel/event-log'
import { loadConfig } from '@cupel/kit/service'
import { expect, test } from 'vitest'
import { requireTopics } from './require-topics.js'
import { logServices, serviceAccess } from './service-access.js'

const fault = (topic: string, setting: string): TopicFault => ({
  ...{ topic, setting, found: '1', wanted: '-1', isMended: true },
  sentence: `The topic ${topic} has ${setting}=1.`,
})

async function started(
  faults: readonly TopicFault[],
  settings: Record<string, string> = {},
): Promise<{ refusal: string; warnings: string[]; checked: string[] }> {
  const warnings: string[] = []
  const checked: string[] = []
  const log = {
    topicFaults: async (topics: readonly { name: string }[]) => {
      checked.push(...topics.map(({ name }) => name))
      return faults
    },
  } as unknown as EventLog
  const logger = { ...silentLogger, warn: (_: object, sentence: string) => void warnings.push(sentence) }
  const refusal = await requireTopics('api', { log, logger, config: loadConfig(settings) }).then(
    () => '',
    (error: unknown) => (error as Error).message,
  )
  return { refusal, warnings, checked }
}

test('a service checks the topics that it uses, and starts where they have no fault', async () => {
  const { refusal, warnings, checked } = await started([])
  expect({ refusal, warnings }).toEqual({ refusal: '', warnings: [] })
  expect(checked).toContain('sandbox.screening.report.events.v1')
  expect(checked).not.toContain('webhooks.endpoint.events.v1')
})

test('each fault is one sentence of the refusal', async () => {
  const { refusal } = await started([fault('a', 'retention.ms'), fault('b', 'retention.bytes')])
  expect(refusal).toContain('The topic a has retention.ms=1.\nThe topic b has retention.bytes=1.\n')
  expect(refusal).toContain('cupel install')
})

test.each([
  ['retention.bytes', [], ['x.a', 'x.b']],
  ['a/retention.bytes', ['x.b'], ['x.a']],
  ['retention.ms', ['x.a', 'x.b'], []],
  ['x.a/retention.bytes', ['x.a', 'x.b'], []],
])('CUPEL_TOPIC_OVERRIDES=%s refuses %j and warns of %j', async (names, refused, warned) => {
  const { refusal, warnings } = await started(
    [fault('x.a', 'retention.bytes'), fault('x.b', 'retention.bytes')],
    {
      CUPEL_TOPIC_OVERRIDES: names,
      CUPEL_TOPIC_PREFIX: 'x.',
    },
  )
  for (const topic of ['x.a', 'x.b'])
    expect(refusal.includes(`topic ${topic} `)).toBe(refused.includes(topic))
  expect(warnings.map((sentence) => sentence.split(' ')[2])).toEqual(warned)
})

test.each(['topic', 'partitions'])('nobody can answer for a wrong %s', async (setting) => {
  expect((await started([fault('a', setting)], { CUPEL_TOPIC_OVERRIDES: setting })).refusal).not.toBe('')
})

test('every topic of an installation has a service that reads it and one that writes it, and none is foreign', () => {
  const names = installationTopics().map(({ name }) => name)
  for (const of of ['reads', 'writes'] as const) {
    const used = new Set(logServices.flatMap((service) => [...serviceAccess[service][of]]))
    const unused = names.filter((name) => !used.has(name))
    expect(unused.filter((name) => !(of === 'reads' && name.endsWith('.dlq')))).toEqual([])
    expect([...used].filter((name) => !names.includes(name) && name !== 'log.genesis.v1')).toEqual([])
  }
})

test('a service starts while a broker is down, and warns of it', async () => {
  const behind: TopicFault = { ...fault('a', 'in-sync replicas'), isMended: false, isPassing: true }
  expect(await started([behind])).toMatchObject({ refusal: '', warnings: [behind.sentence] })
})
