/** Chains with spent outputs: balances, CoinJoins and clusters, in every state of the ledger. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compiledDefaultPolicy } from '@cupel/domain'
import { currentLedger, examineAddress, readTransfers } from '../src/index.js'
import { readCluster } from '../src/clusters.js'
import { bitcoinAddress } from './bitcoin-address.js'
import { startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
let files = 0
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const [a, b, c, d, e, f, g, h, i, j] = [
  '1DoQeKfU3dYhN9bxMpFFcVUnufCPDqSPae',
  '1PZMgkF2x161qvfP7dhoWSEEU3SjnQE1m9',
  '1HaHTfmvoUW6i6nhJf8jJs6tU4cHNmBQHQ',
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  '12cbQLTFMXRnSzktFkuoG3eHoMeFtpTu3S',
  '1FvzCLoTPGANNjWoUo6jUGuAG3wg1w4YjR',
  '15ubicBBWFnvoZLT7GiU2qxjRaKJPdkDMG',
  '1JfbZRwdDHKZmuiZgYArJZhcuuzuw2HuMu',
  '1GkQmKAmHtNfnD3LHhTkewJxKHVSta4m2a',
  '16LoW7y83wtawMg5XmT4M3Q7EdjjUmenjM',
] as const

type Parts = Readonly<Record<string, number>>
let transactions = 0
/** A transaction of bitcoin-etl, an hour after the previous one. */
function spend(inputs: Parts, outputs: Parts): string {
  transactions += 1
  const parts = (of: Parts) => Object.entries(of).map(([owner, value]) => ({ addresses: [owner], value }))
  return JSON.stringify({
    hash: transactions.toString(16).padStart(64, '0'),
    block_number: transactions,
    index: 1,
    timestamp: Date.parse('2026-01-01') / 1_000 + transactions * 3_600,
    inputs: parts(inputs),
    outputs: parts(outputs),
  })
}
const imported = async (...lines: readonly string[]) =>
  await ledger.imported(await ledger.file(`${(files += 1)}.json`, lines.join('\n')), {
    format: 'bitcoin-etl',
    chain: 'BTC',
  })
const seqNow = async (): Promise<number> => (await currentLedger(ledger.database)).ledgerSeq
const read = async (address: string, ledgerSeq?: number) =>
  (
    await readTransfers(ledger.database, {
      ...{ chain: 'BTC', ledgerSeq: ledgerSeq ?? (await seqNow()), addresses: [address], limit: 50 },
    })
  ).get(address)
const examined = async (address: string) =>
  await examineAddress(ledger.database, {
    ...{ chain: 'BTC', address, ledgerSeq: await seqNow(), policy: compiledDefaultPolicy, labelSets: [] },
    generatedAt: '2026-11-21T00:00:00.000Z',
    labelsOf: async () => new Map(),
  })
const cluster = async (address: string, { ledgerSeq = -1, maxAddresses = 10_000 } = {}) =>
  await readCluster(ledger.database, {
    ...{ chain: 'BTC', address, maxAddresses },
    ledgerSeq: ledgerSeq < 0 ? await seqNow() : ledgerSeq,
  })

describe('the net of an address', () => {
  test('is exactly what it got less what it spent, with change, fees and rounding', async () => {
    await imported(
      spend({ a1: 0 }, {}).replace('a1', a),
      spend({ [a]: 300, [b]: 101 }, { [c]: 200, [a]: 196 }),
      spend({ [c]: 200 }, { [c]: 190 }),
      spend({ [c]: 190 }, { [d]: 100, [e]: 85 }),
    )
    const nets = await Promise.all([a, b, c, d, e].map(async (one) => (await read(one))?.netBaseUnits))
    expect(nets).toEqual([-104n, -101n, 0n, 100n, 85n])
  })

  test('counts a transaction once, whichever files tell it, and only those of the state', async () => {
    const one = spend({ [a]: 300 }, { [b]: 290 })
    await imported(one)
    await imported(one, spend({ [b]: 290 }, { [c]: 280 }))
    expect((await read(b, 1))?.netBaseUnits).toBe(290n)
    expect((await read(b))?.netBaseUnits).toBe(0n)
  })

  test('counts the payments of our layout, and is unknown where transfers were cut off', async () => {
    await imported(spend({ [a]: 300 }, { [b]: 290 }), spend({ [b]: 100 }, { [c]: 90 }))
    const request = { chain: 'BTC', ledgerSeq: 1, addresses: [b], limit: 1 }
    expect((await readTransfers(ledger.database, request)).get(b)).toMatchObject({
      isCut: true,
      netBaseUnits: null,
    })
    const row = `BTC,9,2026-11-20T00:00:00Z,${'f'.repeat(64)},0,utxo,BTC,,${b},${c},5,,,test`
    const heading =
      'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source'
    await ledger.imported(await ledger.file('edges.csv', `${heading}\n${row}\n`), { chain: 'BTC' })
    expect((await read(b))?.netBaseUnits).toBe(185n)
  })
})

test('participants of a CoinJoin are counterparties of its node only', async () => {
  const values = (owners: readonly string[], value: number): Parts =>
    Object.fromEntries(owners.map((owner) => [owner, value]))
  await imported(spend(values([a, b, c, d, e], 100), values([f, g, h, i, j], 99)))
  const node = `coinjoin:${transactions.toString(16).padStart(64, '0')}`
  expect((await read(a))?.transfers).toMatchObject([{ from: a, to: node, amount: 100n, coinJoin: true }])
  expect((await read(j))?.transfers).toMatchObject([{ from: node, to: j, amount: 99n, coinJoin: true }])
  expect(await cluster(a)).toBeNull()
  expect(await examined(a)).toMatchObject({
    cut: [],
    measures: [{ category: 'mixer', subcategory: 'coinjoin', direction: 'out', amount: '100' }],
    netBaseUnits: '-100',
  })
})

test('a search ends, as at a limit, where a transaction does not show who paid whom', async () => {
  const owners = (prefix: number, count: number): Parts =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [bitcoinAddress(prefix * 1_000 + n), 1_000 + n]),
    )
  await imported(spend(owners(1, 101), owners(2, 100)))
  const record = await examined(bitcoinAddress(2_000))
  const node = `crowd:${transactions.toString(16).padStart(64, '0')}`
  expect(record).toMatchObject({
    cut: [{ address: node, reason: 'limit', hops: 1 }],
    ...{ truncated: true, netBaseUnits: '1000' },
  })
})

describe('a cluster', () => {
  test('joins the addresses of every transaction, over several of them, and names the first join of each', async () => {
    await imported(spend({ [a]: 5, [b]: 5 }, { [f]: 9 }))
    const first = transactions
    await imported(spend({ [b]: 5, [c]: 5, [d]: 5 }, { [f]: 9 }), spend({ [e]: 5 }, { [f]: 4 }))
    const hashOf = (n: number): string => n.toString(16).padStart(64, '0')
    const members = [
      { address: b, txHash: hashOf(first) },
      { address: c, txHash: hashOf(first + 1) },
      { address: d, txHash: hashOf(first + 1) },
    ].sort((x, y) => (x.address < y.address ? -1 : 1))
    expect(await cluster(a)).toEqual({ clusterId: d, size: 4, members, stopped: '' })
    expect((await cluster(d))?.clusterId).toBe(d)
    expect(await cluster(e)).toBeNull()
    expect(await cluster(f)).toBeNull()
    // The earlier state does not contain later joins.
    expect(await cluster(a, { ledgerSeq: 1 })).toMatchObject({ size: 2, members: [{ address: b }] })
    expect(await cluster(d, { ledgerSeq: 1 })).toBeNull()
  })

  test('that is too large stops, and tells no members', async () => {
    await imported(spend({ [a]: 5, [b]: 5, [c]: 5, [d]: 5 }, { [f]: 9 }))
    expect(await cluster(a, { maxAddresses: 3 })).toEqual({
      ...{ clusterId: a, size: 4, members: [], stopped: 'too_large' },
    })
    expect(await cluster(b, { maxAddresses: 3 })).toMatchObject({ clusterId: b, stopped: 'too_large' })
    expect(await cluster(a, { maxAddresses: 3, ledgerSeq: 0 })).toBeNull()
    expect(await cluster(a, { maxAddresses: 4 })).toMatchObject({ size: 4, stopped: '' })
  })

  test('shows nothing of an import that was killed, and what such an import left hides no join of another', async () => {
    const joint = spend({ [a]: 5, [b]: 5 }, { [f]: 9 })
    await imported(joint)
    await ledger.database.execute('UPDATE ledger.segment SET ledger_seq = NULL')
    expect(await cluster(a, { ledgerSeq: 1 })).toBeNull()
    await imported(joint, spend({ [e]: 5 }, { [f]: 4 }))
    expect(await cluster(a)).toMatchObject({ size: 2 })
  })
})
