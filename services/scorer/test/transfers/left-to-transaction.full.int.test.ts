/** Transfers of which the caller states only the hash: a provider tells the rest, or they are refused by name. Nothing that nobody read is allowed. */
import type { EventData, Report, TransferTerms } from '@cupel/contracts'
import { differences, recompute } from '@cupel/domain'
import { until } from '@cupel/testkit'
import { answered, type EvmMovement } from '@cupel/testkit/providers'
import { afterEach, expect, test } from 'vitest'
import {
  address,
  EXCHANGE,
  explore,
  LAZARUS,
  openExplorer,
  paid,
  type Explored,
  type Explorer,
} from '../explorers.js'
import { sharedInputs } from '../shared-inputs.js'

const OWN = address('d')
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const BLOCK = 19_000_000
/** What the exchange pays, it has. */
const funded = paid(address('f'), EXCHANGE, 17_000_000, 5n * 10n ** 18n)
const inToken = (one: EvmMovement): EvmMovement => ({
  ...one,
  list: 'tokentx',
  contract: USDT,
  value: '7000000',
})

let explored: Explored
afterEach(() => explored.close())

async function oneExplorer(movements: readonly EvmMovement[]): Promise<Explorer> {
  const explorer = await openExplorer('explorer', 'ETH')
  explorer.chain.movements = [funded, ...movements]
  explored = await explore([explorer])
  return explorer
}

const leftTo = (txHash: string, changes: Partial<TransferTerms> = {}): TransferTerms => ({
  ...{ direction: 'incoming', ownAddress: OWN, ownCanonicalAddress: OWN, contract: null, symbolLies: false },
  ...{ amount: '', txHash, seen: 'no_ledger', ledgerSeq: 0, microUsd: null, pricedOn: null },
  ...{ toldBy: '', lookup: '', unstated: ['counterparty', 'asset', 'amount'], ...changes },
})

/** A caller that waits for everything. */
function later() {
  const at = new Date(Date.now() + 3_600_000).toISOString()
  return { stagesByAt: at, answerByAt: at }
}

type Ended = Extract<
  Awaited<ReturnType<Explored['installation']['answers']>>[number],
  { readonly data: object }
>

async function ended(
  transfer: TransferTerms,
  over: Partial<EventData['ScreenRequested']> = {},
): Promise<Ended> {
  const id = await explored.installation.request(OWN, 'ETH', { transfer, ...later(), ...over })
  return await until(async () => {
    const [first] = await explored.installation.answers(id, over.livemode ?? true)
    expect(first).toBeDefined()
    return first!
  })
}

async function screened(transfer: TransferTerms) {
  const told = await ended(transfer)
  if (told.type !== 'ReportGenerated') throw new Error(JSON.stringify(told.data))
  const report = JSON.parse(told.data.report) as Report
  return {
    event: told.data,
    report,
    transfer: report.transfer!,
    codes: report.transfer!.reasons.map((one) => one.code),
  }
}

async function refused(transfer: TransferTerms, over: Partial<EventData['ScreenRequested']> = {}) {
  const told = await ended(transfer, over)
  if (told.type !== 'ScreeningFailed') throw new Error(told.type)
  const { code, detail } = told.data
  return { code, detail }
}

test('a hash tells the counterparty, its asset and amount, and the report is recomputed with them', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  const explorer = await oneExplorer([told])
  await explored.start()
  const { event, report, transfer, codes } = await screened(leftTo(told.hash))
  expect(report).toMatchObject({ address: EXCHANGE, chain: 'ETH' })
  expect(transfer).toMatchObject({
    ...{ recommendation: 'allow', amount: '1', asset: { symbol: 'ETH' }, own_address: OWN },
    ledger: { status: 'seen', provider: 'explorer' },
  })
  expect(codes).toContain('told_by_provider')
  expect(event.transfer).toMatchObject({ unstated: ['counterparty', 'asset', 'amount'] })
  const shared = await sharedInputs(explored.installation, event)
  expect(differences(recompute(event, shared), event)).toEqual([])
  // Nobody learns the addresses of the caller by it.
  const ofTransaction = explorer.server.asked.filter(({ url }) => url.searchParams.has('txhash'))
  expect(ofTransaction.length).toBeGreaterThan(0)
  expect(ofTransaction.map(({ url }) => url.href).join(' ')).not.toContain(OWN)
})

test('a counterparty that an authority names is found by the hash, and is rejected', async () => {
  const told = paid(LAZARUS, OWN, BLOCK)
  await oneExplorer([paid(address('f'), LAZARUS, 17_000_000), told])
  await explored.start()
  const { report, transfer } = await screened(leftTo(told.hash))
  expect(report).toMatchObject({ address: LAZARUS, risk: { level: 'red' } })
  expect(transfer.recommendation).toBe('reject')
})

test('several transfers are refused by name, and one that is stated in part is found among them', async () => {
  const native = paid(LAZARUS, OWN, BLOCK)
  const token = inToken({ ...paid(EXCHANGE, OWN, BLOCK), hash: native.hash })
  await oneExplorer([native, token])
  await explored.start()
  const { code, detail } = await refused(leftTo(native.hash))
  expect(code).toBe('transfer_ambiguous')
  expect(detail).toContain(`1 ETH ${LAZARUS}`)
  expect(detail).toContain(`7 USDT ${EXCHANGE}`)
  const named = leftTo(native.hash, { contract: USDT, unstated: ['counterparty', 'amount'] })
  expect((await screened(named)).transfer).toMatchObject({ amount: '7', asset: { symbol: 'USDT' } })
})

test.each<[string, Partial<EvmMovement>, string]>([
  ['failed', { failed: true }, '(failed)'],
  ['may be replaced', { height: 19_999_999 }, '(unconfirmed)'],
  ['moves nothing of the address', { to: address('c') }, 'no such transfer of your address'],
])('a transaction that %s is refused by name', async (_what, changes, because) => {
  const told = { ...paid(EXCHANGE, OWN, BLOCK), ...changes }
  await oneExplorer([told])
  await explored.start()
  expect(await refused(leftTo(told.hash))).toEqual({
    code: 'transfer_not_found',
    detail: expect.stringContaining(because) as string,
  })
})

test('a hash that nobody has, and one of which an answer cannot be read, is refused with the reason', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  const explorer = await oneExplorer([told])
  explorer.first = ({ url }) =>
    url.searchParams.get('action') === 'eth_getTransactionReceipt'
      ? answered({ jsonrpc: '2.0', id: 1, result: { status: 'fine' } })
      : undefined
  await explored.start()
  expect((await refused(leftTo(`0x${'9'.repeat(64)}`))).detail).toContain('(not_found)')
  expect((await refused(leftTo(told.hash))).detail).toContain('(malformed)')
})

const doesNotWait = { stagesByAt: null }

test('whoever does not wait for a late provider is told to ask again, and then has the answer', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  await oneExplorer([told])
  await explored.start({ CUPEL_CHAIN_DATA_BUDGET_MS: 0 })
  expect(await refused(leftTo(told.hash), doesNotWait)).toMatchObject({ code: 'unavailable' })
  await until(async () => {
    const { data } = await ended(leftTo(told.hash), doesNotWait)
    expect(data).toMatchObject({ address: EXCHANGE })
  })
})

test.each<[string, Partial<TransferTerms>]>([
  ['only a hash', {}],
  ['a hash and the asset', { contract: '', unstated: ['counterparty', 'amount'] }],
])('whoever states %s and waits for a late provider is answered once, with the report', async (_, terms) => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  await oneExplorer([told])
  await explored.start({ CUPEL_CHAIN_DATA_BUDGET_MS: 0 })
  const id = await explored.installation.request(OWN, 'ETH', {
    ...{ transfer: leftTo(told.hash, terms), ...later() },
  })
  await until(async () => {
    const answers = await explored.installation.answers(id, true)
    expect(answers).toMatchObject([{ type: 'ReportGenerated', data: { address: EXCHANGE } }])
  })
})

test('whoever waits for a transaction that nobody has is refused as soon as that is known', async () => {
  await oneExplorer([])
  await explored.start({ CUPEL_CHAIN_DATA_BUDGET_MS: 0 })
  const { code, detail } = await refused(leftTo(`0x${'9'.repeat(64)}`))
  expect([code, detail]).toEqual(['transfer_not_found', expect.stringContaining('(not_found)')])
})

test('an account that asks no provider, and one whose choice is unknown, has the hash refused, and nobody is asked', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  const explorer = await oneExplorer([told])
  const database = explored.installation.connect()
  await database.execute('CREATE SCHEMA access')
  await database.execute(
    'CREATE TABLE access.account (account_id text PRIMARY KEY, asks_providers boolean NOT NULL)',
  )
  await database.execute("INSERT INTO access.account VALUES ('quiet', false)")
  await explored.start()
  for (const accountId of ['quiet', 'unknown']) {
    const { code, detail } = await refused(leftTo(told.hash), { accountId })
    expect([code, detail]).toEqual(['transfer_not_found', expect.stringContaining('(not_allowed)')])
    const stated = leftTo(told.hash, { contract: '', amount: '1', unstated: [] })
    const whole = await ended(stated, { accountId, address: EXCHANGE, canonicalAddress: EXCHANGE })
    if (whole.type !== 'ReportGenerated') throw new Error(whole.type)
    const { transfer } = JSON.parse(whole.data.report) as Report
    expect(transfer).toMatchObject({ recommendation: 'review', ledger: { lookup: 'not_allowed' } })
  }
  expect(explorer.server.asked).toEqual([])
})

test('without histories, and in the sandbox, nobody is asked, and it is said', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  const explorer = await oneExplorer([told])
  await explored.start()
  const inSandbox = await refused(leftTo(told.hash), { livemode: false })
  expect(inSandbox).toMatchObject({ code: 'transfer_not_found' })
  expect(explorer.server.asked.filter(({ url }) => url.searchParams.has('txhash'))).toEqual([])
})

test('an installation that allows no histories refuses what is left to a transaction', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  const explorer = await oneExplorer([told])
  await explored.start({ CUPEL_HISTORIES: false })
  expect((await refused(leftTo(told.hash))).detail).toContain('no provider is asked')
  expect(explorer.server.asked.filter(({ url }) => url.searchParams.has('txhash'))).toEqual([])
})

async function twoExplorers(
  first: readonly EvmMovement[],
  second: readonly EvmMovement[],
): Promise<readonly Explorer[]> {
  const both = await Promise.all([openExplorer('first', 'ETH'), openExplorer('second', 'ETH')])
  both[0].chain.movements = [funded, ...first]
  both[1].chain.movements = [funded, ...second]
  explored = await explore(both, { agree: { eth: 2 } })
  return both
}

test('two providers that must agree and do are both named', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  await twoExplorers([told], [told])
  await explored.start()
  const { report, transfer } = await screened(leftTo(told.hash))
  expect(report.address).toBe(EXCHANGE)
  expect(transfer.ledger).toMatchObject({ status: 'seen', provider: 'first+second' })
})

test('two providers that disagree about a transaction are named, and nothing is allowed by it', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  await twoExplorers([told], [{ ...told, from: LAZARUS }])
  await explored.start()
  const { code, detail } = await refused(leftTo(told.hash))
  expect(code).toBe('transfer_ambiguous')
  for (const named of ['Two providers say different things', EXCHANGE, LAZARUS])
    expect(detail).toContain(named)
  const stated = leftTo(told.hash, { contract: '', amount: '1', unstated: [] })
  const whole = await ended(stated, { address: EXCHANGE, canonicalAddress: EXCHANGE })
  if (whole.type !== 'ReportGenerated') throw new Error(whole.type)
  const { transfer } = JSON.parse(whole.data.report) as Report
  expect(transfer).toMatchObject({
    ...{ recommendation: 'review', ledger: { status: 'disagreement', provider: 'first+second' } },
    reasons: expect.arrayContaining([{ code: 'providers_disagree', recommendation: 'review' }]) as object,
  })
})

test('what only one of two providers that must agree tells is refused', async () => {
  const told = paid(EXCHANGE, OWN, BLOCK)
  await twoExplorers([told], [])
  await explored.start()
  expect((await refused(leftTo(told.hash))).detail).toContain('(one_provider)')
})
