/** Token files without times, imported after timed ones, from the import to the report: the block orders them, and no time is invented. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from '@cupel/contracts'
import { importLedger } from '@cupel/ledger'
import { sharedDataFolder } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { defaults, openFollowed, type Installation } from './installation.js'

const WAIT = { timeout: 150_000, interval: 20 }
/** The highest setting, so that a busy machine drops no answer of the ledger. */
const LEDGER_BUDGET_MS = 10_000
const TOTAL = 2_500_000_000
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const named = (digit: string): string => `0x${digit.repeat(40)}`
const [THIEF, MIDDLE, AFTER, BEFORE, EARLIER] = ['a', 'b', 'c', 'd', 'e'].map(named) as [
  string,
  string,
  string,
  string,
  string,
]

let installation: Installation
let folder: string
beforeAll(async () => {
  installation = await openFollowed()
  folder = await mkdtemp(join(tmpdir(), 'cupel-untimed-'))
  await sanction('ofac_sdn', THIEF)
  const scorer = await installation.start({
    config: { ...defaults, CUPEL_EXPOSURE_BUDGET_MS: LEDGER_BUDGET_MS },
  })
  await vi.waitFor(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true), WAIT)
}, 60_000)
afterAll(async () => {
  await installation.close()
  await rm(folder, { recursive: true, force: true })
})

const sanction = (source: string, address: string): Promise<void> =>
  installation.publish(source, [
    {
      ...{ address, chain: 'ETH', category: 'sanctions', entity: 'A thief' },
      ...{ source, sourceUrl: '', confidencePpm: 990_000 },
    },
  ])

async function imported(file: string, format: string): Promise<void> {
  const { database } = installation
  const result = await importLedger({ file, format, chain: 'ETH', importedBy: 'test' }, { database })
  if (result.status !== 'imported') throw new Error(JSON.stringify(result))
}

async function importedText(name: string, format: string, lines: readonly string[]): Promise<void> {
  const file = join(folder, name)
  await writeFile(file, `${lines.join('\n')}\n`)
  await imported(file, format)
}

/** Waits for the report on a ledger state with at least `segments` segments. */
async function screened(address: string, segments: number): Promise<Report> {
  return await vi.waitFor(async () => {
    const id = await installation.request(address, 'ETH')
    const report = await vi.waitFor(() => installation.report(id), WAIT)
    const [first] = await installation.answers(id)
    if (first?.type !== 'ReportGenerated') throw new Error(`${id} has no report`)
    expect(first.data.inputs.exposure?.ledgerSeq).toBeGreaterThanOrEqual(segments)
    return report
  }, WAIT)
}

const timed = [
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status',
  `ETH,90,2026-11-20T01:00:00Z,0x${'1'.repeat(64)},,native,ETH,,${EARLIER},${MIDDLE},1000000000000000000,1,,test,1`,
  `ETH,100,2026-11-20T01:02:00Z,0x${'2'.repeat(64)},5,token,USDT,${USDT},${THIEF},${MIDDLE},${TOTAL},2500,,test,1`,
]
const token = (block: number, log: number, from: string, to: string): string =>
  [USDT, from, to, TOTAL, `0x${block.toString(16).padStart(64, '0')}`, log, block].join()
const untimed = [
  'token_address,from_address,to_address,value,transaction_hash,log_index,block_number',
  // The rows are in reverse order: the order of the file has no meaning.
  token(101, 0, MIDDLE, AFTER),
  token(99, 0, MIDDLE, BEFORE),
  token(98, 0, EARLIER, MIDDLE),
]

test('proceeds that are passed on a block later are found, and a payment before the theft is not blamed for it', async () => {
  await importedText('timed.csv', 'csv', timed)
  await importedText('untimed.csv', 'ethereum-etl', untimed)
  const after = await screened(AFTER, 2)
  // cap 60, 100 dusts: two thirds of the size. The time of the last step is unknown; no other transfer's time replaces it.
  expect(after.risk).toMatchObject({ level: 'orange', score: 40, categories: { sanctions: 40 } })
  expect(after.risk.evidence).toMatchObject([
    {
      ...{
        relation: 'indirect',
        direction: 'in',
        hops: 2,
        value: '2500 USD',
        first_at: null,
        last_at: null,
      },
      path: [
        { from: THIEF, to: MIDDLE, block: 100, at: '2026-11-20T01:02:00.000Z' },
        { from: MIDDLE, to: AFTER, block: 101, at: null },
      ],
    },
  ])
  expect(after.coverage.exposure.incomplete).not.toContain('unknown_order')
  const before = await screened(BEFORE, 2)
  expect(before.risk).toMatchObject({ level: 'grey', score: 0, categories: { sanctions: 0 } })

  await importedText('blocks.csv', 'blocks', [
    'number,timestamp',
    ...[98, 99, 100, 101].map((block) => `${block},${1_795_136_520 + (block - 100) * 12}`),
  ])
  const dated = await screened(AFTER, 3)
  expect(dated.risk).toMatchObject({ level: 'orange', score: 40 })
  expect(dated.risk.evidence[0]).toMatchObject({ first_at: '2026-11-20T01:02:12.000Z' })
})

interface TokenRow {
  readonly token_address: string
  readonly from_address: string
  readonly to_address: string
  readonly value: number
}

test.skipIf(sharedDataFolder() === null)(
  'genuine tokens whose times were taken away tell of the sanctioned payer what they tell with them',
  async () => {
    const raw = (name: string): string =>
      join(sharedDataFolder()!, 'raw/ethereum-etl', `blocks_17173049_17173050_${name}`)
    const rows = (await readFile(raw('token_transfers.json'), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as TokenRow)
    const paid = rows.find(
      ({ token_address, value, from_address, to_address }) =>
        [USDT, USDC].includes(token_address) && value >= 25_000_000 && from_address !== to_address,
    )!
    await sanction('uk_ofsi', paid.from_address)
    await vi.waitFor(async () => {
      // The scorer loads a published list after a delay: the list is in force when a report names the payer.
      const payer = await screened(paid.from_address, 3)
      expect(payer.risk.categories.sanctions).toBeGreaterThan(0)
    }, WAIT)
    await imported(raw('transactions.csv'), 'ethereum-etl')
    await importedText(
      'tokens.json',
      'ethereum-etl',
      rows.map((row) => JSON.stringify({ ...row, block_timestamp: undefined })),
    )
    const untimedReport = await screened(paid.to_address, 5)
    expect(untimedReport.risk.level).not.toBe('green')
    expect(untimedReport.risk.categories.sanctions).toBeGreaterThanOrEqual(25)
    await imported(raw('blocks.csv'), 'blocks')
    const timedReport = await screened(paid.to_address, 6)
    expect(timedReport.risk.categories).toEqual(untimedReport.risk.categories)
  },
)
