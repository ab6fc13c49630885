/** `cupel install` on a database that exists, with the embedded log: the steps, their repeats, and the rights of the services. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@cupel/postgres'
import { createTestDatabase, type TestDatabase } from '@cupel/testkit'
import { TEST_RECORD_KEYS_FILE } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel, type Said } from '../command-line.js'

const role = `cupel_service_${randomBytes(6).toString('hex')}`
let target: TestDatabase
let admin: Database
let environment: Record<string, string>

beforeAll(async () => {
  target = await createTestDatabase()
  admin = openDatabase({
    connectionString: target.connectionString,
    maxConnections: 3,
    applicationName: 'test',
  })
  environment = {
    CUPEL_DATABASE_ADMIN_URL: target.connectionString,
    CUPEL_DATABASE_URL: servicesOf(target),
    CUPEL_LOG: 'embedded',
    CUPEL_RECORD_KEYS_FILE: TEST_RECORD_KEYS_FILE,
  }
})
afterAll(async () => {
  await admin.execute(`DROP OWNED BY ${role}`).catch(() => undefined)
  await admin.close()
  await target.drop()
})

function servicesOf({ connectionString }: TestDatabase): string {
  const url = new URL(connectionString)
  url.username = role
  url.password = 'of-this-test'
  return url.toString()
}

const cupel = (...args: string[]): Promise<Said> => callCupel(environment, args)
interface Answer {
  readonly changed: boolean
  readonly steps: readonly { readonly name: string; readonly changes: readonly string[] }[]
}
const json = async (...args: string[]): Promise<Answer> => {
  const said = await cupel(...args, '--json')
  expect(said).toMatchObject({ error: null })
  return JSON.parse(said.out) as Answer
}
const tables = async (): Promise<number> =>
  (await admin.query("SELECT 1 FROM pg_class WHERE relkind = 'r' AND relnamespace >= 16384")).length

test('an upgrade of nothing is refused', async () => {
  expect(await cupel('upgrade')).toMatchObject({
    error: expect.objectContaining({
      message: expect.stringContaining('There is no installation in this database'),
    }),
  })
})

test('a dry run names every change and makes none', async () => {
  const { changed, steps } = await json('install', '--dry-run')
  expect(changed).toBe(false)
  expect(steps.filter(({ changes }) => changes.length === 0).map(({ name }) => name)).toEqual([
    // Transfers are in Postgres. Without a file of signing keys nothing is published.
    ...['transfers', 'signing keys', 'rebuilds'],
  ])
  expect(await tables()).toBe(0)
})

test('two at once install once, and a third one finds nothing to do', async () => {
  const both = await Promise.all([json('install'), json('install')])
  expect(both.map(({ changed }) => changed).sort()).toEqual([false, true])
  const { changed, steps } = await json('install')
  expect({ changed, changes: steps.flatMap(({ changes }) => changes) }).toEqual({
    changed: false,
    changes: [],
  })
  expect((await cupel('upgrade', '--dry-run')).out).toMatch(/Nothing to do\.$/m)
})

test('the role of the services signs in, reads and appends, and cannot change what was recorded', async () => {
  const services = openDatabase({
    connectionString: environment['CUPEL_DATABASE_URL']!,
    maxConnections: 1,
    applicationName: 'test',
  })
  try {
    expect(await services.query('SELECT 1 FROM log.schema LIMIT 1')).toHaveLength(1)
    await expect(services.execute('DELETE FROM log.record')).rejects.toThrow(/permission denied/)
    await expect(services.execute('CREATE TABLE log.other (id int)')).rejects.toThrow(/permission denied/)
  } finally {
    await services.close()
  }
})

test('what was lost is made again, and nothing else', async () => {
  await admin.execute(`REVOKE ALL ON ALL TABLES IN SCHEMA report_view FROM ${role}`)
  await admin.execute(`ALTER ROLE ${role} PASSWORD 'another' CREATEDB`)
  const { steps } = await json('install')
  const changed = steps.filter(({ changes }) => changes.length > 0)
  expect(changed.map(({ name }) => name)).toEqual(['roles of the services'])
  expect((await json('install')).changed).toBe(false)
})

test('before a restore nothing is appended: what the log has to say is left to the archive, and made by the next installation', async () => {
  const other = await createTestDatabase()
  const database = openDatabase({
    ...{ connectionString: other.connectionString, maxConnections: 1, applicationName: 'test' },
  })
  try {
    const settings = { ...environment, CUPEL_DATABASE_ADMIN_URL: other.connectionString }
    const run = async (...args: string[]): Promise<Answer> =>
      JSON.parse((await callCupel(settings, ['install', ...args, '--json'])).out) as Answer
    const first = await run('--before-restore')
    expect(first.changed).toBe(true)
    expect(first.steps.map(({ name }) => name)).not.toContain('policy')
    // Only the genesis record, which every log has.
    expect(await database.query('SELECT 1 FROM log.record')).toHaveLength(1)
    expect((await run('--before-restore')).changed).toBe(false)
    const { steps } = await run()
    expect(steps.filter(({ changes }) => changes.length > 0)).toEqual([
      { name: 'record keys', changes: [expect.stringMatching(/^Register the record key/)] },
      { name: 'policy', changes: ['Put the default policy in force.'] },
    ])
  } finally {
    await database.execute(`DROP OWNED BY ${role}`)
    await database.close()
    await other.drop()
  }
})

test('an upgrade of a release that lacks the schema of an event is planned before it is made', async () => {
  const subject = 'screening.watch.events.v1-WatchesCreated'
  await admin.execute('DELETE FROM log.schema_version WHERE subject = $1', [subject])
  const plan = await json('upgrade', '--dry-run')
  expect(plan.steps.flatMap(({ changes }) => changes)).toEqual([
    `Register the schema of ${subject} under FULL_TRANSITIVE.`,
  ])
  expect((await json('upgrade')).changed).toBe(true)
})

test('the doctor finds nothing at fault, and names what is', async () => {
  const healthy = await cupel('doctor')
  expect(healthy.out).toContain('Nothing is at fault.')
  expect(healthy.exitCode).toBe(0)
  expect(healthy.out).toMatch(/evidence +ok +Records of other producers are refused\./)
  expect(healthy.out).toMatch(/evidence +warning +Neither checkpoints nor records/)
  await admin.execute(`ALTER ROLE ${role} SUPERUSER`)
  await admin.execute('ALTER SCHEMA label_view RENAME TO label_view_lost')
  const said = await cupel('doctor', '--json')
  await admin.execute('ALTER SCHEMA label_view_lost RENAME TO label_view')
  await admin.execute(`ALTER ROLE ${role} NOSUPERUSER`)
  const { findings } = JSON.parse(said.out) as { findings: { name: string; state: string; detail: string }[] }
  expect(said.exitCode).toBe(1)
  expect(findings.filter(({ state }) => state === 'fault').map(({ detail }) => detail)).toEqual([
    'The tables of the read model label-view do not exist.',
  ])
  expect(findings.find(({ name }) => name === 'roles of the services')).toMatchObject({
    state: 'warning',
    detail: 'Not checked, because of tables.',
  })
})

test('the log refuses records of others, and the doctor finds its evidence', async () => {
  const [database, folder] = [await createTestDatabase(), await mkdtemp(join(tmpdir(), 'cupel-keys-'))]
  const withKeys = {
    CUPEL_DATABASE_ADMIN_URL: database.connectionString,
    CUPEL_DATABASE_URL: servicesOf(database),
    CUPEL_LOG: 'embedded',
    CUPEL_RECORD_KEYS_FILE: join(folder, 'record-keys.json'),
    CUPEL_SIGNING_KEYS_FILE: join(folder, 'signing-keys.json'),
    CUPEL_CHECKPOINT_FOLDER: join(folder, 'checkpoints'),
  }
  const owner = openDatabase({
    ...{ connectionString: database.connectionString, maxConnections: 1, applicationName: 'test' },
  })
  const call = async (...command: string[]): Promise<string> => {
    const said = await callCupel(withKeys, command)
    expect(said).toMatchObject({ error: null, exitCode: 0 })
    return said.out
  }
  const changes = async (...options: string[]): Promise<string[]> => {
    const { steps } = JSON.parse(await call('install', '--json', ...options)) as Answer
    return steps
      .filter(({ name }) => ['record keys', 'signing keys'].includes(name))
      .flatMap((step) => step.changes)
  }
  const published = (): Promise<unknown[]> =>
    owner.query("SELECT 1 FROM projection.outbox WHERE topic = 'log.signing-key.events.v1'")
  try {
    await call('log', 'add-key')
    await call('log', 'rotate-signing-key')
    const begun = [
      expect.stringMatching(/^Register the record key [0-9a-f]{12}\.$/),
      expect.stringMatching(/^Publish the signing key [0-9a-f]{8}\.$/),
    ]
    expect(await changes('--dry-run')).toEqual(begun)
    expect(await changes()).toEqual(begun)
    expect(await published()).toHaveLength(1)
    // Every record has a MAC, also that of the default policy.
    expect(
      await owner.query("SELECT 1 FROM log.record WHERE (headers::jsonb)->>'cupel_mac' IS NULL"),
    ).toHaveLength(1)
    expect(await changes()).toEqual([])
    await call('log', 'rotate-signing-key')
    await call('log', 'add-key')
    // A further record key waits for `cupel log register-keys`: processes without it would not start.
    const exchanged = [expect.stringMatching(/^Publish the signing key [0-9a-f]{8}\.$/)]
    expect(await changes('--dry-run')).toEqual(exchanged)
    expect((await callCupel(withKeys, ['doctor'])).out).toMatch(
      /The signing key [0-9a-f]{8} is not in the log/,
    )
    expect(await changes()).toEqual(exchanged)
    expect(await changes()).toEqual([])
    expect(await published()).toHaveLength(2)
    const { out } = await callCupel(withKeys, ['doctor'])
    expect(out).toMatch(/evidence +ok +Checkpoints and records are signed with the key/)
    expect(out).toMatch(/evidence +ok +Records of other producers are refused\./)
  } finally {
    await owner.close()
    await rm(folder, { recursive: true, force: true })
    await database.drop()
  }
})

test('partitions are not chosen on the embedded log', async () => {
  for (const option of ['--screen-partitions', '--report-partitions'])
    expect(await cupel('install', option, '32')).toMatchObject({
      error: { message: 'Partitions are chosen only on Kafka; the embedded log has a fixed number.' },
    })
  expect((await json('install')).changed).toBe(false)
})

test('each service has the rights at the brokers that it needs, and those of operators are separate', async () => {
  const asked = ['install', '--print-acls', '--principal', 'User:CN={service}']
  const lines = (await cupel(...asked)).out.split('\n')
  const { acls } = JSON.parse((await cupel(...asked, '--json')).out) as { acls: object[] }
  expect(acls).toContainEqual({
    ...{ principal: 'User:CN=scorer', resource_type: 'topic', name: 'screening.report.events.v1' },
    ...{ pattern: 'literal', operation: 'Write' },
  })
  expect(acls).toContainEqual({
    ...{ principal: 'User:CN=scorer', resource_type: 'group', name: 'scorer.' },
    ...{ pattern: 'prefixed', operation: 'Read' },
  })
  // Kafka's own tool grants each operation of a call on each resource of it.
  const granted = lines.flatMap((line) => {
    const all = (option: string) =>
      [...line.matchAll(new RegExp(`--${option} (\\S+)`, 'g'))].map(([, of]) => of!)
    const [[principal], [pattern]] = [all('allow-principal'), all('resource-pattern-type')]
    return ['topic', 'group'].flatMap((type) =>
      all(type).flatMap((name) =>
        all('operation').map((operation) => ({ principal, resource_type: type, name, pattern, operation })),
      ),
    )
  })
  const sorted = (rights: readonly object[]) =>
    rights.map((right) => JSON.stringify(Object.entries(right).sort())).sort()
  expect(sorted(granted)).toEqual(sorted(acls))
  expect(lines.length).toBeLessThan(acls.length / 8)
  expect(lines.filter((line) => /Create|Delete|Alter/.test(line) && !line.includes('CN=operator'))).toEqual(
    [],
  )
})

test('rights are granted only on Kafka', async () => {
  expect(await cupel('install', '--apply-acls')).toMatchObject({
    error: { message: 'Rights are granted only where CUPEL_LOG=kafka.' },
  })
})
