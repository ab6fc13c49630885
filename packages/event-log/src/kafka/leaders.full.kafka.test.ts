import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLogger } from '@cupel/contracts'
import { freePort, startKafka, type RunningKafka } from '@cupel/local-stack'
import { newKafkaFolder, RECORD_FOLDER } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  checkpointStore,
  newGroup,
  readAll,
  subscribeOptions,
  until,
} from '../contract/log-under-test.contract.js'
import { numbered, record, textOf } from '../contract/records.contract.js'
import type { EventLog, LogRecord } from '../port.js'
import { jarsOrReason, specOf } from './broker-under-test.contract.js'
import { openKafkaLog } from './kafka-log.js'
import { createAdmin } from './kafkajs.js'
import { secondBroker, SHARED_SETTINGS, type SecondBroker } from './second-broker.contract.js'

const jars = await jarsOrReason()
const CASE_TIMEOUT_MS = 240_000
const PARTITIONS = 6

describe.skipIf(typeof jars === 'string')('With two brokers', { timeout: CASE_TIMEOUT_MS }, () => {
  let folder: string
  let first: RunningKafka
  let second: SecondBroker
  const opened: EventLog[] = []
  const open = (options: { replicationFactor?: number } = {}): EventLog => {
    const log = openKafkaLog({ ...first.access, clientId: 'leaders', ...options })
    opened.push(log)
    return log
  }
  beforeAll(async () => {
    if (typeof jars === 'string') return
    folder = await newKafkaFolder()
    const controllerPort = await freePort()
    first = await startKafka({
      jars,
      folder: join(folder, 'first'),
      logFile: join(folder, 'first.log'),
      recordFolder: join(folder, RECORD_FOLDER),
      controllerPort,
      settings: SHARED_SETTINGS,
    })
    second = await secondBroker(jars, join(folder, 'second'), {
      folder: join(folder, 'first'),
      recordFolder: join(folder, RECORD_FOLDER),
      controllerPort,
    })
    await until(async () => expect(await brokerCount()).toBe(2))
  }, CASE_TIMEOUT_MS)
  afterAll(async () => {
    await Promise.all(opened.map((log) => log.close()))
    await second.kill()
    await first.stop()
    await rm(folder, { recursive: true, force: true })
  }, CASE_TIMEOUT_MS)

  const connection = () => ({ ...first.access, clientId: 'leaders-admin', logger: silentLogger })
  async function brokerCount(): Promise<number> {
    const admin = createAdmin(connection())
    await admin.connect()
    const { brokers } = await admin.describeCluster()
    await admin.disconnect()
    return brokers.length
  }
  async function leadersOf(topic: string): Promise<number[]> {
    const admin = createAdmin(connection())
    await admin.connect()
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    await admin.disconnect()
    return topics[0]!.partitions.map((partition) => partition.leader)
  }
  const gather = async (log: EventLog, topic: string) => {
    const records: LogRecord[] = []
    const store = checkpointStore(await log.identity())
    await log.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: [topic],
        checkpoint: store.load,
        onRetry: () => undefined,
        handle: async (batch) => {
          records.push(...batch.records)
          store.advance(batch)
          return undefined
        },
      }),
    )
    return records
  }

  test('records reach the leader of their partition, and are read from there', async () => {
    const log = open()
    const topic = 'leaders.spread.v1'
    await log.ensureTopics([specOf(topic, { partitions: PARTITIONS })])
    expect(new Set(await leadersOf(topic)).size).toBe(2)
    const handled = await gather(log, topic)
    const texts = numbered(600)
    const positions = await log.append(
      'test',
      texts.map((text, index) => record(topic, text, { partition: index % PARTITIONS })),
    )
    expect(positions.every((position, index) => position.offset === Math.floor(index / PARTITIONS))).toBe(
      true,
    )
    await until(() => expect(handled.map(textOf).sort()).toEqual([...texts].sort()))
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      expect((await readAll(log, topic, partition)).map(textOf)).toEqual(
        texts.filter((_, index) => index % PARTITIONS === partition),
      )
  })

  test('a leader that is killed is followed to the next one: nothing acknowledged is lost', async () => {
    const log = open({ replicationFactor: 2 })
    const topic = 'leaders.moving.v1'
    await log.ensureTopics([specOf(topic, { partitions: 2 })])
    const handled = await gather(log, topic)
    const acknowledged = new Set<string>()
    let running = true
    const load = Promise.all(
      [0, 1].map(async (partition) => {
        for (let index = 0; running; index += 1) {
          const text = `p${partition}-${index}`
          const [outcome] = await Promise.allSettled([
            log.append('test', [record(topic, text, { partition })]),
          ])
          if (outcome.status === 'fulfilled') acknowledged.add(text)
        }
      }),
    )
    await until(() => expect(handled.length).toBeGreaterThan(100))
    await second.kill()
    await until(async () => expect(new Set(await leadersOf(topic))).toEqual(new Set([1])))
    const before = acknowledged.size
    await until(() => expect(acknowledged.size).toBeGreaterThan(before + 100))
    running = false
    await load
    const stored = [...(await readAll(log, topic, 0)), ...(await readAll(log, topic, 1))].map(textOf)
    expect([...acknowledged].filter((text) => !stored.includes(text))).toEqual([])
    expect(new Set(stored).size).toBe(stored.length)
    await until(() => expect(handled.map(textOf).sort()).toEqual([...stored].sort()))
    second.start()
    await until(async () => expect(await brokerCount()).toBe(2))
  })

  test('settings that do not keep the promise are told, and mended where that is possible', async () => {
    const topic = 'leaders.settings.v1'
    const admin = createAdmin(connection())
    await admin.connect()
    await open({ replicationFactor: 2 }).ensureTopics([specOf(topic)])
    const set = (entries: Record<string, string>): Promise<unknown> =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: 2,
            name: topic,
            configEntries: Object.entries(entries).map(([name, value]) => ({ name, value })),
          },
        ],
      })
    await set({
      'retention.ms': '1000',
      'segment.ms': '86400000',
      'compression.type': 'zstd',
      // A topic without its own value reports the value of the broker that answers.
      'max.message.bytes': String(2 * 1_048_576),
    })
    const faults = async (): Promise<string[]> =>
      (await open({ replicationFactor: 2 }).topicFaults([specOf(topic)])).map(({ setting }) => setting).sort()
    await until(async () => expect(await faults()).toEqual(['compression.type', 'retention.ms']))
    const changes = await open({ replicationFactor: 2 }).ensureTopics([specOf(topic)])
    expect([...changes].sort()).toEqual([
      `Set compression.type=producer on the topic ${topic}.`,
      `Set retention.ms=-1 on the topic ${topic}.`,
    ])
    await until(async () => expect(await faults()).toEqual([]))
    // Other settings of an operator stay.
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: topic, configNames: ['segment.ms'] }],
    })
    await admin.disconnect()
    expect(resources[0]!.configEntries[0]!.configValue).toBe('86400000')
    await expect(open({ replicationFactor: 3 }).ensureTopics([specOf(topic)])).rejects.toThrow(
      `The topic ${topic} has replication.factor=2 and must have 3: the loss of a broker would lose records.`,
    )
    expect(await open({ replicationFactor: 2 }).topicFaults([specOf('leaders.absent.v1')])).toMatchObject([
      { topic: 'leaders.absent.v1', setting: 'topic', isMended: true },
    ])
  })

  test('a broker that is down is a fault of each topic with a replica there, until it is back', async () => {
    const topic = 'leaders.behind.v1'
    const log = open({ replicationFactor: 2 })
    await log.ensureTopics([specOf(topic)])
    const behind = async () =>
      (await log.topicFaults([specOf(topic)])).filter(({ topic: of }) => of === topic)
    await until(async () => expect(await behind()).toEqual([]))
    await second.kill()
    await until(async () =>
      expect(await behind()).toMatchObject([
        {
          setting: 'in-sync replicas',
          found: expect.stringMatching(/^0 of \d+ partitions$/) as string,
          isPassing: true,
        },
      ]),
    )
    second.start()
    await until(async () => expect(await behind()).toEqual([]))
  })
})
