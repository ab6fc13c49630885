/** Histories on demand, from a stand-in of Etherscan over HTTP to the report that rests on them. */
import { compiledDefaultPolicy, differences, recompute } from '@cupel/domain'
import { examineAddress, importLedger } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import { labelFacts, readLabelsAsOf } from '@cupel/labels/read-model'
import { answered, etherscanStandIn, type EvmChain, type StandInServer } from '@cupel/testkit/providers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  address,
  balanceOf,
  EXCHANGE,
  explore,
  LAZARUS,
  openExplorer,
  paid,
  patient,
  WAIT,
  type Explored,
  type Explorer,
} from '../explorers.js'
import type { Installation } from '../installation.js'
import { sharedInputs } from '../shared-inputs.js'

const [ALICE, BOB] = [address('a'), address('b')]

let explorer: Explorer
let chain: EvmChain
let server: StandInServer
let explored: Explored
let installation: Installation
let database: Database
let start: Explored['start']
let screened: Explored['screen']

beforeEach(async () => {
  explorer = await openExplorer('explorer', 'ETH')
  explored = await explore([explorer])
  ;({ chain, server } = explorer)
  ;({ installation, start, screen: screened } = explored)
  database = installation.connect()
}, 60_000)
afterEach(() => explored.close())

const historyCalls = (of?: string): number =>
  server.asked.filter(
    ({ url }) =>
      url.searchParams.get('action') === 'txlist' &&
      (of === undefined || url.searchParams.get('address') === of),
  ).length
const read = async (of: string) => (await screened(of, patient())).report

test('a fresh address has first a report that names what is missing, and then one with a money path', async () => {
  chain.movements = [paid(EXCHANGE, ALICE, 19_000_000), paid(LAZARUS, ALICE, 19_000_001)]
  await start()
  const { report } = await screened(ALICE)
  expect(report.coverage.missing_stages).toEqual(['history'])
  expect(report.coverage.history).toMatchObject({ status: 'reading' })
  expect(report.risk).toMatchObject({ score_is_lower_bound: true, level: 'grey' })

  const later = await read(ALICE)
  expect(later.coverage.missing_stages).toBeUndefined()
  expect(later.coverage.history).toMatchObject({ status: 'fresh' })
  expect(later.coverage.exposure.histories).toMatchObject([
    { address: ALICE, provider: 'explorer', height: 19_999_988, incomplete: [] },
  ])
  expect(later.risk.level).toBe('red')
  expect(later.risk.evidence).toMatchObject([{ relation: 'direct', category: 'sanctions', share: 0.5 }])
  expect(later.exposure).toMatchObject([{ direction: 'incoming', total: '2 ETH', total_complete: true }])
})

test('who waits has the histories of the counterparties too, and a clean funder makes green', async () => {
  chain.movements = [
    paid(EXCHANGE, BOB, 18_000_000),
    paid(BOB, ALICE, 19_000_000),
    paid(ALICE, EXCHANGE, 19_500_000),
  ]
  await start()
  const { report, event } = await screened(ALICE, patient())
  expect(report.risk).toMatchObject({ level: 'green', level_reasons: [] })
  expect([historyCalls(ALICE), historyCalls(BOB), historyCalls(EXCHANGE)]).toEqual([1, 1, 0])
  // What is recorded gives the same bytes, and the ledger the same exposure.
  expect(differences(recompute(event, await sharedInputs(installation, event)), event)).toEqual([])
  const { inputs, generatedAt } = event
  const labelsOf = async (lookupKeys: readonly string[]) => {
    const { labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq: inputs.labelSetSeq })
    return new Map(
      lookupKeys.map((key) => [key, labels.filter((one) => one.lookupKey === key).map(labelFacts)]),
    )
  }
  const again = await examineAddress(database, {
    ...{ chain: 'ETH', address: ALICE, ledgerSeq: inputs.exposure!.ledgerSeq, generatedAt, labelsOf },
    ...{ policy: compiledDefaultPolicy, labelSets: [] },
  })
  expect(again).toEqual(inputs.exposure)
  // While it is fresh nothing is asked again.
  const asked = historyCalls()
  expect((await read(ALICE)).risk.level).toBe('green')
  expect(historyCalls()).toBe(asked)
})

describe('less than a whole history is not green:', () => {
  beforeEach(() => {
    chain.movements = [paid(EXCHANGE, ALICE, 19_000_000)]
  })

  test('one of a provider that does not give calls', async () => {
    explorer.first = ({ url }) =>
      url.searchParams.get('action') === 'txlistinternal'
        ? answered({ status: '0', message: 'NOTOK', result: 'Error! Missing Or invalid Action name' })
        : undefined
    await start()
    const { risk, coverage } = await read(ALICE)
    expect(risk).toMatchObject({
      level: 'grey',
      level_reasons: expect.arrayContaining(['no_traces']) as unknown,
    })
    expect(coverage.exposure.histories).toMatchObject([
      { kinds: ['native', 'token'], incomplete: ['no_traces'] },
    ])
  })

  test('one of a provider that leaves out what the balance shows', async () => {
    const hidden = paid(LAZARUS, ALICE, 19_000_001)
    const standIn = etherscanStandIn(chain, { host: 'etherscan', chainId: 1 })
    explorer.first = (question) =>
      question.url.searchParams.get('action') === 'balance'
        ? answered({
            status: '1',
            message: 'OK',
            result: String(balanceOf(chain, ALICE) + BigInt(hidden.value)),
          })
        : question.url.searchParams.get('module') === 'account'
          ? standIn(question)
          : undefined
    await start()
    const { risk } = await read(ALICE)
    expect(risk.level).toBe('grey')
    expect(risk.level_reasons).toContain('balance_mismatch')
  })

  test('one of a provider that does not answer, which a check tells', async () => {
    explorer.first = ({ url }) =>
      url.searchParams.get('action') === 'txlist' ? answered({ message: 'busy' }, 503) : undefined
    const scorer = await start()
    await read(ALICE)
    const { risk, coverage } = await read(ALICE)
    expect(risk.level).toBe('grey')
    expect(coverage.history).toMatchObject({ status: 'failed', reason: 'http_status', provider: 'explorer' })
    expect(scorer.checks().filter(({ ok }) => !ok)).toEqual([
      { name: 'histories', ok: false, aside: true, detail: 'explorer: http_status' },
    ])
  })

  test.each([
    ['CUPEL_HISTORY_CALLS_PER_DAY', 1, 'day_budget'],
    ['CUPEL_HISTORY_CALLS_PER_DAY', 2, 'account_day_budget'],
    ['CUPEL_HISTORY_CALLS_PER_SCREEN', 2, 'call_budget'],
  ])('one that %s ended', async (setting, limit, reason) => {
    await start({ [setting]: limit })
    await read(ALICE)
    const { risk, coverage } = await read(ALICE)
    expect(risk).toMatchObject({ level: 'grey', score_is_lower_bound: true })
    expect(coverage.history).toMatchObject({ status: 'failed', reason })
    expect(server.asked.filter(({ url }) => url.searchParams.has('startblock')).length).toBeLessThanOrEqual(
      limit,
    )
  })
})

describe('an account that screens many addresses', () => {
  const greedy = { accountId: 'acc_greedy' }
  const addresses = Array.from({ length: 30 }, (_, of) => `0x${of.toString(16).padStart(40, '5')}`)
  beforeEach(() => {
    chain.movements = [paid(EXCHANGE, ALICE, 19_000_000)]
  })

  test('leaves calls of the day to another one, and no fault to the operator', async () => {
    const scorer = await start({ CUPEL_HISTORY_CALLS_PER_DAY: 80 })
    await screened(addresses[0]!, { ...greedy, ...patient() })
    const reasons = await Promise.all(
      addresses.slice(1, 16).map(async (of) => {
        await screened(of, { ...greedy, ...patient() })
        return (await screened(of, greedy)).report.coverage.history?.reason
      }),
    )
    expect(reasons).toContain('account_day_budget')
    // What one account may not read is another one's to read.
    const refused = addresses[1 + reasons.indexOf('account_day_budget')]!
    expect((await read(refused)).coverage.history).toMatchObject({ status: 'fresh' })
    expect((await read(ALICE)).coverage.history).toMatchObject({ status: 'fresh' })
    expect(scorer.checks().filter(({ ok }) => !ok)).toEqual([])
  })

  test('delays the reading of another one by a few of its own', async () => {
    await start({ CUPEL_HISTORY_CALLS_PER_SECOND: 20 })
    for (const of of addresses) await screened(of, greedy)
    await read(ALICE)
    const asked = server.asked.flatMap(({ url }) =>
      url.searchParams.get('action') === 'txlist' ? [url.searchParams.get('address')!] : [],
    )
    const before = new Set(asked.slice(0, asked.indexOf(ALICE)))
    expect(before.size).toBeLessThan(addresses.length / 2)
  })
})

test('two scorers at once read and import one history once', async () => {
  chain.movements = [paid(EXCHANGE, ALICE, 19_000_000)]
  await start()
  await start()
  await Promise.all([read(ALICE), read(ALICE), read(ALICE)])
  expect(historyCalls(ALICE)).toBe(1)
  expect(await database.query('SELECT history_address FROM ledger.segment')).toEqual([
    { history_address: ALICE },
  ])
})

test('nothing of the sandbox is sent to a provider of histories', async () => {
  chain.movements = [paid(EXCHANGE, ALICE, 19_000_000)]
  await start()
  await installation.request(ALICE, 'ETH', { livemode: false })
  await read(BOB)
  expect([historyCalls(ALICE), historyCalls(BOB)]).toEqual([0, 1])
})

test('without the setting nobody is asked, and a report says nothing of it', async () => {
  chain.movements = [paid(EXCHANGE, ALICE, 19_000_000)]
  await start({ CUPEL_HISTORIES: false })
  const { report, event } = await screened(ALICE, patient())
  expect(report.coverage.history).toBeUndefined()
  expect(event.inputs.historyReading).toBeNull()
  expect(historyCalls()).toBe(0)
})

test('a reading that ended between its pages leaves nothing, and the next one counts everything once', async () => {
  chain.movements = [paid(EXCHANGE, ALICE, 19_000_000)]
  const scorer = await start({ CUPEL_HISTORY_CALLS_PER_SECOND: 2 })
  await screened(ALICE)
  await vi.waitFor(() => expect(historyCalls(ALICE)).toBe(1), WAIT)
  await scorer.stop()
  expect(await database.query('SELECT FROM ledger.segment')).toEqual([])
  await start()
  expect((await read(ALICE)).exposure).toMatchObject([
    { total: '1 ETH', total_complete: true, direction: 'incoming' },
  ])
  expect(await database.query('SELECT FROM ledger.segment')).toHaveLength(1)
})

test('a transfer that a file and a provider tell counts once', async () => {
  const told = paid(EXCHANGE, ALICE, 19_000_000)
  chain.movements = [told]
  const row = `ETH,${told.height},2026-11-20T00:00:00Z,${told.hash},,native,ETH,,${told.from},${told.to},${told.value},,,test,1`
  const heading =
    'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'
  const file = await installation.file('etl.csv', `${heading}\n${row}\n`)
  await importLedger({ file, format: 'csv', chain: 'ETH', importedBy: 'test' }, { database })
  await start()
  expect((await read(ALICE)).exposure).toMatchObject([{ total: '1 ETH', total_complete: true }])
})
