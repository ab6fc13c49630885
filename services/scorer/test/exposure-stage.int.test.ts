import type { EventData, Report } from '@cupel/contracts'
import { compilePolicyText, differences, recompute, type LabelFacts } from '@cupel/domain'
import { examineAddress, importLedger, importPrices } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import { labelFacts, readLabelsAsOf } from '@cupel/labels/read-model'
import { loadConfig } from '@cupel/kit/service'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFollowed, type Installation } from './installation.js'
import { sharedInputs } from './shared-inputs.js'

const WAIT = { timeout: 150_000, interval: 20 }
const CUSTOMER = '0x00000000219ab540356cbb839cbe05303d7705fa'
const STRANGER = '0x1111111111111111111111111111111111111111'
const MIDDLE = '0x2222222222222222222222222222222222222222'
const LAZARUS = '0x098b716b8aaf21512996dc57eb0615e2383e2f96'
const defaults = loadConfig({ CUPEL_DATABASE_URL: 'postgres://nobody@127.0.0.1/none' })

let installation: Installation
let database: Database
beforeEach(async () => {
  installation = await openFollowed()
  database = installation.connect()
  await installation.publish('ofac_sdn', [
    {
      address: LAZARUS,
      chain: 'ETH',
      category: 'sanctions',
      entity: 'Lazarus Group',
      source: 'ofac_sdn',
      sourceUrl: '',
      confidencePpm: 990_000,
    },
  ])
}, 60_000)
afterEach(() => installation.close())

let files = 0

/** Imports transfers of one proven ether each, an hour apart. */
async function importTransfers(pairs: readonly (readonly [from: string, to: string])[]): Promise<void> {
  files += 1
  const rows = pairs.map(
    ([from, to], index) =>
      `ETH,${index + 1},2026-11-20T0${index}:00:00Z,0x${`${files}${index}`.padStart(64, '0')},,native,ETH,,${from},${to},1000000000000000000,1,,test,1`,
  )
  const heading =
    'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'
  const file = await installation.file(`${files}.csv`, [heading, ...rows, ''].join('\n'))
  const result = await importLedger({ file, format: 'csv', chain: 'ETH', importedBy: 'test' }, { database })
  expect(result).toMatchObject({ status: 'imported', added: pairs.length })
}

async function start(budgetMs = 5_000): Promise<void> {
  const scorer = await installation.start({ config: { ...defaults, CUPEL_EXPOSURE_BUDGET_MS: budgetMs } })
  await vi.waitFor(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true), WAIT)
}

async function screened(
  address: string,
  over: Partial<EventData['ScreenRequested']> = {},
): Promise<{ report: Report; event: EventData['ReportGenerated'] }> {
  const id = await installation.request(address, 'ETH', over)
  const [first] = await vi.waitFor(async () => {
    const answers = await installation.answers(id)
    expect(answers.length).toBeGreaterThan(0)
    return answers
  }, WAIT)
  if (first?.type !== 'ReportGenerated') throw new Error(`${id} has no report`)
  return { report: JSON.parse(first.data.report) as Report, event: first.data }
}

test('without a ledger nothing is asked and nothing recorded', async () => {
  await start()
  const { report, event } = await screened(CUSTOMER)
  expect(event.inputs.exposure).toBeNull()
  expect(report.coverage.exposure).toEqual({
    status: 'unavailable',
    reason: 'not_configured',
    incomplete: [],
    hops_searched: 0,
    transfers_examined: 0,
    truncated: false,
  })
})

describe('with a ledger', () => {
  test('value shows its worth in dollars by the prices in force at the day of each transfer', async () => {
    await importTransfers([[CUSTOMER, LAZARUS]])
    const file = await installation.file('prices.csv', 'day,asset,usd\n2026-11-20,ETH,3012.55\n')
    const imported = await importPrices({ file, importedBy: 'test' }, { database })
    if (imported.status !== 'imported') throw new Error(JSON.stringify(imported))
    await start()
    const { report } = await screened(CUSTOMER)
    expect(report.coverage.prices).toEqual({ version: imported.sha256 })
    expect(report.risk.evidence).toMatchObject([{ value: '1 ETH', value_usd: '3012.55' }])
  })

  test('value sent to the sanctioned shows, with its path, and recomputes to the same bytes', async () => {
    await importTransfers([[CUSTOMER, LAZARUS]])
    await start()
    const { report, event } = await screened(CUSTOMER)
    // cap 95, C = 1, 100 dusts: two thirds of the size.
    expect(report.risk).toMatchObject({ level: 'orange', score: 63.33, categories: { sanctions: 63.33 } })
    expect(report.risk.evidence).toMatchObject([
      {
        category: 'sanctions',
        relation: 'direct',
        direction: 'out',
        hops: 1,
        entity: 'Lazarus Group',
        value: '1 ETH',
        share: null,
        path: [{ from: CUSTOMER, to: LAZARUS, execution: 'proven' }],
        contribution: 63.33,
        decisive: true,
        used: true,
      },
    ])
    expect(report.coverage.exposure).toMatchObject({
      status: 'partial',
      reason: null,
      hops_searched: 2,
      transfers_examined: 1,
      truncated: false,
    })
    expect(
      differences(event, recompute(structuredClone(event), await sharedInputs(installation, event))),
    ).toEqual([])
    expect(await examinedAgain(event)).toEqual(event.inputs.exposure)
  })

  test('it is followed through a stranger, and what came later changes no earlier state', async () => {
    await importTransfers([
      [LAZARUS, MIDDLE],
      [MIDDLE, CUSTOMER],
    ])
    await start()
    const { report, event } = await screened(CUSTOMER)
    // cap 60, two thirds of the size.
    expect(report.risk).toMatchObject({ score: 40, categories: { sanctions: 40 } })
    expect(report.risk.evidence[0]).toMatchObject({ relation: 'indirect', direction: 'in', hops: 2 })
    await importTransfers([[LAZARUS, CUSTOMER]])
    expect(await examinedAgain(event)).toEqual(event.inputs.exposure)
    await vi.waitFor(async () => {
      const later = await screened(CUSTOMER)
      expect(later.event.inputs.exposure?.ledgerSeq).toBe(2)
      expect(later.report.risk.evidence.map(({ relation }) => relation)).toEqual(['direct', 'indirect'])
    }, WAIT)
  })

  test('an address that it does not hold is as unknown as before', async () => {
    await importTransfers([[CUSTOMER, LAZARUS]])
    await start()
    const { report, event } = await screened(STRANGER)
    expect(event.inputs.exposure).toMatchObject({ status: 'absent', measures: [] })
    expect(report).toMatchObject({
      risk: { level: 'grey', level_reasons: expect.arrayContaining(['no_chain_data']) as string[] },
      coverage: { exposure: { status: 'unavailable', reason: 'no_transfers' } },
    })
  })

  test('a late stage is dropped whole, recorded, and the score said to be a lower bound', async () => {
    await importTransfers([[CUSTOMER, LAZARUS]])
    await start(500)
    await database.transaction({ at: 'test' }, async (transaction) => {
      await transaction.execute('LOCK TABLE ledger.transfer IN ACCESS EXCLUSIVE MODE')
      const { report, event } = await screened(CUSTOMER)
      expect(event.inputs.exposure).toMatchObject({ status: 'late', measures: [], ledgerSeq: 1 })
      expect(report).toMatchObject({
        risk: { level: 'grey', score: 0, score_is_lower_bound: true },
        coverage: { exposure: { status: 'unavailable', reason: 'late' } },
      })
      expect(
        differences(event, recompute(structuredClone(event), await sharedInputs(installation, event))),
      ).toEqual([])
    })
    await vi.waitFor(async () => expect((await screened(CUSTOMER)).report.risk.level).toBe('orange'), WAIT)
  })

  test('a caller that waits gets one report, with the stage that was late for the others', async () => {
    await importTransfers([[CUSTOMER, LAZARUS]])
    // No query of the ledger is answered within this time.
    await start(1)
    const stagesByAt = new Date(Date.now() + 60_000).toISOString()
    const waited = await screened(CUSTOMER, { stagesByAt })
    expect(waited.report).toMatchObject({
      risk: { level: 'orange' },
      coverage: { exposure: { reason: null } },
    })
    expect(await installation.answers(waited.report.report_id)).toHaveLength(1)
    expect(
      differences(
        waited.event,
        recompute(structuredClone(waited.event), await sharedInputs(installation, waited.event)),
      ),
    ).toEqual([])
    expect(await examinedAgain(waited.event)).toEqual(waited.event.inputs.exposure)
  })
})

/** Examines the address again, with the ledger in the state that the record names. */
async function examinedAgain(event: EventData['ReportGenerated']) {
  const { inputs, chain, canonicalAddress, generatedAt } = event
  const { labelState, policyDocument } = await sharedInputs(installation, event)
  const labelsOf = async (lookupKeys: readonly string[]) => {
    const { labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq: inputs.labelSetSeq })
    const byKey = new Map<string, LabelFacts[]>()
    for (const label of labels)
      byKey.set(label.lookupKey, [...(byKey.get(label.lookupKey) ?? []), labelFacts(label)])
    return byKey
  }
  return await examineAddress(database, {
    chain,
    address: canonicalAddress,
    ledgerSeq: inputs.exposure!.ledgerSeq,
    policy: compilePolicyText(policyDocument),
    labelSets: labelState.labelSets,
    generatedAt,
    labelsOf,
  })
}
