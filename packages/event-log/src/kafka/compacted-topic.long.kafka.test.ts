/** A reader reads a topic that the brokers compact through its gaps. The record that remains of each key is its last one. */
import { randomBytes } from 'node:crypto'
import { derivedTopicSpecs, topicOf } from '@cupel/contracts'
import { testKafka, until } from '@cupel/testkit'
import { afterAll, describe, expect, test } from 'vitest'
import { checkpointStore, newGroup, readAll, subscribeOptions } from '../contract/log-under-test.contract.js'
import { numbered, record, textOf } from '../contract/records.contract.js'
import type { EventLog } from '../port.js'
import { openKafkaLog } from './kafka-log.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
/** The brokers look for segments to compact every 15 s. */
const POLL_MS = 1_000
const LIMIT_MS = 300_000
const KEYS = ['a', 'b', 'c']

describe.skipIf(missing !== undefined)(
  `A compacted topic on Kafka${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const topic = topicOf('LatestReportRecorded')
    const spec = derivedTopicSpecs.find(({ name }) => name === topic)!
    let log: EventLog
    const open = (): EventLog =>
      (log = openKafkaLog({
        ...testKafka(),
        clientId: 'compacted',
        topicPrefix: `${randomBytes(6).toString('hex')}.`,
      }))
    afterAll(() => log.close())

    test(
      'is made with its settings, keeps the last record of each key, and is read through the gaps',
      async () => {
        open()
        await log.ensureTopics([spec])
        expect(await log.topicFaults([spec])).toEqual([])
        // With these settings the brokers compact at once instead of within days.
        const { config } = spec
        const eager = {
          ...config,
          'segment.ms': '50',
          'min.cleanable.dirty.ratio': '0.001',
          'max.compaction.lag.ms': '1',
        }
        await log.ensureTopics([{ ...spec, config: eager }])
        for (const text of numbered(30))
          for (const key of KEYS)
            await log.append('test', [record(topic, `${key} ${text}`, { partition: 0, key })])
        const isCompacted = async (): Promise<void> => {
          // The brokers compact only closed segments. An append after the segment's time starts a new one.
          await log.append('test', [record(topic, 'z', { partition: 0, key: 'z' })])
          const left = (await readAll(log, topic, 0)).filter(({ key }) => key === KEYS[0])
          expect(left.length).toBeLessThan(3)
        }
        await until(isCompacted, POLL_MS)

        const left = await readAll(log, topic, 0)
        const last = new Map(left.map((each) => [each.key, textOf(each)]))
        for (const key of KEYS) expect(last.get(key)).toBe(`${key} ${numbered(30).at(-1)!}`)
        expect(await log.startOffset(topic, 0)).toBe(0)

        const [store, seen] = [checkpointStore(await log.identity()), [] as number[]]
        await log.subscribe(
          subscribeOptions({
            ...{ group: newGroup(), topics: [topic], checkpoint: store.load },
            handle: async (batch) => {
              seen.push(...batch.records.map(({ offset }) => offset))
              store.advance(batch)
              return undefined
            },
          }),
        )
        const end = await log.endOffset(topic, 0)
        await until(async () => expect((await store.load({ topic, partition: 0 }))?.next).toBe(end))
        expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other))
        expect(new Set(seen).size).toBeLessThan(end)
      },
      LIMIT_MS,
    )
  },
)
