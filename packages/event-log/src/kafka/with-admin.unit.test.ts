import { createRequire } from 'node:module'
import { silentLogger } from '@cupel/contracts'
import type { Admin } from 'kafkajs'
import { expect, test } from 'vitest'
import { createTopics } from './topics.js'
import { withAdmin } from './with-admin.js'

const { KafkaJSConnectionError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } = createRequire(
  import.meta.url,
)('kafkajs/src/errors') as Record<string, new (message: unknown, options?: object) => Error>

const refused = (): Error => new KafkaJSConnectionError!('Connection error: connect ECONNREFUSED')
const connection = { brokers: ['127.0.0.1:1'], clientId: 'test', logger: silentLogger }

/** Admin clients of a cluster; `connect` may fail. Counts those that were made and those that were left. */
function cluster(connect: () => Promise<void> = async () => undefined) {
  const counts = { made: 0, left: 0 }
  const create = (): Admin => {
    counts.made += 1
    return { connect, disconnect: async () => void (counts.left += 1) } as unknown as Admin
  }
  return { counts, create }
}

/** Work that fails so often, then answers. */
function work(failures: number, error: () => Error) {
  let runs = 0
  return async (): Promise<string> => {
    runs += 1
    if (runs <= failures) throw error()
    return `run ${runs}`
  }
}

test.each([
  ['as it is', refused],
  ['inside the error of the caller', () => new Error('Topics could not be created', { cause: refused() })],
  ['after the repeats of kafkajs', () => new KafkaJSNumberOfRetriesExceeded!(refused(), {})],
])('a broker that refuses at first is asked again over a new connection: %s', async (_where, error) => {
  const { counts, create } = cluster()
  expect(await withAdmin(connection, work(3, error), { create })).toBe('run 4')
  expect(counts).toEqual({ made: 4, left: 4 })
})

test('a broker that stays away fails the work with its last error after the limit', async () => {
  const { counts, create } = cluster()
  const never = withAdmin(connection, work(Infinity, refused), { create, backWithinMs: 500 })
  await expect(never).rejects.toThrow(/ECONNREFUSED/)
  expect(counts.made).toBeGreaterThan(1)
  expect(counts.left).toBe(counts.made)
})

test('an error of the work itself, and a cluster of which no broker answers, fail at once', async () => {
  const wrong = () => new KafkaJSProtocolError!({ message: 'no', type: 'INVALID_REPLICATION_FACTOR' })
  const answering = cluster()
  await expect(withAdmin(connection, work(1, wrong), answering)).rejects.toThrow('no')
  const silent = cluster(() => Promise.reject(refused()))
  await expect(withAdmin(connection, work(0, wrong), silent)).rejects.toThrow(/ECONNREFUSED/)
  expect([answering.counts, silent.counts]).toEqual([
    { made: 1, left: 1 },
    { made: 1, left: 1 },
  ])
})

test('topics that a refused broker was asked to create are created by the next one', async () => {
  let asked = 0
  const created: unknown[] = []
  const admin = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    describeCluster: async () => ({ brokers: [{}] }),
    listTopics: async () => [],
    createTopics: async ({ topics }: { topics: readonly { topic: string }[] }) => {
      if (++asked === 1) throw refused()
      created.push(...topics.map(({ topic }) => topic))
    },
    fetchTopicMetadata: async () => ({ topics: [{ name: 't', partitions: [{ leader: 1 }] }] }),
  } as unknown as Admin
  const specs = [{ name: 't', partitions: 1, producer: 'ordered', config: {} }] as const
  await createTopics(connection, { specs, topicPrefix: '' }, { create: () => admin })
  expect(created).toEqual(['t'])
})
