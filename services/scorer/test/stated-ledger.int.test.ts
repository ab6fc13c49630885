/** A row that says what the ledger holds is altered in the database: screening stops with a name, and no score changes. */
import { importLedger, importPrices } from '@cupel/ledger'
import type { RunningService } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaults, openFollowed, type Installation } from './installation.js'

const CUSTOMER = '0x00000000219ab540356cbb839cbe05303d7705fa'
const THIEF = '0x098b716b8aaf21512996dc57eb0615e2383e2f96'
const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'

let installation: Installation
beforeEach(async () => {
  installation = await openFollowed()
  await installation.publish('ofac_sdn', [
    {
      ...{ address: THIEF, chain: 'ETH', category: 'sanctions', entity: 'A thief' },
      ...{ source: 'ofac_sdn', sourceUrl: '', confidencePpm: 990_000 },
    },
  ])
  await imported(1)
  await imported(2)
  const file = await installation.file('prices.csv', 'day,asset,usd\n2026-11-20,ETH,3012.55\n')
  expect(await importPrices({ file, importedBy: 'test' }, installation)).toMatchObject({ status: 'imported' })
  await installation.relay()
})
afterEach(() => installation.close())

async function imported(block: number): Promise<void> {
  const row = `ETH,${block},2026-11-20T0${block}:00:00Z,0x${String(block).padStart(64, '0')},,native,ETH,,${CUSTOMER},${THIEF},1000000000000000000,1,,test,1`
  const file = await installation.file(`${block}.csv`, `${HEADING}\n${row}\n`)
  const range = { completeFrom: block, completeTo: block, covers: ['native'] } as const
  const request = { file, format: 'csv', chain: 'ETH', importedBy: 'test', ...range } as const
  expect(await importLedger(request, installation)).toMatchObject({ status: 'imported' })
}

/** With the highest setting, so that a busy machine drops no answer of the ledger. */
const started = () => installation.start({ config: { ...defaults, CUPEL_EXPOSURE_BUDGET_MS: 10_000 } })
const answered = (reportId: string) => until(() => installation.report(reportId))
const screened = async () => await answered(await installation.request(CUSTOMER, 'ETH'))

/** The scorer is not ready, names the cause, and answers nothing. */
async function refuses(scorer: RunningService, words: string): Promise<void> {
  const detail = expect.stringContaining(words) as string
  await until(() => expect(scorer.checks()).toContainEqual({ name: 'label view', ok: false, detail }))
  const reportId = await installation.request(CUSTOMER, 'ETH')
  await until(() =>
    expect(scorer.checks()).toContainEqual({ name: 'interactive requests', ok: false, detail }),
  )
  expect(await installation.answers(reportId)).toEqual([])
}

const altered: readonly (readonly [string, string, string])[] = [
  ['deleted', 'DELETE FROM ledger.segment WHERE ledger_seq = 2', 'lacks segment 2'],
  ['hidden', 'UPDATE ledger.segment SET ledger_seq = NULL WHERE ledger_seq = 2', 'lacks segment 2'],
  [
    'declared for more heights',
    'UPDATE ledger.segment SET complete_to = 9999999 WHERE ledger_seq = 2',
    'segment 2 with another completeTo',
  ],
  [
    'called fresher',
    'UPDATE ledger.segment SET complete_to_at_s = complete_to_at_s + 86400 WHERE ledger_seq = 1',
    'segment 1 with another completeToAt',
  ],
  ['deleted, as the prices in force', 'DELETE FROM ledger.price_import', 'lacks the price table prices.csv'],
  [
    'another one, as the prices in force',
    `UPDATE ledger.price_import SET sha256 = repeat('0', 64)`,
    'price table 1 with another sha256',
  ],
]

const alteredRows: readonly (readonly [string, string, string])[] = [
  ['of a transfer, altered', 'UPDATE ledger.transfer SET amount = 1', 'rows with other values'],
  ['of a transfer, deleted', 'DELETE FROM ledger.transfer WHERE block_number = 2', '1 rows fewer'],
  [
    'of a block, added',
    `INSERT INTO ledger.block SELECT 'ETH', 1, 1, segment_id FROM ledger.segment LIMIT 1`,
    '1 rows more',
  ],
]

describe('a row of the ledger decides nothing if it was', () => {
  test.each([...altered, ...alteredRows])(
    '%s, found by a scorer that starts',
    async (_, statement, words) => {
      await installation.database.execute(statement)
      await refuses(await started(), words)
    },
  )

  test.each(altered)(
    '%s, found by a scorer that goes on from what an earlier one compared',
    async (_, statement, words) => {
      await (await started()).stop()
      expect(await installation.database.query('SELECT 1 FROM ledger.compared')).toHaveLength(1)
      await installation.database.execute(statement)
      await refuses(await started(), words)
    },
  )

  test.each([...altered.slice(1, 3), ...alteredRows])(
    '%s, found by a scorer that runs',
    async (_, statement, words) => {
      const scorer = await started()
      const evidence = [{ relation: 'direct', direction: 'out' }]
      await until(async () => expect(await screened()).toMatchObject({ risk: { evidence } }))
      await installation.database.execute(statement)
      await refuses(scorer, words)
      expect(scorer.checks().map(({ detail }) => detail)).toContainEqual(
        expect.stringContaining('restart the scorer'),
      )
    },
  )
})

test('a segment without an event is not used, and honest ones are followed', async () => {
  const scorer = await started()
  expect(await screened()).toMatchObject({ coverage: { exposure: { transfers_examined: 2 } } })
  await installation.database.execute(
    `INSERT INTO ledger.segment (ledger_seq, chain, format, file_name, sha256, covers, complete_from, complete_to,
       complete_to_at_s, replaces, asset_table_version, published_at, imported_by)
     VALUES (3, 'ETH', 'csv', 'x', 'x', '{native,internal,token}', 0, 99999999, 1795136520, false, '1',
       '2026-11-21T00:00:00.000Z', 'x')`,
  )
  expect(await screened()).toMatchObject({ coverage: { exposure: { transfers_examined: 2 } } })
  await installation.database.execute(`DELETE FROM ledger.segment WHERE sha256 = 'x'`)
  await imported(4)
  await until(async () =>
    expect(await screened()).toMatchObject({ coverage: { exposure: { transfers_examined: 3 } } }),
  )
  expect(scorer.checks().every(({ ok }) => ok)).toBe(true)
})

test.each([
  ['altered', 'UPDATE ledger.price SET micro_usd = 1'],
  ['removed', 'DELETE FROM ledger.price'],
])('exposure fails by name where a price was %s, and the report has no less risk', async (_, statement) => {
  await installation.database.execute(statement)
  await started()
  expect(await screened()).toMatchObject({
    coverage: { exposure: { status: 'unavailable', reason: 'failed' } },
    risk: { level: 'grey' },
  })
})
