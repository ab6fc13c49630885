/** The answers of a provider of each kind about one address in a known state, in the form of its protocol. */
import type { ChainFact } from '@cupel/contracts'
import type { ProviderKind } from '../src/index.js'
import type { Answerer, Asked } from './provider-server.js'

/** The time at which the tests take place, in milliseconds since 1970. */
export const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const HEAD_AT_S = Math.floor(NOW_MS / 1_000) - 9

export interface Protocol {
  readonly kind: ProviderKind
  readonly chain: string
  readonly address: string
  readonly answerer: Answerer
  /** Like `answerer`, but for a provider that serves another chain. */
  readonly otherChain: Answerer
  /** Like `answerer`, but about another address; null if the protocol does not repeat the address. */
  readonly otherAddress: Answerer | null
  /** Like `answerer`, with a newest block of long ago; null if the protocol does not state its age. */
  readonly stale: Answerer | null
  readonly expected: Partial<ChainFact>
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
const HASH = '7d42c9c4f53cdfb873b573e4e7a7ebd3cc5160c28d40ee597f111b62a38111cf'
const HEAD = { number: hex(25_699_807), hash: `0x${HASH}`, timestamp: hex(HEAD_AT_S) }

interface RpcMessage {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Answers each call of a message by its method. */
export function rpcAnswerer(
  results: Readonly<Record<string, (params: readonly unknown[]) => unknown>>,
): Answerer {
  return ({ body }) =>
    (body as readonly RpcMessage[]).map(({ id, method, params }) => {
      const result = results[method]
      if (result === undefined)
        return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
      return { jsonrpc: '2.0', id, result: result(params) }
    })
}

const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const evmResults = {
  eth_chainId: () => '0x1',
  eth_getBlockByNumber: () => HEAD,
  eth_getBalance: () => hex(1_700_000_000_000_000n),
  eth_getTransactionCount: () => hex(1_430),
  eth_getCode: () => '0x',
  eth_call: ([call]: readonly unknown[]) =>
    word((call as { to: string }).to === USDT ? 5_000_000_000_000n : 0n),
}

export function evmRpc(changes: Partial<Record<keyof typeof evmResults, () => unknown>> = {}): Answerer {
  return rpcAnswerer({ ...evmResults, ...changes })
}

const EVM_ADDRESS = '0x6bd0b42faf093541b31f94a041774d5eb30906ad'
const DAO_FORK = '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb'
const CLASSIC_FORK = '0x94365e3a8c0b35089c1d1195081fe7489b528a84b22199c916180db8b28ade7f'

const etherscan =
  ({ fork = DAO_FORK, head = HEAD }: { fork?: string; head?: object } = {}): Answerer =>
  ({ url }) => {
    const query = Object.fromEntries(url.searchParams)
    if (query['module'] === 'account') return { status: '1', message: 'OK', result: '1700000000000000' }
    const blocks = query['tag'] === 'latest' ? head : { ...HEAD, number: query['tag'], hash: fork }
    const results: Readonly<Record<string, unknown>> = {
      eth_getBlockByNumber: blocks,
      eth_getTransactionCount: '0x596',
      eth_getCode: '0x6080',
    }
    return { jsonrpc: '2.0', id: 1, result: results[query['action'] ?? ''] }
  }

const BTC_ADDRESS = '3PeVz6zCzRWsRq9YfZYbfbP92ZYDNyMUCC'
const BTC_FORK = '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148'
const CASH_FORK = '000000000000000000651ef99cb9fcbe0dadde1d424bd9f15ff20136191a5eec'
const TIP_HASH = '000000000000000000021650e294fd39820ff0ad9c3a2dc3398b86d7ce8b92f4'
const OTHER_BTC_ADDRESS = 'bc1qcnp500gpwu550nr6xj3afwxldztylvmqh68lak'

const esplora =
  ({ fork = BTC_FORK, address = BTC_ADDRESS, timestamp = HEAD_AT_S } = {}): Answerer =>
  ({ url: { pathname } }) => {
    if (pathname === '/block-height/478559') return fork
    if (pathname === '/blocks') return [{ id: TIP_HASH, height: 961_361, version: 1, timestamp, tx_count: 3 }]
    const stats = { funded_txo_count: 9, funded_txo_sum: 9_007_199_262_440_991n, spent_txo_count: 8 }
    return {
      address,
      chain_stats: { ...stats, spent_txo_sum: 9_007_199_254_740_991n, tx_count: 3_000_000_000 },
      mempool_stats: { ...stats, funded_txo_sum: 0, spent_txo_sum: 0, tx_count: 0 },
    }
  }

const blockbook =
  ({ fork = BTC_FORK, address = BTC_ADDRESS, inSync = true } = {}): Answerer =>
  ({ url: { pathname } }) => {
    if (pathname === '/api/v2/block-index/478559') return { blockHash: fork }
    if (pathname === '/api/v2')
      return {
        blockbook: { coin: 'Bitcoin', inSync, bestHeight: 961_361 },
        backend: { chain: 'main', blocks: 961_361, bestBlockHash: TIP_HASH },
      }
    return { page: 1, address, balance: '7700000', totalReceived: '9000000', txs: 2, unconfirmedTxs: 0 }
  }

const TRX_ADDRESS = 'TUTpjYd12MSVqMJUHA8tn571FeFSRKe6V6'
const TRX_GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'

const tronGrid =
  ({ genesis = TRX_GENESIS, address = TRX_ADDRESS, timestamp = HEAD_AT_S * 1_000 } = {}): Answerer =>
  ({ url: { pathname }, body }: Asked) => {
    if (pathname === '/wallet/getblock') {
      const isFirst = (body as { id_or_num?: string }).id_or_num === '0'
      const raw_data = isFirst ? {} : { number: 85_138_473, timestamp }
      return { blockID: isFirst ? genesis : `0000000005132${HASH.slice(13)}`, block_header: { raw_data } }
    }
    const trc20 = [{ TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t: '97019986' }, { TXXXunknownxxx: '1' }]
    return {
      data: [{ address, balance: 10_000_000_000_000_001n, create_time: 1_529_888_400_000, trc20 }],
      success: true,
      meta: { at: NOW_MS, page_size: 1 },
    }
  }

const SOL_ADDRESS = 'RustUSBDaDcRRbT8JRmJ8GpomiXiMdgt3iYwbA59xvB'
const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const context = { apiVersion: '3.0.6', slot: 402_000_000 }
const heldUsdc = (amount: string): unknown => ({
  pubkey: '2Y7HATmn9aJBcxCskE5V2U2epmjvkZmB51zTJBbhj4cU',
  account: { data: { parsed: { info: { mint: USDC_MINT, tokenAmount: { amount, decimals: 6 } } } } },
})

/** Newest first; a slot may hold several. */
export const solanaSignatures = (length: number): readonly object[] =>
  Array.from({ length }, (_, index) => ({
    signature: `${'5'.repeat(82)}${String(111_111 + index).replaceAll('0', 'z')}`,
    slot: 401_000_000 - Math.floor(index / 2),
    err: index === 1 ? { InstructionError: [0, { Custom: 1 }] } : null,
    memo: null,
    blockTime: HEAD_AT_S - index,
    confirmationStatus: 'finalized',
  }))

const solanaResults = {
  getGenesisHash: () => '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' as unknown,
  getBalance: () => ({ context, value: 18_446_744_073_709_551_615n }) as unknown,
  getAccountInfo: () => ({ context, value: { executable: false, lamports: 5, owner: '1'.repeat(32) } }),
  getFirstAvailableBlock: () => 0 as unknown,
  getSignaturesForAddress: () => solanaSignatures(2) as unknown,
  getTokenAccountsByOwner: ([, filter]: readonly unknown[]) => ({
    context,
    value: (filter as { mint: string }).mint === USDC_MINT ? [heldUsdc('1600000'), heldUsdc('400000')] : [],
  }),
}

/** Leaves out `refused`, which the node answers with an error. */
export function solana(
  changes: Partial<Record<keyof typeof solanaResults, (params: readonly unknown[]) => unknown>> = {},
  refused?: keyof typeof solanaResults,
): Answerer {
  const results = Object.entries({ ...solanaResults, ...changes }).filter(([method]) => method !== refused)
  return rpcAnswerer(Object.fromEntries(results))
}

const LONG_AGO_S = HEAD_AT_S - 7 * 3_600

export const protocols: readonly Protocol[] = [
  {
    kind: 'evm-rpc',
    chain: 'ETH',
    address: EVM_ADDRESS,
    answerer: evmRpc(),
    otherChain: evmRpc({ eth_chainId: () => '0x38' }),
    otherAddress: null,
    stale: evmRpc({ eth_getBlockByNumber: () => ({ ...HEAD, timestamp: hex(LONG_AGO_S) }) }),
    expected: {
      height: '25699807',
      blockHash: `0x${HASH}`,
      balanceBaseUnits: '1700000000000000',
      txCount: 1_430,
      txCountKind: 'outgoing',
      isContract: false,
      tokens: [{ asset: 'USDT', amountBaseUnits: '5000000000000', decimals: 6 }],
    },
  },
  {
    kind: 'etherscan',
    chain: 'ETH',
    address: EVM_ADDRESS,
    answerer: etherscan(),
    otherChain: etherscan({ fork: CLASSIC_FORK }),
    otherAddress: null,
    stale: etherscan({ head: { ...HEAD, timestamp: hex(LONG_AGO_S) } }),
    expected: {
      height: '25699807',
      blockHash: null,
      balanceBaseUnits: '1700000000000000',
      txCount: 1_430,
      txCountKind: 'outgoing',
      isContract: true,
      tokens: [],
    },
  },
  {
    kind: 'esplora',
    chain: 'BTC',
    address: BTC_ADDRESS,
    answerer: esplora(),
    otherChain: esplora({ fork: CASH_FORK }),
    otherAddress: esplora({ address: OTHER_BTC_ADDRESS }),
    stale: esplora({ timestamp: LONG_AGO_S }),
    expected: {
      height: '961361',
      blockHash: TIP_HASH,
      balanceBaseUnits: '7700000',
      txCount: 3_000_000_000,
      txCountKind: 'total',
      isContract: null,
    },
  },
  {
    kind: 'blockbook',
    chain: 'BTC',
    address: BTC_ADDRESS,
    answerer: blockbook(),
    otherChain: blockbook({ fork: CASH_FORK }),
    otherAddress: blockbook({ address: OTHER_BTC_ADDRESS }),
    stale: blockbook({ inSync: false }),
    expected: {
      height: '961361',
      blockHash: TIP_HASH,
      balanceBaseUnits: '7700000',
      txCount: 2,
      txCountKind: 'total',
    },
  },
  {
    kind: 'trongrid',
    chain: 'TRX',
    address: TRX_ADDRESS,
    answerer: tronGrid(),
    otherChain: tronGrid({ genesis: TRX_GENESIS.replace('1', '2') }),
    otherAddress: tronGrid({ address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }),
    stale: tronGrid({ timestamp: LONG_AGO_S * 1_000 }),
    expected: {
      height: '85138473',
      blockHash: null,
      balanceBaseUnits: '10000000000000001',
      txCount: null,
      isContract: null,
      tokens: [{ asset: 'USDT', amountBaseUnits: '97019986', decimals: 6 }],
    },
  },
  {
    kind: 'solana-rpc',
    chain: 'SOL',
    address: SOL_ADDRESS,
    answerer: solana(),
    otherChain: solana({ getGenesisHash: () => 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' }),
    otherAddress: null,
    stale: null,
    expected: {
      height: '402000000',
      blockHash: null,
      balanceBaseUnits: '18446744073709551615',
      txCount: 2,
      txCountKind: 'total',
      isContract: false,
      tokens: [{ asset: 'USDC', amountBaseUnits: '2000000', decimals: 6 }],
    },
  },
]
