/** Histories that two providers must state, and histories on every chain that an address without a chain is possible on. */
import { answered } from '@cupel/testkit/providers'
import { historyProgress } from '@cupel/ledger'
import { afterEach, expect, test, vi } from 'vitest'
import {
  address,
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

const [ALICE, BOB] = [address('a'), address('b')]
let explored: Explored
afterEach(() => explored.close())

async function twoExplorers(): Promise<readonly [Explorer, Explorer]> {
  const both = await Promise.all([openExplorer('first', 'ETH'), openExplorer('second', 'ETH')])
  explored = await explore(both, { agree: { eth: 2 } })
  return both
}

/** The report that comes after what was read. */
async function settled(of: string) {
  await explored.screen(of, patient())
  return (await explored.screen(of, patient())).report
}

test('what two providers state alike is whole, and names both', async () => {
  const [first, second] = await twoExplorers()
  const movements = [
    paid(EXCHANGE, BOB, 18_000_000),
    paid(BOB, ALICE, 19_000_000),
    paid(ALICE, EXCHANGE, 19_500_000),
  ]
  first.chain.movements = movements
  second.chain.movements = movements
  await explored.start()
  const report = await settled(ALICE)
  expect(report.risk).toMatchObject({ level: 'green', level_reasons: [] })
  expect(report.coverage.exposure.histories).toMatchObject([
    { address: ALICE, provider: 'first+second', incomplete: [] },
  ])
  expect([first.historyCalls(BOB), second.historyCalls(BOB)]).toEqual([1, 1])
})

test('a transfer that one of two leaves out counts, and the report names the disagreement of both', async () => {
  const [first, second] = await twoExplorers()
  const clean = [paid(EXCHANGE, ALICE, 18_000_000), paid(ALICE, EXCHANGE, 19_500_000)]
  first.chain.movements = clean
  const hidden = [paid(LAZARUS, ALICE, 19_000_000), paid(ALICE, EXCHANGE, 19_100_000)]
  second.chain.movements = [clean[0]!, ...hidden, clean[1]!]
  await explored.start()
  const report = await settled(ALICE)
  expect(report.risk.level).toBe('orange')
  expect(report.coverage.exposure.incomplete).toContain('history_disagreement')
  expect(report.risk.evidence).toMatchObject([{ entity: 'Lazarus Group', relation: 'direct' }])
  expect(report.coverage.exposure.histories).toMatchObject([
    { provider: 'first+second', incomplete: ['disagreement'] },
  ])
  expect(report.exposure).toMatchObject([{ total: '2 ETH' }, { total: '2 ETH' }])
})

test('what is clean is not green by name if one of two leaves out a transfer', async () => {
  const [first, second] = await twoExplorers()
  const moved = [paid(EXCHANGE, ALICE, 18_000_000), paid(ALICE, EXCHANGE, 19_500_000)]
  first.chain.movements = moved
  second.chain.movements = moved.slice(0, 1)
  await explored.start()
  const { risk } = await settled(ALICE)
  expect(risk.level).toBe('grey')
  expect(risk.level_reasons).toContain('history_disagreement')
})

test('of one transaction that two providers tell differently both accounts count', async () => {
  const [first, second] = await twoExplorers()
  const told = paid(EXCHANGE, ALICE, 18_000_000)
  first.chain.movements = [told]
  second.chain.movements = [{ ...told, from: LAZARUS }]
  await explored.start()
  const report = await settled(ALICE)
  expect(report.risk.evidence).toMatchObject([{ entity: 'Lazarus Group', relation: 'direct' }])
  expect(report.exposure).toMatchObject([{ direction: 'incoming', total: '2 ETH' }])
})

test('while the second provider does not answer the history is not whole by name', async () => {
  const [first, second] = await twoExplorers()
  first.chain.movements = [paid(EXCHANGE, ALICE, 18_000_000)]
  second.chain.movements = first.chain.movements
  second.first = ({ url }) =>
    url.searchParams.get('action') === 'txlist' ? answered({ message: 'busy' }, 503) : undefined
  await explored.start()
  const report = await settled(ALICE)
  expect(report.risk.level).toBe('grey')
  expect(report.risk.level_reasons).toContain('history_unconfirmed')
  expect(report.coverage.history).toMatchObject({
    status: 'failed',
    reason: 'http_status',
    provider: 'second',
  })
  expect(report.exposure).toMatchObject([{ total: '1 ETH', total_complete: false }])
})

test('a history that one provider told before two had to agree is not whole any more', async () => {
  const [first, second] = await Promise.all([openExplorer('first', 'ETH'), openExplorer('second', 'ETH')])
  const movements = [paid(EXCHANGE, ALICE, 18_000_000), paid(ALICE, EXCHANGE, 19_000_000)]
  first.chain.movements = movements
  explored = await explore([first, second])
  const scorer = await explored.start()
  expect((await settled(ALICE)).risk.level).toBe('green')
  await scorer.stop()
  second.chain.movements = [...movements, paid(LAZARUS, ALICE, 19_100_000)]
  await explored.start({
    CUPEL_CHAIN_DATA_FILE: await explored.installation.file(
      'agreed.json',
      JSON.stringify({
        agree: { ETH: 2 },
        providers: [first, second].map(({ name, server }) => ({
          ...{ name, kind: 'etherscan', chain: 'ETH', url: `${server.url}/api` },
        })),
      }),
    ),
  })
  expect((await explored.screen(ALICE)).report.risk.level).not.toBe('green')
  expect((await settled(ALICE)).risk.evidence).toMatchObject([{ entity: 'Lazarus Group' }])
})

test('an address without a chain has its histories on every candidate, and the worst of them decides', async () => {
  const [eth, bsc] = await Promise.all([openExplorer('eth', 'ETH'), openExplorer('bsc', 'BSC')])
  eth.chain.movements = [paid(EXCHANGE, ALICE, 18_000_000), paid(ALICE, EXCHANGE, 19_000_000)]
  bsc.chain.movements = [paid(LAZARUS, ALICE, 18_000_000)]
  explored = await explore([eth, bsc])
  await explored.start()
  const candidates = { candidateChains: ['ETH', 'BSC'] }
  const { report: early } = await explored.screen(ALICE, candidates)
  expect(early.coverage.history).toMatchObject({ status: 'reading', chains: ['ETH', 'BSC'] })
  const { report } = await explored.screen(ALICE, { ...candidates, ...patient() })
  expect(report.coverage.history).toMatchObject({ status: 'fresh' })
  expect(report.other_chains).toMatchObject([{ chain: 'BSC', level: 'red' }])
  expect(report.risk.level).toBe('red')
})

test('a candidate whose history cannot be read is named, and is never green', async () => {
  const [eth, bsc] = await Promise.all([openExplorer('eth', 'ETH'), openExplorer('bsc', 'BSC')])
  eth.chain.movements = [paid(EXCHANGE, ALICE, 18_000_000), paid(ALICE, EXCHANGE, 19_000_000)]
  bsc.first = ({ url }) =>
    url.searchParams.get('action') === 'txlist' ? answered({ message: 'busy' }, 503) : undefined
  explored = await explore([eth, bsc])
  await explored.start()
  const { report } = await explored.screen(ALICE, { candidateChains: ['ETH', 'BSC'], ...patient() })
  expect(report.coverage.history).toMatchObject({ status: 'failed', reason: 'http_status', chains: ['BSC'] })
  expect(report.risk.level).not.toBe('green')
  expect((await explored.screen(ALICE, patient())).report.risk.level).toBe('green')
})

test('nothing of an account that never asks is sent to a provider, and what others had read is used', async () => {
  const eth = await openExplorer('eth', 'ETH')
  eth.chain.movements = [paid(EXCHANGE, ALICE, 18_000_000), paid(ALICE, EXCHANGE, 19_000_000)]
  explored = await explore([eth])
  const database = explored.installation.connect()
  const quiet = { accountId: 'acc_quiet' }
  await database.execute('CREATE SCHEMA access')
  await database.execute(
    'CREATE TABLE access.account (account_id text PRIMARY KEY, asks_providers boolean NOT NULL)',
  )
  const asks = async (asksProviders: boolean, { accountId } = quiet): Promise<unknown> =>
    await database.execute(
      'INSERT INTO access.account VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET asks_providers = $2',
      [accountId, asksProviders],
    )
  await asks(false)
  await explored.start()
  const { report } = await explored.screen(ALICE, { ...quiet, ...patient() })
  expect(report.risk.level).toBe('grey')
  expect(report.risk.level_reasons).toContain('history_not_allowed')
  expect(report.coverage.history).toMatchObject({ status: 'failed', reason: 'not_allowed', provider: null })
  // The choice of an account without a row is unknown.
  const unknown = { accountId: 'acc_unknown', ...patient() }
  expect((await explored.screen(ALICE, unknown)).report.risk.level_reasons).toContain('history_not_allowed')
  expect(eth.asked(ALICE)).toBe(0)

  const other = { accountId: 'acc_other' }
  await asks(true, other)
  expect((await explored.screen(ALICE, { ...other, ...patient() })).report.risk.level).toBe('green')
  const asked = eth.asked(ALICE)
  const later = await explored.screen(ALICE, quiet)
  expect(later.report).toMatchObject({ risk: { level: 'green' }, coverage: { history: { status: 'fresh' } } })
  expect(eth.asked(ALICE)).toBe(asked)
  await asks(true)
  await explored.screen(BOB, { ...quiet, ...patient() })
  expect(eth.asked(BOB)).toBeGreaterThan(0)
})

test('another process sees the pages of a reading, and its end', async () => {
  const eth = await openExplorer('eth', 'ETH')
  eth.chain.movements = [paid(EXCHANGE, ALICE, 18_000_000)]
  explored = await explore([eth])
  const database = explored.installation.connect()
  const told = async () =>
    (
      await historyProgress(
        database,
        { accountId: 'acc_one', chain: 'ETH', address: ALICE },
        '2026-01-01T00:00:00Z',
      )
    )?.state
  await explored.start({ CUPEL_HISTORY_CALLS_PER_SECOND: 1 })
  await explored.screen(ALICE, { accountId: 'acc_one' })
  await vi.waitFor(async () => expect(await told()).toBe('reading'), WAIT)
  await vi.waitFor(async () => expect(await told()).toBe('read'), WAIT)
})
