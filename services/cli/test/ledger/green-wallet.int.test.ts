/** The steps of docs/levels.md, “How an address becomes green”, as an operator does them: each removes the reasons that it says. */
import type { ReportGenerated } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED, wholeList } from '../some-labels.js'

const of = (digit: string): string => `0x${digit.repeat(40)}`
const [WALLET, EXCHANGE, OTHER_EXCHANGE, FRIEND, STRANGER] = ['a', 'b', 'c', 'd', 'e'].map(of) as [
  string,
  string,
  string,
  string,
  string,
]
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'
const LAST_BLOCK = 20_000_000
const HOUR_MS = 3_600_000

let made = 0
function row(kind: string, from: string, to: string, units: string): string {
  made += 1
  const at = new Date(Date.now() - HOUR_MS - (100 - made) * 60_000).toISOString()
  const asset = kind === 'token' ? `USDT,${USDT}` : 'ETH,'
  return `ETH,${LAST_BLOCK - 100 + made},${at},0x${String(made).padStart(64, '0')},${made},${kind},${asset},${from},${to},${units},,,test,1`
}
const NATIVE = [
  row('native', EXCHANGE, WALLET, '2000000000000000000'),
  row('native', OTHER_EXCHANGE, WALLET, '3000000000000000000'),
  row('native', WALLET, FRIEND, '500000000000000000'),
  row('native', STRANGER, FRIEND, '500000000000000000'),
]
const TRACES = [row('internal', EXCHANGE, WALLET, '1000000000000000000')]
const TOKENS = [row('token', OTHER_EXCHANGE, WALLET, '500000000')]

let decided: Decided
beforeAll(async () => {
  decided = await openDecided({ settings: { CUPEL_EXPOSURE_BUDGET_MS: '10000' } })
})
afterAll(async () => await decided.close())

let segments = 0
async function importWhole(kind: string, rows: readonly string[]): Promise<void> {
  const file = await decided.file(`${kind}.csv`, [HEADING, ...rows, ''].join('\n'))
  const range = ['--complete-from', '0', '--complete-to', String(LAST_BLOCK), '--covers', kind]
  const { error } = await decided.cupel(
    'ledger',
    'import',
    file,
    '--format',
    'csv',
    '--chain',
    'ETH',
    ...range,
  )
  expect(error).toBeNull()
  segments += 1
}

/** Decided on the ledger that was imported last. */
const screened = async (address: string): Promise<ReportGenerated> =>
  await until(async () => {
    const report = await decided.screen(address, 'ETH')
    if (segments > 0) expect(report.inputs.exposure?.ledgerSeq).toBe(segments)
    return report
  })
const reasons = async (): Promise<readonly string[]> => (await screened(WALLET)).levelReasons

test('a wallet that two exchanges funded becomes green by the documented steps', async () => {
  expect(await reasons()).toEqual(expect.arrayContaining(['no_sanctions_list', 'no_chain_data']))

  await decided.importLabels('sdn', [SANCTIONED.row], ...wholeList())
  expect(await reasons()).toEqual(['no_chain_data'])

  await decided.importLabels(
    'exchanges',
    [EXCHANGE, OTHER_EXCHANGE].map(
      (address, index) =>
        `${address},ETH,clean_exchange,Exchange ${index},my_list,https://example.org/x,0.8,2026-11-20`,
    ),
  )
  await importWhole('native', NATIVE)
  expect(await reasons()).toEqual(expect.arrayContaining(['no_traces', 'no_tokens']))
  await importWhole('internal', TRACES)
  expect(await reasons()).toEqual(expect.arrayContaining(['no_tokens']))
  await importWhole('token', TOKENS)

  expect(await screened(WALLET)).toMatchObject({ level: 'green', score: 0, levelReasons: [] })
  const friend = await screened(FRIEND)
  expect(friend.level).toBe('grey')
  expect(friend.levelReasons).toContain('unattributed')
})
