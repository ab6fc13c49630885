/** A ClickHouse that takes an import, and does not answer when a scorer reads: no address is called clean. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventData, Report } from '@cupel/contracts'
import { loadConfig } from '@cupel/kit/service'
import { compareLedger, importLedger } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFollowed, type Installation } from './installation.js'

const WAIT = { timeout: 150_000, interval: 20 }
const CUSTOMER = '0x00000000219ab540356cbb839cbe05303d7705fa'
const OTHER = '0x098b716b8aaf21512996dc57eb0615e2383e2f96'
const defaults = loadConfig({ CUPEL_DATABASE_URL: 'postgres://nobody@127.0.0.1/none' })

const ONE = `chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status
ETH,1,2026-11-20T00:00:00Z,0x${'1'.padStart(64, '0')},,native,ETH,,${CUSTOMER},${OTHER},1000000000000000000,1,,test,1
`

let installation: Installation
let database: Database
let server: Server
/** What a statement gets, null for an error; undefined for no answer. */
let answer: ((statement: string) => string | null) | undefined
const silent: { readonly statement: string; readonly response: ServerResponse }[] = []

beforeEach(async () => {
  answer = (statement) => (statement.includes('SELECT max(run)') ? '0\n' : '')
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const statement = Buffer.concat(parts).toString()
      if (answer === undefined) silent.push({ statement, response })
      else {
        const text = answer(statement)
        response.statusCode = text === null ? 500 : 200
        response.end(text ?? 'ClickHouse lacks what imports of this ledger wrote')
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  vi.stubEnv('CUPEL_LEDGER_URL', `clickhouse://127.0.0.1:${(server.address() as AddressInfo).port}/ledger`)
  installation = await openFollowed()
  database = installation.connect()
  const file = await installation.file('one.csv', ONE)
  const result = await importLedger({ file, format: 'csv', chain: 'ETH', importedBy: 'test' }, { database })
  expect(result).toMatchObject({ status: 'imported', added: 1 })
}, 60_000)
afterEach(async () => {
  vi.unstubAllEnvs()
  await installation.close()
  for (const { response } of silent.splice(0)) response.destroy()
  server.closeAllConnections()
  server.close()
})

async function screened(budgetMs: number): Promise<{ report: Report; event: EventData['ReportGenerated'] }> {
  const scorer = await installation.start({ config: { ...defaults, CUPEL_EXPOSURE_BUDGET_MS: budgetMs } })
  await vi.waitFor(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true), WAIT)
  const id = await installation.request(CUSTOMER, 'ETH')
  const [first] = await vi.waitFor(async () => {
    const answers = await installation.answers(id)
    expect(answers.length).toBeGreaterThan(0)
    return answers
  }, WAIT)
  if (first?.type !== 'ReportGenerated') throw new Error(`${id} has no report`)
  return { report: JSON.parse(first.data.report) as Report, event: first.data }
}

describe('a ledger in ClickHouse', () => {
  test('that is gone makes the stage fail by name', async () => {
    server.closeAllConnections()
    server.close()
    const { report, event } = await screened(5_000)
    expect(event.inputs.exposure).toMatchObject({ status: 'failed', error: 'LedgerStoreError', measures: [] })
    expect(report).toMatchObject({
      risk: { level: 'grey', score_is_lower_bound: true },
      coverage: { exposure: { status: 'unavailable', reason: 'failed' } },
    })
  })

  test('that does not answer makes the stage late', async () => {
    answer = undefined
    const { report, event } = await screened(500)
    expect(event.inputs.exposure).toMatchObject({ status: 'late', measures: [] })
    expect(report).toMatchObject({
      risk: { level: 'grey', score_is_lower_bound: true },
      coverage: { exposure: { status: 'unavailable', reason: 'late' } },
    })
    // The scorer ends all the same.
    await vi.waitFor(
      () => expect(silent.some(({ statement }) => statement.includes('SHA256'))).toBe(true),
      WAIT,
    )
  })

  test('pauses a scorer that looks for its transfers in Postgres', async () => {
    vi.stubEnv('CUPEL_LEDGER_URL', '')
    const scorer = await installation.start({ config: defaults })
    await vi.waitFor(
      () => expect(JSON.stringify(scorer.checks())).toMatch(/transfers of this ledger are in ClickHouse/),
      WAIT,
    )
  })

  test('is named by whoever compares the ledger with the log, and does not look there', async () => {
    vi.stubEnv('CUPEL_LEDGER_URL', '')
    expect(await compareLedger(installation)).toEqual([
      'The transfers of this ledger are in ClickHouse: set CUPEL_LEDGER_URL.',
    ])
  })

  test('is named by whoever compares the ledger with the log, if another server has its address', async () => {
    answer = (statement) => (statement.includes('throwIf') ? null : '')
    expect(await compareLedger(installation)).toEqual([
      expect.stringMatching(/^The transfers were not compared: .*lacks what imports of this ledger wrote/),
    ])
  })

  test('takes no import into Postgres', async () => {
    vi.stubEnv('CUPEL_LEDGER_URL', '')
    const file = await installation.file('two.csv', `${ONE}\n`)
    expect(
      await importLedger({ file, format: 'csv', chain: 'ETH', importedBy: 'test' }, { database }),
    ).toMatchObject({ status: 'refused', message: expect.stringMatching(/in ClickHouse/) as string })
  })
})
