/**
 * A stand-in of the APIs of Etherscan and Blockscout about a chain that a test makes up. Sources of the forms: docs.etherscan.io (v2), and the
 * sources of Blockscout (`API.RPC.AddressView`, `API.RPC.RPCView`).
 */
import { answered, type StandIn, type StandInAnswer, type StandInQuestion } from './stand-in.js'

export interface EvmMovement {
  readonly list: 'txlist' | 'txlistinternal' | 'tokentx'
  readonly height: number
  readonly hash: string
  readonly from: string
  /** Empty for the creation of `contract`. */
  readonly to: string
  readonly value: string
  readonly failed?: boolean
  /** Token, or contract that was created. */
  readonly contract?: string
  readonly type?: string
  readonly callType?: string
  /** Fields of the row that are different. */
  readonly raw?: Readonly<Record<string, unknown>>
}

export interface EvmChain {
  /** By height and place. A test may change it between two questions. */
  movements: readonly EvmMovement[]
  newest: number
  /** Seconds since 1970 of the newest block. */
  newestAtS: number
  secondsPerBlock: number
  /** The hash of a block that tells the chain. */
  landmark: { readonly height: number; readonly hash: string }
  /** Part of the hashes of blocks: another one is another past. */
  branch: number
}

export interface EtherscanQuirks {
  readonly host: 'etherscan' | 'blockscout'
  /** The host gives at most as many rows, whatever was asked for. */
  readonly maxRows?: number
  readonly chainId?: number
  /** Lists that the host does not have. */
  readonly refused?: readonly string[]
  /** Of Blockscout: whether the calls of all blocks are indexed, and all blocks. */
  readonly hasAllCalls?: boolean
  readonly hasAllBlocks?: boolean
}

const WINDOW = 10_000
const EMPTY: Readonly<Record<string, string>> = {
  txlist: 'No transactions found',
  txlistinternal: 'No internal transactions found',
  tokentx: 'No token transfers found',
}

export function evmBlockHash(chain: EvmChain, height: number): string {
  if (height === chain.landmark.height) return chain.landmark.hash
  return `0x${chain.branch.toString(16).padStart(8, '0')}${height.toString(16).padStart(56, '0')}`
}

export const evmBlockAtS = (chain: EvmChain, height: number): number =>
  chain.newestAtS - (chain.newest - height) * chain.secondsPerBlock

/** Every real chain has its landmark; a chain of few blocks may not reach it. */
const hasBlock = (chain: EvmChain, height: number): boolean =>
  height <= chain.newest || height === chain.landmark.height

export function etherscanStandIn(chain: EvmChain, quirks: EtherscanQuirks): StandIn {
  const isBlockscout = quirks.host === 'blockscout'
  return ({ url, method }: StandInQuestion): StandInAnswer => {
    if (method !== 'GET') return answered({}, 405)
    const path = url.pathname.replace(/^\/api/, '')
    if (path.startsWith('/v2/') && isBlockscout) return blockscoutAnswer(chain, quirks, path)
    const query = Object.fromEntries(url.searchParams)
    if (quirks.chainId !== undefined && query['chainid'] !== String(quirks.chainId))
      return refused('Missing or unsupported chainid parameter (required for v2 api)')
    if (query['module'] === 'proxy') {
      // Blockscout does not know the module.
      if (isBlockscout) return answered({ status: '0', message: 'Unknown action', result: null }, 400)
      if (query['txhash'] !== undefined)
        return answered({
          jsonrpc: '2.0',
          id: 1,
          result: evmTransaction(chain, query['action'] ?? '', query['txhash']),
        })
      const height = query['tag'] === 'latest' ? chain.newest : Number(query['tag'])
      const result = {
        number: `0x${height.toString(16)}`,
        hash: evmBlockHash(chain, height),
        timestamp: `0x${evmBlockAtS(chain, height).toString(16)}`,
      }
      return answered({ jsonrpc: '2.0', id: 1, result: hasBlock(chain, height) ? result : null })
    }
    if (query['action'] === 'txlistinternal' && query['txhash'] !== undefined)
      return callsAnswer(chain, quirks, query['txhash'])
    return listAnswer(chain, quirks, query)
  }
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`
const word = (value: string): string => `0x${value.replace(/^0x/, '').padStart(64, '0')}`

/**
 * Transaction or receipt as a node gives them; null for one that the chain does not have. A movement without a row in `txlist` is of a transaction
 * without value, which its payer sent to the token.
 */
export function evmTransaction(chain: EvmChain, method: string, hash: string): unknown {
  const moved = chain.movements.filter((one) => one.hash === hash)
  const [first] = moved
  if (first === undefined) return null
  const native = moved.find(({ list }) => list === 'txlist')
  const isWaiting = first.height > chain.newest
  if (method === 'eth_getTransactionByHash')
    return {
      ...{ hash, from: first.from, to: native?.to || first.contract || null, input: '0x' },
      ...{ value: hex(BigInt(native?.value ?? 0)), blockNumber: isWaiting ? null : hex(first.height) },
      ...native?.raw,
    }
  if (isWaiting) return null
  const tokens = moved.filter(({ list }) => list === 'tokentx')
  return {
    ...{
      transactionHash: hash,
      blockNumber: hex(first.height),
      blockHash: evmBlockHash(chain, first.height),
    },
    ...{ status: first.failed === true ? '0x0' : '0x1', contractAddress: null },
    gasUsed: moved.every(({ list }) => list === 'txlist') ? '0x5208' : '0x186a0',
    logs: tokens.map(({ contract, from, to, value }) => ({
      address: contract,
      topics: [TRANSFER_TOPIC, word(from), word(to)],
      data: word(BigInt(value).toString(16)),
      removed: false,
    })),
  }
}

/** keccak256("Transfer(address,address,uint256)"). */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

function callsAnswer(
  chain: EvmChain,
  { refused: missing = [] }: EtherscanQuirks,
  hash: string,
): StandInAnswer {
  if (missing.includes('txlistinternal')) return refused('Error! Missing Or invalid Action name')
  const calls = chain.movements.filter((one) => one.list === 'txlistinternal' && one.hash === hash)
  if (calls.length === 0)
    return answered({ status: '0', message: 'No internal transactions found', result: [] })
  const result = calls.map(({ height, from, to, value, contract = '', type = 'call', failed, raw = {} }) => ({
    ...{ blockNumber: String(height), timeStamp: String(evmBlockAtS(chain, height)), from, to, value },
    ...{ contractAddress: contract, input: '', type, gas: '21000', gasUsed: '21000' },
    ...{ isError: failed === true ? '1' : '0', errCode: '', ...raw },
  }))
  return answered({ status: '1', message: 'OK', result })
}

const refused = (result: string): StandInAnswer => answered({ status: '0', message: 'NOTOK', result })

function blockscoutAnswer(chain: EvmChain, quirks: EtherscanQuirks, path: string): StandInAnswer {
  const block = (height: number): unknown => ({
    height,
    hash: evmBlockHash(chain, height),
    timestamp: new Date(evmBlockAtS(chain, height) * 1_000).toISOString().replace('.000Z', '.000000Z'),
    type: 'block',
  })
  if (path === '/v2/main-page/blocks')
    return answered([0, 1, 2, 3].map((below) => block(chain.newest - below)))
  if (path === '/v2/main-page/indexing-status')
    return answered({
      finished_indexing: quirks.hasAllCalls ?? true,
      finished_indexing_blocks: quirks.hasAllBlocks ?? true,
      indexed_blocks_ratio: '1.00',
      indexed_internal_transactions_ratio: '1',
    })
  const height = Number(path.replace('/v2/blocks/', ''))
  return hasBlock(chain, height) ? answered(block(height)) : answered({ message: 'Not found' }, 404)
}

function listAnswer(
  chain: EvmChain,
  { host, maxRows = WINDOW, refused: missing = [] }: EtherscanQuirks,
  query: Readonly<Record<string, string | undefined>>,
): StandInAnswer {
  const { action = '', address = '', sort = host === 'blockscout' ? 'desc' : 'asc' } = query
  if (EMPTY[action] === undefined || missing.includes(action))
    return refused('Error! Missing Or invalid Action name')
  const [page, offset] = [Number(query['page'] ?? 1), Number(query['offset'] ?? WINDOW)]
  if (page * offset > WINDOW && host === 'etherscan')
    return answered({
      status: '0',
      message: 'Result window is too large, PageNo x Offset size must be less than or equal to 10000',
      result: null,
    })
  const rows = chain.movements
    .filter((one) => one.list === action && [one.from, one.to, one.contract].includes(address))
    .filter(({ height }) => height >= Number(query['startblock'] ?? 0))
    .filter(({ height }) => height <= Number(query['endblock'] ?? chain.newest))
  const ordered = sort === 'asc' ? rows : rows.toReversed()
  const size = Math.min(offset, maxRows)
  const told = ordered.slice((page - 1) * size, page * size)
  if (told.length === 0)
    return answered({
      status: '0',
      message: host === 'etherscan' ? EMPTY['txlist'] : EMPTY[action],
      result: [],
    })
  const render = host === 'etherscan' ? etherscanRow : blockscoutRow
  return answered({ status: '1', message: 'OK', result: told.map((one) => render(chain, one)) })
}

function commonFields(chain: EvmChain, { height, from, to, value, contract = '', raw = {} }: EvmMovement) {
  const place = { blockNumber: String(height), timeStamp: String(evmBlockAtS(chain, height)) }
  return { ...place, from, to, value, contractAddress: contract, gas: '21000', gasUsed: '21000', raw }
}

function etherscanRow(chain: EvmChain, movement: EvmMovement): unknown {
  const { raw, ...common } = commonFields(chain, movement)
  const { list, hash, failed = false, type = 'call', height } = movement
  const isError = failed ? '1' : '0'
  const inBlock = {
    blockHash: evmBlockHash(chain, height),
    transactionIndex: '7',
    nonce: '3',
    confirmations: String(chain.newest - height),
  }
  if (list === 'txlist')
    return {
      ...{ ...common, ...inBlock, hash, isError, txreceipt_status: failed ? '0' : '1' },
      ...{ input: '0x', methodId: '0x', functionName: '', ...raw },
    }
  if (list === 'txlistinternal')
    return {
      ...common,
      hash,
      type,
      isError,
      errCode: failed ? 'Reverted' : '',
      traceId: '0_1',
      input: '',
      ...raw,
    }
  return {
    ...{ ...common, ...inBlock, hash, tokenName: 'Tether USD', tokenSymbol: 'USDT', tokenDecimal: '6' },
    ...{ input: 'deprecated', ...raw },
  }
}

function blockscoutRow(chain: EvmChain, movement: EvmMovement): unknown {
  const { raw, ...common } = commonFields(chain, movement)
  const { list, hash, failed = false, type = 'call', callType = 'call' } = movement
  const isError = failed ? '1' : '0'
  if (list === 'txlistinternal')
    return {
      ...{ ...common, transactionHash: hash, index: '1', type, isError },
      ...{ callType: type === 'call' ? callType : '', errCode: failed ? 'Reverted' : '', ...raw },
    }
  return etherscanRow(chain, movement)
}

interface RpcMessage {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** A node of the same chain, as far as transactions and blocks go. */
export function evmNodeStandIn(chain: EvmChain, { chainId }: { readonly chainId: number }): StandIn {
  const blockOf = (tag: unknown): unknown => {
    const height = tag === 'latest' ? chain.newest : Number(tag)
    const timestamp = hex(evmBlockAtS(chain, height))
    return hasBlock(chain, height)
      ? { number: hex(height), hash: evmBlockHash(chain, height), timestamp }
      : null
  }
  const resultOf = ({ method, params: [first] }: RpcMessage): unknown => {
    if (method === 'eth_chainId') return hex(chainId)
    return method === 'eth_getBlockByNumber' ? blockOf(first) : evmTransaction(chain, method, String(first))
  }
  return ({ body }) =>
    answered(
      (body as readonly RpcMessage[]).map((call) => ({
        jsonrpc: '2.0',
        id: call.id,
        result: resultOf(call),
      })),
    )
}
