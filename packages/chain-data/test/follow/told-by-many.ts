/** Drawn worlds of an EVM chain, and the same movements as a node, files of an ETL tool and an explorer tell them. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { landmarks } from '../../src/chain-identity.js'
import { openHistorySource } from '../../src/histories/open-history-source.js'
import { ProviderError } from '../../src/provider-error.js'
import type { ProviderHttp } from '../../src/provider-http.js'
import { importLedger, type LedgerImportRequest } from '@cupel/ledger'
import {
  etherscanStandIn,
  renderAnswer,
  type EvmChain as ExploredChain,
  type EvmMovement,
} from '@cupel/testkit/providers'
import type { StandInCall, StandInContents, StandInTransaction } from '@cupel/testkit'
import { address, NOW, timeOf, type Followed } from './followed.js'

/** A token of the asset table. */
export const TOKEN = '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'
/** A chain that explorers are known by. */
export const CHAIN_ID = '0x38'
export const HEAD = 100
export const LAST = 20
export const PEOPLE = [1, 2, 3, 4].map(address)
export const CONTRACTS = [0x11, 0x12].map(address)
/** Whose history the explorer tells. */
export const WALLET = PEOPLE[0]!
export const THIEF = PEOPLE[3]!

/** Blocks from height 1 on. */
export type World = readonly (readonly StandInTransaction[])[]

export const contentsOf =
  (world: World) =>
  (height: number): StandInContents => ({ transactions: world[height - 1] ?? [] })

interface Moved {
  readonly asset: 'BNB' | 'USDC'
  readonly from: string
  readonly to: string
  readonly value: bigint
}

interface CallPlace {
  readonly call: StandInCall
  readonly place: readonly number[]
  /** It or a call around it failed, or its transaction did. */
  readonly hasFailed: boolean
}

function callsOf(
  calls: readonly StandInCall[],
  place: readonly number[],
  isWithinFailed: boolean,
): readonly CallPlace[] {
  return calls.flatMap((call, index) => {
    const hasFailed = isWithinFailed || call.error !== undefined
    const own = [...place, index]
    return [{ call, place: own, hasFailed }, ...callsOf(call.calls ?? [], own, hasFailed)]
  })
}

interface Placed {
  readonly transaction: StandInTransaction
  readonly height: number
  readonly index: number
  readonly hash: string
  readonly calls: readonly CallPlace[]
  /** Number of the first log in the block. */
  readonly firstLog: number
}

const hashOf = (height: number, index: number): string =>
  `0x${createHash('sha256').update(`transaction ${height} ${index} `).digest('hex')}`

const placed = (world: World): readonly Placed[] =>
  world.flatMap((transactions, below) => {
    let logs = 0
    return transactions.map((transaction, index): Placed => {
      const firstLog = logs
      logs += transaction.tokens?.length ?? 0
      return {
        ...{ transaction, index, firstLog, height: below + 1, hash: hashOf(below + 1, index) },
        calls: callsOf(transaction.calls ?? [], [], transaction.failed === true),
      }
    })
  })

/** Everything that the world moves between two addresses. */
export const movedIn = (world: World): readonly Moved[] =>
  placed(world)
    .flatMap(({ transaction, calls }): readonly Moved[] => [
      ...(transaction.failed === true
        ? []
        : [
            {
              asset: 'BNB' as const,
              from: transaction.from,
              to: transaction.to!,
              value: transaction.value ?? 0n,
            },
          ]),
      ...calls
        .filter(({ hasFailed }) => !hasFailed)
        .map(({ call }) => ({ asset: 'BNB' as const, ...call, value: call.value ?? 0n })),
      ...(transaction.tokens ?? []).map((token) => ({ asset: 'USDC' as const, ...token })),
    ])
    .filter(({ from, to, value }) => value > 0n && from !== to)

type Row = Readonly<Record<string, string | number>>

function csvOf(columns: string, rows: readonly Row[]): string {
  const names = columns.split(' ')
  const quoted = (value: string | number): string =>
    String(value).includes(',') ? `"${value}"` : String(value)
  return [names, ...rows.map((row) => names.map((name) => quoted(row[name] ?? '')))]
    .map((cells) => `${cells.join()}\n`)
    .join('')
}

const blockOf = ({ height, index }: Placed): Row => ({
  ...{ block_number: height, block_timestamp: timeOf(HEAD)(height), transaction_index: index },
})

export const FILES = ['transactions', 'token_transfers', 'traces', 'traces of geth'] as const
export type FileName = (typeof FILES)[number]

/** A file of ethereum-etl. Geth's traces name no transaction by its hash. */
export function fileOf(world: World, name: FileName): string {
  const all = placed(world)
  if (name === 'transactions')
    return csvOf(
      'hash nonce block_number block_timestamp transaction_index from_address to_address value gas gas_price input receipt_status',
      all.map((one) => ({
        ...{ ...blockOf(one), hash: one.hash, nonce: 1, gas: 21_000, gas_price: 1, input: '0x' },
        ...{ from_address: one.transaction.from, to_address: one.transaction.to! },
        ...{
          value: String(one.transaction.value ?? 0n),
          receipt_status: one.transaction.failed === true ? 0 : 1,
        },
      })),
    )
  if (name === 'token_transfers')
    return csvOf(
      'token_address from_address to_address value transaction_hash log_index block_number block_timestamp',
      all.flatMap((one) =>
        (one.transaction.tokens ?? []).map((token, number) => ({
          ...{ ...blockOf(one), token_address: token.contract, transaction_hash: one.hash },
          ...{ from_address: token.from, to_address: token.to, value: String(token.value) },
          log_index: one.firstLog + number,
        })),
      ),
    )
  const isOfGeth = name === 'traces of geth'
  const root = ({ transaction }: Placed): CallPlace => ({
    call: {
      ...{ type: 'CALL', from: transaction.from, to: transaction.to!, value: transaction.value ?? 0n },
      ...(transaction.failed === true ? { error: 'reverted' } : {}),
    },
    ...{ place: [], hasFailed: transaction.failed === true },
  })
  return csvOf(
    `block_number transaction_index from_address to_address value trace_type call_type trace_address error${isOfGeth ? '' : ' transaction_hash status'}`,
    all.flatMap((one) =>
      [root(one), ...one.calls].map(({ call, place, hasFailed }) => ({
        ...{ ...blockOf(one), transaction_hash: one.hash, trace_type: 'call', call_type: 'call' },
        ...{ from_address: call.from, to_address: call.to, value: String(call.value ?? 0n) },
        ...{ trace_address: place.join(), error: call.error ?? '', status: hasFailed ? 0 : 1 },
      })),
    ),
  )
}

/** The lists of an explorer. It tells no place of a call; some tell that of a log. */
function explored(world: World, tellsLogs: boolean): ExploredChain {
  const movements = placed(world).flatMap((one): readonly EvmMovement[] => {
    const { height, hash, transaction } = one
    const failed = transaction.failed === true
    const raw = { transactionIndex: String(one.index) }
    return [
      {
        ...{ list: 'txlist' as const, height, hash, failed, raw },
        ...{ from: transaction.from, to: transaction.to!, value: String(transaction.value ?? 0n) },
      },
      ...one.calls.map(({ call, hasFailed }) => ({
        ...{ list: 'txlistinternal' as const, height, hash, failed: hasFailed },
        ...{ from: call.from, to: call.to, value: String(call.value ?? 0n) },
      })),
      ...(transaction.tokens ?? []).map((token, number) => ({
        ...{ list: 'tokentx' as const, height, hash, from: token.from, to: token.to },
        ...{ value: String(token.value), contract: token.contract },
        raw: { ...raw, ...(tellsLogs ? { logIndex: String(one.firstLog + number) } : {}) },
      })),
    ]
  })
  return {
    ...{ movements, newest: HEAD, newestAtS: timeOf(HEAD)(HEAD), secondsPerBlock: 12, branch: 1 },
    landmark: landmarks['BSC']!,
  }
}

export interface Telling {
  readonly file: string
  readonly request: Omit<LedgerImportRequest, 'file' | 'importedBy'>
}

let written = 0
async function fileWith(followed: Followed, text: string): Promise<string> {
  const file = `${followed.folder}/told-${(written += 1)}.txt`
  await writeFile(file, text)
  return file
}

/** A file without a declared range: nothing of it is complete. */
export const fromFile = async (followed: Followed, world: World, name: FileName): Promise<Telling> => ({
  file: await fileWith(followed, fileOf(world, name)),
  request: { format: 'ethereum-etl', chain: 'BSC' },
})

/** What an explorer tells of the wallet. */
export async function fromExplorer(
  followed: Followed,
  world: World,
  { tellsLogs, lacksCalls }: { readonly tellsLogs: boolean; readonly lacksCalls: boolean },
): Promise<Telling> {
  const standIn = etherscanStandIn(explored(world, tellsLogs), {
    host: 'etherscan',
    refused: lacksCalls ? ['txlistinternal'] : [],
  })
  const source = openHistorySource(
    { name: 'explorer', kind: 'etherscan', chain: 'BSC', multichain: false },
    () => NOW.getTime(),
  )!
  const http = {
    getJson(path: string, query: Readonly<Record<string, string>> = {}) {
      const url = new URL(`http://provider/api${path}`)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      const answer = standIn({ method: 'GET', url, body: undefined })
      if (answer.status >= 400) throw new ProviderError('refused', String(answer.status))
      return Promise.resolve(JSON.parse(renderAnswer(answer.body)) as unknown)
    },
  } as unknown as ProviderHttp
  const lines: string[] = []
  const pages = source.read(WALLET, { fromHeight: null, http })
  for (;;) {
    const step = await pages.next()
    if (step.done !== true) {
      lines.push(...step.value.lines.map((line) => `${JSON.stringify(line)}\n`))
      continue
    }
    const { head, kinds, incomplete } = step.value
    return {
      file: await fileWith(followed, lines.join('')),
      request: {
        ...{ format: source.format, chain: 'BSC', covers: kinds, completeFrom: 0, completeTo: head.height },
        history: {
          ...{ address: WALLET, provider: 'explorer', height: head.height, hash: head.hash ?? '' },
          ...{ atS: head.atS, incomplete },
        },
      },
    }
  }
}

export async function tell({ database }: Followed, { file, request }: Telling): Promise<void> {
  const result = await importLedger(
    { file, importedBy: 'operator:test', ...request },
    { database, now: () => NOW },
  )
  if (result.status === 'refused') throw new Error(result.message)
}
