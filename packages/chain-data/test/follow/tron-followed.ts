/** A ledger, a stand-in for a full node of TRON, and followers. */
import { join } from 'node:path'
import { declaredRanges, ledgerMigrations, listSegments } from '@cupel/ledger'
import { startTronChain, type StandInContract, type TronNodeChain } from '@cupel/testkit'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { expect } from 'vitest'
import { follow } from '../../src/follow/index.js'
import { type ChainNode } from '../../src/follow/chain-node.js'
import { tronNumbers } from '../../src/follow/tron/tron-values.js'
import { tronNode } from '../../src/follow/tron/tron-node.js'
import { openNodeClient } from '../../src/follow/node-client.js'
import { type FollowOptions, type FollowDeps } from '../../src/follow/follow-options.js'
import { NOW } from './followed.js'

export const HEAD = 40
export const LAST = 35
/** The address of this number, in hex and in base58. */
export const hex = (n: number): string => `41${n.toString(16).padStart(40, '0')}`
export const ALICE = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKLxmGkn'
export const BOB = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKT76qbH'
export const CAROL = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKawPyGg'
/** Wrapped coins of the asset table, and a contract that calls them. */
const TOKEN_HEX = '41891cdb91d149f23b1a45d9c5ca78a88d0cb44c18'
const ROUTER_HEX = hex(0x99)
export const NOTE = {
  call: '63616c6c',
  reward: '7769746864726177526577617264',
  stake: '667265657a6542616c616e63655632466f72456e65726779',
}

const word = (address: string): string => address.slice(2).padStart(64, '0')
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const tokenLog = (from: string, to: string, value: bigint) => ({
  address: TOKEN_HEX.slice(2),
  topics: [TRANSFER, word(from), word(to)],
  data: value.toString(16).padStart(64, '0'),
})
export const pay = (
  from: number,
  to: number,
  amount: number | bigint,
  more: Partial<StandInContract> = {},
): StandInContract => ({
  type: 'TransferContract',
  value: { amount, owner_address: hex(from), to_address: hex(to) },
  ...more,
})
export const call = (callValue: number, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ hash: '11'.repeat(32), caller_address: ROUTER_HEX, transferTo_address: hex(3), note: NOTE.call },
  callValueInfo: [callValue === 0 ? {} : { callValue }],
  ...more,
})
/** A contract that calls the token, whose log is then of another contract. */
export const routed = (internals: readonly Record<string, unknown>[]): StandInContract => ({
  type: 'TriggerSmartContract',
  value: { owner_address: hex(1), contract_address: ROUTER_HEX, call_value: 6, data: 'a9059cbb' },
  logs: [tokenLog(hex(1), hex(2), 8n)],
  internals,
})

/** In each block one payment, one token transfer and one internal call. */
const ordinary = (): readonly StandInContract[] => [pay(1, 2, 10), routed([call(0), call(5)])]

export interface FollowedTron extends TestInstallation {
  /** Begins a chain with these contents above its first block. */
  begin(
    contents?: (height: number) => readonly StandInContract[],
    exchanges?: readonly Readonly<Record<string, unknown>>[],
  ): Promise<TronNodeChain>
  node(keepsInternals: boolean): Promise<ChainNode>
  /** Follows until the last height is imported. */
  follows(changes?: Partial<FollowOptions>, deps?: Partial<FollowDeps>): Promise<void>
  /** `from-to` of each segment. */
  segments(): Promise<readonly string[]>
  /** `kind from-to` of each range that is declared. */
  ranges(): Promise<readonly string[]>
  movements(): Promise<readonly string[]>
}

export const never = new AbortController().signal
export const atMs = (height: number): number => NOW.getTime() - 60_000 - (HEAD - height) * 3_000
const allocations = [pay(9, 1, 99_000_000_000_000_001n), pay(9, 3, -9_223_372_036_854_775_808n)]

export async function startFollowedTron(): Promise<FollowedTron> {
  const base = await openTestInstallation({ migrations: [ledgerMigrations], statementTimeoutMs: 0 })
  const { database } = base
  let chain: TronNodeChain
  const followed: FollowedTron = {
    ...base,
    async begin(contents = ordinary, exchanges = []) {
      chain = await startTronChain({
        ...{ head: HEAD, atMs, exchanges },
        contents: (height) => (height === 0 ? allocations : contents(height)),
      })
      base.onClose(() => chain.close())
      return chain
    },
    async node(keepsInternals) {
      const client = openNodeClient({
        ...{ url: new URL(chain.url), inFlight: 2, signal: never, retryMs: 1, prepare: tronNumbers },
      })
      base.onClose(() => client.close())
      return tronNode({ client, keepsInternals, landmark: { height: 0, hash: chain.hashOf(0) } })
    },
    follows: async (changes = {}, deps = {}) =>
      follow(
        {
          node: changes.node ?? (await followed.node(true)),
          ...{ folder: join(base.folder, 'files'), keepsFiles: false, importedBy: 'operator:test' },
          ...{ confirmations: 5, segmentBlocks: 10, to: LAST, everyS: 0, batchBlocks: 3, inFlight: 2 },
          ...{ maxHeadAgeS: 7_200, pollMs: 5, retryMs: 5, ...changes },
        },
        { database, signal: never, now: () => NOW, ...deps },
      ),
    segments: async () =>
      (await listSegments(database))
        .filter((one) => one.ledgerSeq !== null)
        .map((one) => `${one.completeFrom}-${one.completeTo}`),
    async ranges() {
      const ledgerSeq = Math.max(0, ...(await listSegments(database)).map((one) => one.ledgerSeq ?? 0))
      return (await declaredRanges(database, { chain: 'TRX', ledgerSeq })).map(
        ({ kind, fromHeight, toHeight }) => `${kind} ${fromHeight}-${toHeight}`,
      )
    },
    async movements() {
      const rows = await database.query<{ told: string }>(
        `SELECT concat_ws(' ', kind, block_number, coalesce(nullif(sender.address, ''), '-'), coalesce(nullif(receiver.address, ''), '-'), amount,
           CASE WHEN failed_segment_id IS NOT NULL THEN 'failed' WHEN proven_segment_id IS NOT NULL THEN 'proven' ELSE 'unknown' END) AS told
         FROM ledger.transfer JOIN ledger.segment USING (segment_id)
         JOIN ledger.address sender ON sender.address_id = from_id JOIN ledger.address receiver ON receiver.address_id = to_id
         WHERE ledger_seq IS NOT NULL AND retired_segment_id IS NULL ORDER BY 1`,
      )
      return rows.map(({ told }) => told)
    },
  }
  return followed
}

/** In each block two payments, a call and a token transfer, and what the first one allocates. */
export async function expectWhole({ movements, ranges }: FollowedTron): Promise<void> {
  expect(await movements()).toHaveLength(4 * LAST + 1)
  expect(await ranges()).toEqual([`native 0-${LAST}`, `internal 0-${LAST}`, `token 0-${LAST}`])
}
