/** Walls between tenants in an installed database: row security on every table of an account, and reads that forgot their condition. */
import { admitJob, isPendingScreen } from '@cupel/gate/access'
import { listCases, readCase } from '@cupel/cases'
import { silentLogger } from '@cupel/contracts'
import { openDatabase, type Database, type Queryable } from '@cupel/postgres'
import { TENANT_ROLE, tenantScope } from '@cupel/projections'
import { listShares } from '@cupel/sharing'
import { createTestDatabase, type TestDatabase } from '@cupel/testkit'
import { findBatch, getWatch, listWatches } from '@cupel/watches'
import { getEndpoint, listDeliveries, listEndpoints } from '@cupel/webhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareDatabase } from '@cupel/command-line/installation'

const OWN = { accountId: 'row-0', livemode: true }
/** The other environment of the same account is another tenant, in tables that tell environments apart. */
const owners = [OWN, { accountId: 'row-1', livemode: true }, { accountId: 'row-0', livemode: false }]

interface Table {
  readonly name: string
  readonly columns: readonly string[]
}
let target: TestDatabase
let database: Database
let tables: readonly Table[]
beforeAll(async () => {
  target = await createTestDatabase()
  const { connectionString } = target
  database = openDatabase({ connectionString, maxConnections: 2, applicationName: 'test' })
  await prepareDatabase(database, silentLogger)
  tables = await database.query<Table & Record<string, unknown>>(
    `SELECT c.oid::regclass::text AS name, array_agg(a.attname::text) AS columns
     FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace >= 16384 GROUP BY c.oid ORDER BY 1`,
  )
})
afterAll(async () => {
  await database.close()
  await target.drop()
})

const walled = async (): Promise<string[]> =>
  (
    await database.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class AS c JOIN pg_policy AS p ON p.polrelid = c.oid
       WHERE c.relrowsecurity AND p.polname = 'own_rows'`,
    )
  ).map(({ name }) => name)

test('every table with an account column has row security and a policy, and so has what ends with its rows', async () => {
  const found = await walled()
  const withAccount = tables.filter(({ columns }) => columns.includes('account_id')).map(({ name }) => name)
  expect(withAccount.length).toBeGreaterThan(15)
  expect(withAccount.filter((name) => !found.includes(name))).toEqual([])
  expect(found).toEqual(expect.arrayContaining(['webhooks.attempt', 'access.session']))
})

test('the role of a tenant may read only tables with row security, none of them with keys, and writes to none', async () => {
  const readable = await database.query<{ name: string; writes: boolean }>(
    `SELECT c.oid::regclass::text AS name, has_table_privilege($1, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') AS writes
     FROM pg_class AS c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND c.relnamespace >= 16384
       AND has_schema_privilege($1, c.relnamespace, 'USAGE') AND CASE c.relkind
         WHEN 'S' THEN has_sequence_privilege($1, c.oid, 'USAGE, SELECT') ELSE has_table_privilege($1, c.oid, 'SELECT') END`,
    [TENANT_ROLE],
  )
  const found = await walled()
  expect(readable.filter(({ name, writes }) => writes || !found.includes(name))).toEqual([])
  expect(
    readable.map(({ name }) => name).filter((name) => /personal_data|key|account|session/.test(name)),
  ).toEqual([])
})

describe('with rows of three tenants in every table', () => {
  beforeAll(async () => {
    // Rows are made of the types of columns, so that a new table is tested without a word here.
    await database.execute(`DO $$ DECLARE c record; BEGIN
      FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE contype IN ('c', 'f', 'p', 'u') AND connamespace >= 16384
      LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', c.t, c.conname); END LOOP; END $$`)
    for (const name of await walled()) for (const index of owners.keys()) await insert(name, index)
  })

  /** All texts of a row are its owner's name: parts of a row thus name their whole. */
  async function insert(table: string, index: number): Promise<void> {
    const columns = await database.query<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    )
    const owner = owners[index]!
    const given: Record<string, unknown> = {
      account_id: owner.accountId,
      livemode: owner.livemode,
      environment: owner.livemode ? 'live' : 'test',
    }
    const values = columns.map(({ name, type }) => (name in given ? given[name] : sample(type, index)))
    await database.execute(
      `INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`).join()})
       VALUES (${columns.map((_, place) => `$${place + 1}`).join()})`,
      values,
    )
  }

  test('a scope without a condition shows the rows of its tenant, in every table', async () => {
    const found = await walled()
    for (const name of found) {
      // Also in tables that the role may not read now: a grant by mistake would show no row of another.
      await database.execute(`GRANT USAGE ON SCHEMA ${name.split('.')[0]} TO ${TENANT_ROLE}`)
      await database.execute(`GRANT SELECT ON ALL TABLES IN SCHEMA ${name.split('.')[0]} TO ${TENANT_ROLE}`)
    }
    for (const name of found) {
      const rows = await database.query<Record<string, unknown>>({
        text: `SELECT * FROM ${name}`,
        scope: tenantScope(OWN),
      })
      expect({ name, isEmpty: rows.length === 0 }).toEqual({ name, isEmpty: false })
      for (const row of rows) {
        if ('account_id' in row) expect({ name, of: row['account_id'] }).toEqual({ name, of: OWN.accountId })
        if ('livemode' in row) expect({ name, livemode: row['livemode'] }).toEqual({ name, livemode: true })
        if ('environment' in row) expect({ name, in: row['environment'] }).toEqual({ name, in: 'live' })
        expect(JSON.stringify(row)).not.toContain('row-1')
      }
      const unnamed = { role: TENANT_ROLE, settings: {} }
      expect(await database.query({ text: `SELECT 1 FROM ${name}`, scope: unnamed })).toEqual([])
    }
  })

  const page = { pageSize: 10, after: null }
  const named = (id: string) => ({ ...OWN, endpointId: id, deliveryId: id, reportId: id })
  const reads: Readonly<Record<string, (database: Queryable, id: string) => Promise<unknown>>> = {
    listEndpoints: (from) => listEndpoints(from, OWN),
    getEndpoint: (from, id) => getEndpoint(from, named(id)),
    listDeliveries: (from, id) => listDeliveries(from, { ...named(id), ...page }),
    listCases: (from) => listCases(from, { ...OWN, ...page, filter: {} }),
    readCase: (from, id) => readCase(from, named(id)),
    listShares: (from, id) => listShares(from, { ...named(id), ...page }),
    listWatches: (from) => listWatches(from, OWN, { ...page, changedIn: null }),
    getWatch: (from, id) => getWatch(from, OWN, id),
    findBatch: (from, id) => findBatch(from, OWN, id),
    isPendingScreen: (from, id) => isPendingScreen(from, named(id)),
  }

  test.each(Object.entries(reads))(
    '%s that forgot its condition brings no row of another',
    async (_name, read) => {
      expect(await read(database, 'row-0')).toBeTruthy()
      for (const id of ['row-0', 'row-1', 'row-2'])
        expect({ id, read: await read(forgetful(), id) }).toEqual({ id, read: await read(database, id) })
    },
  )

  test('open jobs that are counted without a condition are those of the account', async () => {
    const asked: string[][] = []
    const plan = { maxOpenJobs: 0, maxWaitingItems: 0 }
    const from = forgetful(/admit_job|DELETE/)
    await admitJob(from, { ...OWN, jobId: 'row-9', items: 1 }, plan, (jobIds) => {
      asked.push([...jobIds])
      return Promise.resolve([])
    })
    expect(asked).toEqual([['row-0']])
  })

  /** Statements whose conditions name nobody. Their parameters are still used, so that they run. */
  function forgetful(untouched?: RegExp): Queryable {
    return {
      execute: (statement, values) => database.execute(statement, values),
      query: (statement, values) => {
        const { text, scope } =
          typeof statement === 'string' ? { text: statement, scope: undefined } : statement
        if (untouched?.test(text) === true) return database.query(statement, values)
        if (scope === undefined) throw new Error(`A read of a tenant without row security: ${text}`)
        const open = text.replaceAll(CONDITION, (_all, parameter: string) => `${parameter}::text IS NOT NULL`)
        if (open === text) throw new Error(`No condition was found in: ${text}`)
        return database.query({ text: open, scope }, values)
      },
    }
  }
})

/** A comparison with a parameter that says whose a row is. */
const CONDITION = /(?:\w\.)?(?:account_id|livemode) = (\$\d)/g

function sample(type: string, index: number): unknown {
  if (type.endsWith('[]')) return type.startsWith('text') ? [`row-${index}`] : []
  if (/^(text|character varying)$/.test(type)) return `row-${index}`
  if (/^(json|jsonb)$/.test(type)) return '[]'
  if (type === 'bytea') return Buffer.from(`row-${index}`)
  if (type === 'boolean') return index === 0
  if (/time|date/.test(type)) return `2026-11-0${index + 1}`
  return index
}
