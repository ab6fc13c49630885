/** A followed chain is in the ledger once, whole, and in order. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { follow } from '../../src/follow/index.js'
import { address, NOW, startFollowed, USDC, type Followed } from './followed.js'

let followed: Followed
beforeEach(async () => {
  followed = await startFollowed()
}, 60_000)
afterEach(async () => await followed.close())

test('confirmed blocks become segments in order, without gap or overlap, declared for what the node gives', async () => {
  await followed.follows()
  const segments = await followed.segments()
  expect(
    segments.map(({ completeFrom, completeTo, covers }) => [completeFrom, completeTo, covers.join()]),
  ).toEqual([
    [0, 0, 'native,token'],
    [1, 10, 'native,internal,token'],
    [11, 20, 'native,internal,token'],
    [21, 30, 'native,internal,token'],
    [31, 35, 'native,internal,token'],
  ])
  expect(segments.at(-1)!.fileName).toBe(`follow-AVAX-31-35-${followed.chain.hashOf(35)}.csv`)
  expect(await followed.ranges()).toEqual(['native 0-35', 'internal 1-35', 'token 0-35'])
  const moved = await followed.movements()
  expect(moved).toHaveLength(3 * 36)
  expect(moved).toContain(`n 7 ${address(1)} ${address(1_007)} 10 proven`)
  expect(moved).toContain(`t 7 ${address(2)} ${address(3)} 8 proven`)
  expect(moved).toContain(`i 7 ${USDC} ${address(4)} 5 proven`)
  expect(await readdir(join(followed.folder, 'files'))).toEqual([])
})

test('a follower goes on where the ledger ends, waits for confirmations, and ends by its signal', async () => {
  await followed.follows({ to: 12 })
  const ended = new AbortController()
  const following = follow(await followed.options({ keepsFiles: true }), {
    ...{ database: followed.database, signal: ended.signal, now: () => NOW },
  })
  await until(async () => expect((await followed.ranges())[0]).toBe('native 0-35'))
  followed.chain.head = 43
  await until(async () => expect((await followed.ranges())[0]).toBe('native 0-38'))
  // It tells where it is after the import.
  await until(async () =>
    expect((await followed.followers())[0]).toMatchObject({
      ...{ chain: 'AVAX', nextHeight: 39, fault: null, lagBlocks: 5 },
    }),
  )
  ended.abort()
  await following
  const starts = (await followed.segments()).map(({ completeFrom }) => completeFrom)
  expect(starts.slice(0, 4)).toEqual([0, 1, 11, 13])
  const files = await readdir(join(followed.folder, 'files'))
  expect(files).toContain(`follow-AVAX-13-22-${followed.chain.hashOf(22)}.csv`)
})

test('a gap below is filled up to the range above it, and nothing is imported twice', async () => {
  await followed.follows({ from: 18, to: 25 })
  await followed.follows({ from: 0, to: 35 })
  const ranges = (await followed.segments()).map(
    ({ completeFrom, completeTo }) => `${completeFrom}-${completeTo}`,
  )
  expect(ranges).toEqual(['18-25', '0-0', '1-10', '11-17', '26-35'])
  const before = (await followed.segments()).length
  await followed.follows({ from: 0, to: 35 })
  expect(await followed.segments()).toHaveLength(before)
})

test('of two followers one works and the other stands by', async () => {
  const notes: string[] = []
  await Promise.all([
    followed.follows({ to: 35, folder: join(followed.folder, 'one') }),
    followed.follows(
      { to: 35, folder: join(followed.folder, 'two') },
      { note: (sentence) => void notes.push(sentence) },
    ),
  ])
  expect(await followed.movements()).toHaveLength(3 * 36)
  expect(await followed.segments()).toHaveLength(5)
})

test('a node without calls is declared for native and token transfers only, and one without receipts of blocks is asked for each', async () => {
  for (const method of ['trace_block', 'debug_traceBlockByNumber', 'eth_getBlockReceipts'])
    followed.chain.lacks.add(method)
  await followed.follows()
  expect(await followed.ranges()).toEqual(['native 0-35', 'token 0-35'])
  expect(await followed.movements()).toHaveLength(2 * 36)
})

test('a reorganisation deeper than the confirmations stops the follower, and --replace imports the other blocks', async () => {
  await followed.follows({ to: 30 })
  followed.chain.reorganise(15)
  await expect(followed.follows()).rejects.toMatchObject({
    code: 'reorganised',
    message: expect.stringMatching(
      /between 11 and 30: block 30 is 0x.{64} in the ledger and 0x.{64} at the node/,
    ) as string,
  })
  const [stopped] = await followed.followers()
  expect(stopped!.fault).toContain('deeper than the confirmations')
  const hashes = (): Promise<readonly string[]> =>
    followed.database
      .query<{ hash: string }>(
        `SELECT encode(tx_hash, 'hex') AS hash FROM ledger.transfer WHERE retired_segment_id IS NULL AND block_number = 20 AND kind = 'n'`,
      )
      .then((rows) => rows.map(({ hash }) => hash))
  const [old] = await hashes()
  await followed.follows({ replaces: true })
  const now = await hashes()
  expect(now).toHaveLength(1)
  expect(now[0]).not.toBe(old)
  expect(await followed.movements()).toHaveLength(3 * 36)
  const replacing = (await followed.segments()).filter(({ replaces }) => replaces)
  expect(replacing.map(({ completeFrom, completeTo }) => `${completeFrom}-${completeTo}`)).toEqual(['11-30'])
})
