import { createHook } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger } from '@cupel/contracts'
import { testKafka } from '@cupel/testkit'
import { afterAll, describe, expect, test } from 'vitest'
import {
  checkpointStore,
  newGroup,
  readAll,
  subscribeOptions,
  until,
} from '../contract/log-under-test.contract.js'
import { numbered, record, textOf } from '../contract/records.contract.js'
import { RecordTooLargeError, type EventLog } from '../port.js'
import { specOf } from './broker-under-test.contract.js'
import { openKafkaLog } from './kafka-log.js'
import { createAdmin } from './kafkajs.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']

describe.skipIf(missing !== undefined)(
  `The log on Kafka${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const opened: EventLog[] = []
    const open = (compression: 'gzip' | 'none' = 'gzip'): EventLog => {
      const log = openKafkaLog({ ...testKafka(), clientId: 'kafka-log', compression })
      opened.push(log)
      return log
    }
    const newName = (): string => `kafka-log.${randomBytes(6).toString('hex')}.v1`
    afterAll(async () => await Promise.all(opened.map((log) => log.close())))

    test('a broker that takes less than assumed gets smaller batches; only a record that is too large by itself is refused', async () => {
      const log = open('none')
      const topic = newName()
      await log.ensureTopics([specOf(topic, { maxBytes: 100_000 })])
      const texts = numbered(400).map((text) => text.padEnd(3_000, '.'))
      const append = log.append(
        'test',
        texts.map((text) => record(topic, text, { partition: 0, key: 'k' })),
      )
      expect((await append).map((position) => position.offset)).toEqual(texts.map((_, index) => index))
      expect((await readAll(log, topic, 0)).map(textOf)).toEqual(texts)
      const large = { ...record(topic, 'large', { partition: 0 }), value: Buffer.alloc(150_000) }
      await expect(log.append('test', [large])).rejects.toThrow(RecordTooLargeError)
      expect(await log.append('test', [record(topic, 'next', { partition: 0 })])).toEqual([
        { topic, partition: 0, offset: 400 },
      ])
    })

    test('the broker takes packed and plain batches of one topic, and a reader finds every record as it was', async () => {
      const [packing, plain] = [open('gzip'), open('none')]
      const topic = newName()
      await packing.ensureTopics([specOf(topic)])
      const texts = numbered(60).map((text) => text.padEnd(3_000, 'the same in every report '))
      for (const [index, text] of texts.entries())
        await (index % 2 === 0 ? packing : plain).append(
          'test',
          [text, text].map((each) => record(topic, each, { partition: 0 })),
        )
      expect((await readAll(plain, topic, 0)).map(textOf)).toEqual(texts.flatMap((text) => [text, text]))
    })

    test('Kafka’s own tools see how far a group has read', async () => {
      const log = open()
      const [topic, group] = [newName(), newGroup()]
      await log.ensureTopics([specOf(topic, { partitions: 2 })])
      await log.append(
        'test',
        numbered(30).map((text, index) => record(topic, text, { partition: index % 3 === 0 ? 0 : 1 })),
      )
      const store = checkpointStore(await log.identity())
      await log.subscribe(
        subscribeOptions({
          ...{ group, topics: [topic], checkpoint: store.load },
          handle: async (batch) => {
            store.advance(batch)
            return undefined
          },
        }),
      )
      const admin = createAdmin({ ...testKafka(), clientId: 'tools', logger: silentLogger })
      await admin.connect()
      await until(async () => {
        const [seen] = await admin.fetchOffsets({ groupId: group, topics: [topic] })
        const offsets = seen!.partitions.map(({ partition, offset }) => [partition, offset])
        expect(offsets.sort()).toEqual([
          [0, '10'],
          [1, '20'],
        ])
      })
      await admin.disconnect()
    })

    test('a topic with another number of partitions is refused', async () => {
      const log = open()
      const topic = newName()
      await log.ensureTopics([specOf(topic, { partitions: 2 })])
      await expect(log.ensureTopics([specOf(topic, { partitions: 3 })])).rejects.toThrow(
        `The topic ${topic} has partitions=2 and must have 3`,
      )
    })

    test('an idle log takes no processor time', async () => {
      const log = open()
      const topic = newName()
      await log.ensureTopics([specOf(topic, { producer: 'fast' })])
      await log.append('test', [record(topic, 'warm')])
      const store = checkpointStore(await log.identity())
      await log.tail({ topic, partition: 0, onRecords: () => undefined, onStopped: fail })
      await log.subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          handle: async () => undefined,
        }),
      )
      let timers = 0
      const counting = createHook({
        init(_id, type) {
          if (type === 'Timeout') timers += 1
        },
      })
      counting.enable()
      await pause(2_000)
      counting.disable()
      // Unpatched kafkajs sets about a thousand timers a second on each connection. Our polls last 250 ms and our heartbeats 1 s.
      expect(timers).toBeLessThan(100)
    })

    test('a process that closes its log can end: no timer and no socket is left', async () => {
      const log = openKafkaLog({ ...testKafka(), clientId: 'kafka-log-closing' })
      const topic = newName()
      await log.ensureTopics([specOf(topic)])
      const before = openHandles()
      await log.append('test', [record(topic, 'a', { partition: 0 })])
      const store = checkpointStore(await log.identity())
      await log.tail({ topic, partition: 0, onRecords: () => undefined, onStopped: fail })
      await log.subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          handle: async () => undefined,
        }),
      )
      expect(openHandles()).toBeGreaterThan(before)
      await log.close()
      await expect.poll(openHandles, { timeout: 120_000 }).toBeLessThanOrEqual(before)
    })
  },
)

const fail = (error: Error): never => {
  throw error
}

/** Sockets and timers that keep the process alive. */
const openHandles = (): number =>
  process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap' || type === 'Timeout').length
