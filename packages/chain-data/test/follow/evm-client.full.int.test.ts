/** Real blocks of an Ethereum client: failed transactions, calls within calls, creations, self-destructions, tokens, and a reorganisation. */
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openNodeClient } from '../../src/follow/node-client.js'
import { evmNode } from '../../src/follow/evm/evm-node.js'
import { hasEvmClient, startEvmClient, type EvmClient } from './evm-client.js'
import { address, startFollowed, USDC, type Followed } from './followed.js'

const has = hasEvmClient()
/** The registry of a CI machine may have no client; that is told before the tests. */
const isUnavailable = process.env['CUPEL_TEST_ANVIL'] === 'none'
if (!has && !isUnavailable) noteSkip('anvil is not on the PATH, and CUPEL_TEST_ANVIL names no client')
const withClient = isUnavailable ? (): void => undefined : describe.skipIf(!has)

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const word = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')
/** Sends what it gets to the address in its input. */
const FORWARD = '60006000600060003460003' + '55af1'
const CODES = {
  forwarder: `0x${FORWARD}00`,
  /** The same, and then everything is undone. */
  reverter: `0x${FORWARD}60006000fd`,
  /** Emits Transfer(caller, first word, second word). */
  token: `0x60203560005260003533` + `7f${TRANSFER}` + `60206000a300`,
  /** CREATE2 of a contract with what it gets; the code of its creation is CALLER SELFDESTRUCT. */
  factory: '0x6133ff60005260006002601e34f500',
}
const FORWARDER = address(0xf0)
const REVERTER = address(0xf1)
const FACTORY = address(0xf2)
/** Calls the reverter, and goes on. */
const CALLER = address(0xf3)

test('a client that is not there is named, and no chain is known of it', async () => {
  const rpc = openNodeClient({
    ...{ url: new URL('http://127.0.0.1:9'), inFlight: 2, signal: new AbortController().signal },
  })
  await expect(evmNode({ chain: 'AVAX', client: rpc })).rejects.toMatchObject({ code: 'node_unavailable' })
  await rpc.close()
})

withClient('a real client', () => {
  let client: EvmClient
  let followed: Followed
  let sender: string
  beforeAll(async () => {
    client = await startEvmClient()
    followed = await startFollowed()
    sender = (await client.ask<string[]>('eth_accounts'))[0]!
    for (const [at, code] of [
      [FORWARDER, CODES.forwarder],
      [REVERTER, CODES.reverter],
      [FACTORY, CODES.factory],
      [USDC, CODES.token],
      // CALL(reverter, with the value and the input), the outcome is not looked at.
      [CALLER, `0x60003560005260006000602060003473${REVERTER.slice(2)}5af100`],
    ] as const)
      await client.ask('anvil_setCode', at, code)
  }, 60_000)
  afterAll(async () => {
    await client.close()
    await followed.close()
  })

  const send = async (to: string | null, value: bigint, data = '0x'): Promise<void> => {
    const common = { from: sender, value: `0x${value.toString(16)}`, data, gas: '0x493e0' }
    await client.ask('eth_sendTransaction', to === null ? common : { ...common, to })
  }
  const mine = (): Promise<unknown> => client.ask('evm_mine')

  test.each(['trace_block', 'debug_traceBlockByNumber'] as const)(
    'its blocks are in the ledger as they happened, by %s',
    async (traces) => {
      const [friend, other] = [address(0xaa), address(0xbb)]
      await send(friend, 7n)
      await send(FORWARDER, 11n, `0x${word(other)}`)
      await send(REVERTER, 13n, `0x${word(other)}`)
      await mine()
      await send(CALLER, 17n, `0x${word(other)}`)
      await send(FACTORY, 19n)
      await send(USDC, 0n, `0x${word(friend)}${word(1_000_000n)}`)
      // A contract that is created with value.
      await send(null, 23n, '0x00')
      await mine()
      await mine()
      const url = new URL(client.url)
      const rpc = openNodeClient({ url, inFlight: 2, signal: new AbortController().signal })
      const node = await evmNode({ chain: 'AVAX', client: rpc, traces })
      const { height } = await node.head()
      await followed.follows(
        { node, from: Math.max(0, height - 2), to: height, confirmations: 0 },
        { now: () => new Date() },
      )
      await rpc.close()
      const [first, second] = [height - 2, height - 1]
      const moved = (await followed.movements()).filter(
        (one) => one.includes(` ${first} `) || one.includes(` ${second} `),
      )
      const created = await client.ask<{ readonly contractAddress: string | null }[]>(
        'eth_getBlockReceipts',
        `0x${second.toString(16)}`,
      )
      const contract = created.at(-1)!.contractAddress!
      const blown = moved.find((one) => one.startsWith(`i ${second} ${FACTORY}`))!.split(' ')[3]!
      expect(moved).toEqual(
        [
          `n ${first} ${sender} ${friend} 7 proven`,
          `n ${first} ${sender} ${FORWARDER} 11 proven`,
          `i ${first} ${FORWARDER} ${other} 11 proven`,
          `n ${first} ${sender} ${REVERTER} 13 failed`,
          `i ${first} ${REVERTER} ${other} 13 failed`,
          `n ${second} ${sender} ${CALLER} 17 proven`,
          `i ${second} ${CALLER} ${REVERTER} 17 failed`,
          `i ${second} ${REVERTER} ${other} 17 failed`,
          `n ${second} ${sender} ${FACTORY} 19 proven`,
          `i ${second} ${FACTORY} ${blown} 19 proven`,
          `i ${second} ${blown} ${FACTORY} 19 proven`,
          `t ${second} ${sender} ${friend} 1000000 proven`,
          `n ${second} ${sender} ${contract} 23 proven`,
        ].sort(),
      )
    },
  )

  test('a reorganisation of its last blocks is found, and the others are imported in their place', async () => {
    const rpc = openNodeClient({
      url: new URL(client.url),
      inFlight: 2,
      signal: new AbortController().signal,
    })
    const node = await evmNode({ chain: 'AVAX', client: rpc })
    await client.ask('anvil_reorg', 2, [])
    const { height } = await node.head()
    const follows = (replaces: boolean) =>
      followed.follows({ node, to: height, confirmations: 0, replaces }, { now: () => new Date() })
    await expect(follows(false)).rejects.toMatchObject({ code: 'reorganised' })
    await follows(true)
    await expect(follows(false)).resolves.toBeUndefined()
    await rpc.close()
  })
})
