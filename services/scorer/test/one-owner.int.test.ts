/** One owner of several addresses that do not follow from one another: Cardano's credentials, and Solana's token accounts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from '@cupel/contracts'
import { differences, recompute, tokenAccountsOf } from '@cupel/domain'
import { importLedger } from '@cupel/ledger'
import { openDatabase, type Database } from '@cupel/postgres'
import { loadConfig } from '@cupel/kit/service'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFollowed, type Installation } from './installation.js'
import { sharedInputs } from './shared-inputs.js'

const WAIT = { timeout: 150_000, interval: 20 }
const defaults = loadConfig({ CUPEL_DATABASE_URL: 'postgres://nobody@127.0.0.1/none' })

let installation: Installation
let database: Database
let folder: string
beforeEach(async () => {
  installation = await openFollowed()
  const { connectionString } = installation
  database = openDatabase({ connectionString, maxConnections: 4, applicationName: 'test-ledger' })
  folder = await mkdtemp(join(tmpdir(), 'cupel-owner-'))
}, 60_000)
afterEach(async () => {
  await database.close()
  await installation.close()
  await rm(folder, { recursive: true, force: true })
})

const listed = (address: string, chain: string, category = 'stolen') =>
  installation.publish('thieves', [
    {
      ...{ address, chain, category, entity: 'A thief', source: 'thieves' },
      ...{ sourceUrl: '', confidencePpm: 900_000 },
    },
  ])

async function screened(address: string, chain: string): Promise<Report> {
  const scorer = await installation.start({ config: { ...defaults, CUPEL_EXPOSURE_BUDGET_MS: 5_000 } })
  await vi.waitFor(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true), WAIT)
  const id = await installation.request(address, chain)
  const [first] = await vi.waitFor(async () => {
    const answers = await installation.answers(id)
    expect(answers.length).toBeGreaterThan(0)
    return answers
  }, WAIT)
  if (first?.type !== 'ReportGenerated') throw new Error(`${id} has no report`)
  const shared = await sharedInputs(installation, first.data)
  expect(differences(first.data, recompute(structuredClone(first.data), shared))).toEqual([])
  return JSON.parse(first.data.report) as Report
}

describe('on Cardano', () => {
  /** From CIP-19: a key and a script with one stake credential, its own address, and one with the key's payment credential only. */
  const BASE =
    'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x'
  const OTHER =
    'addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs9yc0hh'
  const STAKE = 'stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw'
  const ENTERPRISE = 'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8'

  test.each([
    ['a stake address', STAKE, 'its base address', BASE],
    ['a base address', BASE, 'its stake address', STAKE],
    ['a base address', BASE, 'another one of the stake credential', OTHER],
    ['a base address', BASE, 'another one of the payment credential', ENTERPRISE],
    ['an enterprise address', ENTERPRISE, 'a base address of its credential', BASE],
  ])('a label of %s %s counts for %s', async (_name, labelled, _other, address) => {
    await listed(labelled, 'ADA')
    expect((await screened(address, 'ADA')).risk.categories.stolen).toBe(90)
  })

  test('a clean label counts for what spends only, because anybody can name another’s stake credential', async () => {
    await listed(BASE, 'ADA', 'clean_exchange')
    expect((await screened(OTHER, 'ADA')).risk.categories.clean_exchange).toBe(0)
    expect((await screened(ENTERPRISE, 'ADA')).risk.categories.clean_exchange).toBe(90)
  })
})

describe('on Solana', () => {
  const [THIEF, CUSTOMER] = [
    '22Wnk8PwyWZV7BfkZGJEKT9jGGdtvu7xY6EXeRh7zkBa',
    'BNXnu85Kt1VXSYYYNMXtRfRrscyETxcdsEiTLSToQYZa',
  ]
  const MINT = '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo'
  /** Their accounts of the mint under the token program with extensions. */
  const [OF_THIEF, OF_CUSTOMER] = [
    '5nu6HDY7t1Ds8oPNsArrhb1rzvRqmGubyteyAUncFyNb',
    '8Ycmt6GTtXcmaTXXRZVLATBQHKKFRaFpD6DD4wx81M4',
  ]

  async function paid(from: string, to: string): Promise<void> {
    const file = join(folder, 'transfers.csv')
    const row = `SOL,100,2026-11-20T00:00:00Z,${'5signature'.repeat(8)},0,spl,PYUSD,${MINT},${from},${to},5000000000,,,test,1,0`
    const heading =
      'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status,transaction_index'
    await writeFile(file, `${heading}\n${row}\n`)
    const request = { file, format: 'csv', chain: 'SOL', importedBy: 'test' }
    expect(await importLedger(request, { database })).toMatchObject({ status: 'imported' })
  }

  test('an account of a labelled owner has the label', async () => {
    await listed(THIEF!, 'SOL')
    expect((await screened(OF_THIEF!, 'SOL')).risk.categories.stolen).toBe(90)
  })

  test('what came from an account of a labelled owner to one of the screened address is its exposure', async () => {
    expect(tokenAccountsOf(CUSTOMER!)).toContain(OF_CUSTOMER)
    await listed(THIEF!, 'SOL')
    await paid(OF_THIEF!, OF_CUSTOMER!)
    const report = await screened(CUSTOMER!, 'SOL')
    expect(report.risk.evidence).toContainEqual(
      expect.objectContaining({ category: 'stolen', relation: 'direct', direction: 'in', entity: 'A thief' }),
    )
    expect(report.coverage.not_examined).toContain('token_accounts')
  })
})
