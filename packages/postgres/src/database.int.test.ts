import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createTestDatabase, until, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, openDatabase, type Database, type Queryable } from './index.js'

let database: TestDatabase
let db: Database
/** A role whose password changes, and the file that states the password. */
let role: string
let urlFile: string
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({
    connectionString: database.connectionString,
    maxConnections: 2,
    applicationName: 'test',
  })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('a transaction that throws leaves nothing behind', async () => {
  await db.execute('CREATE TABLE t (n int8)')
  const attempt = db.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('INSERT INTO t VALUES (1)')
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  expect(await db.query('SELECT n FROM t')).toEqual([])
})

test('lines are copied in their transaction, and one that is not a row stores nothing and leaves the connection usable', async () => {
  const copied = (lines: string): Promise<number> =>
    db.transaction({ at: 'test' }, (transaction) => transaction.copy('COPY t (n) FROM STDIN', lines))
  expect(await copied('1\n2\n')).toBe(2)
  await expect(copied('3\nx\n')).rejects.toMatchObject({ code: '22P02' })
  await expect(copied('4\n5\t6\n')).rejects.toMatchObject({ code: '22P04' })
  const rolledBack = db.transaction({ at: 'test' }, async (transaction) => {
    await transaction.copy('COPY t (n) FROM STDIN', '7\n')
    throw new Error('no')
  })
  await expect(rolledBack).rejects.toThrow('no')
  expect(await db.query('SELECT n FROM t ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }])
})

test('lines are copied from bytes as from a text', async () => {
  await db.execute('CREATE TABLE named (name text)')
  const lines = ['é', '漢', 'a'].map((name) => `${name}\n`).join('')
  const copied = await db.transaction({ at: 'test' }, (transaction) =>
    transaction.copy('COPY named (name) FROM STDIN', Buffer.from(lines, 'utf8')),
  )
  expect(copied).toBe(3)
  expect(await db.query('SELECT name FROM named')).toEqual([{ name: 'é' }, { name: '漢' }, { name: 'a' }])
})

test('rows are copied out byte for byte, and a statement that fails leaves the connections usable', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
  await db.execute('CREATE TABLE copied (n int8, text text, bytes bytea)')
  await db.execute('INSERT INTO copied SELECT n, $1, $2 FROM generate_series(1, 5000) n', ['é\n\t"', bytes])
  await db.execute('INSERT INTO copied VALUES (5001)')
  const all = 'COPY (SELECT * FROM copied ORDER BY n) TO STDOUT (FORMAT binary)'
  // More statements than connections: each is given back.
  for (const rows of await Promise.all([1, 2, 3].map(() => db.copyOut(all)))) {
    expect(rows).toHaveLength(5001)
    for (const [at, [n, text, found]] of rows.slice(0, 5000).entries()) {
      expect(n!.readBigInt64BE()).toBe(BigInt(at + 1))
      expect(text!.toString()).toBe('é\n\t"')
      if (!bytes.equals(found!)) throw new Error(`The bytes of row ${at} differ`)
    }
    expect(rows.at(-1)!.slice(1)).toEqual([null, null])
  }
  expect(await db.copyOut('COPY (SELECT 1 WHERE false) TO STDOUT (FORMAT binary)')).toEqual([])
  for (let tries = 0; tries < 3; tries += 1)
    await expect(
      db.copyOut('COPY (SELECT 1 / (3 - n) FROM copied) TO STDOUT (FORMAT binary)'),
    ).rejects.toThrow('division by zero')
  expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('an answer of another format rejects the copy, and leaves the connections usable', async () => {
  // Text of this length would have a row whose fields are longer than the answer.
  for (const text of ['short', 'x'.repeat(100), `${'x'.repeat(19)}\u0001`])
    for (let tries = 0; tries < 3; tries += 1)
      await expect(db.copyOut(`COPY (SELECT '${text}') TO STDOUT`)).rejects.toThrow('binary format')
  expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('a bigint beyond 2^53 is refused, not rounded', async () => {
  await expect(db.query('SELECT 9007199254740993::int8 AS n')).rejects.toThrow(RangeError)
  expect(await db.query('SELECT 9007199254740991::int8 AS n')).toEqual([{ n: Number.MAX_SAFE_INTEGER }])
})

test.each([
  ['a transaction', (work: (db: Queryable) => Promise<unknown>) => db.transaction({ at: 'test' }, work)],
  ['a borrowed connection', (work: (db: Queryable) => Promise<unknown>) => db.withConnection(work)],
])('a server that ends %s between two statements fails the next one and crashes nobody', async (_, run) => {
  const attempt = run(async (connection) => {
    const [own] = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await db.query('SELECT pg_terminate_backend($1)', [own!.pid])
    await until(() => expect(connection.query('SELECT 1')).rejects.toThrow())
    throw new Error('ended')
  })
  await expect(attempt).rejects.toThrow('ended')
  expect(await db.query('SELECT 1 AS n')).toEqual([{ n: 1 }])
})

test('a new connection takes the password that the file has by then, and nothing else of it', async () => {
  const renewed = openDatabase({
    ...{ ...(await roleOfFile()), maxConnections: 1, applicationName: 'test' },
    onIdleError: () => undefined,
  })
  const askOnNewConnection = async (): Promise<unknown> => {
    await endConnections()
    await until(() => expect(renewed.poolSize.total).toBe(0))
    return await renewed.query('SELECT 1 AS n')
  }
  try {
    expect(await renewed.query('SELECT 1 AS n')).toEqual([{ n: 1 }])
    await setPassword('second')
    await expect(askOnNewConnection()).rejects.toThrow(/password/)
    writeFileSync(urlFile, urlOf('second', '192.0.2.1:1'))
    expect(await askOnNewConnection()).toEqual([{ n: 1 }])
    rmSync(urlFile)
    expect(await askOnNewConnection()).toEqual([{ n: 1 }])
  } finally {
    await renewed.close()
    await forgetRole()
  }
})

test('who listens takes the password that the file has by then too', async () => {
  const listener = { ...(await roleOfFile()), applicationName: 'test' }
  try {
    await setPassword('second')
    await expect(listen(listener, 'renewed', () => undefined)).rejects.toThrow(/password/)
    writeFileSync(urlFile, urlOf('second'))
    const heard: string[] = []
    const listening = await listen(listener, 'renewed', (payload) => heard.push(payload))
    await db.query(`SELECT pg_notify('renewed', 'news')`)
    await until(() => expect(heard).toEqual(['news']))
    await listening.close()
  } finally {
    await forgetRole()
  }
})

/** A role with the password `first`, in the database and in the file. */
async function roleOfFile(): Promise<{ connectionString: string; connectionStringFile: string }> {
  urlFile = join(mkdtempSync(join(tmpdir(), 'cupel-database-url-')), 'database-url')
  role = `renewed_${randomUUID().replaceAll('-', '')}`
  await db.execute(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`)
  writeFileSync(urlFile, urlOf('first'))
  return { connectionString: urlOf('first'), connectionStringFile: urlFile }
}

async function forgetRole(): Promise<void> {
  await db.execute(`DROP ROLE ${role}`)
  rmSync(dirname(urlFile), { recursive: true, force: true })
}

function urlOf(password: string, host = new URL(database.connectionString).host): string {
  const { pathname, search } = new URL(database.connectionString)
  return `postgres://${role}:${password}@${host}${pathname}${search}`
}

async function setPassword(password: string): Promise<void> {
  await db.execute(`ALTER ROLE ${role} PASSWORD '${password}'`)
}

async function endConnections(): Promise<void> {
  await db.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])
}
