// An upgrade to a next version, which this test makes: this version is released in a copy of the checkout, which then gets a field of an
// event, a table and a scorer. It needs no sources of an earlier release.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyCheckout } from '../copied-checkout.mjs'
import { becomeNextVersion, NEXT } from '../next-version.mjs'
import { readReleases } from '../release.mjs'
import { readTable, scorerFiles } from '../scorers.mjs'
import { root } from '../setup.mjs'
import { productVersion } from '../version.mjs'

/** The tests of a checkout that compare it with its releases. */
const OF_RELEASES = [
  'packages/domain/test/frozen-scorers.unit.test.ts',
  'packages/domain/test/golden-record.unit.test.ts',
  'packages/event-log/src/schemas/golden-samples.unit.test.ts',
  'packages/event-log/src/schemas/released-readers.unit.test.ts',
  'scripts/test/releases.unit.test.mjs',
  'scripts/test/version.unit.test.mjs',
]
const LIMIT_MS = 900_000

const { migrate, openDatabase, readMigrations } = await import(
  new URL('../../packages/postgres/src/index.ts', import.meta.url).href
)
const folder = mkdtempSync(join(tmpdir(), 'cupel-next-version-'))
let release

beforeAll(async () => {
  await copyCheckout(folder)
  release = await becomeNextVersion(folder)
}, LIMIT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the copy is the next version, and this checkout is as it was', () => {
  expect(release).toMatch(/^\d+\.\d+\.\d+$/)
  expect(readReleases()).not.toHaveProperty([release])
  expect(productVersion()).toBe(`${release}-dev`)
  const { current, versions } = readTable(folder)
  expect(current).toBe(NEXT.scorer)
  expect(versions[readTable().current]).toMatchObject({ released: true })
  expect(() => scorerFiles(folder)).not.toThrow()
})

test(
  'the next version reads what the release wrote, decides its reports again, and breaks none of its readers',
  async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const run = promisify(execFile)(process.execPath, [vitest, 'run', '--project', 'unit', ...OF_RELEASES], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' },
    })
    const { stdout } = await run.catch((error) => Promise.reject(new Error(error.stdout)))
    expect(stdout).toMatch(new RegExp(`Test Files\\s+${OF_RELEASES.length} passed`))
  },
  LIMIT_MS,
)

test('a database of this version gets the table of the next one, once', async () => {
  const { owner, folder: sql, file } = NEXT.migration
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ ...testDatabase, maxConnections: 2, applicationName: 'next-version' })
  const migrationsOf = (checkout) => readMigrations([{ owner, directory: join(checkout, sql) }])
  try {
    await migrate(database, await migrationsOf(root))
    const tables = `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${owner}' ORDER BY 1`
    const before = await database.query(tables)
    expect(await migrate(database, await migrationsOf(folder))).toEqual([`${owner}/${file}`])
    expect(await migrate(database, await migrationsOf(folder))).toEqual([])
    const after = (await database.query(tables)).map(({ name }) => `${owner}.${name}`)
    expect(after).toEqual([...before.map(({ name }) => `${owner}.${name}`), NEXT.table].sort())
    // A rollback leaves the database as it is.
    expect(await migrate(database, await migrationsOf(root))).toEqual([])
  } finally {
    await database.close()
    await testDatabase.drop()
  }
})
