/** An installation with providers of chain data that answer, disagree, fail and hang; every report can be recomputed. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEvmNode, type EvmNode } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient, type Client } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'

interface ReportBody {
  readonly report_id: string
  readonly balance: string | null
  readonly tx_count: number | null
  readonly risk: { readonly level: string; readonly score_is_lower_bound: boolean }
  readonly coverage: {
    readonly chain_data: {
      readonly status: string
      readonly source: string | null
      readonly faults?: readonly { readonly source: string; readonly error: string }[]
      readonly disagreements?: readonly { readonly fact: string }[]
    }
  }
}

const home = createHome()
let first: EvmNode
let second: EvmNode
let installation: Installation
let client: Client
let screens = 0

beforeAll(async () => {
  first = await startEvmNode()
  second = await startEvmNode()
  const file = join(home, 'providers.json')
  const providers = [first, second].map(({ url }, index) => ({
    ...{ name: `node-${index + 1}`, kind: 'evm-rpc', chain: 'ETH', url },
  }))
  writeFileSync(file, JSON.stringify({ providers }))
  installation = await startInstallation({
    home,
    // The budget is ample for a slow machine. Only the test with the hanging provider exceeds it.
    environment: {
      ...{ CUPEL_CHAIN_DATA_FILE: file, CUPEL_CHAIN_DATA_BUDGET_MS: '3000' },
      CUPEL_SCREEN_DEADLINE_MS: '20000',
    },
  })
  client = createClient(installation.ready.base_urls, await enterpriseKey(home))
})

afterAll(async () => {
  await client?.close()
  await installation?.stop()
  await first.close()
  await second.close()
  removeHome(home)
})

/** Screens an address that was not screened before. */
async function screened(chain = 'ETH'): Promise<ReportBody> {
  screens += 1
  const { status, text } = await client.screen(`0x${randomBytes(20).toString('hex')}`, chain)
  expect(status).toBe(200)
  return JSON.parse(text) as ReportBody
}

test('a report states balance and count, and their source', async () => {
  const report = await screened()
  expect(report).toMatchObject({ balance: '0.001700 ETH', tx_count: 1_430 })
  expect(report.coverage.chain_data).toMatchObject({ status: 'complete', source: 'node-1' })
  expect(report.coverage.chain_data).not.toHaveProperty('faults')
})

test('providers that disagree are reported', async () => {
  second.balanceWei = 5n
  const { balance, coverage, risk } = await screened()
  second.balanceWei = first.balanceWei
  expect(balance).toBe('0.001700 ETH')
  expect(coverage.chain_data).toMatchObject({ status: 'partial', disagreements: [{ fact: 'balance' }] })
  expect(risk.score_is_lower_bound).toBe(true)
})

test('a chain without a provider sends no request', async () => {
  const before = [first.count(), second.count()]
  expect((await screened('BSC')).coverage.chain_data.status).toBe('unavailable')
  expect([first.count(), second.count()]).toEqual(before)
})

test('an unreachable provider costs only its own facts', async () => {
  await second.close()
  const { balance, coverage } = await screened()
  expect(balance).toBe('0.001700 ETH')
  expect(coverage.chain_data).toMatchObject({
    status: 'partial',
    faults: [{ source: 'node-2', error: 'unreachable' }],
  })
})

test('a provider that hangs drops the stage, and screens go on', async () => {
  first.delayMs = Infinity
  const { balance, coverage, risk } = await screened()
  expect(balance).toBeNull()
  expect(risk.level).toBe('grey')
  expect(coverage.chain_data).toMatchObject({ status: 'unavailable', source: null })
  expect(coverage.chain_data.faults?.map(({ error }) => error)).toEqual(['late', 'late'])
})

test('every one of these reports can be decided again from its record, byte for byte', async () => {
  const { exitCode, stdout } = await cupel(home, ['audit', 'recompute', '--level', 'A', '--json'])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ reports: screens })
})
