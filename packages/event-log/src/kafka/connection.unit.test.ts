/** Connections of one process to several brokers, one of which is silent. */
import { silentLogger } from '@cupel/contracts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type * as connections from './connection.js'
import type { Connection } from './connection.js'
import type { WireRequest } from './kafkajs.js'

const OPTIONS = { brokers: ['broker-1:9092'], clientId: 'test', logger: silentLogger }

const fakes = vi.hoisted(() => ({
  failure: '',
  /** Null: the broker rejects each request with `failure`. */
  send: null as (() => Promise<never>) | null,
  onMetadata: () => undefined as void,
  brokers: [] as { nodeId: number; inflight: Map<unknown, unknown> }[],
}))
vi.mock('./kafkajs.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  createCluster: () => {
    const brokers = Object.fromEntries([1, 2].map((nodeId) => [nodeId, fakeBroker(nodeId)]))
    return {
      ...{ connect: done, disconnect: done, targetTopics: new Set() },
      refreshMetadata: async () => fakes.onMetadata(),
      brokerPool: { metadata: null, brokers, seedBroker: undefined },
      findBroker: async ({ nodeId }: { nodeId: number }) => brokers[nodeId],
    }
  },
}))

// Files of one worker share modules: this file loads its own, with the fake, and leaves none of them to the next file.
let openConnection: typeof connections.openConnection
let sendTo: typeof connections.sendTo
beforeAll(async () => {
  vi.resetModules()
  ;({ openConnection, sendTo } = await import('./connection.js'))
})
afterAll(() => void vi.resetModules())

const opened: Connection[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.close()))
  fakes.brokers.length = 0
  fakes.send = null
  fakes.onMetadata = () => undefined
  vi.useRealTimers()
})

const done = async (): Promise<void> => undefined

function fakeBroker(nodeId: number) {
  const inflight = new Map<unknown, unknown>()
  fakes.brokers.push({ nodeId, inflight })
  return {
    ...{ nodeId, brokerAddress: `broker-${nodeId}:9092`, disconnect: done },
    connectionPool: {
      send: () =>
        fakes.send?.() ?? Promise.reject(Object.assign(new Error(fakes.failure), { name: fakes.failure })),
      pool: [{ isConnected: () => true, requestQueue: { inflight }, rejectRequests: () => undefined }],
    },
  }
}

/** The nodes that a connection keeps after another connection of the process received no answer from node 1. */
async function nodesAfter(failure: string, isBusy = false): Promise<string[]> {
  fakes.failure = failure
  opened.push(openConnection(OPTIONS), openConnection(OPTIONS))
  const [asking, other] = opened as [Connection, Connection]
  const cluster = await asking.cluster()
  const { brokers } = (await other.cluster()).brokerPool
  if (isBusy) fakes.brokers.at(-2)!.inflight.set(1, 'a request')
  const asked = sendTo(
    asking,
    { cluster, nodeId: 1 },
    () => ({ requestTimeout: 5_000 }) as WireRequest<never>,
  )
  await expect(asked).rejects.toThrow(failure)
  return Object.keys(brokers)
}

test('where a broker does not answer one connection, no other that is idle waits for it again', async () => {
  expect(await nodesAfter('KafkaJSRequestTimeoutError')).toEqual(['2'])
})

test('a connection over which something is asked ends by its own limits', async () => {
  expect(await nodesAfter('KafkaJSRequestTimeoutError', true)).toEqual(['1', '2'])
})

test('a connection that broke says nothing of the others', async () => {
  expect(await nodesAfter('KafkaJSConnectionClosedError')).toEqual(['1', '2'])
})

test('a request to a broker that hangs ends as soon as the others count it as dead, long before its limit', async () => {
  vi.useFakeTimers()
  opened.push(openConnection(OPTIONS))
  const [connection] = opened as [Connection]
  const cluster = await connection.cluster()
  // kafkajs disconnects a broker that new metadata does not name, and rejects the requests to it.
  let asked = 0
  fakes.send = () =>
    new Promise((_resolve, reject) => {
      fakes.onMetadata = () => {
        asked += 1
        if (asked === 3) reject(new Error('The connection to Kafka was closed'))
      }
    })
  const ended = vi.fn()
  sendTo(connection, { cluster, nodeId: 1 }, () => ({ requestTimeout: 5_000 }) as WireRequest<never>).catch(
    ended,
  )
  await vi.advanceTimersByTimeAsync(1_900)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(200)
  expect(ended).toHaveBeenCalledTimes(1)
})
