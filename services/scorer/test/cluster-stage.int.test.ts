/** Labels of addresses that spent together with the screened one: read in the states that the report names, or not at all. */
import type { EventData, Report } from '@cupel/contracts'
import { differences, recompute, writtenForms } from '@cupel/domain'
import { importLedger } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import { loadConfig } from '@cupel/kit/service'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openFollowed, type Installation } from './installation.js'
import { sharedInputs } from './shared-inputs.js'

const WAIT = { timeout: 150_000, interval: 20 }
const [CUSTOMER, THIEF, SHOP, STRANGER] = [
  '1DoQeKfU3dYhN9bxMpFFcVUnufCPDqSPae',
  '1PZMgkF2x161qvfP7dhoWSEEU3SjnQE1m9',
  '1HaHTfmvoUW6i6nhJf8jJs6tU4cHNmBQHQ',
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
] as const
const defaults = loadConfig({ CUPEL_DATABASE_URL: 'postgres://nobody@127.0.0.1/none' })

let installation: Installation
let database: Database
beforeEach(async () => {
  installation = await openFollowed()
  database = installation.connect()
  await installation.publish('thieves', [
    {
      ...{ address: THIEF, chain: 'BTC', category: 'stolen', entity: 'A thief', source: 'thieves' },
      ...{ sourceUrl: '', confidencePpm: 900_000 },
    },
  ])
}, 60_000)
afterEach(() => installation.close())

let transactions = 0

/** Imports one transaction that the given addresses pay for together. */
const spendTogether = (...owners: readonly string[]): Promise<string> => pay(SHOP, ...owners)

async function pay(to: string, ...owners: readonly string[]): Promise<string> {
  transactions += 1
  const hash = transactions.toString(16).padStart(64, '0')
  const transaction = {
    ...{ hash, block_number: transactions, index: 1, timestamp: Date.parse('2026-11-01') / 1_000 },
    inputs: owners.map((owner) => ({ addresses: [owner], value: 100_000_000 })),
    outputs: [{ addresses: [to], value: owners.length * 100_000_000 }],
  }
  const file = await installation.file(`${transactions}.json`, JSON.stringify(transaction))
  const request = { file, format: 'bitcoin-etl', chain: 'BTC', importedBy: 'test' }
  expect(await importLedger(request, { database })).toMatchObject({ status: 'imported' })
  return hash
}

async function start(budgetMs = 5_000): Promise<void> {
  const scorer = await installation.start({ config: { ...defaults, CUPEL_EXPOSURE_BUDGET_MS: budgetMs } })
  await vi.waitFor(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true), WAIT)
}

async function screened(address: string): Promise<{ report: Report; event: EventData['ReportGenerated'] }> {
  const id = await installation.request(address, 'BTC')
  const [first] = await vi.waitFor(async () => {
    const answers = await installation.answers(id)
    expect(answers.length).toBeGreaterThan(0)
    return answers
  }, WAIT)
  if (first?.type !== 'ReportGenerated') throw new Error(`${id} has no report`)
  return { report: JSON.parse(first.data.report) as Report, event: first.data }
}

test('who spent together with a thief is orange, and the transaction is the evidence', async () => {
  const txHash = await spendTogether(CUSTOMER, THIEF)
  await start()
  const { report, event } = await screened(CUSTOMER)
  // 0.9·0.9 = 0.81, weighted by 0.95, and at most 69.99.
  expect(report.risk).toMatchObject({ level: 'orange', score: 69.99 })
  expect(report.risk.evidence).toContainEqual(
    expect.objectContaining({
      relation: 'cluster',
      address: THIEF,
      entity: 'A thief',
      path: [{ transaction: txHash }],
    }),
  )
  expect(report.cluster).toEqual({
    ...{ id: CUSTOMER, size: 2, heuristic: 'common-input', as_of: '1', stopped: null },
  })
  expect(report.coverage.not_examined).toEqual(['cross_chain', 'beyond_hops'])

  const shared = await sharedInputs(installation, event)
  expect(differences(event, recompute(structuredClone(event), shared))).toEqual([])
})

test.each([0, 1, 2])(
  'what came to another address of its key came to the screened one, form %i',
  async (form) => {
    const forms = writtenForms(CUSTOMER, 'BTC', 'BTC')
    await pay(forms[2]!, THIEF)
    await start()
    const { report, event } = await screened(forms[form]!)
    expect(report.risk.evidence).toContainEqual(
      expect.objectContaining({ category: 'stolen', relation: 'direct', direction: 'in', address: THIEF }),
    )
    const shared = await sharedInputs(installation, event)
    expect(differences(event, recompute(structuredClone(event), shared))).toEqual([])
  },
)

test('an address that spent by itself is in no cluster', async () => {
  await spendTogether(STRANGER)
  await start()
  const { report, event } = await screened(STRANGER)
  expect(event.inputs.cluster).toBeNull()
  expect(report).toMatchObject({ cluster: null, coverage: { not_examined: ['cross_chain', 'beyond_hops'] } })
})

test('a cluster that cannot be read is a fault that the report names', async () => {
  await spendTogether(CUSTOMER, THIEF)
  await start(500)
  await database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('LOCK TABLE ledger.cluster_join IN ACCESS EXCLUSIVE MODE')
    const { report, event } = await screened(CUSTOMER)
    expect(event.inputs.cluster).toMatchObject({ stopped: 'failed', labels: [] })
    expect(report.risk).toMatchObject({ level: 'grey', score_is_lower_bound: true })
    expect(report.risk.level_reasons).toContain('partial')
    expect(report).toMatchObject({
      cluster: null,
      coverage: { not_examined: ['cross_chain', 'beyond_hops', 'clusters'] },
    })
  })
  await vi.waitFor(async () => expect((await screened(CUSTOMER)).report.risk.level).toBe('orange'), WAIT)
})
