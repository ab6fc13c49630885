/** Blocks of a full node of TRON: coins, tokens, calls, rewards, trades, and followers that die. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importLedger } from '@cupel/ledger'
import { deathsWithin, diesAt, type LifeDeps } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openNode } from '../../src/follow/index.js'
import { tronNode } from '../../src/follow/tron/tron-node.js'
import { openNodeClient } from '../../src/follow/node-client.js'
import { NOW } from './followed.js'
import {
  ALICE,
  BOB,
  call,
  CAROL,
  expectWhole,
  hex,
  LAST,
  never,
  NOTE,
  pay,
  routed,
  startFollowedTron,
  type FollowedTron,
} from './tron-followed.js'

let followed: FollowedTron
beforeEach(async () => {
  followed = await startFollowedTron()
}, 60_000)
afterEach(async () => await followed.close())

test('confirmed blocks become segments in order, declared for what the node gives, with exact amounts', async () => {
  const chain = await followed.begin()
  await followed.follows({ keepsFiles: true })
  const segments = await followed.segments()
  expect(segments).toEqual(['0-9', '10-19', '20-29', '30-35'])
  expect((await readdir(join(followed.folder, 'files'))).sort()[0]).toBe(
    `follow-TRX-0-9-${chain.hashOf(9)}.csv`,
  )
  await expectWhole(followed)
  const moved = await followed.movements()
  expect(moved).toContain(`i 0 issuance ${ALICE} 99000000000000001 proven`)
  expect(moved.filter((one) => one.startsWith('n 7 '))).toEqual([
    `n 7 ${ALICE} ${BOB} 10 proven`,
    expect.stringMatching(new RegExp(`^n 7 ${ALICE} T\\w+ 6 proven$`)) as string,
  ])
  expect(moved).toContain(`t 7 ${ALICE} ${BOB} 8 proven`)
  expect(moved.filter((one) => /^i 7 /.test(one))).toEqual([
    expect.stringMatching(new RegExp(`${CAROL} 5 proven$`)) as string,
  ])
})

test('a payment that failed moved nothing, rewards are issued, and what an exchange or stake holds has no receiver', async () => {
  const reverted = { ...routed([call(5, { rejected: true })]), result: 'REVERT' }
  const exchanges = [{ exchange_id: 4, first_token_id: '31303030303031', second_token_id: '5f' }]
  await followed.begin(
    (height) =>
      height === 1
        ? [
            reverted,
            pay(1, 2, 3, { result: null }),
            {
              type: 'WithdrawBalanceContract',
              value: { owner_address: hex(2) },
              kept: { withdraw_amount: 70 },
            },
            { type: 'FreezeBalanceV2Contract', value: { owner_address: hex(2), frozen_balance: 55 } },
            {
              type: 'CreateSmartContract',
              value: { owner_address: hex(1), new_contract: { origin_address: hex(1), call_value: 12 } },
              kept: { contract_address: hex(3) },
              internals: [
                call(21, { note: NOTE.reward, caller_address: hex(3), transferTo_address: hex(3) }),
                call(22, { note: NOTE.stake }),
                call(0, { callValueInfo: [{}, { callValue: 4, tokenId: '1000001' }] }),
              ],
            },
            {
              type: 'TransferAssetContract',
              value: { asset_name: '31303030303031', owner_address: hex(1), to_address: hex(2), amount: 9 },
            },
            {
              type: 'ParticipateAssetIssueContract',
              value: { asset_name: '31303030303031', owner_address: hex(1), to_address: hex(2), amount: 14 },
            },
            {
              type: 'ExchangeTransactionContract',
              value: { owner_address: hex(1), exchange_id: 4, token_id: '5f', quant: 30 },
              kept: { exchange_received_amount: 8 },
            },
            {
              type: 'ExchangeTransactionContract',
              value: { owner_address: hex(2), exchange_id: 4, token_id: '31303030303031', quant: 8 },
              kept: { exchange_received_amount: 29 },
            },
          ]
        : [],
    exchanges,
  )
  await followed.follows({ to: 1, keepsFiles: true })
  const moved = (await followed.movements()).filter((one) => one.includes(' 1 '))
  const router = moved.find((one) => one.endsWith(' 5 failed'))!.split(' ')[2]!
  expect(moved).toEqual(
    [
      `i 1 ${router} ${CAROL} 5 failed`,
      `i 1 issuance ${BOB} 70 proven`,
      `i 1 issuance ${CAROL} 21 proven`,
      `n 1 ${ALICE} ${router} 6 failed`,
      `n 1 ${ALICE} ${BOB} 3 unknown`,
      `n 1 ${ALICE} ${CAROL} 12 proven`,
      `n 1 ${ALICE} ${BOB} 14 proven`,
      `n 1 ${ALICE} - 30 proven`,
      `n 1 - ${BOB} 29 proven`,
    ].sort(),
  )
  expect((await followed.ranges())[0]).toBe('native 0-1')
  const assets = await followed.database.query(
    'SELECT contract, from_address, to_address, amount::text AS amount FROM ledger.unknown_token ORDER BY amount DESC',
  )
  expect(assets).toMatchObject([
    { contract: 'trc10:1000001', from_address: ALICE, to_address: BOB, amount: '9' },
    { contract: 'trc10:1000001', from_address: router, to_address: CAROL, amount: '4' },
  ])
})

test('a node that is not said to keep internal transactions is declared without them', async () => {
  const chain = await followed.begin()
  chain.keepsInternals = false
  const node = await followed.node(false)
  expect(node.remarks.join()).toContain('(no_traces)')
  await followed.follows({ node })
  expect(await followed.ranges()).toEqual([`native 0-${LAST}`, `token 0-${LAST}`])
})

test('a reorganisation deeper than the confirmations stops the follower, and --replace imports the other blocks', async () => {
  const chain = await followed.begin()
  await followed.follows({ to: 30 })
  chain.reorganise(15)
  await expect(followed.follows()).rejects.toMatchObject({
    code: 'reorganised',
    message: expect.stringContaining('between 10 and 30') as string,
  })
  await followed.follows({ replaces: true })
  await expectWhole(followed)
})

test('a gap below is filled up to the range above it', async () => {
  await followed.begin()
  await followed.follows({ from: 18, to: 25 })
  await followed.follows({ from: 0 })
  const told = await followed.segments()
  expect(told).toEqual(['18-25', '0-9', '10-17', '26-35'])
  await expectWhole(followed)
})

test('followers that die again and again import a whole range', { timeout: 120_000 }, async () => {
  await followed.begin()
  const lives = async ({ database }: LifeDeps): Promise<void> =>
    followed.follows({ segmentBlocks: 4 }, { database })
  let deaths = 0
  for (const point of deathsWithin({ name: 'followers of TRON', visits: 12 })) {
    if ((await followed.ranges())[0] === `native 0-${LAST}` || deaths === 12) break
    deaths += 1
    await diesAt(followed.connectionString, point, lives).catch((error: unknown) => {
      if (!String(error).includes('The work ended before')) throw error
    })
  }
  await followed.follows({ segmentBlocks: 4 })
  await expectWhole(followed)
})

test('what a file of the same chain states counts once', async () => {
  await followed.begin()
  await followed.follows({ keepsFiles: true, to: 9 })
  const before = await followed.movements()
  const [file] = await readdir(join(followed.folder, 'files'))
  const rows = (await readFile(join(followed.folder, 'files', file!), 'utf8')).trimEnd().split('\n')
  // Another exporter: base58, no indexes, no kinds of pools.
  const others = rows.slice(1).flatMap((row) => {
    const [code, height, time, hash, , , kind, asset, from, to, raw, , status] = row.split(',')
    return kind === 'issuance'
      ? []
      : [
          [
            code,
            height,
            time,
            hash,
            kind === 'token' ? 'trc20' : kind,
            asset,
            from,
            to,
            raw,
            '',
            status,
          ].join(),
        ]
  })
  const path = join(followed.folder, 'other.csv')
  await writeFile(
    path,
    [
      'chain,block_number,block_time,tx_hash,kind,asset_address,from_address,to_address,amount_raw,amount,status',
      ...others,
      '',
    ].join('\n'),
  )
  const imported = await importLedger(
    { file: path, format: 'csv', chain: 'TRX', importedBy: 'operator:test' },
    { database: followed.database, now: () => NOW },
  )
  expect(imported.status).toBe('imported')
  expect(await followed.movements()).toEqual(before)
})

test('a node of another chain is refused, and so are calls that its protocol does not have', async () => {
  const chain = await followed.begin()
  const client = openNodeClient({ url: new URL(chain.url), inFlight: 1, signal: never, retryMs: 1 })
  await expect(tronNode({ client, keepsInternals: true })).rejects.toMatchObject({ code: 'wrong_chain' })
  await client.close()
  const asked = { url: new URL(chain.url), inFlight: 1, signal: never }
  await expect(openNode({ ...asked, chain: 'TRX', traces: 'trace_block' })).rejects.toThrow(
    '--traces trace_block is not for TRX',
  )
  await expect(openNode({ ...asked, chain: 'ETH', traces: 'stored' })).rejects.toThrow(
    '--traces stored is not for ETH',
  )
})
