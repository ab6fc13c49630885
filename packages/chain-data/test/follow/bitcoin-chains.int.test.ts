/** What LTC, DOGE, BCH and ZEC do in another way than Bitcoin. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ledgerMigrations } from '@cupel/ledger'
import { startBitcoinChain, type StandInOutput, type StandInPayment } from '@cupel/testkit'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { follow } from '../../src/follow/index.js'
import { openNodeClient } from '../../src/follow/node-client.js'
import { bitcoinNumbers, bitcoinNode } from '../../src/follow/bitcoin/bitcoin-node.js'
import { NOW, timeOf } from './followed.js'

const HASH = '751e76e8199196d454941c45d1b3a323f1433bd6'
const COIN = 100_000_000n
/** To the owner of the hash, as nodes of the chain tell it. */
const owned = (address: string, value: bigint): StandInOutput => ({
  hex: `76a914${HASH}88ac`,
  address,
  value,
})
const bare = (value: bigint): StandInOutput => ({ hex: `76a914${HASH}88ac`, value })
const coinbase = (value: bigint): StandInPayment => ({ spends: [], outputs: [bare(value)] })

let base: TestInstallation
beforeEach(async () => {
  base = await openTestInstallation({ migrations: [ledgerMigrations], statementTimeoutMs: 0 })
}, 60_000)
afterEach(async () => await base.close())

interface Followed {
  readonly rows: readonly { readonly inputs: readonly unknown[]; readonly outputs: readonly unknown[] }[]
  /** Height, ends and amount; an end without an address is `-`. */
  readonly movements: readonly string[]
}

async function follows(
  code: string,
  blocks: readonly (readonly StandInPayment[])[],
  detail: 'inputs' | 'transactions' | 'ids' = 'transactions',
): Promise<Followed> {
  const last = blocks.length - 1
  const chain = await startBitcoinChain(blocks, timeOf(last))
  chain.detail = detail
  base.onClose(chain.close)
  const signal = new AbortController().signal
  const client = openNodeClient({
    ...{ url: new URL(chain.url), inFlight: 2, signal, retryMs: 1, prepare: bitcoinNumbers },
  })
  base.onClose(() => client.close())
  const node = await bitcoinNode({ chain: code, client, landmark: null })
  const folder = join(base.folder, 'files')
  await follow(
    {
      ...{ node, folder, keepsFiles: true, importedBy: 'operator:test', from: 0, to: last, confirmations: 0 },
      ...{
        segmentBlocks: 10,
        everyS: 0,
        batchBlocks: 1,
        inFlight: 2,
        maxHeadAgeS: 7_200,
        pollMs: 5,
        retryMs: 5,
      },
    },
    { database: base.database, signal, now: () => NOW },
  )
  const [file] = await readdir(folder)
  const text = await readFile(join(folder, file!), 'utf8')
  const told = await base.database.query<{ told: string }>(
    `SELECT concat_ws(' ', block_number, coalesce(nullif(sender.address, ''), '-'), coalesce(nullif(receiver.address, ''), '-'), amount) AS told
     FROM ledger.transfer JOIN ledger.segment USING (segment_id)
     JOIN ledger.address sender ON sender.address_id = from_id JOIN ledger.address receiver ON receiver.address_id = to_id
     WHERE ledger_seq IS NOT NULL AND amount > 0 AND sender.address <> 'issuance' ORDER BY 1`,
  )
  return {
    rows: text
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row) as Followed['rows'][number]),
    movements: told.map((one) => one.told),
  }
}

test('what goes into the extension blocks of LTC and what comes out of them has no address, and nothing is lost', async () => {
  const [payer, receiver] = [
    'LVuDpNCSSj6pQ7t9Pv6d6sUkLKoqDEVUnJ',
    'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
  ]
  // Nodes write both scripts as addresses.
  const pegIn = { hex: `5920${'ab'.repeat(32)}`, address: 'ltc1pegin', value: 30n * COIN }
  const held = (value: bigint) => ({ hex: `5820${'cd'.repeat(32)}`, address: 'ltc1held', value })
  const { rows, movements } = await follows('LTC', [
    [coinbase(50n * COIN)],
    [{ spends: [], outputs: [owned(payer, 50n * COIN)] }],
    [coinbase(50n * COIN), { spends: ['1:0:0'], outputs: [pegIn, owned(payer, 20n * COIN)] }],
    // The last transaction of a block carries what the extension block holds.
    [
      coinbase(50n * COIN),
      {
        spends: ['2:1:0'],
        outputs: [held(18n * COIN), { hex: `0014${HASH}`, address: receiver, value: 12n * COIN }],
      },
    ],
  ])
  expect(rows[3]!.outputs[0]).toEqual({ addresses: [], value: 3_000_000_000 })
  expect(movements).toEqual([`2 ${payer} - 3000000000`, `3 - ${receiver} 1200000000`])
})

test('DOGE tells only ids, of blocks that were mined with another chain too', async () => {
  const [payer, receiver] = ['DFpN6QqFfUm3gKNaxN6tNcab1FArL9cZLE', 'A37YDYSwz3438rFtm1SLVcQHyD7JeueC9H']
  const { movements } = await follows(
    'DOGE',
    [
      [coinbase(50n * COIN)],
      [{ spends: [], outputs: [owned(payer, 10_000n * COIN)], more: { auxpow: { tx: {}, index: 0 } } }],
      [
        coinbase(50n * COIN),
        { spends: ['1:0:0'], outputs: [{ hex: `a914${HASH}87`, address: receiver, value: 9_999n * COIN }] },
      ],
    ],
    'ids',
  )
  expect(movements).toEqual([`2 ${payer} ${receiver} 999900000000`])
})

test('BCH writes addresses in its own form, orders transactions by their ids, and its tokens are not coins', async () => {
  const [key, script] = [
    'bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h',
    'bitcoincash:pdpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyy56mqe495',
  ]
  const tokenData = { category: 'ef'.repeat(32), amount: '900000000' }
  const { movements } = await follows('BCH', [
    [coinbase(50n * COIN)],
    [{ spends: [], outputs: [owned(key, 50n * COIN)] }],
    [
      coinbase(50n * COIN),
      // It spends what a later transaction of the block pays.
      { spends: ['2:2:0'], outputs: [owned(key, 40n * COIN)] },
      {
        spends: ['1:0:0'],
        outputs: [{ hex: `aa20${'42'.repeat(32)}87`, address: script, value: 50n * COIN }],
        more: { tokenData },
      },
    ],
  ])
  expect(movements).toEqual([`2 ${key} ${script} 5000000000`, `2 ${script} ${key} 4000000000`].sort())
})

test('ZEC tells its pools in three ways, also those of a coinbase; a balance that only a float tells stops the follower', async () => {
  const t = 't1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs'
  const blocks = (more: Readonly<Record<string, unknown>>): readonly (readonly StandInPayment[])[] => [
    [coinbase(50n * COIN)],
    [
      {
        spends: [],
        outputs: [owned(t, 50n * COIN)],
        more: { valueBalance: -2.5, valueBalanceZat: -250_000_000 },
      },
    ],
    [coinbase(50n * COIN), { spends: ['1:0:0'], outputs: [owned(t, 20n * COIN)], more }],
  ]
  await expect(follows('ZEC', blocks({ valueBalance: -30 }))).rejects.toMatchObject({
    code: 'unknown_meaning',
  })
  await expect(follows('ZEC', blocks({ orchard: { valueBalance: -30 } }))).rejects.toMatchObject({
    code: 'unknown_meaning',
  })
  const { rows } = await follows(
    'ZEC',
    blocks({ valueBalance: 0, orchard: { valueBalanceZat: -3_000_000_000, valueBalance: -30 } }),
  )
  expect(rows[1]!.outputs).toEqual([
    { addresses: [t], value: 5_000_000_000 },
    { addresses: [], value: 250_000_000 },
  ])
  expect(rows[3]!.outputs).toEqual([
    { addresses: [t], value: 2_000_000_000 },
    { addresses: [], value: 3_000_000_000 },
  ])
})
