/** Rows that screenings rest on, altered by an attacker with the rights of the owner of the tables. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type Answer } from '../client.js'
import { cupel } from '../command.js'
import { until } from '../until.js'
import type { Attack } from './attack.js'
import { answerOf, asOwner, type Target } from './target.js'

const WALLET = '0x00000000219ab540356cbb839cbe05303d7705fa'
const THIEF = '0x098b716b8aaf21512996dc57eb0615e2383e2f96'
const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'
const HASH = `0x${'1'.padStart(64, '0')}`
const ROW = `ETH,1,2026-11-20T00:00:00Z,${HASH},,native,ETH,,${WALLET},${THIEF},1000000000000000000,1,,test,1`
/** Only a hang takes longer. */
const TIMEOUT_MS = 120_000

interface Report {
  readonly report_id: string
  readonly coverage: { readonly exposure: { readonly transfers_examined: number } }
}

async function screened({ baseUrl, attacker }: Target): Promise<Answer> {
  const client = createClient([baseUrl], attacker.key)
  try {
    return await client.screen(WALLET, 'ETH')
  } finally {
    await client.close()
  }
}

async function screenedAsOf({ baseUrl, attacker }: Target, moment: string): Promise<Answer> {
  const client = createClient([baseUrl], attacker.key)
  try {
    const order = { address: WALLET, chain: 'ETH', as_of: moment }
    return await client.send('POST', '/v1/screen', JSON.stringify(order))
  } finally {
    await client.close()
  }
}

/** The report of a screen that counts the transfer. */
async function examined(target: Target): Promise<Report> {
  return await until('a screen that counts the transfer', TIMEOUT_MS, async () => {
    const { status, text } = await screened(target)
    if (status !== 200) throw new Error(text)
    const report = JSON.parse(text) as Report
    return report.coverage.exposure.transfers_examined === 1 && report
  })
}

async function imported({ installation: { home } }: Target): Promise<void> {
  const [transfers, prices] = [join(home, 'attack-transfers.csv'), join(home, 'attack-prices.csv')]
  writeFileSync(transfers, `${HEADING}\n${ROW}\n`)
  writeFileSync(prices, 'day,asset,usd\n2026-11-20,ETH,3012.55\n')
  const range = ['--complete-from', '1', '--complete-to', '1', '--covers', 'native']
  await answerOf(home, ['ledger', 'import', transfers, '--chain', 'ETH', '--format', 'csv', ...range])
  await answerOf(home, ['prices', 'import', prices])
}

/** Screening stops, and goes on after the row is as it was and the scorer was started again. */
function stopsScreening(name: string, alter: string, restore: string): Attack {
  return {
    name: `a row of the ledger altered by its owner: ${name}`,
    threat: 'forgery',
    concerns: ({ proxy }) => proxy === null,
    async run(target) {
      await imported(target)
      await examined(target)
      await asOwner(target, alter)
      const refused = await until('a screen that is refused', TIMEOUT_MS, async () => {
        const answer = await screened(target)
        return answer.status !== 200 && answer
      })
      const past = await screenedAsOf(target, new Date().toISOString())
      const verified = await cupel(target.installation.home, ['audit', 'verify', '--json'])
      const isNamed = /\bsegment \d+\b/.test(verified.stdout)
      await asOwner(target, restore)
      await target.stop()
      await target.start()
      const { coverage } = await examined(target)
      return {
        limit: '503, also as of a past moment; verify names the segment; screens again once the row is right',
        measured: `${refused.status}, ${past.status}; ${isNamed ? '' : 'not '}named; then ${coverage.exposure.transfers_examined} transfer examined`,
        held: refused.status === 503 && past.status === 503 && verified.exitCode !== 0 && isNamed,
      }
    },
  }
}

const RANGE = (to: number): string =>
  `UPDATE ledger.segment SET complete_to = ${to} WHERE file_name = 'attack-transfers.csv'`

export const alteredRows: readonly Attack[] = [
  stopsScreening(
    'a segment is hidden',
    `UPDATE ledger.segment SET ledger_seq = -ledger_seq WHERE file_name = 'attack-transfers.csv'`,
    `UPDATE ledger.segment SET ledger_seq = -ledger_seq WHERE file_name = 'attack-transfers.csv'`,
  ),
  stopsScreening('a declared range is longer', RANGE(99_999_999), RANGE(1)),
  {
    name: 'a transfer of the ledger deleted by its owner',
    threat: 'forgery',
    concerns: ({ proxy }) => proxy === null,
    async run(target) {
      await imported(target)
      const { report_id: report } = await examined(target)
      await asOwner(target, 'CREATE TABLE public.attack_copy AS SELECT * FROM ledger.transfer')
      await asOwner(target, 'DELETE FROM ledger.transfer')
      const recompute = ['audit', 'recompute', '--level', 'C', '--report', report]
      const altered = await cupel(target.installation.home, recompute)
      await asOwner(target, 'INSERT INTO ledger.transfer SELECT * FROM public.attack_copy')
      await asOwner(target, 'DROP TABLE public.attack_copy')
      const restored = await cupel(target.installation.home, recompute)
      return {
        limit: 'named by recompute, and nothing once it is back',
        measured: `exit code ${altered.exitCode}, then ${restored.exitCode}`,
        held: altered.exitCode !== 0 && restored.exitCode === 0,
      }
    },
  },
]
