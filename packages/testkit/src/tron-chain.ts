/** A stand-in for a full node of TRON. It answers as java-tron does, from transactions that a test describes. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = Record<string, unknown>

export interface StandInContract {
  /** Such as `TransferContract`. */
  readonly type: string
  readonly value: Json
  /** Word of its outcome; null for a block that tells none. */
  readonly result?: string | null
  readonly logs?: readonly {
    readonly address: string
    readonly topics: readonly string[]
    readonly data?: string
  }[]
  readonly internals?: readonly Json[]
  /** Further members of what the node kept of the execution. */
  readonly kept?: Json
}

/** Changes an answer. */
export type TronMeddle = (path: string, body: Json, answer: unknown) => unknown

export interface TronNodeChain {
  readonly url: string
  /** Height of the newest block. */
  head: number
  /** Whether the node kept internal transactions. */
  keepsInternals: boolean
  meddle: TronMeddle | null
  hashOf(height: number): string
  idOf(height: number, index: number): string
  /** All blocks from the height on are others. */
  reorganise(from: number): void
  close(): Promise<void>
}

export interface TronNodeChainOptions {
  readonly head: number
  readonly contents: (height: number) => readonly StandInContract[]
  /** Milliseconds since 1970 of a block. */
  readonly atMs: (height: number) => number
  /** Answers of `getexchangebyid`. */
  readonly exchanges?: readonly Json[]
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

interface Blocks {
  readonly hashOf: (height: number) => string
  readonly idOf: (height: number, index: number) => string
  readonly blockOf: (height: number) => Json
  readonly outcomesOf: (height: number) => readonly Json[]
  reorganise(from: number): void
}

function createBlocks(
  { contents, atMs }: TronNodeChainOptions,
  told: Pick<TronNodeChain, 'keepsInternals'>,
): Blocks {
  const forks: { readonly from: number; readonly name: string }[] = []
  const forkOf = (height: number): string => forks.findLast(({ from }) => height >= from)?.name ?? ''
  const hashOf = (height: number): string =>
    height < 0
      ? '00'.repeat(32)
      : height.toString(16).padStart(16, '0') + sha256(`block ${height} ${forkOf(height)}`).slice(16)
  const idOf = (height: number, index: number): string =>
    sha256(`transaction ${height} ${index} ${forkOf(height)}`)
  return {
    ...{ hashOf, idOf },
    reorganise: (from) => void forks.push({ from, name: `fork ${forks.length + 1}` }),
    blockOf(height) {
      const transactions = contents(height).map((one, index) => ({
        ...(height === 0
          ? {}
          : { ret: [one.result === null ? {} : { contractRet: one.result ?? 'SUCCESS' }] }),
        ...transactionOf(one, idOf(height, index)),
      }))
      const place = height === 0 ? {} : { number: height, timestamp: atMs(height) }
      const rest = { txTrieRoot: sha256(`root ${height}`), parentHash: hashOf(height - 1), version: 30 }
      return {
        blockID: hashOf(height),
        block_header: {
          raw_data: { ...place, ...rest, witness_address: `41${'77'.repeat(20)}` },
          witness_signature: '00'.repeat(65),
        },
        ...(transactions.length === 0 ? {} : { transactions }),
      }
    },
    outcomesOf: (height) =>
      (height === 0 ? [] : contents(height)).map((one, index) => ({
        ...{ id: idOf(height, index), blockNumber: height, blockTimeStamp: atMs(height) },
        ...outcomeOf(one, told.keepsInternals),
      })),
  }
}

const transactionOf = ({ type, value }: StandInContract, txID: string): Json => ({
  signature: ['00'.repeat(65)],
  txID,
  raw_data: {
    contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
    ref_block_bytes: '0000',
    ref_block_hash: '0000000000000000',
  },
  raw_data_hex: '0a02',
})

function outcomeOf(
  { result = 'SUCCESS', logs = [], internals = [], kept = {} }: StandInContract,
  keepsInternals: boolean,
): Json {
  const hasFailed = result !== null && result !== 'SUCCESS'
  return {
    ...{ fee: 345_000, contractResult: [''] },
    receipt: { net_usage: 345, ...(result === null ? {} : { result }) },
    ...(hasFailed ? { result: 'FAILED', resMessage: '524556455254' } : {}),
    ...(logs.length === 0 || hasFailed ? {} : { log: logs }),
    ...(internals.length === 0 || !keepsInternals ? {} : { internal_transactions: internals }),
    ...kept,
  }
}

type Answers = Readonly<Record<string, (body: Json) => unknown>>

const answersOf = (
  { blockOf, outcomesOf }: Blocks,
  exchanges: readonly Json[],
  newest: () => number,
): Answers => ({
  '/wallet/getnowblock': () => blockOf(newest()),
  '/wallet/getblockbynum': ({ num }) => ((num as number) > newest() ? {} : blockOf(num as number)),
  '/wallet/getblockbylimitnext': ({ startNum, endNum }) => ({
    block: Array.from(
      { length: (endNum as number) - (startNum as number) },
      (_, index) => (startNum as number) + index,
    )
      .filter((height) => height <= newest())
      .map(blockOf),
  }),
  '/wallet/gettransactioninfobyblocknum': ({ num }) => outcomesOf(num as number),
  '/wallet/getexchangebyid': ({ id }) => exchanges.find((one) => one['exchange_id'] === id) ?? {},
})

/** Amounts are numbers there, also those that a float cannot hold. */
const textOf = (told: unknown): string =>
  JSON.stringify(told, (_, value: unknown) => (typeof value === 'bigint' ? `${value}sun` : value)).replace(
    /"(-?\d+)sun"/g,
    '$1',
  )

export async function startTronChain(options: TronNodeChainOptions): Promise<TronNodeChain> {
  const told = { head: options.head, keepsInternals: true, meddle: null as TronMeddle | null }
  const blocks = createBlocks(options, told)
  const answers = answersOf(blocks, options.exchanges ?? [], () => told.head)
  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Json
      const own = answers[path]?.(body)
      if (own === undefined) return response.writeHead(404).end()
      return response.end(textOf(told.meddle === null ? own : told.meddle(path, body, own)))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return Object.assign(told, {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    ...{ hashOf: blocks.hashOf, idOf: blocks.idOf, reorganise: blocks.reorganise },
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  })
}
