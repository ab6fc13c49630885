/** The tenant role, for a database user who is not an administrator. */
import { randomBytes } from 'node:crypto'
import { openDatabase, type Database } from '@cupel/postgres'
import { createTestDatabase, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureWallRoles, raiseTenantWalls, TENANT_ROLE, tenantScope } from './tenant-walls.js'

const USER = `cupel_plain_${randomBytes(4).toString('hex')}`
let testDatabase: TestDatabase
let admin: Database
let plain: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  admin = openDatabase({ connectionString, maxConnections: 2, applicationName: 'admin' })
  await admin.transaction({ at: 'test' }, (transaction) => ensureWallRoles(transaction))
  const password = randomBytes(8).toString('hex')
  await admin.execute(`CREATE ROLE ${USER} LOGIN PASSWORD '${password}'`)
  await admin.execute(
    `DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO ${USER}', current_database()); END $$`,
  )
  const url = new URL(connectionString)
  url.username = USER
  url.password = password
  plain = openDatabase({ connectionString: url.toString(), maxConnections: 2, applicationName: 'plain' })
})
afterAll(async () => {
  await plain.close()
  await admin.execute(`DROP OWNED BY ${USER}`)
  await admin.execute(`REVOKE ${TENANT_ROLE} FROM ${USER}`)
  await admin.execute(`DROP ROLE ${USER}`)
  await admin.close()
  await testDatabase.drop()
})

const ensure = () => plain.transaction({ at: 'test' }, (transaction) => ensureWallRoles(transaction))

test('who may neither create the role nor act in it is told what an administrator does once', async () => {
  await expect(ensure()).rejects.toThrow(
    /An administrator does it once: CREATE ROLE cupel_tenant NOLOGIN; CREATE ROLE cupel_every_row/,
  )
})

test('once the role was granted, walls are raised and hold without any other right', async () => {
  await admin.execute(`GRANT ${TENANT_ROLE} TO ${USER}`)
  await ensure()
  await plain.transaction({ at: 'test' }, async (transaction) => {
    await transaction.query('CREATE SCHEMA some_view')
    await transaction.query('CREATE TABLE some_view.thing (account_id text, livemode bool, thing int)')
    await transaction.query('CREATE TABLE some_view.nobodys (thing int)')
    await raiseTenantWalls(transaction, 'some_view')
    // A second start finds everything in place.
    await raiseTenantWalls(transaction, 'some_view')
  })
  await plain.execute(`INSERT INTO some_view.thing VALUES ('a', true, 1), ('a', false, 2), ('b', true, 3)`)
  const of = (accountId: string, livemode: boolean, text = 'SELECT thing FROM some_view.thing') =>
    plain.query({ text, scope: tenantScope({ accountId, livemode }) })
  expect(await of('a', true)).toEqual([{ thing: 1 }])
  expect(await of('a', false)).toEqual([{ thing: 2 }])
  expect(await of('', true)).toEqual([])
  await expect(of('a', true, 'SELECT thing FROM some_view.nobodys')).rejects.toThrow(/permission denied/)
  // Projections own the tables and write for every account.
  expect(await plain.query('SELECT thing FROM some_view.thing')).toHaveLength(3)
})
