import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@cupel/contracts'
import { builtInRegistry } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { createTestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createContext } from '../context.js'
import { CommandError, EXIT_FAILED, EXIT_NOT_FOUND } from '../explain.js'
import { createProgram } from '../program.js'
import { prepareDatabase, prepareLog } from '../stack/foundation.js'

const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source'
const ROW =
  'ETH,7,2026-11-20T00:00:00Z,0xaa,,native,ETH,,0x1111111111111111111111111111111111111111,0x2222222222222222222222222222222222222222,5,,,test'

let folder: string
let stop: () => Promise<void>
let databaseUrl: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cupel-cli-ledger-'))
  const testDatabase = await createTestDatabase()
  databaseUrl = testDatabase.connectionString
  const database = openDatabase({ connectionString: databaseUrl, maxConnections: 8, applicationName: 'test' })
  await prepareDatabase(database, silentLogger)
  const log = openEmbeddedLog({ database })
  await prepareLog({ database, registry: builtInRegistry(database), log, logger: silentLogger })
  stop = async () => {
    await log.close()
    await database.close()
    await testDatabase.drop()
    await rm(folder, { recursive: true, force: true })
  }
})
afterAll(async () => await stop())

async function cupel(...args: string[]): Promise<{ readonly out: string; readonly error: unknown }> {
  const out: string[] = []
  const context = {
    ...createContext({ CUPEL_HOME: folder, CUPEL_DATABASE_URL: databaseUrl, CUPEL_LOG: 'embedded' }, args),
    print: (text: string) => void out.push(text),
    note: () => undefined,
  }
  try {
    await createProgram(context).parseAsync(args, { from: 'user' })
    return { out: out.join('\n'), error: null }
  } catch (error) {
    return { out: out.join('\n'), error }
  }
}

test('a ledger is imported, imported again without a change, and listed with the heights it is whole over', async () => {
  expect((await cupel('ledger', 'segments')).out).toBe('No ledger was imported yet.')
  const file = join(folder, 'transfers.csv')
  await writeFile(file, [HEADING, ROW, ROW.replace(',5,', ',0,').replace('0xaa', '0xbb'), ''].join('\n'))
  const options = ['--format', 'csv', '--chain', 'eth', '--complete-from', '0', '--complete-to', '9']
  const imported = await cupel('ledger', 'import', file, ...options, '--json')
  expect(imported.error).toBeNull()
  expect(JSON.parse(imported.out)).toMatchObject({
    status: 'imported',
    chain: 'ETH',
    rows: 2,
    added: 1,
    left_out: { zero_value: 1 },
    ledger_seq: 1,
  })
  expect((await cupel('ledger', 'import', file, ...options)).out).toContain('in the ledger already')
  const { out } = await cupel('ledger', 'segments')
  expect(out).toMatch(/1 +ETH +csv +transfers\.csv +1 +7–7/)
  expect(out).toMatch(/ETH +native +0 +9 +2026-11-20T00:00:00\.000Z/)
})

test('a file that is none is refused with the line, one that is not there is not found', async () => {
  const file = join(folder, 'broken.csv')
  await writeFile(file, `${HEADING}\n${ROW.slice(0, 60)}\n`)
  const refused = await cupel('ledger', 'import', file, '--format', 'csv', '--chain', 'ETH')
  expect(refused.error).toMatchObject({
    exitCode: EXIT_FAILED,
    message: expect.stringContaining('line 2') as string,
  })
  const missing = await cupel(
    'ledger',
    'import',
    join(folder, 'none.csv'),
    '--format',
    'csv',
    '--chain',
    'ETH',
  )
  expect(missing.error).toBeInstanceOf(CommandError)
  expect(missing.error).toMatchObject({ exitCode: EXIT_NOT_FOUND })
})
