/** A server that is gone without notice: connections stay open, and it answers nothing over them. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createTestDatabase, until, type TestDatabase } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isUnavailable, openDatabase, type Database } from './index.js'

const STATEMENT_TIMEOUT_MS = 400
const LATER_MS = 1_000
/** Only a statement that is never given up takes longer. */
vi.setConfig({ testTimeout: 60_000 })

let testDatabase: TestDatabase
let way: Way
let database: Database
beforeEach(async () => {
  testDatabase = await createTestDatabase()
  const url = new URL(testDatabase.connectionString)
  way = await openWay(url.hostname, Number(url.port))
  url.port = String(way.port)
  database = openDatabase({
    ...{ connectionString: url.toString(), maxConnections: 3, applicationName: 'silent' },
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onIdleError: () => undefined,
  })
})
afterEach(async () => {
  await database.close()
  await way.close()
  await testDatabase.drop()
})

const one = (): Promise<unknown> => database.query('SELECT 1 AS n')
const ONE = [{ n: 1 }]

test('a statement that nobody answers is an outage in time, and the next one has another connection', async () => {
  expect(await one()).toEqual(ONE)
  way.lose()
  const outage = await one().catch((error: unknown) => error)
  expect(isUnavailable(outage)).toBe(true)
  expect(await one()).toEqual(ONE)
})

test('connections that were idle meanwhile are dropped together: only one statement waits', async () => {
  await Promise.all([1, 2, 3].map(() => database.query('SELECT pg_sleep(0.1)')))
  expect(database.poolSize).toMatchObject({ total: 3, idle: 3 })
  way.lose()
  await expect(one()).rejects.toThrow('did not answer')
  await until(() => expect(database.poolSize.total).toBe(0))
  expect(await Promise.all([one(), one(), one()])).toEqual([ONE, ONE, ONE])
})

test('a statement that was sent later over another silent connection does not wait longer than the first', async () => {
  await Promise.all([1, 2].map(() => database.query('SELECT pg_sleep(0.1)')))
  way.lose()
  const first = one()
  await pause(LATER_MS)
  const second = one().catch((error: unknown) => error)
  await expect(first).rejects.toThrow('did not answer')
  expect(isUnavailable(await Promise.race([second, pause(LATER_MS / 2)]))).toBe(true)
  expect(await one()).toEqual(ONE)
})

test('a session that its caller gives up for its silence takes the other connections with it', async () => {
  await Promise.all([1, 2].map(() => database.query('SELECT pg_sleep(0.1)')))
  let other: Promise<unknown> = Promise.resolve()
  const session = database.withConnection(async (connection) => {
    await connection.query('SELECT 1')
    way.lose()
    other = one().catch((error: unknown) => error)
    await pause(1)
    connection.query('SELECT 1').catch(() => undefined)
    await pause(LATER_MS + 50)
    throw new Error('no sign of life')
  })
  await expect(session).rejects.toThrow('no sign of life')
  expect(isUnavailable(await Promise.race([other, pause(LATER_MS / 2)]))).toBe(true)
  expect(await one()).toEqual(ONE)
})

test('a transaction that nobody answers is an outage too, and rolled back', async () => {
  await database.execute('CREATE TABLE t (n int8)')
  const attempt = database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('INSERT INTO t VALUES (1)')
    way.lose()
    await transaction.execute('INSERT INTO t VALUES (2)')
  })
  expect(isUnavailable(await attempt.catch((error: unknown) => error))).toBe(true)
  await until(async () => expect(await database.query('SELECT FROM t')).toEqual([]))
})

test('a statement that the server ends at its limit leaves the others their connections', async () => {
  await Promise.all([one(), one(), one()])
  const { total } = database.poolSize
  await expect(database.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: '57014' })
  expect(database.poolSize.total).toBeGreaterThanOrEqual(total - 1)
})

test('whoever stands still within a transaction holds its locks no longer than a statement may', async () => {
  await database.execute('CREATE TABLE t (n int8)')
  await database.execute('INSERT INTO t VALUES (1)')
  let [holdLock, goOn] = [(): void => undefined, (): void => undefined]
  const isLocked = new Promise<void>((resolve) => (holdLock = resolve))
  const standsStill = new Promise<void>((resolve) => (goOn = resolve))
  const attempt = database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('UPDATE t SET n = 2')
    holdLock()
    await standsStill
    await transaction.execute('UPDATE t SET n = 3')
  })
  attempt.catch(() => undefined)
  await isLocked
  await until(async () => void (await database.execute('UPDATE t SET n = 4')))
  goOn()
  await expect(attempt).rejects.toThrow()
  expect(await database.query('SELECT n FROM t')).toEqual([{ n: 4 }])
})

test('a pool whose server is gone closes all the same', async () => {
  await Promise.all([one(), one()])
  way.lose()
  await database.close()
  database = openDatabase({
    ...{ connectionString: testDatabase.connectionString, maxConnections: 1, applicationName: 'silent' },
  })
})

interface Way {
  readonly port: number
  /** Open connections stay open but carry nothing any more; the server sees their end. New connections pass. */
  lose(): void
  close(): Promise<void>
}

async function openWay(host: string, port: number): Promise<Way> {
  const links = new Set<{ readonly client: Socket; readonly server: Socket }>()
  const way: Server = createServer((client) => {
    const server = connect({ host, port })
    const link = { client, server }
    links.add(link)
    client.pipe(server)
    server.pipe(client)
    for (const socket of [client, server]) socket.on('error', () => undefined)
    server.on('close', () => links.delete(link) && client.destroy())
    client.on('close', () => server.destroy())
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  const lost = new Set<Socket>()
  return {
    port: (way.address() as AddressInfo).port,
    lose() {
      for (const { client, server } of links) {
        client.unpipe(server)
        server.unpipe(client)
        server.removeAllListeners('close').destroy()
        // Reads and discards everything that the client sends.
        client.resume()
        lost.add(client)
      }
      links.clear()
    },
    async close() {
      for (const { client, server } of links) for (const socket of [client, server]) socket.destroy()
      for (const client of lost) client.destroy()
      way.close()
      await once(way, 'close')
    },
  }
}
