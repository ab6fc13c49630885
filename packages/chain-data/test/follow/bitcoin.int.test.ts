/** Blocks of Bitcoin and similar chains: what inputs spend, keys without an address, shielded pools, and answers that do not agree. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startBitcoinChain, type BitcoinChain, type StandInOutput, type StandInPayment } from '@cupel/testkit'
import { ledgerMigrations } from '@cupel/ledger'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { follow } from '../../src/follow/index.js'
import { openNodeClient } from '../../src/follow/node-client.js'
import { bitcoinNumbers, bitcoinNode } from '../../src/follow/bitcoin/bitcoin-node.js'
import { NOW, timeOf } from './followed.js'

const KEY =
  '04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f'
/** The address of that key. */
const SATOSHI = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
const BECH32 = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const COIN = 100_000_000n

const toKey = (value: bigint): StandInOutput => ({ hex: `41${KEY}ac`, value })
const toBech32 = (value: bigint): StandInOutput => ({
  hex: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
  address: BECH32,
  value,
})
const data: StandInOutput = { hex: '6a04deadbeef', value: 0n }
const coinbase = (value: bigint): StandInPayment => ({ spends: [], outputs: [toKey(value), data] })

const BLOCKS: readonly (readonly StandInPayment[])[] = [
  [coinbase(50n * COIN)],
  [coinbase(50n * COIN)],
  [
    coinbase(50n * COIN),
    // A fee of 0.1 coins, and change.
    { spends: ['1:0:0'], outputs: [toBech32(20n * COIN + 1n), toKey(29n * COIN + 89_999_999n)] },
    { spends: ['2:1:0'], outputs: [toKey(20n * COIN)] },
  ],
  [coinbase(25n * COIN)],
]
const LAST = BLOCKS.length - 1

let base: TestInstallation
let chain: BitcoinChain
async function begin(blocks: readonly (readonly StandInPayment[])[]): Promise<void> {
  chain = await startBitcoinChain(blocks, timeOf(blocks.length - 1))
  base.onClose(chain.close)
}
beforeEach(async () => {
  base = await openTestInstallation({ migrations: [ledgerMigrations], statementTimeoutMs: 0 })
  await begin(BLOCKS)
}, 60_000)
afterEach(async () => await base.close())

async function follows(code = 'BTC'): Promise<readonly string[]> {
  const signal = new AbortController().signal
  const client = openNodeClient({
    url: new URL(chain.url),
    inFlight: 2,
    signal,
    retryMs: 1,
    prepare: bitcoinNumbers,
  })
  const node = await bitcoinNode({ chain: code, client, landmark: { height: 1, hash: chain.hashOf(1) } })
  const folder = join(base.folder, 'files')
  await follow(
    {
      ...{ node, folder, keepsFiles: true, importedBy: 'operator:test', from: 0, to: LAST, confirmations: 0 },
      ...{
        segmentBlocks: 10,
        everyS: 0,
        batchBlocks: 2,
        inFlight: 2,
        maxHeadAgeS: 7_200,
        pollMs: 5,
        retryMs: 5,
      },
    },
    { database: base.database, signal, now: () => NOW },
  ).finally(() => client.close())
  const [file] = await readdir(folder)
  expect(file).toBe(`follow-${code}-0-${LAST}-${chain.hashOf(LAST)}.jsonl`)
  return (await readFile(join(folder, file!), 'utf8')).trimEnd().split('\n')
}

const movements = async (): Promise<readonly string[]> =>
  (
    await base.database.query<{ told: string }>(
      `SELECT concat_ws(' ', block_number, sender.address, receiver.address, amount, from_net, to_net) AS told
       FROM ledger.transfer JOIN ledger.segment USING (segment_id)
       JOIN ledger.address sender ON sender.address_id = from_id JOIN ledger.address receiver ON receiver.address_id = to_id
       WHERE ledger_seq IS NOT NULL ORDER BY 1`,
    )
  ).map(({ told }) => told)

test.each(['inputs', 'transactions', 'ids'] as const)(
  'a node that tells %s gives the same movements, with the owners of bare keys',
  async (detail) => {
    chain.detail = detail
    const rows = await follows()
    const genesis = detail === 'ids' ? 0 : 1
    expect(rows).toHaveLength(5 + genesis)
    expect(JSON.parse(rows[genesis + 2]!)).toMatchObject({
      ...{
        hash: chain.idOf(2, 1),
        block_number: 2,
        index: 1,
        is_coinbase: false,
        input_value: 5_000_000_000,
      },
      inputs: [{ addresses: [SATOSHI], value: 5_000_000_000 }],
      outputs: [
        { addresses: [BECH32], value: 2_000_000_001 },
        { addresses: [SATOSHI], value: 2_989_999_999 },
      ],
    })
    const moved = (await movements()).filter((one) => !one.startsWith('0 '))
    expect(moved).toEqual([
      `1 issuance ${SATOSHI} 5000000000 5000000000`,
      `2 ${SATOSHI} ${BECH32} 2000000001 -2010000001 2000000001`,
      `2 ${BECH32} ${SATOSHI} 2000000000 -2000000001 2000000000`,
      `2 issuance ${SATOSHI} 5000000000 5000000000`,
      `3 issuance ${SATOSHI} 2500000000 2500000000`,
    ])
    const [segment] = await base.database.query(
      'SELECT covers, complete_from, complete_to FROM ledger.segment',
    )
    expect(segment).toEqual({ covers: ['native'], complete_from: 0, complete_to: LAST })
  },
)

test('value into and out of a shielded pool is an output and an input without an address', async () => {
  const join_ = { vjoinsplit: [{ vpub_old: '10.00000000coins', vpub_new: '0.00000000coins' }] }
  await begin([
    [coinbase(50n * COIN)],
    [coinbase(50n * COIN)],
    [
      coinbase(50n * COIN),
      { spends: ['1:0:0'], outputs: [toKey(40n * COIN)], more: join_ },
      {
        spends: ['2:1:0'],
        outputs: [toKey(45n * COIN)],
        more: { orchard: { valueBalanceZat: 500_000_000 } },
      },
    ],
    [coinbase(25n * COIN)],
  ])
  const rows = (await follows()).map((row) => JSON.parse(row) as { inputs: unknown; outputs: unknown })
  expect(rows[3]!.outputs).toMatchObject([{ value: 4_000_000_000 }, { addresses: [], value: 1_000_000_000 }])
  expect(rows[4]!.inputs).toMatchObject([{ value: 4_000_000_000 }, { addresses: [], value: 500_000_000 }])
})

test('amounts beyond what a float holds are exact', async () => {
  const much = 123_456_789_012n * COIN + 12_345_678n
  await begin([[coinbase(50n * COIN)], [coinbase(much)], [coinbase(1n)], [coinbase(1n)]])
  expect((await follows('DOGE'))[1]).toContain(`"value":${much}`)
})

type Block = Json & { tx: Json[] }
type Json = Record<string, unknown>
const block =
  (change: (told: Block) => unknown) => (method: string, params: readonly unknown[], result: unknown) =>
    method === 'getblock' && params[0] === chain.hashOf(2) ? change(structuredClone(result) as Block) : result

test.each([
  [
    'a transaction too few',
    block((told) => ({ ...told, tx: told.tx.slice(0, 2) })),
    'are not those of its root',
  ],
  ['another block', block((told) => ({ ...told, height: 1 })), 'another block for 2'],
  [
    'another parent',
    block((told) => ({ ...told, previousblockhash: '99'.repeat(32) })),
    'block 2 of the node',
  ],
  [
    'more outputs than inputs',
    block((told) => ({
      ...told,
      tx: [
        told.tx[0],
        {
          ...told.tx[1],
          vin: [
            {
              ...(told.tx[1]!['vin'] as Json[])[0],
              prevout: { value: '1.00000000coins', scriptPubKey: { hex: '' } },
            },
          ],
        },
        told.tx[2],
      ],
    })),
    'pays 4990000000 and spends 100000000',
  ],
  [
    'no amount',
    block((told) => ({
      ...told,
      tx: [{ ...told.tx[0], vout: [{ value: 'much', scriptPubKey: { hex: '' } }] }, ...told.tx.slice(1)],
    })),
    'the value of an output is not an amount',
  ],
  [
    'a second coinbase',
    block((told) => ({
      ...told,
      tx: [told.tx[0], { ...told.tx[1], vin: [{ coinbase: '00' }] }, told.tx[2]],
    })),
    'transaction 1 of block 2 is a coinbase',
  ],
  [
    'pruned data',
    block(() => ({ error: { code: -1, message: 'Block not available (pruned data)' } })),
    'has pruned what getblock asks for',
  ],
])('%s is named, and nothing of the segment is declared', async (_name, meddle, said) => {
  chain.meddle = meddle
  const signal = new AbortController()
  const client = openNodeClient({
    url: new URL(chain.url),
    inFlight: 2,
    signal: signal.signal,
    retryMs: 1,
    prepare: bitcoinNumbers,
  })
  const node = await bitcoinNode({ chain: 'BTC', client, landmark: null })
  let fault: string | null = null
  await follow(
    {
      ...{
        node,
        folder: join(base.folder, 'files'),
        keepsFiles: false,
        importedBy: 'operator:test',
        from: 0,
        to: LAST,
      },
      ...{
        confirmations: 0,
        segmentBlocks: 10,
        everyS: 0,
        batchBlocks: 2,
        inFlight: 2,
        maxHeadAgeS: 7_200,
        pollMs: 5,
        retryMs: 5,
      },
    },
    {
      ...{ database: base.database, signal: signal.signal, now: () => NOW },
      onState(state) {
        fault ??= state.fault
        if (fault !== null) signal.abort()
      },
    },
  ).catch(() => undefined)
  await client.close()
  expect(fault).toContain(said)
  expect(await base.database.query('SELECT FROM ledger.segment WHERE ledger_seq IS NOT NULL')).toEqual([])
})

test('a node without the index of transactions is refused where inputs need it, and one of another chain always', async () => {
  chain.detail = 'transactions'
  chain.hasIndex = false
  await expect(follows()).rejects.toThrow('needs the index of transactions (txindex=1)')
  const client = openNodeClient({
    url: new URL(chain.url),
    inFlight: 1,
    signal: new AbortController().signal,
  })
  await expect(
    bitcoinNode({ chain: 'BTC', client, landmark: { height: 1, hash: '00'.repeat(32) } }),
  ).rejects.toMatchObject({ code: 'wrong_chain' })
  await expect(bitcoinNode({ chain: 'BTC', client })).rejects.toMatchObject({ code: 'node_behind' })
  await client.close()
})
