/** Value whose other side is not known is kept as such: named in the record, and never part of a whole history. */
import { compiledDefaultPolicy } from '@cupel/domain'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { examineAddress } from '../src/index.js'
import { bitcoinAddress } from './bitcoin-address.js'
import { address, csvOf, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeEach(async () => {
  ledger = await startLedger()
})
afterEach(async () => ledger.close())

const examined = async (chain: string, one: string, ledgerSeq: number) =>
  await examineAddress(ledger.database, {
    ...{ chain, address: one, ledgerSeq, policy: compiledDefaultPolicy, labelSets: [] },
    generatedAt: '2026-11-22T00:00:00.000Z',
    labelsOf: () => Promise.resolve(new Map()),
  })

const [miner, victim, other] = [1, 2, 3].map(bitcoinAddress)
const transaction = (hash: string, inputs: readonly object[], outputs: readonly object[], coinbase = false) =>
  JSON.stringify({
    ...{
      hash: hash.repeat(32),
      block_number: 900_000,
      block_timestamp: 1_790_000_000,
      index: 1,
      is_coinbase: coinbase,
    },
    ...{ inputs, outputs },
  })
const part = (owner: string | null, value: number) => ({ addresses: owner === null ? [] : [owner], value })

test.each([
  ['no address', [{ addresses: [], value: 100 }]],
  ['a script that is not standard', [{ addresses: ['nonstandard0f'], value: 100 }]],
  ['a shielded pool that lists nothing', []],
])('an input of %s pays its outputs, and the value counts in the total', async (_name, inputs) => {
  const lines = [
    transaction('aa', [], [part(miner!, 20)], true),
    transaction('bb', inputs, [part(victim!, 100)]),
    transaction('cc', [part(miner!, 20)], [part(victim!, 20)]),
  ].join('\n')
  const { ledgerSeq } = await ledger.imported(await ledger.file('one.json', lines), {
    ...{ format: 'bitcoin-etl', chain: 'BTC', completeFrom: 0, completeTo: 900_000 },
  })
  const record = await examined('BTC', victim!, ledgerSeq)
  expect(record.historyComplete).toBe(false)
  expect(record.incomplete).toContain('uncounted_value')
  expect(record.breakdown).toMatchObject([
    { direction: 'in', total: '120', totalComplete: false, parts: [{ amount: '20' }, { amount: '100' }] },
  ])
  expect(record.breakdown[0]!.parts.map(({ category }) => category)).toEqual(['unattributed', 'uncounted'])
  expect((await examined('BTC', miner!, ledgerSeq)).breakdown).toContainEqual(
    expect.objectContaining({ direction: 'in', parts: [expect.objectContaining({ category: 'issuance' })] }),
  )
})

test('a token outside the asset table is shown by its contract, whoever emitted it, and does not count', async () => {
  const token = { kind: 'erc20', contract: address(77), raw: '5' }
  const { ledgerSeq } = await ledger.imported(
    await ledger.file(
      'tokens.csv',
      csvOf([
        { ...token, from: address(5), to: address(6), index: 1 },
        { ...token, from: address(5), to: address(6), index: 2 },
        { from: address(5), to: address(6), raw: '9' },
      ]),
    ),
  )
  const record = await examined('ETH', address(6), ledgerSeq)
  expect(record).toMatchObject({ ownTransfers: 1 })
  expect(record.breakdown).toContainEqual(
    expect.objectContaining({
      ...{ direction: 'in', asset: address(77), contract: address(77), total: '10' },
      parts: [expect.objectContaining({ category: 'uncounted', amount: '10' })],
    }),
  )
  expect(record.incomplete).not.toContain('illicit_token')
})

test('rows of one transaction in our layout join its senders, and their balances follow', async () => {
  const heading =
    'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source'
  const row = (hash: string, from: string, to: string, raw: number) =>
    `BTC,900000,2026-11-20T00:00:00Z,${hash.repeat(32)},,utxo,BTC,,${from},${to},${raw},,,test`
  const rows = [
    heading,
    row('aa', miner!, victim!, 5),
    row('aa', other!, victim!, 7),
    row('bb', victim!, miner!, 20),
  ]
  const { ledgerSeq } = await ledger.imported(await ledger.file('utxo.csv', `${rows.join('\n')}\n`), {
    chain: 'BTC',
  })
  const joined = await ledger.database.query('SELECT address, other FROM ledger.cluster_join')
  expect(joined).toHaveLength(2)
  const record = await examined('BTC', victim!, ledgerSeq)
  expect(record.netBaseUnits).toBe('-8')
  expect(record.incomplete).toContain('shortfall')
})
