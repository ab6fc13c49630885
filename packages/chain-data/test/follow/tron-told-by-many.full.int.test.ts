/** On TRON, too, a movement counts once, however many of a full node, files and TronGrid tell it, in whatever form and order. */
import { compiledDefaultPolicy } from '@cupel/domain'
import { currentLedger, examineAddress } from '@cupel/ledger'
import type { TronNodeChain } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NOW } from './followed.js'
import { startFollowedTron, type FollowedTron } from './tron-followed.js'
import {
  contentsOf,
  CONTRACTS,
  fromFile,
  fromTronGrid,
  LAST_TOLD,
  movedIn,
  PEOPLE,
  tell,
  WALLET,
  type TronTransaction,
  type TronWorld,
} from './tron-told-by-many.js'

const WORLDS = 12
const EVERYBODY = [...PEOPLE, ...CONTRACTS]

let world: TronWorld = []
let followed: FollowedTron
let chain: TronNodeChain
beforeAll(async () => {
  followed = await startFollowedTron()
  chain = await followed.begin((height) => contentsOf(world)(height))
}, 60_000)
afterAll(async () => await followed.close())

/** Few amounts, so that equal movements are frequent. */
const coins = fc.constantFrom(0, 5_000_000, 5_000_000, 7_000_000)
const somebody = fc.constantFrom(...EVERYBODY)
const drawnTransaction: fc.Arbitrary<TronTransaction> = fc
  .record({
    from: fc.constantFrom(...PEOPLE),
    to: somebody,
    value: coins,
    failed: fc.constantFrom(false, false, false, true),
    calls: fc.array(
      fc.record({
        from: fc.constantFrom(...CONTRACTS),
        to: somebody,
        value: coins,
        rejected: fc.constantFrom(false, false, true),
      }),
      { maxLength: 3 },
    ),
    tokens: fc.array(fc.record({ from: somebody, to: somebody, value: fc.constantFrom(100, 100, 300) }), {
      maxLength: 3,
    }),
  })
  // Nobody pays itself there, and a transaction to somebody without code calls nothing.
  .filter(({ from, to }) => from !== to)
  .map((one) => ({
    ...one,
    ...(CONTRACTS.includes(one.to) ? {} : { calls: [], tokens: [], value: Math.max(1_000_000, one.value) }),
  }))
const drawnWorld: fc.Arbitrary<TronWorld> = fc.array(fc.array(drawnTransaction, { maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
})

const drawnTelling = fc.record({
  lacking: fc.constantFrom('none', 'node', 'provider'),
  tellsPlaces: fc.boolean(),
  order: fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
})
type DrawnTelling = typeof drawnTelling extends fc.Arbitrary<infer T> ? T : never

async function followedBy(keepsInternals: boolean): Promise<void> {
  await followed.follows({
    node: await followed.node(keepsInternals),
    ...{ from: 0, to: LAST_TOLD, segmentBlocks: LAST_TOLD + 1 },
  })
}

/** The tellings of all sources; the one that lacks something tells no calls. */
const tellings = ({ lacking, tellsPlaces }: DrawnTelling): readonly (() => Promise<void>)[] => [
  () => followedBy(lacking !== 'node'),
  async () => await tell(followed, await fromFile(followed, { world, chain }, tellsPlaces)),
  async () =>
    await tell(
      followed,
      await fromTronGrid(followed, { world, chain }, { hasCalls: lacking !== 'provider' }),
    ),
]

async function forget(): Promise<void> {
  await followed.database.execute(
    `TRUNCATE ledger.segment, ledger.transfer, ledger.address, ledger.contract, ledger.transaction_place, ledger.block,
       ledger.unreadable_row, ledger.unknown_token, ledger.follower`,
  )
}

/** The rows that count, one for each movement of the world, without what the first block allocates. */
async function counted(): Promise<readonly string[]> {
  const rows = await followed.database.query<{ told: string }>(
    `SELECT concat_ws(' ', CASE WHEN contract_id IS NULL THEN 'TRX' ELSE 'USDT' END, sender.address, receiver.address, amount) AS told
     FROM ledger.transfer JOIN ledger.segment USING (segment_id)
     JOIN ledger.address sender ON sender.address_id = from_id JOIN ledger.address receiver ON receiver.address_id = to_id
     WHERE ledger_seq IS NOT NULL AND retired_segment_id IS NULL AND amount > 0 AND sender.address <> 'issuance'
       AND (failed_segment_id IS NULL OR kind = 'n' AND proven_segment_id IS NOT NULL)`,
  )
  return rows.map(({ told }) => told).toSorted()
}

async function examined(address: string) {
  const { ledgerSeq } = await currentLedger(followed.database)
  const { breakdown, historyComplete } = await examineAddress(followed.database, {
    ...{ chain: 'TRX', address, ledgerSeq, policy: compiledDefaultPolicy, labelSets: [] },
    generatedAt: new Date(NOW.getTime() + 60_000).toISOString(),
    labelsOf: () => Promise.resolve(new Map()),
  })
  return {
    historyComplete,
    totals: breakdown.map(({ direction, total }) => `${direction} ${total}`).toSorted(),
  }
}

async function everybody() {
  const all: Awaited<ReturnType<typeof examined>>[] = []
  for (const one of EVERYBODY) all.push(await examined(one))
  return all
}
const totalsOf = (all: Awaited<ReturnType<typeof everybody>>) => all.map(({ totals }) => totals)

test(
  'what a follower, a file and TronGrid tell of one chain is the world told once',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(drawnWorld, drawnTelling, async (drawn, telling) => {
        world = drawn
        await forget()
        await followedBy(true)
        expect(await counted()).toEqual(movedIn(world))
        const once = await everybody()
        await forget()
        const told = tellings(telling)
        for (const place of telling.order) await told[place]!()
        expect(await counted()).toEqual(movedIn(world))
        expect(totalsOf(await everybody())).toEqual(totalsOf(once))
      }),
      { numRuns: WORLDS },
    )
  },
)

test(
  'the history that TronGrid tells of an address has all that the node tells of it',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(drawnWorld, async (drawn) => {
        world = drawn
        await forget()
        await tell(followed, await fromTronGrid(followed, { world, chain }, { hasCalls: true }))
        const ofWallet = movedIn(world).filter((one) => one.includes(WALLET))
        expect(await counted()).toEqual(ofWallet)
      }),
      { numRuns: WORLDS },
    )
  },
)

test('of a part of what they tell only what is whole is called whole', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      drawnWorld,
      drawnTelling,
      fc.subarray([0, 1, 2], { minLength: 1, maxLength: 2 }),
      async (drawn, telling, part) => {
        world = drawn
        await forget()
        await followedBy(true)
        const once = await everybody()
        await forget()
        const told = tellings(telling)
        for (const place of telling.order.filter((one) => part.includes(one))) await told[place]!()
        for (const [index, found] of (await everybody()).entries())
          if (found.historyComplete) expect(found.totals).toEqual(once[index]!.totals)
      },
    ),
    { numRuns: WORLDS },
  )
})
