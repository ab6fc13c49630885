/** The database role of the services can append to the log and read it, and has no other right in the log. */
import { randomBytes } from 'node:crypto'
import { topicOf } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { SERVICE_ROLE } from '@cupel/local-stack'
import { openDatabase, type Database } from '@cupel/postgres'
import { installReadModels } from '@cupel/projections'
import { readModels } from '@cupel/operation/read-models'
import { testEvent } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { rightsOf, settleRights } from '@cupel/command-line/installation'

// All installations of a server share the role of the services, but its password belongs to one: the test signs in as a member of it.
const role = `cupel_service_${randomBytes(6).toString('hex')}`
const topic = topicOf('AccountCreated')

let installation: CommandLine
let database: Database
let log: EventLog
beforeAll(async () => {
  installation = await openCommandLine()
  const owner = installation.database
  await owner.execute(
    `DO $$ BEGIN CREATE ROLE ${SERVICE_ROLE}; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  )
  await settleRights(owner, [{ role: SERVICE_ROLE, rights: rightsOf() }])
  await owner.execute(`CREATE ROLE ${role} LOGIN PASSWORD 'of-this-test' IN ROLE ${SERVICE_ROLE}`)
  const url = new URL(installation.connectionString)
  url.username = role
  url.password = 'of-this-test'
  const connectionString = url.toString()
  database = openDatabase({ connectionString, maxConnections: 5, applicationName: 'service' })
  log = openEmbeddedLog({ database })
  const created = { accountId: 'acc_1', name: 'First', createdAt: '2026-11-21T09:00:00.000Z' }
  const event = testEvent('AccountCreated', 'acc_1', { ...created, createdBy: 'test', reason: '' })
  await log.append('test', [installation.codec.encode(event, { topic, key: 'acc_1' })])
})
afterAll(async () => {
  await log.close()
  await database.close()
  await installation.database.execute(`DROP ROLE ${role}`)
  await installation.close()
})

test('it appends and reads', async () => {
  const end = await log.endOffset(topic, 0)
  const read = []
  for await (const records of log.read({ topic, partition: 0, from: 0, to: end })) read.push(...records)
  expect(read.map(({ key }) => key)).toEqual(['acc_1'])
})

test.each([
  'UPDATE log.record SET value = value',
  'DELETE FROM log.record',
  'TRUNCATE log.record',
  `INSERT INTO log.record (partition_id, record_offset, key, headers, value) VALUES (1, 99, '', '{}', '')`,
  'UPDATE log.topic_partition SET start_offset = 1',
  'UPDATE log.identity SET log_id = gen_random_uuid()',
  'UPDATE log.schema SET definition = definition',
  `SELECT log.delete_before('${topic}', 0, 1)`,
  'ALTER TABLE log.record DISABLE TRIGGER ALL',
  'DROP TABLE log.record',
  'DROP SCHEMA log CASCADE',
  'CREATE TABLE log.other (id int)',
  `CREATE OR REPLACE FUNCTION log.end_offset(wanted int) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'`,
  `ALTER FUNCTION log.append(int[], int[], int[], int[], int[], int[], int[], bytea) SECURITY INVOKER`,
  'UPDATE public.cupel_migration SET sha256 = sha256',
  'CREATE TEMPORARY TABLE own (id int)',
  'CREATE TABLE public.own (id int)',
  'CREATE SCHEMA own',
  'SELECT lo_create(0)',
  `SELECT lo_from_bytea(0, 'x')`,
  `SELECT lo_import('/etc/passwd')`,
  `SELECT pg_read_file('PG_VERSION')`,
  `SELECT pg_ls_dir('.')`,
  `COPY log.record TO '/tmp/records'`,
  'SET ROLE postgres',
  'ALTER ROLE CURRENT_USER SUPERUSER',
])('it is refused: %s', async (statement) => {
  await expect(database.query(statement)).rejects.toThrow(
    /permission denied|must be (owner|superuser)|only roles with|does not exist/i,
  )
  expect(await log.endOffset(topic, 0)).toBe(1)
})

test('it is not a superuser and owns nothing', async () => {
  const [attributes] = await database.query<{ rolsuper: boolean; rolcreaterole: boolean }>(
    'SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user',
  )
  expect(attributes).toEqual({ rolsuper: false, rolcreaterole: false })
  expect(
    await database.query(
      `SELECT oid::regclass FROM pg_class WHERE relowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)`,
    ),
  ).toEqual([])
})

test('it finds the tables of read models in order without owning them', async () => {
  await installReadModels(database, readModels)
})
