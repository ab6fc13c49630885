/** A ledger, a stand-in for a node of Avalanche, which is known only by its chain id, and followers. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { declaredRanges, ledgerMigrations, listFollowers, listSegments, type Segment } from '@cupel/ledger'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { startEvmChain, type EvmChain, type StandInContents } from '@cupel/testkit'
import { follow } from '../../src/follow/index.js'
import { openNodeClient } from '../../src/follow/node-client.js'
import { type FollowOptions, type FollowDeps } from '../../src/follow/follow-options.js'
import { evmNode } from '../../src/follow/evm/evm-node.js'

export const AVAX_CHAIN_ID = 43_114
export const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
/** A token of the asset table. */
export const USDC = '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'

export const NOW = new Date('2026-11-29T12:00:00Z')
const BLOCK_S = 12
/** The newest of `head` blocks is a minute old. */
export const timeOf =
  (head: number) =>
  (height: number): number =>
    NOW.getTime() / 1_000 - 60 - (head - height) * BLOCK_S

/** In each block one payment, one token transfer and one internal call. */
export const contents = (height: number): StandInContents => ({
  transactions: [
    { from: address(1), to: address(1_000 + height), value: 10n },
    {
      from: address(2),
      to: USDC,
      tokens: [{ contract: USDC, from: address(2), to: address(3), value: BigInt(height + 1) }],
      calls: [{ type: 'CALL', from: USDC, to: address(4), value: 5n }],
    },
  ],
})

export interface Followed extends TestInstallation {
  readonly chain: EvmChain
  options(changes?: Partial<FollowOptions>): Promise<FollowOptions>
  /** Follows until the last height is imported. */
  follows(changes?: Partial<FollowOptions>, deps?: Partial<FollowDeps>): Promise<void>
  segments(): Promise<readonly Segment[]>
  /** `kind from-to` of each range that is declared. */
  ranges(): Promise<readonly string[]>
  movements(): Promise<readonly string[]>
  followers: () => ReturnType<typeof listFollowers>
}

export async function startFollowed(
  given: { readonly head?: number; readonly contents?: (height: number) => StandInContents } = {},
): Promise<Followed> {
  const head = given.head ?? 40
  const base = await openTestInstallation({ migrations: [ledgerMigrations], statementTimeoutMs: 0 })
  const { database } = base
  const chain = await startEvmChain({
    ...{ chainId: AVAX_CHAIN_ID, head, contents: given.contents ?? contents, timeOf: timeOf(head) },
  })
  base.onClose(() => chain.close())
  const folder = join(base.folder, 'files')
  await mkdir(folder, { recursive: true })
  const never = new AbortController().signal
  const options = async (changes: Partial<FollowOptions> = {}): Promise<FollowOptions> => {
    const client = openNodeClient({
      url: new URL(chain.url),
      inFlight: 2,
      signal: never,
      retryMs: 1,
      timeoutMs: 2_000,
    })
    base.onClose(() => client.close())
    return {
      node: changes.node ?? (await evmNode({ chain: 'AVAX', client })),
      ...{ folder, keepsFiles: false, importedBy: 'operator:test', confirmations: 5, segmentBlocks: 10 },
      ...{ everyS: 0, batchBlocks: 3, inFlight: 2, maxHeadAgeS: 7_200, pollMs: 5, retryMs: 5 },
      ...changes,
    }
  }
  const ledgerSeq = async (): Promise<number> =>
    Math.max(0, ...(await listSegments(database)).map((one) => one.ledgerSeq ?? 0))
  return {
    ...{ ...base, chain, options },
    follows: async (changes = {}, deps = {}) =>
      follow(await options({ to: 35, ...changes }), { database, signal: never, now: () => NOW, ...deps }),
    segments: async () => (await listSegments(database)).filter((one) => one.ledgerSeq !== null),
    ranges: async () =>
      (await declaredRanges(database, { chain: 'AVAX', ledgerSeq: await ledgerSeq() })).map(
        ({ kind, fromHeight, toHeight }) => `${kind} ${fromHeight}-${toHeight}`,
      ),
    async movements() {
      const rows = await database.query<{ told: string }>(
        `SELECT concat_ws(' ', kind, block_number, sender.address, receiver.address, amount,
           CASE WHEN failed_segment_id IS NOT NULL THEN 'failed' WHEN proven_segment_id IS NOT NULL THEN 'proven' ELSE 'unknown' END) AS told
         FROM ledger.transfer JOIN ledger.segment USING (segment_id)
         JOIN ledger.address sender ON sender.address_id = from_id JOIN ledger.address receiver ON receiver.address_id = to_id
         WHERE ledger_seq IS NOT NULL AND retired_segment_id IS NULL ORDER BY 1`,
      )
      return rows.map(({ told }) => told)
    },
    followers: () => listFollowers(database),
  }
}
