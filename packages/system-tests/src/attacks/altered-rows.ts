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

interface Alteration {
  readonly of: string
  readonly alter: string
  readonly restore: string
  /** What verify says of it. */
  readonly words: RegExp
  /** Whether screens as of a past moment compare it too. */
  readonly alsoPast: boolean
}

/** Screening stops, and goes on after the row is as it was and the scorer was started again. */
function stopsScreening({ of, alter, restore, words, alsoPast }: Alteration): Attack {
  return {
    name: `altered by the owner of the tables: ${of}`,
    threat: 'forgery',
    place: 'installation',
    async run(target) {
      await imported(target)
      await examined(target)
      await asOwner(target, alter)
      const refused = await until('a screen that is refused', TIMEOUT_MS, async () => {
        const answer = await screened(target)
        return answer.status !== 200 && answer
      })
      const past = alsoPast ? (await screenedAsOf(target, new Date().toISOString())).status : 503
      const verified = await cupel(target.installation.home, ['audit', 'verify', '--json'])
      const isNamed = words.test(verified.stdout)
      await asOwner(target, restore)
      await target.stop()
      await target.start()
      const { coverage } = await examined(target)
      return {
        limit: `503${alsoPast ? ', also as of a past moment' : ''}; verify names it; screens again once the row is right`,
        measured: `${refused.status}${alsoPast ? `, ${past}` : ''}; ${isNamed ? '' : 'not '}named; then ${coverage.exposure.transfers_examined} transfer examined`,
        held: refused.status === 503 && past === 503 && verified.exitCode !== 0 && isNamed,
      }
    },
  }
}

const IS_OWN = `file_name = 'attack-transfers.csv'`
const HIDE = `UPDATE ledger.segment SET ledger_seq = -ledger_seq WHERE ${IS_OWN}`
const RANGE = (to: number): string => `UPDATE ledger.segment SET complete_to = ${to} WHERE ${IS_OWN}`
const AMOUNT = (by: number): string =>
  `UPDATE ledger.transfer SET amount = amount + ${by} WHERE ledger.tx_hash_text(tx_hash) = '${HASH}'`
const LABELLED = `category = 'sanctions' AND entity LIKE '%Lazarus%'`
const CONFIDENCE = (by: number): string =>
  `UPDATE label_view.label SET confidence_ppm = confidence_ppm + ${by} WHERE ${LABELLED}`

export const alteredRows: readonly Attack[] = [
  {
    ...{ of: 'a segment of the ledger is hidden', alter: HIDE, restore: HIDE },
    ...{ words: /\bsegment \d+\b/, alsoPast: true },
  },
  {
    ...{ of: 'a declared range of the ledger is longer', alter: RANGE(99_999_999), restore: RANGE(1) },
    ...{ words: /\bsegment \d+\b/, alsoPast: true },
  },
  {
    ...{ of: 'a transfer of the ledger', alter: AMOUNT(1), restore: AMOUNT(-1) },
    ...{ words: /rows with other values/, alsoPast: false },
  },
  {
    ...{ of: 'a label', alter: CONFIDENCE(-1), restore: CONFIDENCE(1) },
    ...{ words: /another confidence_ppm/, alsoPast: false },
  },
].map(stopsScreening)
