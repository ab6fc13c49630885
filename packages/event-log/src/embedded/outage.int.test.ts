import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { createTestDatabase, type TestDatabase } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  CASE_TIMEOUT_MS,
  checkpointStore,
  newGroup,
  numbered,
  readAll,
  record,
  subscribeOptions,
  textOf,
  topicSpec,
  until,
} from '../contract/log-under-test.contract.js'
import { eventLogMigrations } from '../migrations.js'
import { LogUnavailableError, type EventLog, type LogRecord, type LogStoppedError } from '../port.js'
import { openEmbeddedLog } from './index.js'

vi.setConfig({ testTimeout: CASE_TIMEOUT_MS })

const topic = 'outage.v1'
let testDatabase: TestDatabase
let server: CuttableServer
/** Connects directly to the server, which the cut does not affect. */
let direct: Database
let database: Database
let log: EventLog
beforeEach(async () => {
  testDatabase = await createTestDatabase()
  direct = openDatabase({
    connectionString: testDatabase.connectionString,
    maxConnections: 2,
    applicationName: 'direct',
  })
  await migrate(direct, await readMigrations([eventLogMigrations]))
  const url = new URL(testDatabase.connectionString)
  server = await cuttableServer(url.hostname, Number(url.port))
  url.port = String(server.port)
  database = openDatabase({ connectionString: url.toString(), maxConnections: 6, applicationName: 'outage' })
  log = openEmbeddedLog({ database })
  await log.ensureTopics([topicSpec(topic, 1)])
})
afterEach(async () => {
  server.restore()
  await log.close()
  await database.close()
  await direct.close()
  await server.close()
  await testDatabase.drop()
})

const append = async (text: string) => await log.append('test', [record(topic, text, { partition: 0 })])

test('while the database is away appends are refused as unavailable, and afterwards they go on', async () => {
  await append('before')
  server.cut()
  await expect(append('lost')).rejects.toThrow(LogUnavailableError)
  await expect(log.endOffset(topic, 0)).rejects.toThrow(LogUnavailableError)
  server.restore()
  await until(async () => void (await append('after')))
  const texts = (await readAll(log, topic, 0)).map(textOf)
  expect(texts[0]).toBe('before')
  expect(texts.at(-1)).toBe('after')
})

test('records that were appended here are read as appended without the database, and no others', async () => {
  const tail = await log.tail({
    ...{ topic, partition: 0 },
    onRecords: () => undefined,
    onStopped: () => undefined,
  })
  for (const text of numbered(3)) await append(text)
  const stored = await readAll(log, topic, 0)
  const asAppended = async (from: number, to: number) => {
    const records: LogRecord[] = []
    for await (const batch of log.read({ topic, partition: 0, from, to, asAppended: true }))
      records.push(...batch)
    return records
  }
  server.cut()
  expect(await asAppended(0, 3)).toEqual(stored)
  expect(await asAppended(1, 2)).toEqual(stored.slice(1, 2))
  await expect(asAppended(0, 4)).rejects.toThrow(LogUnavailableError)
  await expect(readAll(log, topic, 0)).rejects.toThrow(LogUnavailableError)
  server.restore()
  await tail.stop()
})

test('a connection cut under load loses nothing that was acknowledged, and makes no gap', async () => {
  const acknowledged: string[] = []
  const writers = numbered(8, 'writer').map(async (writer) => {
    for (const text of numbered(60, writer)) {
      // Each writer repeats a refused record, as every appender does, so the log may hold the record twice.
      for (let done = false; !done;) {
        done = await append(text).then(
          () => true,
          () => false,
        )
      }
      acknowledged.push(text)
    }
  })
  for (const count of [60, 180, 300]) {
    await until(() => expect(acknowledged.length).toBeGreaterThan(count))
    server.cut()
    server.restore()
  }
  await Promise.all(writers)
  // A connection that was idle at the cut fails at its first use.
  let records: readonly LogRecord[] = []
  await until(async () => void (records = await readAll(log, topic, 0)))
  expect(records.map((each) => each.offset)).toEqual(records.map((_, index) => index))
  expect(new Set(records.map(textOf))).toEqual(new Set(acknowledged))
  expect(acknowledged).toHaveLength(480)
})

test('a tail is not ready while the database is away, and catches up afterwards', async () => {
  const seen: LogRecord[] = []
  const tail = await log.tail({
    topic,
    partition: 0,
    onRecords: (records) => seen.push(...records),
    onStopped: (error) => expect.unreachable(error.message),
  })
  server.cut()
  await until(() => expect(tail.isReady()).toBe(false))
  const another = openEmbeddedLog({ database: direct })
  await another.append('test', [record(topic, 'meanwhile', { partition: 0 })])
  server.restore()
  await until(() => expect(tail.isReady()).toBe(true))
  await until(() => expect(seen.map(textOf)).toEqual(['meanwhile']))
  await append('afterwards')
  await until(() => expect(seen.map(textOf)).toEqual(['meanwhile', 'afterwards']))
  await another.close()
})

test('a subscription goes on after an outage longer than its lease', async () => {
  const store = checkpointStore(await log.identity())
  const seen: LogRecord[] = []
  const subscription = await log.subscribe(
    subscribeOptions({
      group: newGroup(),
      topics: [topic],
      checkpoint: store.load,
      handle: async (batch) => {
        seen.push(...batch.records)
        store.advance(batch)
        return undefined
      },
    }),
  )
  await append('before')
  await until(() => expect(seen.map(textOf)).toEqual(['before']))
  server.cut()
  await until(() => expect(subscription.assigned()).toEqual([]))
  server.restore()
  await until(async () => void (await append('after')))
  await until(() => expect(seen.map(textOf).at(-1)).toBe('after'))
  expect(seen.map((each) => each.offset)).toEqual(seen.map((_, index) => index))
  await subscription.stop()
})

test('a database that comes back with another log in it stops the readers', async () => {
  const stops: LogStoppedError[] = []
  const onStopped = (error: LogStoppedError) => void stops.push(error)
  await append('before')
  await log.tail({ topic, partition: 0, onRecords: () => undefined, onStopped })
  const store = checkpointStore(await log.identity())
  await log.subscribe(
    subscribeOptions({
      group: newGroup(),
      topics: [topic],
      checkpoint: store.load,
      handle: async (batch) => (store.advance(batch), undefined),
      onStopped,
      onRetry: () => undefined,
    }),
  )
  await until(() => expect(store.next(topic, 0)).toBe(1))
  server.cut()
  // The same state as after a restore of an empty database under the same name.
  await direct.execute('DROP SCHEMA log CASCADE')
  await direct.execute('DROP TABLE public.cupel_migration')
  await migrate(direct, await readMigrations([eventLogMigrations]))
  await openEmbeddedLog({ database: direct }).ensureTopics([topicSpec(topic, 1)])
  server.restore()
  await until(() => expect(stops.map((stop) => stop.reason)).toEqual(['foreign-log', 'foreign-log']))
})

test('records that vanish under a reader stop it', async () => {
  const stops: LogStoppedError[] = []
  await append('a')
  await log.tail({
    topic,
    partition: 0,
    onRecords: () => undefined,
    onStopped: (error) => void stops.push(error),
  })
  await append('b')
  await direct.execute('DELETE FROM log.record WHERE record_offset >= 1 AND key <> $1', ['genesis'])
  await until(() => expect(stops.map((stop) => stop.reason)).toEqual(['beyond-end']))
})

interface CuttableServer {
  readonly port: number
  /** Ends every connection and refuses new ones, like a dead server. */
  cut(): void
  restore(): void
  close(): Promise<void>
}

/** Forwards all traffic to a Postgres server. */
async function cuttableServer(host: string, port: number): Promise<CuttableServer> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server: Server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(port, host)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      // An end on either side ends the other side; the reason does not matter here.
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    restore: () => void (isCut = false),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
