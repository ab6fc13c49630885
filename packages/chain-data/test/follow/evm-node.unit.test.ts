/** What a node of an EVM chain gives, by chain and by the methods that it has. */
import { startEvmChain, type EvmChain, type StandInContents } from '@cupel/testkit'
import { afterEach, expect, test } from 'vitest'
import { openNodeClient } from '../../src/follow/node-client.js'
import { evmNode } from '../../src/follow/evm/evm-node.js'
import { address } from './followed.js'

const CHAIN_IDS: Readonly<Record<string, number>> = { ETH: 1, ETC: 61, OP: 10 }
let closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing) await close()
  closing = []
})

async function open(
  chain: string,
  traces: 'trace_block' | 'debug_traceBlockByNumber' | 'none',
  contents: StandInContents = {},
) {
  const served: EvmChain = await startEvmChain({
    ...{
      chainId: CHAIN_IDS[chain]!,
      head: 5,
      contents: () => contents,
      timeOf: (height: number) => 1_700_000_000 + height,
    },
  })
  for (const method of ['trace_block', 'debug_traceBlockByNumber'])
    if (method !== traces) served.lacks.add(method)
  const client = openNodeClient({
    url: new URL(served.url),
    inFlight: 1,
    signal: new AbortController().signal,
  })
  closing.push(() => client.close(), served.close)
  return { served, node: await evmNode({ chain, client, landmark: null }) }
}

test.each([
  ['ETH', 'trace_block', ['0-0 2', '1-1919999 3', '1920000-1920000 2', '1920001-end 3']],
  // Only trace_block tells the rewards of mined blocks.
  ['ETH', 'debug_traceBlockByNumber', ['0-15537393 2', '15537394-end 3']],
  ['ETH', 'none', ['0-end 2']],
  ['ETC', 'trace_block', ['0-0 2', '1-end 3']],
  ['ETC', 'debug_traceBlockByNumber', ['0-end 2']],
  ['OP', 'debug_traceBlockByNumber', ['0-0 2', '1-end 3']],
] as const)('%s by %s is declared where the node tells all of a kind', async (chain, traces, zones) => {
  const { node } = await open(chain, traces)
  const told = node.zones.map(
    ({ from, to, kinds }) => `${from}-${to === Number.MAX_SAFE_INTEGER ? 'end' : to} ${kinds.length}`,
  )
  expect(told).toEqual(zones)
})

test('rewards, withdrawals and what a chain mints for a deposit are issued', async () => {
  const [miner, validator, bridged] = [address(7), address(8), address(9)]
  const { node } = await open('ETH', 'trace_block', {
    rewards: [{ author: miner, value: 2n }],
    withdrawals: [{ address: validator, gwei: 3n }],
  })
  const [block] = await node.blocks(4, 4)
  expect(block!.text).toBe(
    `ETH,4,1700000004,,,,issuance,,,${miner},2,,1\nETH,4,1700000004,,,,issuance,,,${validator},3000000000,,1\n`,
  )
  const deposit = { transactions: [{ from: bridged, to: address(10), value: 5n }] }
  const { node: ofStack, served } = await open('OP', 'none', deposit)
  served.meddle = (call, result) => {
    if (call.method !== 'eth_getBlockByNumber' || call.params[1] !== true) return result
    const told = structuredClone(result) as { transactions: Record<string, unknown>[] }
    Object.assign(told.transactions[0]!, { type: '0x7e', mint: '0x5' })
    return told
  }
  const [minted] = await ofStack.blocks(2, 2)
  expect(minted!.text.split('\n').map((row) => row.split(',').slice(6).join())).toEqual([
    `issuance,,,${bridged},5,,1`,
    `native,,${bridged},${address(10)},5,,1`,
    '',
  ])
  // The same type is not known where nobody said what it means.
  const { node: other, served: elsewhere } = await open('ETC', 'none', deposit)
  elsewhere.meddle = served.meddle
  await expect(other.blocks(2, 2)).rejects.toMatchObject({ code: 'unknown_meaning' })
})
