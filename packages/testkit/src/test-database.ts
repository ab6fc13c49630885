/** A fresh, empty database for one test file or case. */
import { randomBytes } from 'node:crypto'
import { openDatabase } from '@cupel/postgres'

export interface TestDatabase {
  readonly connectionString: string
  drop(): Promise<void>
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const server = process.env['CUPEL_TEST_POSTGRES_URL']
  if (server === undefined)
    throw new Error('CUPEL_TEST_POSTGRES_URL is not set: this test belongs to a project with global-postgres')
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = openDatabase({
    connectionString: server,
    maxConnections: 1,
    applicationName: 'cupel-testkit',
  })
  await admin.execute(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    connectionString: url.toString(),
    async drop() {
      await admin.execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await admin.close()
    },
  }
}
