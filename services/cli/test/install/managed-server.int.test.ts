/** `cupel install` on a server whose owner of the tables is not superuser, as managed servers give it, on each Postgres of the system. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@cupel/postgres'
import { EVERY_ROW_ROLE, TENANT_ROLE, tenantScope } from '@cupel/projections'
import { logServices } from '@cupel/operation/connections'
import { noteSkip } from '@cupel/testkit'
import { TEST_RECORD_KEYS_FILE } from '@cupel/testkit/installation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCupel } from '../command-line.js'
import { startSystemPostgres, systemPostgres, type SystemPostgres } from '../system-postgres.js'

const PASSWORD = 'of-this-test'
const versions = systemPostgres()
if (versions.length === 0)
  noteSkip('installs on an older server: the system has no Postgres (apt-get install postgresql)')
let server: SystemPostgres
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-managed-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function urlOf(database: string, role: string): string {
  const url = new URL(server.url)
  url.pathname = `/${database}`
  url.username = role
  url.password = PASSWORD
  return url.toString()
}

async function as<T>(database: string, role: string, work: (session: Database) => Promise<T>): Promise<T> {
  const connectionString = urlOf(database, role)
  const session = openDatabase({ connectionString, maxConnections: 1, applicationName: 'test' })
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

/** What an administrator does before the first install. */
const owners: Readonly<Record<string, (owner: string, roles: readonly string[]) => readonly string[]>> = {
  'may create roles': (owner) => [`CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD '${PASSWORD}'`],
  'may create nothing, and finds every role made': (owner, roles) => [
    `CREATE ROLE ${owner} LOGIN PASSWORD '${PASSWORD}'`,
    ...roles.map((role) => `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`),
    // The groups belong to all installations of a server: the first test made them.
    `GRANT ${TENANT_ROLE}, ${EVERY_ROW_ROLE} TO ${owner} WITH ADMIN OPTION`,
  ],
}

describe.skipIf(versions.length === 0).each(versions.length === 0 ? ['no server'] : versions)(
  'on %s',
  (programs) => {
    beforeAll(async () => {
      server = await startSystemPostgres(programs)
    })
    afterAll(() => server.stop())
    describe.each(Object.keys(owners))('an owner that %s', (kind) => installs(programs, kind))
  },
)

function installs(programs: string, kind: string): void {
  const name = `managed_${versions.indexOf(programs)}_${Object.keys(owners).indexOf(kind)}`
  const roleOf = (service: string): string => `${name}_${service.replaceAll('-', '_')}`
  let settings: Readonly<Record<string, string>>
  const changes = async (...args: string[]): Promise<readonly string[]> => {
    const said = await callCupel(settings, [...args, '--json'])
    expect(said.error).toBeNull()
    const { steps } = JSON.parse(said.out) as { steps: { changes: string[] }[] }
    return steps.flatMap((step) => step.changes)
  }

  beforeAll(async () => {
    await as('postgres', 'dba', async (dba) => {
      for (const statement of owners[kind]!(name, logServices.map(roleOf))) await dba.execute(statement)
      await dba.execute(`CREATE DATABASE ${name} OWNER ${name}`)
    })
    const urls = join(folder, name)
    mkdirSync(urls)
    for (const service of logServices) writeFileSync(join(urls, service), urlOf(name, roleOf(service)))
    settings = {
      CUPEL_DATABASE_ADMIN_URL: urlOf(name, name),
      CUPEL_SERVICE_DATABASE_URLS: urls,
      CUPEL_LOG: 'embedded',
      CUPEL_RECORD_KEYS_FILE: TEST_RECORD_KEYS_FILE,
    }
  })

  test('installs as its dry run says, and then has nothing to do', async () => {
    const announced = await changes('install', '--dry-run')
    expect(announced.length).toBeGreaterThan(10)
    await changes('install')
    expect(await changes('install')).toEqual([])
  })

  test('gives services every row, a tenant its own rows, and no service the power of an administrator', async () => {
    await as(name, roleOf('api'), async (api) => {
      for (const accountId of ['one', 'two'])
        await api.execute(
          `INSERT INTO sharing.share (share_id, token_digest, report_id, account_id, livemode, label, created_at, created_by, actor, expires_at)
           VALUES ($1::text, sha256($1::text::bytea), 'report', $1::text, true, '', now(), 'test', '', now())`,
          [accountId],
        )
      await api.execute(`UPDATE sharing.share SET label = 'seen'`)
      const shares = 'SELECT account_id, label FROM sharing.share ORDER BY 1'
      const seen = (accountId: string) => ({ account_id: accountId, label: 'seen' })
      expect(await api.query(shares)).toEqual([seen('one'), seen('two')])
      const scope = tenantScope({ accountId: 'two', livemode: true })
      expect(await api.query({ text: shares, scope })).toEqual([seen('two')])
      // Nothing is computed for each row on behalf of a service.
      const plan = await api.query('EXPLAIN SELECT account_id FROM sharing.share')
      expect(JSON.stringify(plan)).not.toMatch(/filter/i)
    })
    const powers = await as(name, name, (owner) =>
      owner.query(
        `SELECT rolname FROM pg_roles WHERE rolname = ANY ($1) AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)`,
        [logServices.map(roleOf)],
      ),
    )
    expect(powers).toEqual([])
  })

  test('has a doctor who finds the rights of services in order, and a power that an administrator gave', async () => {
    const faults = async (): Promise<readonly string[]> => {
      const said = await callCupel(settings, ['doctor', '--json'])
      const { findings } = JSON.parse(said.out) as {
        findings: { name: string; state: string; detail: string }[]
      }
      return findings
        .filter((finding) => finding.name === 'roles of the services' && finding.state === 'fault')
        .map(({ detail }) => detail)
    }
    expect(await faults()).toEqual([])
    await as('postgres', 'dba', (dba) => dba.execute(`ALTER ROLE ${roleOf('scorer')} BYPASSRLS`))
    expect(await faults()).toEqual([`The role ${roleOf('scorer')} has more rights than a service.`])
    const said = await callCupel(settings, ['install'])
    expect(String(said.error)).toContain(
      `The owner of the tables may not create or change the role ${roleOf('scorer')}`,
    )
  })
}
