/** Every service has a role with the rights of its own statements, and no other. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { derivedTopicSpecs, eventSchemas, topicOf, topicSpecs, type EventType } from '@cupel/contracts'
import { openDatabase, type Database } from '@cupel/postgres'
import { databaseRights, logServices, type LogService } from '@cupel/operation/connections'
import { reportView } from '@cupel/reports/read-model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel, openCommandLine, type CommandLine } from '../command-line.js'
import { publicRights, rightsOf } from '@cupel/command-line/installation'

const suffix = randomBytes(4).toString('hex')
const roleOf = (service: LogService): string => `cupel_${service}_${suffix}`
let installation: CommandLine
let settings: Readonly<Record<string, string>>
beforeAll(async () => {
  installation = await openCommandLine()
  const folder = join(installation.folder, 'database-urls')
  mkdirSync(folder)
  for (const service of logServices) writeFileSync(join(folder, service), `${urlOf(service)}\n`)
  settings = {
    ...installation.environment,
    CUPEL_DATABASE_ADMIN_URL: installation.connectionString,
    CUPEL_SERVICE_DATABASE_URLS: folder,
  }
})
afterAll(async () => {
  for (const service of logServices) {
    await installation.database.execute(`DROP OWNED BY "${roleOf(service)}"`)
    await installation.database.execute(`DROP ROLE "${roleOf(service)}"`)
  }
  rmSync(installation.folder, { recursive: true, force: true })
  await installation.close()
})

function urlOf(service: LogService): string {
  const url = new URL(installation.connectionString)
  url.username = roleOf(service)
  url.password = 'of-this-test'
  return url.toString()
}

const changesOf = async (...command: string[]): Promise<readonly string[]> => {
  const said = await callCupel(settings, [...command, '--json'])
  expect(said.error).toBeNull()
  const { steps } = JSON.parse(said.out) as { steps: { name: string; changes: string[] }[] }
  return steps.find(({ name }) => name === 'roles of the services')!.changes
}

async function as<T>(service: LogService, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({
    connectionString: urlOf(service),
    maxConnections: 1,
    applicationName: 'test',
  })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

test('an installation makes a role for each service, and a second one finds nothing to do', async () => {
  const planned = await changesOf('install', '--dry-run')
  expect(planned).toEqual(
    expect.arrayContaining(logServices.map((service) => `Create the role ${roleOf(service)}.`)),
  )
  expect(await changesOf('install')).toEqual(planned)
  expect(await changesOf('install')).toEqual([])
})

test.each(logServices)('%s has the rights of its statements on tables, and no other', async (service) => {
  const held = await as(service, (database) =>
    database.query<{ name: string; verbs: string[] }>(
      `SELECT c.oid::regclass::text AS name, array_agg(v.verb ORDER BY v.verb) AS verbs
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace,
         unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS v (verb)
       WHERE c.relkind IN ('r', 'p', 'v', 'm') AND (n.oid >= 16384 OR n.nspname = 'public')
         AND has_table_privilege(c.oid, v.verb) GROUP BY 1 ORDER BY 1`,
    ),
  )
  const wanted = Object.entries(rightsOf([service]).tables).map(([name, verbs]) => ({
    name,
    verbs: verbs.filter((verb) => verb !== 'MAINTAIN').toSorted(),
  }))
  expect(held).toEqual(wanted)
})

const FORBIDDEN = [
  'CREATE TEMPORARY TABLE own (id int)',
  'CREATE TABLE public.own (id int)',
  'CREATE SCHEMA own',
  'SELECT lo_create(0)',
  `SELECT lo_from_bytea(0, 'x')`,
  `SELECT pg_read_file('PG_VERSION')`,
  `COPY heartbeats.process TO '/tmp/processes'`,
  'DELETE FROM log.record_key',
  'DELETE FROM policy_view.activation',
  'UPDATE ledger.segment SET ledger_seq = NULL',
  'DELETE FROM ledger.transfer',
]

test.each(logServices)('%s makes no objects and changes nothing that screenings rest on', async (service) => {
  await as(service, async (database) => {
    for (const statement of FORBIDDEN)
      await expect(database.execute(statement), statement).rejects.toThrow('permission denied')
  })
})

/** `type topic` of each event that the outbox takes from the service. Nothing of it stays. */
async function taken(service: LogService): Promise<string[]> {
  const places = [...topicSpecs, ...derivedTopicSpecs].flatMap(({ name }) =>
    eventTypes.map((type) => `('${type}', '${name}')`),
  )
  const walk = `DO $$ DECLARE place record; kept text := ''; BEGIN
    FOR place IN SELECT * FROM (VALUES ${places.join()}) AS p (type, topic) LOOP
      BEGIN
        INSERT INTO projection.outbox (topic, key, event) VALUES (place.topic, 'k', json_build_object('type', place.type));
        kept := kept || E'\n' || place.type || ' ' || place.topic;
      EXCEPTION WHEN insufficient_privilege THEN NULL;
      END;
    END LOOP;
    RAISE EXCEPTION 'kept:%', kept;
  END $$`
  const said = await as(service, (database) => database.execute(walk)).catch((error: unknown) => error)
  const [first, ...kept] = (said as Error).message.split('\n')
  expect(first).toBe('kept:')
  return kept.sort()
}
const WRITE = `INSERT INTO projection.outbox (topic, key, event) VALUES ($1, 'k', $2)`
const eventTypes = Object.keys(eventSchemas) as EventType[]

test.each(logServices)('%s writes the events of its program to the outbox, and no other', async (service) => {
  const topics = new Set(topicSpecs.map(({ name }) => name))
  const wanted = databaseRights[service].outbox.flatMap((type) =>
    [topicOf(type), topicOf(type, false)]
      .filter((topic) => topics.has(topic))
      .map((topic) => `${type} ${topic}`),
  )
  expect(await taken(service)).toEqual(wanted.toSorted())
})

test.each([
  'LabelSetPublished',
  'PolicyActivated',
  'LedgerSegmentImported',
  'BulkCompleted',
  'ReportGenerated',
] as const)('no service writes %s to the outbox, so a stolen credential appends none', (type) => {
  for (const service of logServices) expect(databaseRights[service].outbox).not.toContain(type)
})

test('an event that is in the outbox becomes no other one, and of two types the one that the relay reads counts', async () => {
  await as('api', async (database) => {
    const topic = topicOf('ApiRequestAudited')
    await expect(
      database.query(WRITE, [topic, '{"type":"ApiRequestAudited","type":"PolicyActivated"}']),
    ).rejects.toThrow('permission denied')
    await expect(database.query('UPDATE projection.outbox_right SET type = type')).rejects.toThrow(
      'permission denied',
    )
  })
  await as('projector', async (database) => {
    const [type, topic] = ['SigningKeyPublished', topicOf('SigningKeyPublished')] as const
    const change = database.transaction({ at: 'test' }, async (transaction) => {
      await transaction.execute(WRITE, [topic, JSON.stringify({ type })])
      await transaction.execute(`UPDATE projection.outbox SET event = '{"type":"PolicyActivated"}'`)
    })
    await expect(change).rejects.toThrow('permission denied')
  })
})

test('a scorer writes the ledger, and the event of an import, only with histories', async () => {
  const write = 'UPDATE ledger.segment SET ledger_seq = NULL WHERE false'
  const execute = () => as('scorer', (database) => database.execute(write))
  await expect(execute()).rejects.toThrow('permission denied')
  expect(await taken('scorer')).toEqual([expect.stringContaining('SigningKeyPublished')])
  const before = settings
  try {
    settings = { ...before, CUPEL_HISTORIES: 'true' }
    expect(await changesOf('install')).toEqual([
      expect.stringMatching(/^Give the role .*scorer.* rights on /),
    ])
    await execute()
    expect(await taken('scorer')).toContainEqual(expect.stringContaining('LedgerSegmentImported'))
  } finally {
    settings = before
    expect(await changesOf('install')).toEqual([
      expect.stringMatching(/^Take from the role .*scorer.* rights on /),
    ])
  }
  await expect(execute()).rejects.toThrow('permission denied')
})

test('only the API reads the hashes of keys, and only it and the dispatcher read personal data keys', () => {
  const readersOf = (table: string): LogService[] =>
    logServices.filter((service) => table in databaseRights[service].tables)
  expect(readersOf('access.api_key')).toEqual(['api'])
  expect(readersOf('access.session')).toEqual(['api'])
  expect(readersOf('personal_data.reference_key')).toEqual(['api', 'webhook-dispatcher'])
})

test('what is missing or superfluous is a fault for the doctor, and the next installation mends it', async () => {
  const [api, scorer] = [roleOf('api'), roleOf('scorer')]
  await installation.database.execute(`REVOKE SELECT ON report_view.report FROM "${api}"`)
  await installation.database.execute(`GRANT DELETE ON policy_view.activation TO "${scorer}"`)
  await installation.database.execute(`GRANT pg_read_all_data TO "${scorer}"`)
  await installation.database.execute(
    `DELETE FROM projection.outbox_right WHERE role = $1 AND type = 'ReportNoteAdded'`,
    [api],
  )
  await installation.database.execute(
    `INSERT INTO projection.outbox_right (role, type, topic) VALUES ($1, 'PolicyActivated', $2)`,
    [scorer, topicOf('PolicyActivated')],
  )
  const changes = [
    `Give the role ${api} rights on report_view.report and 2 more.`,
    `Take from the role ${scorer} rights on pg_read_all_data and 2 more.`,
  ]
  const doctor = JSON.parse((await callCupel(settings, ['doctor', '--json'])).out) as {
    findings: { state: string; detail: string }[]
  }
  const faults = doctor.findings.filter(({ state }) => state === 'fault').map(({ detail }) => detail)
  expect(faults).toEqual(expect.arrayContaining(changes))
  expect(await changesOf('install')).toEqual(changes)
  expect(await changesOf('install')).toEqual([])
})

test('what everybody may do and only another user can take is told apart, and an administrator takes it', async () => {
  const { database } = installation
  await database.execute('GRANT EXECUTE ON FUNCTION pg_catalog.lo_create(oid) TO PUBLIC')
  await database.execute('GRANT CREATE ON SCHEMA public TO PUBLIC')
  const rights = (canTake: boolean) => ['large objects', 'the schema public'].map((on) => ({ on, canTake }))
  const told = async (by: Database) => (await publicRights(by)).map(({ on, canTake }) => ({ on, canTake }))
  expect((await as('scorer', told)).toSorted((a, b) => (a.on < b.on ? -1 : 1))).toEqual(rights(false))
  expect((await told(database)).toSorted((a, b) => (a.on < b.on ? -1 : 1))).toEqual(rights(true))
  await changesOf('install')
  expect(await told(database)).toEqual([])
})

test('rights that a new version no longer needs are taken by its installation', async () => {
  const [scorer] = [roleOf('scorer')]
  await installation.database.execute('CREATE SCHEMA retired CREATE TABLE retired.facts (id int)')
  await installation.database.execute(`GRANT USAGE ON SCHEMA retired TO "${scorer}"`)
  await installation.database.execute(`GRANT SELECT, INSERT ON retired.facts TO "${scorer}"`)
  expect(await changesOf('install')).toEqual([
    expect.stringMatching(/^Take from the role .* rights on retired/),
  ])
  await expect(as('scorer', (database) => database.query('SELECT FROM retired.facts'))).rejects.toThrow(
    'permission denied',
  )
  await installation.database.execute('DROP SCHEMA retired CASCADE')
})

test('a rebuild of a read model keeps the rights on its tables', async () => {
  const said = await callCupel(settings, ['audit', 'replay', '--target', reportView.name])
  expect(said.error).toBeNull()
  expect(await changesOf('install')).toEqual([])
})

test('two services with one user are refused, and so is a file that is missing', async () => {
  const folder = settings['CUPEL_SERVICE_DATABASE_URLS']!
  writeFileSync(join(folder, 'scorer'), urlOf('api'))
  expect(await callCupel(settings, ['install'])).toMatchObject({
    error: { message: expect.stringContaining('Two services have one user') },
  })
  rmSync(join(folder, 'scorer'))
  expect(await callCupel(settings, ['install'])).toMatchObject({
    error: { message: expect.stringContaining('ENOENT') },
  })
  writeFileSync(join(folder, 'scorer'), urlOf('scorer'))
})
