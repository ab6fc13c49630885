/** A stand-in for a node of an EVM chain: it answers as clients do, from blocks that a test describes. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StandInCall {
  readonly type: 'CALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT' | 'DELEGATECALL' | 'STATICCALL' | 'CALLCODE'
  readonly from: string
  readonly to: string
  readonly value?: bigint
  readonly error?: string
  readonly calls?: readonly StandInCall[]
}

export interface StandInTransaction {
  readonly from: string
  /** Null if it creates `contract`. */
  readonly to: string | null
  readonly value?: bigint
  readonly failed?: boolean
  readonly contract?: string
  readonly tokens?: readonly {
    readonly contract: string
    readonly from: string
    readonly to: string
    readonly value: bigint
  }[]
  readonly calls?: readonly StandInCall[]
}

export interface StandInContents {
  readonly transactions?: readonly StandInTransaction[]
  readonly withdrawals?: readonly { readonly address: string; readonly gwei: bigint }[]
  readonly rewards?: readonly { readonly author: string; readonly value: bigint }[]
}

type Json = Record<string, unknown>
/** Changes an answer: the result of a call, or `{ error }`. */
export type Meddle = (
  call: { readonly method: string; readonly params: readonly unknown[] },
  result: unknown,
) => unknown

export interface EvmChain {
  readonly url: string
  /** Height of the newest block. */
  head: number
  /** The node lacks these methods. */
  readonly lacks: Set<string>
  meddle: Meddle | null
  /** Answers a request in place of the node; false to leave it to the node. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | null
  hashOf(height: number): string
  /** All blocks from the height on are others. */
  reorganise(from: number): void
  /** Messages received so far. */
  count(): number
  close(): Promise<void>
}

export interface EvmChainOptions {
  readonly chainId: number
  readonly head: number
  readonly contents: (height: number) => StandInContents
  /** Seconds since 1970 of a block. */
  readonly timeOf: (height: number) => number
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`
const hashOfText = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`
const word = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`
const NO_BLOOM = `0x${'0'.repeat(512)}`
const SOME_BLOOM = `0x${'0'.repeat(511)}1`
const GAS = 21_000n
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

interface Blocks {
  readonly hashOf: (height: number) => string
  reorganise(from: number): void
  /** Results by method. */
  readonly results: Readonly<Record<string, (params: readonly unknown[]) => unknown>>
}

function createBlocks(options: EvmChainOptions, newest: () => number): Blocks {
  const { chainId, contents } = options
  const forks: { readonly from: number; readonly name: string }[] = []
  const forkOf = (height: number): string => forks.findLast(({ from }) => height >= from)?.name ?? ''
  const hashOf = (height: number): string => hashOfText(`block ${height} ${forkOf(height)}`)
  const transactionHash = (height: number, index: number): string =>
    hashOfText(`transaction ${height} ${index} ${forkOf(height)}`)
  const placed = { ...options, hashOf, transactionHash }
  const heightOf = (told: unknown): number => (told === 'latest' ? newest() : Number(told))
  const transactionsOf = (height: number): readonly StandInTransaction[] =>
    contents(height).transactions ?? []
  const receipts = (height: number): readonly Json[] => receiptsOf(placed, height)
  return {
    hashOf,
    reorganise: (from) => void forks.push({ from, name: `fork ${forks.length + 1}` }),
    results: {
      eth_chainId: () => hex(chainId),
      eth_getBlockByNumber: ([at, isFull]) =>
        heightOf(at) > newest() ? null : blockOf(placed, heightOf(at), isFull === true),
      eth_getBlockReceipts: ([at]) => (heightOf(at) > newest() ? null : receipts(heightOf(at))),
      eth_getTransactionReceipt: ([hash]) => {
        for (let height = newest(); height >= 0; height -= 1) {
          const found = receipts(height).find((one) => one['transactionHash'] === hash)
          if (found !== undefined) return found
        }
        return null
      },
      debug_traceBlockByNumber: ([at]) =>
        transactionsOf(heightOf(at)).map((one, index) => ({
          ...{ txHash: transactionHash(heightOf(at), index), result: rootCall(one) },
        })),
      trace_block: ([at]) => {
        const height = heightOf(at)
        const common = { blockHash: hashOf(height), blockNumber: height }
        const calls = transactionsOf(height).flatMap((one, index) => {
          const place = { transactionHash: transactionHash(height, index), transactionPosition: index }
          return parityCalls(rootCall(one), []).map((trace) => ({ ...common, ...trace, ...place }))
        })
        const rewards = (contents(height).rewards ?? []).map(({ author, value }) => ({
          ...{ ...common, type: 'reward', action: { author, rewardType: 'block', value: hex(value) } },
          ...{
            result: null,
            subtraces: 0,
            traceAddress: [],
            transactionHash: null,
            transactionPosition: null,
          },
        }))
        return [...calls, ...rewards]
      },
    },
  }
}

interface Placed extends EvmChainOptions {
  readonly hashOf: (height: number) => string
  readonly transactionHash: (height: number, index: number) => string
}

function blockOf(
  { contents, timeOf, hashOf, transactionHash }: Placed,
  height: number,
  isFull: boolean,
): Json {
  const { transactions = [], withdrawals } = contents(height)
  const hasLogs = transactions.some(({ tokens = [], failed }) => tokens.length > 0 && failed !== true)
  const place = { blockHash: hashOf(height), blockNumber: hex(height) }
  const told = transactions.map((one, index) => ({
    ...{ ...place, type: '0x2', hash: transactionHash(height, index), transactionIndex: hex(index) },
    ...{ from: one.from, to: one.to, value: hex(one.value ?? 0n), input: '0x', nonce: hex(index) },
  }))
  const paid = withdrawals?.map(({ address, gwei }, index) => ({
    index: hex(index),
    address,
    amount: hex(gwei),
  }))
  return {
    ...{
      number: hex(height),
      hash: hashOf(height),
      parentHash: hashOf(height - 1),
      timestamp: hex(timeOf(height)),
    },
    gasUsed: hex(GAS * BigInt(transactions.length)),
    logsBloom: hasLogs ? SOME_BLOOM : NO_BLOOM,
    transactions: isFull ? told : told.map(({ hash }) => hash),
    ...(paid === undefined ? {} : { withdrawals: paid }),
  }
}

function receiptsOf({ contents, hashOf, transactionHash }: Placed, height: number): readonly Json[] {
  let logIndex = 0
  return (contents(height).transactions ?? []).map((one, index) => {
    const place = {
      ...{ blockHash: hashOf(height), blockNumber: hex(height) },
      ...{ transactionHash: transactionHash(height, index), transactionIndex: hex(index) },
    }
    const emitted = one.failed === true ? [] : (one.tokens ?? [])
    const logs = emitted.map(({ contract, from, to, value }) => ({
      ...{ ...place, address: contract, topics: [TRANSFER, word(from), word(to)], data: word(hex(value)) },
      ...{ logIndex: hex(logIndex++), removed: false },
    }))
    return {
      ...{ ...place, logs, status: one.failed === true ? '0x0' : '0x1', gasUsed: hex(GAS) },
      ...{ contractAddress: one.contract ?? null, logsBloom: logs.length > 0 ? SOME_BLOOM : NO_BLOOM },
    }
  })
}

const rootCall = (one: StandInTransaction): Json => ({
  ...{ type: one.to === null ? 'CREATE' : 'CALL', from: one.from, to: one.to ?? one.contract },
  value: hex(one.value ?? 0n),
  ...(one.failed === true ? { error: 'execution reverted' } : {}),
  ...((one.calls ?? []).length === 0 ? {} : { calls: one.calls!.map(gethCall) }),
})

export async function startEvmChain(options: EvmChainOptions): Promise<EvmChain> {
  let messages = 0
  const blocks = createBlocks(options, () => chain.head)
  const reply = ({ id, ...call }: RpcCall): Json => {
    const run = chain.lacks.has(call.method) ? undefined : blocks.results[call.method]
    if (run === undefined)
      return { jsonrpc: '2.0', id, error: { code: -32_601, message: 'the method does not exist' } }
    const result = chain.meddle === null ? run(call.params) : chain.meddle(call, run(call.params))
    const error = (result as { readonly error?: unknown } | null)?.error
    return error === undefined ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error }
  }
  const http = createServer((request, response) => {
    messages += 1
    if (chain.answer?.(request, response) === true) return
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as readonly RpcCall[]
      response.end(JSON.stringify(calls.map(reply)))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const chain: EvmChain = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    head: options.head,
    lacks: new Set(),
    meddle: null,
    answer: null,
    hashOf: blocks.hashOf,
    reorganise: blocks.reorganise,
    count: () => messages,
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return chain
}

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

const gethCall = ({ type, from, to, value, error, calls = [] }: StandInCall): Json => ({
  ...{ type, from, to, input: '0x', gas: '0x0', gasUsed: '0x0' },
  ...(type === 'STATICCALL' ? {} : { value: hex(value ?? 0n) }),
  ...(error === undefined ? {} : { error }),
  ...(calls.length === 0 ? {} : { calls: calls.map(gethCall) }),
})

function parityCalls(call: Json, traceAddress: readonly number[]): Json[] {
  const {
    type,
    from,
    to,
    value,
    error,
    calls = [],
  } = call as { type: string; from: string; to: string; value?: string; error?: string; calls?: Json[] }
  const common = {
    traceAddress,
    subtraces: calls.length,
    ...(error === undefined ? { result: { gasUsed: '0x0' } as Json } : { error: 'Reverted' }),
  }
  const own = type.startsWith('CREATE')
    ? {
        ...common,
        type: 'create',
        action: { from, value, init: '0x' },
        ...(error === undefined ? { result: { address: to } } : {}),
      }
    : type === 'SELFDESTRUCT'
      ? { ...common, type: 'suicide', action: { address: from, refundAddress: to, balance: value } }
      : {
          ...common,
          type: 'call',
          action: { callType: type.toLowerCase(), from, to, value: value ?? '0x0', input: '0x' },
        }
  return [own, ...calls.flatMap((one, index) => parityCalls(one, [...traceAddress, index]))]
}
