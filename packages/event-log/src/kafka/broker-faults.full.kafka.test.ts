import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger } from '@cupel/contracts'
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
import { jarsOrReason, specOf, startBroker, type BrokerUnderTest } from './broker-under-test.contract.js'
import { openKafkaLog } from './kafka-log.js'
import { createAdmin } from './kafkajs.js'
import { withAdmin } from './with-admin.js'

const jars = await jarsOrReason()
const CASE_TIMEOUT_MS = 240_000
/** If a close sent requests to the broker, it would wait for one request after the other. */
const HANG_MS = 60_000

describe.skipIf(typeof jars === 'string')('When the broker fails', { timeout: CASE_TIMEOUT_MS }, () => {
  let broker: BrokerUnderTest
  let log: EventLog
  beforeAll(async () => {
    if (typeof jars === 'string') return
    broker = await startBroker(jars)
    log = openKafkaLog({ ...broker.access(), clientId: 'faults' })
    await log.ensureTopics([
      specOf('faults.ordered.v1', { partitions: 2 }),
      specOf('faults.fast.v1', { producer: 'fast' }),
      specOf('faults.frozen.v1'),
    ])
  }, CASE_TIMEOUT_MS)
  afterAll(async () => {
    await log.close()
    await broker.stop()
  }, CASE_TIMEOUT_MS)

  test('a configured broker that hangs up on its callers keeps nobody from asking the others', async () => {
    const deaf = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(deaf, 'listening')
    const { brokers, sasl } = broker.access()
    const deafAddress = `127.0.0.1:${(deaf.address() as AddressInfo).port}`
    const connection = {
      sasl,
      brokers: [deafAddress, deafAddress, ...brokers],
      clientId: 'beside-a-deaf-one',
    }
    // Each client tries the brokers in its own order.
    const asking = numbered(6).map(() =>
      withAdmin({ ...connection, logger: silentLogger }, (admin) => admin.listTopics()),
    )
    for (const topics of await Promise.all(asking)) expect(topics).toContain('faults.fast.v1')
    deaf.close()
  })

  test('killed and started again under load: nothing acknowledged is lost, and readers go on by themselves', async () => {
    const store = checkpointStore(await log.identity())
    const handled: LogRecord[] = []
    const subscription = await log.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: ['faults.ordered.v1'],
        checkpoint: store.load,
        // The reader retries a checkpoint that it cannot verify while the broker is away.
        onRetry: () => undefined,
        handle: async (batch) => {
          handled.push(...batch.records)
          store.advance(batch)
          return undefined
        },
      }),
    )
    const tailed: LogRecord[] = []
    const tail = await log.tail({
      topic: 'faults.fast.v1',
      partition: 0,
      onRecords: (records) => tailed.push(...records),
      onStopped: (error) => {
        throw error
      },
    })
    const load = startLoad(log)
    await until(() => expect(handled.length).toBeGreaterThan(50))

    await broker.kill()
    await until(() => expect(tail.isReady()).toBe(false))
    await broker.start()
    await until(() => expect(tail.isReady()).toBe(true))
    const acknowledgedBefore = load.acknowledged.size
    await until(() => expect(load.acknowledged.size).toBeGreaterThan(acknowledgedBefore + 100))
    await load.stop()

    const stored = [
      ...(await readAll(log, 'faults.ordered.v1', 0)),
      ...(await readAll(log, 'faults.ordered.v1', 1)),
    ]
    const texts = stored.map(textOf)
    expect(
      [...load.acknowledged].filter((text) => text.startsWith('ordered') && !texts.includes(text)),
    ).toEqual([])
    // The producer is idempotent: a request repeated after the broker's return wrote nothing twice.
    expect(new Set(texts).size).toBe(texts.length)
    await until(() => expect(handled.length).toBe(stored.length))
    for (const partition of [0, 1]) {
      const offsets = handled.filter((each) => each.partition === partition).map((each) => each.offset)
      expect(offsets).toEqual(offsets.map((_, index) => index))
    }
    const fast = await readAll(log, 'faults.fast.v1', 0)
    const fastTexts = new Set(fast.map(textOf))
    expect([...load.acknowledged].filter((text) => text.startsWith('fast') && !fastTexts.has(text))).toEqual(
      [],
    )
    await until(() => expect(tailed.map((each) => each.offset)).toEqual(fast.map((each) => each.offset)))
    await Promise.all([tail.stop(), subscription.stop()])
  })

  test('a broker that does not answer: appends are rejected in time, and accepted again when it does', async () => {
    // The broker may just have come back from the case before.
    await until(async () => {
      await log.append('test', [record('faults.frozen.v1', 'before')])
    })
    // The append hangs until it is rejected, because the broker continues only afterwards.
    process.kill(broker.pid(), 'SIGSTOP')
    try {
      await expect(log.append('test', [record('faults.frozen.v1', 'meanwhile')])).rejects.toThrow(
        LogUnavailableError,
      )
    } finally {
      process.kill(broker.pid(), 'SIGCONT')
    }
    await until(async () => {
      await log.append('test', [record('faults.frozen.v1', 'after')])
    })
    const texts = (await readAll(log, 'faults.frozen.v1', 0)).map(textOf)
    expect(texts[0]).toBe('before')
    expect(texts.at(-1)).toBe('after')
  })

  test('a log can be closed while its broker does not answer', async () => {
    const closing = openKafkaLog({ ...broker.access(), clientId: 'closing' })
    await closing.append('test', [record('faults.frozen.v1', 'warm')])
    await closing.tail({
      topic: 'faults.frozen.v1',
      partition: 0,
      onRecords: () => undefined,
      onStopped: (error) => {
        throw error
      },
    })
    await closing.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: ['faults.frozen.v1'],
        checkpoint: async () => null,
        onRetry: () => undefined,
        handle: async () => undefined,
      }),
    )
    process.kill(broker.pid(), 'SIGSTOP')
    const askedAt = performance.now()
    try {
      await closing.close()
    } finally {
      process.kill(broker.pid(), 'SIGCONT')
    }
    expect(performance.now() - askedAt).toBeLessThan(HANG_MS)
  })

  test('a subscription that waits for its broker can be closed', async () => {
    const lonely = openKafkaLog({ brokers: '127.0.0.1:1', clientId: 'lonely' })
    const subscribing = lonely.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: ['faults.frozen.v1'],
        checkpoint: async () => null,
        handle: async () => undefined,
      }),
    )
    await pause(200)
    await lonely.close()
    expect((await subscribing).assigned()).toEqual([])
  })
})

/** Appends numbered records to both kinds of topics until stopped, a few at a time, and records the acknowledged ones. */
function startLoad(log: EventLog): { acknowledged: ReadonlySet<string>; stop(): Promise<void> } {
  const acknowledged = new Set<string>()
  let running = true
  const worker = async (worker: number): Promise<void> => {
    for (let index = 0; running; index += 1) {
      const texts = [`ordered-${worker}-${index}`, `fast-${worker}-${index}`]
      const appends = [
        log.append('test', [record('faults.ordered.v1', texts[0]!, { partition: worker % 2 })]),
        log.append('test', [record('faults.fast.v1', texts[1]!, { partition: 0 })]),
      ]
      for (const [position, outcome] of (await Promise.allSettled(appends)).entries())
        if (outcome.status === 'fulfilled') acknowledged.add(texts[position]!)
      await pause(5)
    }
  }
  const workers = numbered(4).map((_, index) => worker(index))
  return {
    acknowledged,
    async stop() {
      running = false
      await Promise.all(workers)
    },
  }
}

describe.skipIf(typeof jars === 'string')('When the log is another one', { timeout: CASE_TIMEOUT_MS }, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    if (typeof jars !== 'string') broker = await startBroker(jars)
  }, CASE_TIMEOUT_MS)
  afterAll(async () => await broker.stop(), CASE_TIMEOUT_MS)

  /** A reader whose checkpoint is `next`, the end of the topic, and that has read one record from there. */
  const follow = async (log: EventLog, topic: string, next: number) => {
    const stops: LogStoppedError[] = []
    let read = 0
    const store = checkpointStore(await log.identity())
    store.set(topic, 0, { next, log: await log.identity() })
    const subscription = await log.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: [topic],
        checkpoint: store.load,
        onRetry: () => undefined,
        onStopped: (error) => stops.push(error),
        handle: async (batch) => {
          read += batch.records.length
          store.advance(batch)
          return undefined
        },
      }),
    )
    // A subscription may exist before its first fetch. The reader cannot notice changes of the topic before that fetch.
    await fill(log, topic, 1)
    await until(() => expect(read).toBe(1))
    return { subscription, stops }
  }
  const fill = async (log: EventLog, topic: string, count: number) =>
    await log.append(
      'test',
      numbered(count).map((text) => record(topic, text, { partition: 0 })),
    )

  test('a topic deleted and created anew stops its readers, instead of their going on somewhere', async () => {
    const log = openKafkaLog({ ...broker.access(), clientId: 'recreated' })
    const topic = 'recreated.v1'
    await log.ensureTopics([specOf(topic)])
    await fill(log, topic, 20)
    const reader = await follow(log, topic, 20)
    await deleteTopic(broker, topic)
    await log.ensureTopics([specOf(topic)])
    // More records than before, so that the reader's offset also exists in the new topic.
    await fill(log, topic, 50)
    await until(() => expect(reader.stops).toHaveLength(1))
    // On a busy machine the topic may be missing for so long that its reader stops for that reason.
    expect(reader.stops[0]!.reason).toMatch(/^(foreign|truncated)-log$/)
    await log.close()
  })

  test('a topic that is gone for good stops its readers', async () => {
    const log = openKafkaLog({ ...broker.access(), clientId: 'gone' })
    await log.ensureTopics([specOf('gone.v1')])
    await fill(log, 'gone.v1', 3)
    const reader = await follow(log, 'gone.v1', 3)
    await deleteTopic(broker, 'gone.v1')
    await until(() => expect(reader.stops).toHaveLength(1))
    expect(reader.stops[0]!.reason).toBe('truncated-log')
    await log.close()
  })

  test('another cluster behind the same address stops readers, even where their offsets exist there', async () => {
    const log = openKafkaLog({ ...broker.access(), clientId: 'before' })
    const topic = 'foreign.v1'
    await log.ensureTopics([specOf(topic)])
    await fill(log, topic, 10)
    const reader = await follow(log, topic, 10)
    const tailStops: LogStoppedError[] = []
    const tailed: LogRecord[] = []
    await log.tail({
      topic,
      partition: 0,
      onRecords: (records) => tailed.push(...records),
      onStopped: (error) => tailStops.push(error),
    })
    await broker.replace()
    const other = openKafkaLog({ ...broker.access(), clientId: 'after' })
    await other.ensureTopics([specOf(topic)])
    await fill(other, topic, 100)
    await until(() =>
      expect([...reader.stops, ...tailStops].map((each) => each.reason)).toEqual([
        'foreign-log',
        'foreign-log',
      ]),
    )
    expect(tailed).toEqual([])
    await Promise.all([log.close(), other.close()])
  })
})

async function deleteTopic(broker: BrokerUnderTest, topic: string): Promise<void> {
  const admin = createAdmin({ ...broker.access(), clientId: 'delete', logger: silentLogger })
  await admin.connect()
  await admin.deleteTopics({ topics: [topic] })
  await until(async () => expect(await admin.listTopics()).not.toContain(topic))
  await admin.disconnect()
}
