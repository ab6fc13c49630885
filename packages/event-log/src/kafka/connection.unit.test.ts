/** Connections of one process to several brokers, one of which is silent. */
import { silentLogger } from '@cupel/contracts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type * as connections from './connection.js'
import type { Connection } from './connection.js'
import type { WireRequest } from './kafkajs.js'

const OPTIONS = { brokers: ['broker-1:9092'], clientId: 'test', logger: silentLogger }

const fakes = vi.hoisted(() => ({
  failure: '',
  brokers: [] as { nodeId: number; inflight: Map<unknown, unknown> }[],
}))
vi.mock('./kafkajs.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  createCluster: () => {
    const brokers = Object.fromEntries([1, 2].map((nodeId) => [nodeId, fakeBroker(nodeId)]))
    return {
      ...{ connect: done, disconnect: done, refreshMetadata: done, targetTopics: new Set() },
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
})

const done = async (): Promise<void> => undefined

function fakeBroker(nodeId: number) {
  const inflight = new Map<unknown, unknown>()
  fakes.brokers.push({ nodeId, inflight })
  return {
    ...{ nodeId, brokerAddress: `broker-${nodeId}:9092`, disconnect: done },
    connectionPool: {
      send: () => Promise.reject(Object.assign(new Error(fakes.failure), { name: fakes.failure })),
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
  const asked = sendTo(asking, { cluster, nodeId: 1 }, () => ({}) as WireRequest<never>)
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
