/** Reads recent transactions from recorded answers of providers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@cupel/contracts'
import type { ChainTransaction } from '@cupel/domain'
import { sharedDataFolder } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openChainData, parseConfiguration, ProviderError, type ChainData } from '../src/index.js'
import { NOW_MS, rpcAnswerer } from './protocols.js'
import { startProviderServer, type Answerer, type ProviderServer } from './provider-server.js'

const shared = sharedDataFolder()
const recorded = (name: string): string =>
  readFileSync(join(shared ?? '', 'raw/provider-responses', `${name}.json`), 'utf8')
const parsed = (name: string): never => JSON.parse(recorded(name)) as never

let server: ProviderServer
let chainData: ChainData

beforeEach(async () => {
  server = await startProviderServer(() => null)
})
afterEach(async () => {
  await chainData.close()
  await server.close()
})

async function recent(
  kind: string,
  chain: string,
  address: string,
  answerer: Answerer,
): Promise<readonly ChainTransaction[]> {
  server.answerer = answerer
  const providers = parseConfiguration(
    JSON.stringify({ providers: [{ name: 'p', kind, chain, url: server.url }] }),
  )
  chainData = openChainData({
    ...{ providers, maxAgeMs: 0, logger: silentLogger, metrics: noMetrics, now: () => NOW_MS },
  })
  return await chainData.recentTransactions(chain, address)
}

const BTC_FORK = '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148'
const TRX_GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'
const daoFork = {
  jsonrpc: '2.0',
  result: {
    number: '0x1d4c00',
    hash: '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb',
    timestamp: '0x578f7aa8',
  },
}
const head = { number: '0x18825e0', hash: `0x${'7d'.repeat(32)}`, timestamp: '0x6a753500' }

describe.skipIf(shared === null)('recorded answers', () => {
  test('of Esplora: inputs and outputs with their owners', async () => {
    const payee = '3PeVz6zCzRWsRq9YfZYbfbP92ZYDNyMUCC'
    const payer = 'bc1qcnp500gpwu550nr6xj3afwxldztylvmqh68lak'
    const found = await recent('esplora', 'BTC', payee, ({ url: { pathname } }) =>
      pathname.startsWith('/block-height') ? BTC_FORK : recorded('esplora_address_txs'),
    )
    expect(found).toEqual([
      {
        txHash: '753e8a42a8a92f0c555f704407a9352e37e64dc4ced82ae78e1d6cdb19803ac3',
        blockNumber: 961_361,
        occurredAtS: 1_786_065_540,
        proven: true,
        movements: [],
        outputs: {
          spent: [{ owner: payer, amountBaseUnits: '20600713' }],
          created: [
            { owner: payee, amountBaseUnits: '7700000' },
            { owner: payer, amountBaseUnits: '12886513' },
          ],
        },
      },
    ])
  })

  const etherscan =
    (native: string, tokens: string): Answerer =>
    ({ url: { searchParams } }) => {
      if (searchParams.get('module') === 'proxy') return daoFork
      return recorded(searchParams.get('action') === 'txlist' ? native : tokens)
    }

  test('of an explorer in the manner of Etherscan: native and token transfers', async () => {
    const address = '0x6bd0b42faf093541b31f94a041774d5eb30906ad'
    const found = await recent(
      'etherscan',
      'ETH',
      address,
      etherscan('etherscan_txlist', 'etherscan_tokentx'),
    )
    const { result: native } = parsed('etherscan_txlist') as { result: { hash: string; value: string }[] }
    const { result: tokens } = parsed('etherscan_tokentx') as { result: { hash: string; value: string }[] }
    expect(found.map(({ txHash, movements }) => [txHash, movements[0]?.amountBaseUnits])).toEqual(
      [...native, ...tokens].map(({ hash, value }) => [hash, value]),
    )
    expect(found[0]).toMatchObject({
      blockNumber: 20_416_763,
      occurredAtS: 1_722_310_859,
      movements: [
        { kind: 'native', contract: '', from: address, to: '0xb5d85cbf7cb3ee0d56b3bb207d5fc4b82f43f511' },
      ],
    })
  })

  test('of an explorer that found nothing: an empty list is not a refusal', async () => {
    const empty = 'etherscan_txlistinternal_empty'
    expect(
      await recent('etherscan', 'ETH', '0x6bd0b42faf093541b31f94a041774d5eb30906ad', etherscan(empty, empty)),
    ).toEqual([])
  })

  test('of TronGrid: token transfers; calls of contracts move no TRX', async () => {
    const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
    const found = await recent('trongrid', 'TRX', usdt, ({ url: { pathname } }) => {
      if (pathname === '/wallet/getblock') return { blockID: TRX_GENESIS, block_header: { raw_data: {} } }
      return recorded(
        pathname.endsWith('/trc20') ? 'trongrid_account_trc20' : 'trongrid_account_transactions',
      )
    })
    const { data } = parsed('trongrid_account_trc20') as {
      data: { transaction_id: string; value: string; from: string }[]
    }
    expect(
      found.map(({ txHash, movements: [one] }) => [txHash, one?.amountBaseUnits, one?.from, one?.contract]),
    ).toEqual(data.map(({ transaction_id, value, from }) => [transaction_id, value, from, usdt]))
  })

  test('of an Ethereum node: transfers of known tokens out of logs; a log nobody asked for is not an answer', async () => {
    const pool = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640'
    const { result } = parsed('eth_rpc_getTransactionReceipt') as { result: { logs: unknown[] } }
    const node = (logs: readonly unknown[]): Answerer =>
      rpcAnswerer({
        eth_chainId: () => '0x1',
        eth_getBlockByNumber: () => head,
        // The address sent these; the other question asks for received ones.
        eth_getLogs: ([filter]) => ((filter as { topics: unknown[] }).topics.length === 2 ? logs : []),
      })
    const found = await recent('evm-rpc', 'ETH', pool, node(result.logs.slice(0, 2)))
    expect(
      found.map(({ movements: [one] }) => [
        one?.contract,
        one?.from,
        one?.to,
        one?.amountBaseUnits,
        one?.position,
      ]),
    ).toEqual([
      [
        '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
        pool,
        '0xbdb3ba9ffe392549e1f8658dd2630c141fdf47b6',
        '14382329010171769898',
        0,
      ],
      [
        '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
        '0xbdb3ba9ffe392549e1f8658dd2630c141fdf47b6',
        pool,
        '27384356134',
        1,
      ],
    ])
    server.answerer = node(result.logs)
    await expect(chainData.recentTransactions('ETH', pool)).rejects.toThrow('malformed')
  })

  test('of a Solana node: transfers of SOL out of parsed instructions', async () => {
    const { result } = parsed('solana_rpc_getTransaction') as {
      result: {
        slot: number
        transaction: {
          message: { instructions: { program?: string; parsed?: { info: Record<string, unknown> } }[] }
        }
      }
    }
    const info = result.transaction.message.instructions.find(({ program }) => program === 'system')!.parsed!
      .info
    const signature = '5'.repeat(88)
    const found = await recent(
      'solana-rpc',
      'SOL',
      String(info['source']),
      rpcAnswerer({
        getGenesisHash: () => '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
        getSignaturesForAddress: () => [
          { signature, err: null },
          { signature: '6'.repeat(88), err: { InstructionError: [0, 'Custom'] } },
        ],
        getTransaction: () => result,
      }),
    )
    expect(found).toMatchObject([
      {
        txHash: signature,
        blockNumber: result.slot,
        movements: [
          { from: info['source'], to: info['destination'], amountBaseUnits: String(info['lamports']) },
        ],
      },
    ])
  })
})

test('Blockbook: confirmed transactions, outputs without an address belong to nobody', async () => {
  const address = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
  const txid = 'a'.repeat(64)
  const side = (addresses: string[], isAddress: boolean, value: string) => ({ addresses, isAddress, value })
  const found = await recent('blockbook', 'BTC', address, ({ url: { pathname } }) => {
    if (pathname.startsWith('/api/v2/block-index')) return { blockHash: BTC_FORK }
    const vin = [side([address], true, '500')]
    const vout = [
      side(['OP_RETURN (x)'], false, '0'),
      side(['3PeVz6zCzRWsRq9YfZYbfbP92ZYDNyMUCC'], true, '400'),
    ]
    const confirmed = { txid, vin, vout, blockHeight: 900_000, blockTime: 1_750_000_000 }
    return {
      page: 1,
      address,
      balance: '0',
      txs: 2,
      transactions: [{ ...confirmed, blockHeight: -1 }, confirmed],
    }
  })
  expect(found).toMatchObject([
    {
      txHash: txid,
      outputs: {
        spent: [{ owner: address, amountBaseUnits: '500' }],
        created: [{ owner: '', amountBaseUnits: '0' }, { amountBaseUnits: '400' }],
      },
    },
  ])
})

test('a provider that refuses is followed by the next; without one there is a refusal', async () => {
  await expect(recent('blockbook', 'BTC', 'x', () => ({ error: 'no' }))).rejects.toBeInstanceOf(ProviderError)
  await expect(chainData.recentTransactions('XMR', 'x')).rejects.toBeInstanceOf(ProviderError)
})
