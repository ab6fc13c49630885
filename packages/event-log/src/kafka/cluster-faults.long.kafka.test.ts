/** Three brokers, with faults of one topic, one partition or one broker. Everything else continues. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { silentLogger, type Logger, type Metrics } from '@cupel/contracts'
import type { KafkaJars } from '@cupel/local-stack'
import { startTestCluster, type TestCluster } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  checkpointStore,
  newGroup,
  readAll,
  subscribeOptions,
  until,
} from '../contract/log-under-test.contract.js'
import { numbered, record, textOf } from '../contract/records.contract.js'
import { LogUnavailableError, type EventLog, type LogRecord, type LogStoppedError } from '../port.js'
import { jarsOrReason, specOf } from './broker-under-test.contract.js'
import { openKafkaLog, type KafkaLogOptions } from './kafka-log.js'
import { createAdmin } from './kafkajs.js'

const jars = await jarsOrReason()
const CASE_TIMEOUT_MS = 240_000
const PARTITIONS = 16
/** The partition that loses a replica when broker 2 fails. */
const WEAK = 7
const run = promisify(execFile)

describe.skipIf(typeof jars === 'string')('With three brokers', { timeout: CASE_TIMEOUT_MS }, () => {
  let cluster: TestCluster
  const opened: EventLog[] = []
  const open = (options: Partial<KafkaLogOptions> = {}): EventLog => {
    const log = openKafkaLog({ ...cluster.access, clientId: 'cluster-faults', ...options })
    opened.push(log)
    return log
  }
  const admin = () => createAdmin({ ...cluster.access, clientId: 'admin', logger: silentLogger })
  /** `replicas`: the brokers of each partition, the preferred leader first. */
  const create = async (
    topic: string,
    replicas: readonly (readonly number[])[],
    settings: readonly { name: string; value: string }[] = [],
  ): Promise<void> => {
    const own = admin()
    await own.connect()
    await own.createTopics({
      waitForLeaders: false,
      topics: [
        {
          topic,
          replicaAssignment: replicas.map((each, partition) => ({ partition, replicas: [...each] })),
          configEntries: [
            { name: 'min.insync.replicas', value: String(Math.min(2, replicas[0]!.length)) },
            { name: 'max.message.bytes', value: '2097152' },
            ...settings,
          ],
        },
      ],
    })
    await until(async () => {
      const { topics } = await own.fetchTopicMetadata({ topics: [topic] })
      expect(topics[0]!.partitions.map(({ leader }) => leader)).toEqual(replicas.map(([leader]) => leader))
    })
    await own.disconnect()
  }
  const tool = async (...args: string[]): Promise<void> => {
    const { java, kafkaLibs } = jars as KafkaJars
    await run(java, ['-XX:TieredStopAtLevel=1', '-cp', join(kafkaLibs, '*'), ...args])
  }
  const bootstrap = (): string[] => ['--bootstrap-server', cluster.access.brokers.join(',')]
  const gather = async (log: EventLog, topics: readonly string[]) => {
    const records: LogRecord[] = []
    const stops: LogStoppedError[] = []
    const store = checkpointStore(await log.identity())
    const subscription = await log.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: [...topics],
        checkpoint: store.load,
        onRetry: () => undefined,
        onStopped: (error) => stops.push(error),
        handle: async (batch) => {
          records.push(...batch.records)
          store.advance(batch)
          return undefined
        },
      }),
    )
    return { records, stops, subscription, store }
  }
  const append = (log: EventLog, topic: string, text: string, partition: number) =>
    log.append('test', [record(topic, text, { partition })])

  beforeAll(async () => {
    if (typeof jars === 'string') return
    cluster = await startTestCluster(jars)
    await open().ensureTopics([])
  }, CASE_TIMEOUT_MS)
  afterAll(async () => {
    await Promise.all(opened.map((log) => log.close()))
    await cluster.stop()
  }, CASE_TIMEOUT_MS)

  test.each(['fast', 'ordered'] as const)(
    'one of sixteen partitions below its in-sync minimum: the others are appended once each (%s)',
    async (producer) => {
      const topic = `faults.sixteen-${producer}.v1`
      await create(
        topic,
        numbered(PARTITIONS).map((_, index) => (index === WEAK ? [1, 2] : index % 2 === 0 ? [1, 3] : [3, 1])),
      )
      const requests = countedRequests()
      const log = open({ metrics: requests.metrics })
      await log.ensureTopics([specOf(topic, { partitions: PARTITIONS, producer })], () => true)
      const load = startLoad(PARTITIONS, (text, partition) => append(log, topic, text, partition))
      await until(() => expect(load.acknowledged.size).toBeGreaterThan(200))
      await cluster.brokers[1]!.stop()
      await until(() => expect(load.rejected.get(WEAK)).toBeInstanceOf(LogUnavailableError))
      const before = load.acknowledged.size
      await until(() => expect(load.acknowledged.size).toBeGreaterThan(before + 500))
      await load.stop()
      expect([...load.rejected.keys()]).toEqual([WEAK])

      // An append only to the weak partition is repeated a few times a second, or less often on a busy machine, until its time is over.
      const asked = requests.count()
      await expect(append(log, topic, 'alone', WEAK)).rejects.toThrow(/error 19 for .*\/7/)
      expect(requests.count() - asked).toBeGreaterThan(1)
      expect(requests.count() - asked).toBeLessThan(60)

      await cluster.brokers[1]!.start()
      await until(async () => void (await append(log, topic, 'afterwards', WEAK)))
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        const texts = (await readAll(log, topic, partition)).map(textOf)
        const acknowledged = [...load.acknowledged].filter((text) => text.startsWith(`p${partition}-`))
        expect(acknowledged.filter((text) => !texts.includes(text))).toEqual([])
        if (partition !== WEAK) expect(texts).toEqual(acknowledged)
      }
    },
  )

  test('a partition without a leader and a missing topic keep no other one from being read and written', async () => {
    const [topic, missing] = ['faults.leaderless.v1', 'faults.missing.v1']
    await create(topic, [[1], [2], [3]])
    const log = open()
    const { records, stops } = await gather(log, [topic, missing])
    await append(log, topic, 'both', 0)
    await append(log, topic, 'led', 1)
    await until(() => expect(records.map(textOf).sort()).toEqual(['both', 'led']))
    await cluster.brokers[1]!.stop()
    const [led, unled, absent] = await Promise.allSettled([
      append(log, topic, 'still', 0),
      append(log, topic, 'unled', 1),
      append(log, missing, 'absent', 0),
    ])
    expect([led.status, unled.status, absent.status]).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(String((unled as PromiseRejectedResult).reason)).toContain(
      'no broker leads partition 1 of faults.leaderless.v1',
    )
    expect(String((absent as PromiseRejectedResult).reason)).toContain('topic-partition')
    await append(log, topic, 'and more', 2)
    await until(() => expect(records.map(textOf)).toEqual(expect.arrayContaining(['still', 'and more'])))
    // A member that joins now is also assigned the leaderless partition, and reads the others.
    const later = await gather(log, [topic])
    await until(() => expect(later.records.map(textOf)).toEqual(expect.arrayContaining(['both', 'and more'])))
    expect(await log.endOffset(topic, 0)).toBe(2)

    await cluster.brokers[1]!.start()
    await until(async () => void (await append(log, topic, 'led again', 1)))
    await until(() => {
      for (const each of [records, later.records]) expect(each.map(textOf)).toContain('led again')
    })
    await create(missing, [[1]])
    await until(async () => void (await append(log, missing, 'made', 0)))
    await until(() => expect(records.map(textOf)).toContain('made'))
    expect([...stops, ...later.stops]).toEqual([])
  })

  test('a broker that hangs is followed to the next leaders, and nothing acknowledged is lost or doubled', async () => {
    const topic = 'faults.hanging.v1'
    await create(topic, [
      [1, 2, 3],
      [2, 3, 1],
      [3, 1, 2],
    ])
    const log = open()
    const { records, stops } = await gather(log, [topic])
    const load = startLoad(3, (text, partition) => append(log, topic, text, partition))
    await until(() => expect(records.length).toBeGreaterThan(100))
    cluster.brokers[2]!.freeze()
    try {
      const before = [0, 1, 2].map((partition) => load.of(partition))
      await until(() => {
        for (const partition of [0, 1, 2])
          expect(load.of(partition)).toBeGreaterThan(before[partition]! + 100)
      })
    } finally {
      cluster.brokers[2]!.thaw()
    }
    await load.stop()
    // The broker that comes back reports its old end until it learns that it no longer leads.
    let stored: string[] = []
    await until(async () => {
      const found: string[] = []
      for (const partition of [0, 1, 2]) found.push(...(await readAll(log, topic, partition)).map(textOf))
      expect([...load.acknowledged].filter((text) => !found.includes(text))).toEqual([])
      stored = found
    })
    expect(new Set(stored).size).toBe(stored.length)
    await until(() => expect(records.map(textOf).sort()).toEqual([...stored].sort()))
    expect(stops).toEqual([])
  })

  test('a topic created anew stops its reader, although its offsets exist there too', async () => {
    const topic = 'faults.anew.v1'
    await create(topic, [[1]])
    const log = open()
    const { stops, records } = await gather(log, [topic])
    await log.append(
      'test',
      numbered(5).map((text) => record(topic, text, { partition: 0 })),
    )
    await until(() => expect(records).toHaveLength(5))
    const own = admin()
    await own.connect()
    await own.deleteTopics({ topics: [topic] })
    await until(async () => expect(await own.listTopics()).not.toContain(topic))
    await own.disconnect()
    await create(topic, [[2]])
    await open().append(
      'test',
      numbered(50).map((text) => record(topic, `new ${text}`, { partition: 0 })),
    )
    await until(() => expect(stops).toHaveLength(1))
    // On a busy machine the topic may be missing for so long that its reader stops for that reason.
    expect(stops[0]!.reason).toMatch(/^(foreign|truncated)-log$/)
    expect(records).toHaveLength(5)
  })

  test('a broker that throttles is waited for: nothing is sent again, and nothing counts as stuck', async () => {
    const topic = 'faults.throttled.v1'
    await create(topic, [[1]])
    const entity = ['--entity-type', 'users', '--entity-name', cluster.access.sasl.username]
    const configure = ['kafka.admin.ConfigCommand', ...bootstrap()]
    const quota = ['--command-config', cluster.clientProperties, '--alter', ...entity]
    await tool(...configure, ...quota, '--add-config', 'producer_byte_rate=100000')
    const told: string[] = []
    const fatal: unknown[] = []
    const log = open({ logger: listeningLogger(told), onFatal: (error) => fatal.push(error) })
    await log.ensureTopics([specOf(topic, { producer: 'fast' })], () => true)
    const big = 'x'.repeat(400_000)
    try {
      // This exceeds the quota for about seven seconds, longer than the limit of a request.
      const large = log.append(
        'test',
        numbered(4).map((text) => record(topic, text + big, { partition: 0 })),
      )
      const outcomes = await Promise.allSettled([large])
      outcomes.push(
        ...(await Promise.allSettled(numbered(5).map((text) => append(log, topic, `small ${text}`, 0)))),
      )
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('throttles')
    } finally {
      await tool(...configure, ...quota, '--delete-config', 'producer_byte_rate')
    }
    await until(async () => void (await append(log, topic, 'afterwards', 0)))
    const texts = (await readAll(log, topic, 0)).map(textOf).map((text) => text.slice(0, 20))
    expect(new Set(texts).size).toBe(texts.length)
    expect(fatal).toEqual([])
    expect(told.filter((line) => /timed out|was replaced/.test(line))).toEqual([])
  })

  test.each(['gzip', 'snappy', 'lz4', 'zstd'])(
    'records that a broker compressed with %s are read',
    async (codec) => {
      const topic = `faults.${codec}.v1`
      await create(topic, [[1]], [{ name: 'compression.type', value: codec }])
      const log = open()
      const texts = numbered(200).map((text) => `${text} of ${codec} ${'again '.repeat(10)}`)
      for (const part of [texts.slice(0, 150), texts.slice(150)])
        await log.append(
          'test',
          part.map((text) => record(topic, text, { partition: 0 })),
        )
      expect((await readAll(log, topic, 0)).map(textOf)).toEqual(texts)
    },
  )
})

/** Appends records to each partition, one after the other, until stopped. */
function startLoad(partitions: number, append: (text: string, partition: number) => Promise<unknown>) {
  const acknowledged = new Set<string>()
  const rejected = new Map<number, unknown>()
  let isOver = false
  const workers = numbered(partitions).map(async (_, partition) => {
    for (let index = 0; !isOver; index += 1) {
      const text = `p${partition}-${index}`
      try {
        await append(text, partition)
        acknowledged.add(text)
      } catch (error) {
        rejected.set(partition, error)
      }
    }
  })
  return {
    acknowledged,
    rejected,
    of: (partition: number): number =>
      [...acknowledged].filter((text) => text.startsWith(`p${partition}-`)).length,
    async stop(): Promise<void> {
      isOver = true
      await Promise.all(workers)
    },
  }
}

/** Counts the answered produce requests. */
function countedRequests(): { metrics: Metrics; count: () => number } {
  let count = 0
  const silent = { inc: () => undefined, set: () => undefined, observe: () => undefined }
  const metrics = {
    counter: () => silent,
    gauge: () => silent,
    histogram: (name: string) => (name.includes('request') ? { observe: () => void (count += 1) } : silent),
  }
  return { metrics: metrics as never, count: () => count }
}

function listeningLogger(lines: string[]): Logger {
  const listen = (fields: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { debug: listen, info: listen, warn: listen, error: listen } as never
}
