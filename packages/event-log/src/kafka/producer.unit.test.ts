import { silentLogger } from '@cupel/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Connection } from './connection.js'
import { REQUEST_TIMEOUT_CHECK_MS } from './kafkajs.js'
import { APPEND_DEADLINE_MS } from './producer.js'
import type * as producers from './producer.js'
import { metadataRequest } from './wire-metadata.js'
import { produceRequest } from './wire.js'

const TOPIC = vi.hoisted(() => 'screening.report.events.v1')

/** The leader is known, but no connection to it ever opens. */
vi.mock('./connection.js', async (importOriginal) => {
  const partitionMetadata = [{ partitionId: 0, leader: 1 }]
  const cluster = {
    brokerPool: { metadata: { topicMetadata: [{ topic: TOPIC, error: 0, partitionMetadata }] } },
    findBroker: () => new Promise(() => undefined),
  }
  const connection = { cluster: async () => cluster, current: () => cluster, refresh: async () => undefined }
  return {
    ...(await importOriginal<object>()),
    openConnection: () => connection as unknown as Connection,
  }
})

// Files of one worker share modules: this file loads its own, with the fake, and leaves none of them to the next file.
let openProducer: typeof producers.openProducer
beforeAll(async () => {
  vi.resetModules()
  ;({ openProducer } = await import('./producer.js'))
})
afterAll(() => void vi.resetModules())

test('an append has the time to outlast a silent leader, and then a silent broker that is asked for another', () => {
  const silences = [produceRequest([]), metadataRequest([], 12)].map(({ requestTimeout }) => requestTimeout)
  const longestMs = silences.reduce((sum, each) => sum + each + REQUEST_TIMEOUT_CHECK_MS, 0)
  // The remaining time is for a new connection and the append itself.
  expect(longestMs).toBeLessThan(APPEND_DEADLINE_MS)
})

test('an append is refused, and nothing counts as stuck, while the way to its leader cannot be made', async () => {
  vi.useFakeTimers()
  const onStuck = vi.fn()
  const producer = openProducer({
    connection: { brokers: [], clientId: 'test', logger: silentLogger },
    ...{ kind: 'fast', compression: 'none', onStuck },
    ...{ onRequest: () => undefined, onFailure: () => undefined },
  })
  try {
    const record = { topic: TOPIC, key: 'key', value: Buffer.from('value'), headers: {} }
    const append = producer.append([{ wireTopic: TOPIC, partition: 0, record }])
    append.catch(() => undefined)
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(append).rejects.toThrow('Kafka did not acknowledge within 10 s')
    expect(onStuck).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})
