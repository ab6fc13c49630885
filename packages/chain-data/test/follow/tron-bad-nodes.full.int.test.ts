/** Whatever is wrong with a node of TRON is named, and nothing of the segment is declared. */
import { listFollowers } from '@cupel/ledger'
import type { TronMeddle, TronNodeChain } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, expectWhole, hex, startFollowedTron, type FollowedTron } from './tron-followed.js'

let chain: TronNodeChain
let followed: FollowedTron
beforeEach(async () => {
  followed = await startFollowedTron()
}, 60_000)
afterEach(async () => await followed.close())

type Json = Record<string, unknown>
const BAD = 14
const ID = '99'.repeat(32)
const ofBlocks =
  (
    change: (block: Json & { block_header: { raw_data: Json }; transactions: Json[] }) => unknown,
  ): TronMeddle =>
  (path, { startNum }, answer) => {
    const index = BAD - (startNum as number)
    const blocks =
      path === '/wallet/getblockbylimitnext' ? (structuredClone(answer) as { block: Json[] }).block : []
    if (blocks[index] === undefined) return answer
    const changed = change(blocks[index] as never)
    return { block: changed === null ? blocks.toSpliced(index, 1) : blocks.with(index, changed as Json) }
  }
const ofOutcomes =
  (change: (list: Json[]) => unknown): TronMeddle =>
  (path, { num }, answer) =>
    path === '/wallet/gettransactioninfobyblocknum' && num === BAD
      ? change(structuredClone(answer) as Json[])
      : answer
const withFirst = (list: Json[], fields: Json): Json[] => list.with(0, { ...list[0], ...fields })
const header = (fields: Json) =>
  ofBlocks((one) => ({ ...one, block_header: { raw_data: { ...one.block_header.raw_data, ...fields } } }))
const contract = (type: string, value: Json = {}) => ({
  raw_data: { contract: [{ type, parameter: { value } }] },
})

test.each([
  ['no block', ofBlocks(() => null), 'of the blocks 11 to 14'],
  ['another height', header({ number: 15 }), 'answers block 15 for 14'],
  [
    'the hash of another height',
    ofBlocks((one) => ({ ...one, blockID: chain.hashOf(15) })),
    'that of another height',
  ],
  ['another parent', header({ parentHash: ID }), 'does not follow its block 13'],
  ['no time', header({ timestamp: 0 }), 'block 14 has no time'],
  [
    'a transaction too few',
    ofBlocks((one) => ({ ...one, transactions: one.transactions.slice(1) })),
    '1 transactions, and the node tells the outcomes of 2',
  ],
  [
    'another transaction',
    ofBlocks((one) => ({ ...one, transactions: withFirst(one.transactions, { txID: ID }) })),
    'no outcome of transaction 0 of block 14',
  ],
  [
    'an unknown type',
    ofBlocks((one) => ({ ...one, transactions: withFirst(one.transactions, contract('GiftContract')) })),
    'the type GiftContract of transaction 0 of block 14',
  ],
  [
    'an unknown outcome',
    ofBlocks((one) => ({
      ...one,
      transactions: withFirst(one.transactions, { ret: [{ contractRet: 'PERHAPS' }] }),
    })),
    'the outcome of transaction 0 of block 14 is not a known word',
  ],
  [
    'a negative amount',
    ofBlocks((one) => ({
      ...one,
      transactions: withFirst(
        one.transactions,
        contract('TransferContract', { owner_address: hex(1), to_address: hex(2), amount: -5 }),
      ),
    })),
    'an amount of transaction 0 of block 14',
  ],
  [
    'no address',
    ofBlocks((one) => ({
      ...one,
      transactions: withFirst(
        one.transactions,
        contract('TransferContract', { owner_address: hex(1), amount: 5 }),
      ),
    })),
    'the receiver of transaction 0 of block 14 is not an address',
  ],
  ['no outcomes', ofOutcomes(() => []), 'has not kept what the transactions of block 14 did'],
  ['the same outcome twice', ofOutcomes((list) => [list[0], list[0]]), 'the outcomes of 1'],
  [
    'outcomes of another block',
    ofOutcomes((list) => withFirst(list, { blockNumber: 13 })),
    'is of another block',
  ],
  ['another outcome', ofOutcomes((list) => withFirst(list, { result: 'FAILED' })), 'do not tell the same'],
  [
    'calls that are missing',
    ofOutcomes((list) => list.map((one) => ({ ...one, internal_transactions: [] }))),
    'has not kept the internal transactions of transaction 1 of block 14',
  ],
  [
    'an unknown call',
    ofOutcomes((list) =>
      list.with(1, { ...list[1], internal_transactions: [call(5, { note: '67696674' })] }),
    ),
    'what call 0 of transaction 1 of block 14 does is not known',
  ],
  [
    'a reward of no size',
    ofBlocks((one) => ({
      ...one,
      transactions: withFirst(
        one.transactions,
        contract('WithdrawBalanceContract', { owner_address: hex(1) }),
      ),
    })),
    'takes a reward, and the node does not tell which',
  ],
  [
    'an error with its key',
    ofOutcomes(() => ({ Error: 'class X : SECRET' })),
    'the node answers with an error',
  ],
] as const)('%s is named, and nothing of the segment is declared', async (_name, meddle, said) => {
  chain = await followed.begin()
  const ended = new AbortController()
  chain.meddle = meddle
  let fault: string | null = null
  await followed
    .follows(
      { batchBlocks: 4, from: 1 },
      {
        signal: ended.signal,
        onState(state) {
          fault ??= state.fault
          if (fault !== null) ended.abort()
        },
      },
    )
    .catch(() => undefined)
  expect(fault).toContain(said)
  expect(fault).not.toContain('SECRET')
  expect((await followed.ranges())[0]).toBe('native 1-10')
  expect((await listFollowers(followed.database))[0]!.fault).toBe(fault)
  chain.meddle = null
  await followed.follows({ from: 0 })
  await expectWhole(followed)
})
