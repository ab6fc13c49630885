/** The demo by command: its reports show a path of money and are proven like any other, and it is gone after its removal. */
import { demoAddresses } from '@cupel/domain'
import type { Report, ReportGenerated } from '@cupel/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'

const CUSTOMER = demoAddresses[0]!.address
const EXCHANGE = demoAddresses[2]!.address
/** No address of the demo, and in no list. */
const REAL = '0x52908400098527886E0F7030069857D2E4169EE7'
const HEADER =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'

let decided: Decided
beforeAll(async () => {
  // A busy machine takes longer than a caller waits.
  decided = await openDecided({ settings: { CUPEL_EXPOSURE_BUDGET_MS: '10000' } })
})
afterAll(async () => await decided.close())

const reportOf = ({ report }: ReportGenerated): Report => JSON.parse(report) as Report
/** What a report says of an address: all but its identity, its times and the state of the lists that it names. */
function said(event: ReportGenerated): object {
  const { risk, exposure, balances, demo, coverage } = reportOf(event)
  return { risk, exposure, balances, demo, chain: coverage.exposure }
}

test('an address of the demo is judged by it while it is on, proven, and unknown again afterwards; a real one never', async () => {
  const before = [await decided.screen(CUSTOMER, 'ETH'), await decided.screen(REAL.toLowerCase(), 'ETH')]
  expect(before.map(({ level }) => level)).toEqual(['grey', 'grey'])
  expect(await decided.json('demo', 'load')).toMatchObject({ status: 'on', fault: null })

  const shown = await decided.screen(CUSTOMER, 'ETH')
  expect(reportOf(shown)).toMatchObject({ demo: true, risk: { level: 'orange' } })
  expect(reportOf(shown).exposure).not.toEqual([])
  expect(reportOf(await decided.screen(EXCHANGE, 'ETH')).risk.level_reasons).toContain('demo_data')
  expect(said(await decided.screen(REAL.toLowerCase(), 'ETH'))).toEqual(said(before[1]!))

  const recomputed = await decided.cupel('audit', 'recompute')
  expect(recomputed).toMatchObject({ error: null, exitCode: 0 })
  expect(recomputed.out).toContain('Nothing differs.')

  expect(await decided.json('demo', 'remove')).toMatchObject({ status: 'off', fault: null })
  expect(said(await decided.screen(CUSTOMER, 'ETH'))).toEqual(said(before[0]!))
  expect(reportOf(await decided.screen(EXCHANGE, 'ETH'))).not.toHaveProperty('demo')
  expect(await decided.json('demo', 'load')).toMatchObject({ status: 'on' })
  expect(reportOf(await decided.screen(CUSTOMER, 'ETH'))).toMatchObject({ demo: true })
})

test('a real transfer with an address of the demo makes nobody look worse or better', async () => {
  const row = (from: string, to: string, index: number): string =>
    `ETH,1,2026-11-20T00:00:00Z,0x${`0${index}`.repeat(32)},,native,ETH,,${from},${to},9000000000000000000,9,,test,1`
  const mixer = demoAddresses[3]!.address
  const file = await decided.file(
    'transfers.csv',
    [HEADER, row(mixer, REAL.toLowerCase(), 1), row(EXCHANGE, REAL.toLowerCase(), 2), ''].join('\n'),
  )
  expect(await decided.cupel('ledger', 'import', file, '--format', 'csv', '--chain', 'ETH')).toMatchObject({
    error: null,
  })
  expect(await decided.json('demo', 'load')).toMatchObject({ status: 'on' })
  await decided.restartScorer()
  const { demo, risk, exposure } = reportOf(await decided.screen(REAL.toLowerCase(), 'ETH'))
  expect([demo, risk.score, risk.evidence]).toEqual([undefined, 0, []])
  expect(exposure.flatMap(({ by_category: parts }) => parts.map(({ category }) => category))).toEqual([
    'unattributed',
  ])
})

test('a list under the name of the demo labels no real address', async () => {
  const label = `${REAL},ETH,clean_exchange,Somebody,cupel_demo,,0.9,2026-01-01`
  const file = await decided.file(
    'forged.csv',
    `address,chain,category,entity,source,source_url,confidence,observed_at\n${label}\n`,
  )
  const refused = await decided.cupel('labels', 'import', file, '--format', 'csv', '--set', 'other')
  expect(String(refused.error)).toContain('the demo labels its own made-up addresses only')
})
