/** Statements with a scope: they take one round trip and one role, and leave neither scope nor role behind. */
import { createServer, connect, type AddressInfo } from 'node:net'
import { createTestDatabase, until, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database, type Statement } from './index.js'

const ROLE = 'cupel_scope_test'
let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  database = openDatabase({ connectionString, maxConnections: 1, applicationName: 'scope-test' })
  await database.execute(
    `DO $$ BEGIN CREATE ROLE ${ROLE} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  )
  await database.execute('CREATE TABLE note (owner text, text text)')
  await database.execute(`INSERT INTO note VALUES ('a', 'of a'), ('b', 'of b')`)
  await database.execute('ALTER TABLE note ENABLE ROW LEVEL SECURITY')
  await database.execute(
    `CREATE POLICY own ON note FOR SELECT TO ${ROLE} USING (owner = current_setting('cupel.owner', true))`,
  )
  await database.execute(`GRANT SELECT ON note TO ${ROLE}`)
  await database.execute('CREATE TABLE secret (text text)')
})
afterAll(async () => {
  await database.execute(`DROP OWNED BY ${ROLE}`)
  await database.close()
  await testDatabase.drop()
})

const as = (owner: string, statement: Omit<Statement, 'scope'>): Statement => ({
  ...statement,
  scope: { role: ROLE, settings: { 'cupel.owner': owner } },
})
const NOTES = { name: 'test.notes', text: 'SELECT text FROM note ORDER BY text' }
const WHO = `SELECT current_user <> session_user AS scoped, coalesce(current_setting('cupel.owner', true), '') AS owner`

test('each statement sees what its own scope may, with and without a name, whatever came before', async () => {
  for (const statement of [NOTES, { text: NOTES.text }]) {
    for (const owner of ['a', 'b', 'a', 'c']) {
      const rows = await database.query(as(owner, statement))
      expect(rows).toEqual(owner === 'c' ? [] : [{ text: `of ${owner}` }])
    }
    expect(await database.query(statement.text)).toHaveLength(2)
  }
})

test('role and settings end with the statement', async () => {
  await database.query(as('a', NOTES))
  expect(await database.query(WHO)).toEqual([{ scoped: false, owner: '' }])
  expect(await database.query(as('a', { text: WHO }))).toEqual([{ scoped: true, owner: 'a' }])
  expect(await database.query(WHO)).toEqual([{ scoped: false, owner: '' }])
})

test('values are bound as everywhere, and the count of rows is that of the statement', async () => {
  const statement = { text: 'SELECT $1::int8 + 1 AS n, $2::timestamptz AS at' }
  const at = new Date('2026-01-01T00:00:00.000Z')
  expect(await database.query(as('a', statement), [41, at])).toEqual([{ n: 42, at }])
  expect(await database.execute(as('a', NOTES))).toBe(1)
})

test('an error of the statement, or of its scope, ends neither the pool nor what comes next', async () => {
  const denied = { name: 'test.secret', text: 'SELECT * FROM secret' }
  await expect(database.query(as('a', denied))).rejects.toThrow(/permission denied/)
  await expect(database.query(as('a', { text: 'SELECT 1 / 0' }))).rejects.toThrow(/division/)
  const nobody = { ...NOTES, scope: { role: 'cupel_nobody', settings: { 'cupel.owner': 'a' } } }
  await expect(database.query(nobody)).rejects.toThrow(/cupel_nobody/)
  expect(await database.query(as('b', NOTES))).toEqual([{ text: 'of b' }])
  expect(await database.query(WHO)).toEqual([{ scoped: false, owner: '' }])
})

test('within a transaction, where its scope would not end with it, a statement has none', async () => {
  const attempt = database.transaction({ at: 'test' }, (transaction) => transaction.query(as('a', NOTES)))
  await expect(attempt).rejects.toThrow(/transaction/)
})

test('a scope takes no round trip of its own', async () => {
  const { hostname, port } = new URL(testDatabase.connectionString)
  // Counts the client's turns: before each turn it waits for an answer.
  let spoken = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    client.on('data', () => (spoken += 1))
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(testDatabase.connectionString)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const watched = openDatabase({ connectionString: url.toString(), maxConnections: 1, applicationName: 'w' })
  const cost = async (statement: Statement): Promise<number> => {
    await watched.query(statement)
    const before = spoken
    for (let time = 0; time < 10; time += 1) await watched.query(statement)
    return spoken - before
  }
  expect(await cost(NOTES)).toBe(10)
  expect(await cost(as('a', { name: 'test.scoped-notes', text: NOTES.text }))).toBe(10)
  await watched.close()
  await until(() => new Promise((resolve) => server.close(resolve)))
})
