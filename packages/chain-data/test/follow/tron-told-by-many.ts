/** Drawn worlds of TRON, and the same movements as a full node, a file of Cupel's own layout and TronGrid tell them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openHistorySource } from '../../src/histories/open-history-source.js'
import { ProviderError } from '../../src/provider-error.js'
import type { ProviderHttp } from '../../src/provider-http.js'
import { parseAddress } from '@cupel/domain'
import { importLedger, type LedgerImportRequest } from '@cupel/ledger'
import type { StandInContract, TronNodeChain } from '@cupel/testkit'
import { renderAnswer, tronGridStandIn, type TronMovement } from '@cupel/testkit/providers'
import { NOW } from './followed.js'
import { atMs, HEAD, hex, NOTE, type FollowedTron } from './tron-followed.js'

/** Those up to which a provider of the chain is asked. */
export const LAST_TOLD = 20
const MS_PER_S = 1_000

export const base58 = (address: string): string => {
  const parsed = parseAddress(address, 'TRX')
  if (!parsed.ok) throw new Error(address)
  return parsed.canonical
}
/** A token of the asset table. */
const TOKEN = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const hexOf = (address: string): string => {
  const parsed = parseAddress(address, 'TRX')
  if (!parsed.ok) throw new Error(address)
  return parsed.lookupKey!.replace('evm:0x', '41')
}
/** In base58; the first block allocates nothing to them, which no provider tells. */
export const PEOPLE = [5, 6, 7, 8].map((one) => base58(hex(one)))
export const CONTRACTS = [0x91, 0x92].map((one) => base58(hex(one)))
/** Whose history TronGrid tells. */
export const WALLET = PEOPLE[0]!

interface Payment {
  readonly from: string
  readonly to: string
  readonly value: number
}
export interface TronTransaction extends Payment {
  readonly failed: boolean
  readonly calls: readonly (Payment & { readonly rejected: boolean })[]
  readonly tokens: readonly Payment[]
}
/** Blocks from height 1 on. */
export type TronWorld = readonly (readonly TronTransaction[])[]

interface Placed {
  readonly transaction: TronTransaction
  readonly height: number
  readonly index: number
  readonly hash: string
  /** Number of the first log in the block. */
  readonly firstLog: number
}

const placed = (world: TronWorld, chain: TronNodeChain): readonly Placed[] =>
  world.flatMap((transactions, below) => {
    let logs = 0
    return transactions.map((transaction, index): Placed => {
      const firstLog = logs
      logs += transaction.tokens.length
      const height = below + 1
      return { ...{ transaction, index, firstLog, height }, hash: chain.idOf(height, index) }
    })
  })

/** Everything that the world moves between two addresses. */
export const movedIn = (world: TronWorld): readonly string[] =>
  world
    .flat()
    .flatMap(({ from, to, value, failed, calls, tokens }) =>
      failed
        ? []
        : [
            { asset: 'TRX', from, to, value },
            ...calls.filter(({ rejected }) => !rejected).map((one) => ({ ...one, asset: 'TRX' })),
            ...tokens.map((one) => ({ ...one, asset: 'USDT' })),
          ],
    )
    .filter(({ from, to, value }) => value > 0 && from !== to)
    .map(({ asset, from, to, value }) => `${asset} ${from} ${to} ${value}`)
    .toSorted()

/** The blocks of the node. */
export const contentsOf =
  (world: TronWorld) =>
  (height: number): readonly StandInContract[] =>
    (world[height - 1] ?? []).map(contractOf)

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const word = (address: string): string => hexOf(address).slice(2).padStart(64, '0')

function contractOf({ from, to, value, failed, calls, tokens }: TronTransaction): StandInContract {
  const owner = { owner_address: hexOf(from) }
  const result = failed ? { result: 'REVERT' } : {}
  if (!CONTRACTS.includes(to))
    return { type: 'TransferContract', value: { ...owner, to_address: hexOf(to), amount: value }, ...result }
  const call = (one: Payment, rejected: boolean) => ({
    ...{ hash: '11'.repeat(32), caller_address: hexOf(one.from), transferTo_address: hexOf(one.to) },
    ...{ note: NOTE.call, callValueInfo: [one.value === 0 ? {} : { callValue: one.value }] },
    ...(rejected || failed ? { rejected: true } : {}),
  })
  return {
    type: 'TriggerSmartContract',
    value: { ...owner, contract_address: hexOf(to), call_value: value, data: 'a9059cbb' },
    logs: tokens.map((one) => ({
      address: hexOf(TOKEN).slice(2),
      topics: [TRANSFER, word(one.from), word(one.to)],
      data: one.value.toString(16).padStart(64, '0'),
    })),
    internals: [
      // A contract calls the token, without coins.
      ...tokens.map(() => call({ from: to, to: TOKEN, value: 0 }, false)),
      ...calls.map((one) => call(one, one.rejected)),
    ],
    ...result,
  }
}

export interface Telling {
  readonly file: string
  readonly request: Omit<LedgerImportRequest, 'file' | 'importedBy'>
}

let written = 0
async function fileWith({ folder }: FollowedTron, text: string): Promise<string> {
  const file = join(folder, `told-${(written += 1)}.txt`)
  await writeFile(file, text)
  return file
}

const COLUMNS =
  'chain block_number block_time tx_hash transaction_index log_index kind asset asset_address from_address to_address amount_raw amount status'.split(
    ' ',
  )

/** Cupel's own layout. Some files tell the place of a call and of a log, and others none. */
export async function fromFile(
  followed: FollowedTron,
  all: { readonly world: TronWorld; readonly chain: TronNodeChain },
  tellsPlaces: boolean,
): Promise<Telling> {
  const rows = placed(all.world, all.chain).flatMap((one) => {
    const { transaction, height, index, hash, firstLog } = one
    const { failed, calls, tokens } = transaction
    const row = (
      kind: string,
      paid: Payment,
      hasFailed: boolean,
      more: Readonly<Record<string, string>>,
    ) => ({
      ...{ chain: 'TRX', block_number: height, block_time: atMs(height) / MS_PER_S, tx_hash: hash, kind },
      ...{ from_address: paid.from, to_address: paid.to, amount_raw: paid.value, status: hasFailed ? 0 : 1 },
      ...(tellsPlaces ? { transaction_index: index } : {}),
      ...more,
    })
    const place = (number: number): Readonly<Record<string, string>> =>
      tellsPlaces ? { log_index: String(number) } : {}
    return [
      row('native', transaction, failed, {}),
      ...calls.map((call, number) =>
        row('internal', call, failed || call.rejected, place(tokens.length + number)),
      ),
      ...(failed ? [] : tokens).map((token, number) =>
        row('trc20', token, false, { ...place(firstLog + number), asset_address: TOKEN }),
      ),
    ]
  })
  const text = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => String(Reflect.get(row, name) ?? '')))]
  return {
    file: await fileWith(followed, text.map((cells) => `${cells.join()}\n`).join('')),
    request: { format: 'csv', chain: 'TRX' },
  }
}

/** What TronGrid tells of the wallet. */
export async function fromTronGrid(
  followed: FollowedTron,
  { world, chain }: { readonly world: TronWorld; readonly chain: TronNodeChain },
  { hasCalls }: { readonly hasCalls: boolean },
): Promise<Telling> {
  const movements = placed(world, chain).flatMap(({ transaction, height, hash }): readonly TronMovement[] => {
    const { from, to, value, failed, calls, tokens } = transaction
    const result = failed ? 'REVERT' : 'SUCCESS'
    const type = CONTRACTS.includes(to) ? 'TriggerSmartContract' : 'TransferContract'
    return [
      { list: 'transaction', height, hash, from, to, value, type, result },
      ...calls.map((call): TronMovement => ({
        ...{ list: 'call', height, hash, from: call.from, to: call.to, value: call.value },
        result: failed || call.rejected ? 'REVERT' : 'SUCCESS',
      })),
      ...(failed ? [] : tokens).map((token): TronMovement => ({
        ...{ list: 'trc20', height, hash, from: token.from, to: token.to, value: token.value, token: TOKEN },
      })),
    ]
  })
  const standIn = tronGridStandIn(
    { movements, newest: HEAD, newestAtMs: atMs(HEAD), branch: 1 },
    { hexOf, hasCalls },
  )
  const source = openHistorySource(
    { name: 'trongrid', kind: 'trongrid', chain: 'TRX', multichain: false },
    () => NOW.getTime(),
  )!
  const ask = (
    method: string,
    path: string,
    query: Readonly<Record<string, string>>,
    body: unknown,
  ): unknown => {
    const url = new URL(`http://provider${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const answer = standIn({ method, url, body })
    if (answer.status >= 400) throw new ProviderError('refused', String(answer.status))
    return JSON.parse(renderAnswer(answer.body)) as unknown
  }
  const http = {
    getJson: (path: string, query: Readonly<Record<string, string>> = {}) =>
      Promise.resolve(ask('GET', path, query, undefined)),
    postJson: (path: string, body: unknown) => Promise.resolve(ask('POST', path, {}, body)),
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
        ...{ format: source.format, chain: 'TRX', covers: kinds, completeFrom: 0, completeTo: head.height },
        history: {
          ...{ address: WALLET, provider: 'trongrid', height: head.height, hash: head.hash ?? '' },
          ...{ atS: head.atS, incomplete },
        },
      },
    }
  }
}

export async function tell({ database }: FollowedTron, { file, request }: Telling): Promise<void> {
  const result = await importLedger(
    { file, importedBy: 'operator:test', ...request },
    { database, now: () => NOW },
  )
  if (result.status === 'refused') throw new Error(result.message)
}
