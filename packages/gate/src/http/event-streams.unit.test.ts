import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noMetrics, silentLogger } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, expect, test } from 'vitest'
import {
  createEventStreams,
  type EventStream,
  type EventStreams,
  type StreamLimits,
} from './event-streams.js'

interface Fixture {
  readonly streams: EventStreams
  readonly opened: EventStream[]
  /** Streams that have ended. */
  readonly ended: () => number
  open(keyId?: string): Promise<{ readonly response: IncomingMessage; readonly text: () => string }>
}

/** `account:key`, or a key of an account of its own. */
function readerOf(name: string): { readonly accountId: string; readonly keyId: string } {
  const [accountId = ''] = name.split(':')
  return { accountId, keyId: name }
}

const servers: Server[] = []
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function start(
  limits: Partial<StreamLimits> = {},
  valid: (keyIds: readonly string[]) => readonly string[] = (keyIds) => keyIds,
): Promise<Fixture> {
  const streams = createEventStreams({
    ...{ logger: silentLogger, metrics: noMetrics, limits },
    validKeys: async (keyIds) => new Set(valid(keyIds)),
  })
  const opened: EventStream[] = []
  let ended = 0
  const server = createServer((asked, response) => {
    const answer = streams.answer(readerOf(asked.url!.slice(1)), (stream) => {
      opened.push(stream)
      return () => (ended += 1)
    })
    response.writeHead(answer.status, { ...answer.headers })
    answer.stream!(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  stops.push(() => streams.stop())
  const { port } = server.address() as AddressInfo
  return {
    ...{ streams, opened, ended: () => ended },
    open: (keyId = 'k') =>
      new Promise((resolve, reject) => {
        const asking = request({ host: '127.0.0.1', port, path: `/${keyId}`, agent: false }, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('error', () => undefined)
          resolve({ response, text: () => text })
        })
        asking.on('error', reject).end()
      }),
  }
}

test('events go out as they come, in the form of the standard, and the end is the end', async () => {
  const { opened, ended, open } = await start()
  const reader = await open()
  await until(() => expect(reader.text()).toBe('retry: 2000\n\n'))
  opened[0]!.send({ type: 'progress', id: 'running.1.0.0', data: '{"completed":1}' })
  await until(() =>
    expect(reader.text()).toContain('event: progress\nid: running.1.0.0\ndata: {"completed":1}\n\n'),
  )
  opened[0]!.end()
  opened[0]!.send({ type: 'progress', id: 'x', data: 'too late' })
  await until(() => expect(reader.response.complete).toBe(true))
  expect(reader.text()).not.toContain('too late')
  expect(ended()).toBe(1)
})

test('a stream that says nothing sends comments, and ends at its greatest age', async () => {
  const { ended, open } = await start({ heartbeatMs: 20, maxAgeMs: 200 })
  const reader = await open()
  await until(() => expect(reader.response.complete).toBe(true))
  expect(reader.text()).toContain(': still here\n\n')
  expect(ended()).toBe(1)
})

test('a key has its number of streams and no more, and the process its own', async () => {
  const { streams, opened, ended, open } = await start({ maxStreams: 3, maxStreamsPerKey: 2 })
  const first = await open('a')
  await open('a')
  await until(() => expect(opened).toHaveLength(2))
  expect(streams.refusal(readerOf('a'))).toMatchObject({ code: 'too_many_streams' })
  expect(streams.refusal(readerOf('b'))).toBeNull()
  await open('b')
  await until(() => expect(opened).toHaveLength(3))
  expect(streams.refusal(readerOf('c'))).toMatchObject({ code: 'unavailable' })
  // A stream that was admitted before the others opened ends at once.
  const late = await open('c')
  await until(() => expect(late.response.complete).toBe(true))
  expect(opened).toHaveLength(3)
  first.response.destroy()
  await until(() => expect(ended()).toBe(1))
  expect(streams.refusal(readerOf('a'))).toBeNull()
})

test('an account has its number of streams over all its keys, and leaves room for others', async () => {
  const { streams, opened, open } = await start({ maxStreamsPerAccount: 2 })
  await open('account:one')
  await open('account:two')
  await until(() => expect(opened).toHaveLength(2))
  expect(streams.refusal(readerOf('account:three'))).toMatchObject({ code: 'too_many_streams' })
  expect(streams.refusal(readerOf('other:one'))).toBeNull()
})

test('a reader that does not keep up is dropped, and keeps nothing waiting', async () => {
  const { opened, ended, open } = await start({ maxWaitingBytes: 1_000 })
  const reader = await open()
  reader.response.pause()
  const data = 'x'.repeat(100_000)
  await until(() => {
    opened[0]!.send({ type: 'progress', id: 'y', data })
    expect(ended()).toBe(1)
  })
  reader.response.resume()
  await until(() => expect(reader.response.destroyed).toBe(true))
  expect(reader.response.complete).toBe(false)
})

test('a key that was revoked is told nothing more; others are', async () => {
  const { opened, open } = await start({ keyCheckMs: 20 }, (keyIds) =>
    keyIds.filter((id) => id !== 'revoked'),
  )
  const [gone, kept] = [await open('revoked'), await open('kept')]
  await until(() => expect(gone.response.complete).toBe(true))
  expect(kept.response.complete).toBe(false)
  opened[1]!.send({ type: 'progress', id: 'z', data: '1' })
  await until(() => expect(kept.text()).toContain('id: z'))
})

test('stopping ends every stream', async () => {
  const { streams, open } = await start()
  const readers = [await open('a'), await open('b')]
  await streams.stop()
  await until(() => expect(readers.every(({ response }) => response.complete)).toBe(true))
})
