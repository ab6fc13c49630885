/** Transfers whose transaction the ledger did not read: a provider is asked, and what it says decides no better than the ledger. */
import type { TransferTerms } from '@cupel/contracts'
import { differences, recompute } from '@cupel/domain'
import { answered } from '@cupel/testkit/providers'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

/** What the exchange pays, it has. */
const funded = paid(address('f'), EXCHANGE, 17_000_000, 5n * 10n ** 18n)

let explorer: Explorer
let explored: Explored
beforeEach(async () => {
  explorer = await openExplorer('explorer', 'ETH')
  explored = await explore([explorer])
}, 60_000)
afterEach(() => explored.close())

const termsOf = (txHash: string | null, changes: Partial<TransferTerms> = {}): TransferTerms => ({
  ...{ direction: 'incoming', ownAddress: OWN, ownCanonicalAddress: OWN, contract: '', symbolLies: false },
  ...{ amount: '1', txHash, seen: txHash === null ? 'planned' : 'no_ledger', ledgerSeq: 0 },
  ...{ microUsd: null, pricedOn: null, toldBy: '', lookup: '', unstated: [], ...changes },
})

async function transferred(txHash: string | null, changes: Partial<TransferTerms> = {}, over: object = {}) {
  const transfer = termsOf(txHash, changes)
  const { report, event } = await explored.screen(EXCHANGE, { transfer, ...later(), ...over })
  const codes = report.transfer!.reasons.map(({ code }) => code)
  return { report, event, codes, transfer: report.transfer! }
}

/** A caller that waits for everything. */
function later() {
  const at = new Date(Date.now() + 3_600_000).toISOString()
  return { stagesByAt: at, answerByAt: at }
}

const asked = (): number => explorer.server.asked.filter(({ url }) => url.searchParams.has('txhash')).length

test('a transaction that a provider has is confirmed by name, and the report is recomputed with it', async () => {
  const told = paid(EXCHANGE, OWN, 19_000_000)
  explorer.chain.movements = [funded, told]
  await explored.start()
  const { event, codes, transfer } = await transferred(told.hash)
  expect(codes).toContain('told_by_provider')
  expect(transfer.recommendation).toBe('allow')
  expect(transfer.ledger).toEqual({ status: 'seen', snapshot: null, provider: 'explorer' })
  const shared = await sharedInputs(explored.installation, event)
  expect(differences(recompute(event, shared), event)).toEqual([])
  // It stays as it is, and nobody is asked again.
  const before = asked()
  expect((await transferred(told.hash)).codes).toContain('told_by_provider')
  expect(asked()).toBe(before)
})

test.each<[string, Partial<TransferTerms>, string]>([
  ['another amount', { amount: '2' }, 'contradicts_provider'],
  [
    'another own address',
    { ownAddress: address('c'), ownCanonicalAddress: address('c') },
    'contradicts_provider',
  ],
  ['another transaction', { txHash: `0x${'9'.repeat(64)}` }, 'not_found_by_provider'],
])('a transfer with %s is never allowed', async (_what, changes, code) => {
  const told = paid(EXCHANGE, OWN, 19_000_000)
  explorer.chain.movements = [funded, told]
  await explored.start()
  const { codes, transfer } = await transferred(told.hash, changes)
  expect(codes).toContain(code)
  expect(transfer.recommendation).toBe('review')
})

test('an answer that cannot be read is named, and the hash stays unread', async () => {
  const told = paid(EXCHANGE, OWN, 19_000_000)
  explorer.chain.movements = [funded, told]
  explorer.first = ({ url }) =>
    url.searchParams.get('action') === 'eth_getTransactionReceipt'
      ? answered({ jsonrpc: '2.0', id: 1, result: { status: 'fine' } })
      : undefined
  await explored.start()
  const { codes, transfer } = await transferred(told.hash)
  expect(codes).toEqual(expect.arrayContaining(['not_in_ledger', 'provider_unread']))
  expect(transfer).toMatchObject({
    recommendation: 'review',
    ledger: { status: 'no_ledger', lookup: 'malformed' },
  })
})

test('calls for transactions are those of the budget', async () => {
  const told = paid(EXCHANGE, OWN, 19_000_000)
  explorer.chain.movements = [funded, told]
  await explored.start({ CUPEL_HISTORY_CALLS_PER_SCREEN: 2 })
  const { transfer } = await transferred(told.hash)
  expect(transfer).toMatchObject({ recommendation: 'review', ledger: { lookup: 'call_budget' } })
  expect(asked()).toBeLessThanOrEqual(2)
})

test.each<[string, string | null, Partial<TransferTerms>, object]>([
  ['planned', null, {}, {}],
  ['of the ledger', `0x${'8'.repeat(64)}`, { seen: 'seen', ledgerSeq: 1 }, {}],
  ['of the sandbox', `0x${'8'.repeat(64)}`, {}, { livemode: false }],
])('nobody is asked for a transfer that is %s', async (_what, hash, changes, over) => {
  await explored.start()
  const id = await explored.installation.request(EXCHANGE, 'ETH', {
    transfer: termsOf(hash, changes),
    ...over,
  })
  const livemode = !('livemode' in over)
  await until(async () => expect(await explored.installation.answers(id, livemode)).toHaveLength(1))
  expect(asked()).toBe(0)
})

test('a report that waits for the transaction says so, and the next screen has it', async () => {
  const told = paid(EXCHANGE, OWN, 19_000_000)
  explorer.chain.movements = [funded, told]
  await explored.start({ CUPEL_CHAIN_DATA_BUDGET_MS: 0 })
  const first = await transferred(told.hash, {}, { stagesByAt: null })
  expect(first.report.coverage.missing_stages).toContain('transaction')
  expect(first.transfer).toMatchObject({ recommendation: 'review', ledger: { lookup: 'late' } })
})

test('an own address that an authority names is told, and nothing is allowed', async () => {
  const told = paid(EXCHANGE, LAZARUS, 19_000_000)
  explorer.chain.movements = [funded, told]
  await explored.start()
  const { codes, transfer, event } = await transferred(told.hash, {
    ownAddress: LAZARUS,
    ownCanonicalAddress: LAZARUS,
  })
  expect(codes).toContain('designated_own_address')
  expect(transfer.recommendation).toBe('reject')
  expect(event.inputs.ownAddressLabels).toMatchObject([{ entity: 'Lazarus Group', isLiveDesignation: true }])
  const shared = await sharedInputs(explored.installation, event)
  expect(differences(recompute(event, shared), event)).toEqual([])
})
