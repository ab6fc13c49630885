import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { differences, recompute } from '@cupel/domain'
import { startEvmNode, until, type EvmNode } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaults, openFollowed, type Installation, type Label } from './installation.js'
import { sharedInputs } from './shared-inputs.js'

const UNLISTED = '0x00000000000000000000000000000000000abcde'
const ELSEWHERE = '0x00000000000000000000000000000000000abcdf'
const stolenOnBsc: Label = {
  address: UNLISTED,
  chain: 'BSC',
  category: 'stolen',
  entity: 'Some Thief',
  source: 'some_list',
  sourceUrl: 'https://example.org/list',
  confidencePpm: 900_000,
}
/** Far longer than this machine needs to answer itself. */
const PATIENT_MS = 60_000

let installation: Installation
let node: EvmNode
let folder: string

beforeEach(async () => {
  node = await startEvmNode()
  folder = await mkdtemp(join(tmpdir(), 'cupel-chain-'))
  installation = await openFollowed()
  await installation.publish('some_list', [stolenOnBsc])
})

afterEach(async () => {
  await installation.close()
  await node.close()
  await rm(folder, { recursive: true })
})

async function start(budgetMs: number): Promise<void> {
  const file = join(folder, 'providers.json')
  const provider = { name: 'own-node', kind: 'evm-rpc', chain: 'ETH', url: node.url }
  await writeFile(file, JSON.stringify({ providers: [provider] }))
  const config = { ...defaults, CUPEL_CHAIN_DATA_FILE: file, CUPEL_CHAIN_DATA_BUDGET_MS: budgetMs }
  await installation.start({ config })
}

async function screened(address: string, over: { livemode?: boolean; chain?: string } = {}) {
  const { livemode = true, chain = 'ETH' } = over
  const reportId = await installation.request(address, chain, { livemode })
  const report = await until(() => installation.report(reportId, livemode))
  const [event] = await installation.answers(reportId, livemode)
  if (event?.type !== 'ReportGenerated') throw new Error('no report')
  return { report, event: event.data }
}

test('a report shows what the provider says and can be decided again only from its record', async () => {
  await start(PATIENT_MS)
  const { report, event } = await screened(ELSEWHERE)
  expect(report).toMatchObject({
    balance: '0.001700 ETH',
    balance_base_units: '1700000000000000',
    tx_count: 1_430,
    tx_count_kind: 'outgoing',
    risk: { level: 'grey', level_reasons: ['no_sanctions_list', 'partial'] },
    coverage: { chain_data: { status: 'complete', source: 'own-node', height: 25_699_807 } },
    scorer_version: '1.0.0',
  })
  expect(event.inputs).toMatchObject({
    chainStage: 'answered',
    chainFacts: [{ provider: 'own-node', error: null }],
  })
  expect(differences(event, recompute(event, await sharedInputs(installation, event)))).toEqual([])
})

test('what another EVM chain says of the address does not count where code is known', async () => {
  await start(PATIENT_MS)
  node.code = '0x6080604052'
  const { report } = await screened(UNLISTED)
  expect(report.risk).toMatchObject({
    score: 0,
    evidence: [{ chain: 'BSC', used: false, reason: 'contract_here' }],
  })
})

test('a provider that hangs makes the stage late: the rest of the report stands, and the fault is named', async () => {
  node.delayMs = Infinity
  await start(50)
  const { report, event } = await screened(UNLISTED)
  expect(report).toMatchObject({
    balance: null,
    tx_count: null,
    risk: { level: 'red', score_is_lower_bound: true, evidence: [{ category: 'stolen', used: true }] },
    coverage: { chain_data: { status: 'unavailable', faults: [{ source: 'own-node', error: 'late' }] } },
  })
  expect(event.inputs.chainStage).toBe('late')
  expect(differences(event, recompute(event, await sharedInputs(installation, event)))).toEqual([])
})

test('what came too late for one report is there for the next', async () => {
  node.delayMs = 2_000
  await start(1)
  expect((await screened(ELSEWHERE)).event.inputs.chainStage).toBe('late')
  await until(async () => expect((await screened(ELSEWHERE)).report.balance).toBe('0.001700 ETH'))
  expect(node.count()).toBe(1)
})

test('chains without a provider and the sandbox ask nobody', async () => {
  await start(PATIENT_MS)
  expect((await screened(UNLISTED, { chain: 'BSC' })).report.coverage.chain_data.status).toBe('unavailable')
  expect((await screened(UNLISTED, { livemode: false })).event.inputs.chainStage).toBe('')
  expect(node.count()).toBe(0)
})
