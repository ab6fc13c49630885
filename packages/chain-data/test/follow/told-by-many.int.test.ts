/** However many sources tell a movement, and in whatever form and order, it counts once. */
import { compiledDefaultPolicy, type LabelFacts } from '@cupel/domain'
import { currentLedger, examineAddress } from '@cupel/ledger'
import type { StandInCall, StandInTransaction } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openNodeClient } from '../../src/follow/node-client.js'
import { evmNode } from '../../src/follow/evm/evm-node.js'
import { NOW, startFollowed, type Followed } from './followed.js'
import {
  CHAIN_ID,
  contentsOf,
  CONTRACTS,
  fromExplorer,
  fromFile,
  HEAD,
  LAST,
  movedIn,
  PEOPLE,
  tell,
  THIEF,
  TOKEN,
  type FileName,
  type World,
} from './told-by-many.js'

const WORLDS = 12
const EVERYBODY = [...PEOPLE, ...CONTRACTS]

let world: World = []
let followed: Followed
beforeAll(async () => {
  followed = await startFollowed({ head: HEAD, contents: (height) => contentsOf(world)(height) })
  followed.chain.meddle = ({ method }, result) => (method === 'eth_chainId' ? CHAIN_ID : result)
}, 60_000)
afterAll(async () => await followed.close())

/** Few amounts, so that equal movements are frequent. */
const coins = fc.constantFrom(0n, 5n, 5n, 7n).map((one) => one * 10n ** 18n)
const somebody = fc.constantFrom(...EVERYBODY)
const drawnCall: fc.Arbitrary<StandInCall> = fc.letrec<{ call: StandInCall }>((tie) => ({
  call: fc.record(
    {
      type: fc.constant('CALL' as const),
      from: fc.constantFrom(...CONTRACTS),
      to: somebody,
      value: coins,
      error: fc.constant('execution reverted'),
      calls: fc.array(tie('call'), { maxLength: 2 }),
    },
    { requiredKeys: ['type', 'from', 'to', 'value'] },
  ),
})).call

const drawnTransaction: fc.Arbitrary<StandInTransaction> = fc
  .record({
    from: fc.constantFrom(...PEOPLE),
    to: somebody,
    value: coins,
    failed: fc.constantFrom(false, false, false, true),
    calls: fc.array(drawnCall, { maxLength: 3 }),
    tokens: fc.array(
      fc.record({
        contract: fc.constant(TOKEN),
        from: somebody,
        to: somebody,
        value: fc.constantFrom(100n, 100n, 300n).map((one) => one * 10n ** 18n),
      }),
      { maxLength: 3 },
    ),
  })
  // A transaction to somebody without code calls nothing, and one that failed has no logs.
  .map(({ calls, tokens, ...one }) => ({
    ...one,
    calls: CONTRACTS.includes(one.to) ? calls : [],
    tokens: CONTRACTS.includes(one.to) && !one.failed ? tokens : [],
  }))
const drawnWorld: fc.Arbitrary<World> = fc.array(fc.array(drawnTransaction, { maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
})

const SOURCES = ['node', 'files', 'explorer'] as const
type Source = (typeof SOURCES)[number]
const drawnTelling = fc.record({
  lacking: fc.constantFrom<Source | 'none'>('none', ...SOURCES),
  isOfGeth: fc.boolean(),
  tellsLogs: fc.boolean(),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
})
type DrawnTelling = typeof drawnTelling extends fc.Arbitrary<infer T> ? T : never

async function followedBy(traces: boolean): Promise<void> {
  const client = openNodeClient({
    ...{ url: new URL(followed.chain.url), inFlight: 2, signal: new AbortController().signal },
    ...{ retryMs: 1, timeoutMs: 5_000 },
  })
  try {
    const node = await evmNode({
      chain: 'BSC',
      client,
      landmark: null,
      ...(traces ? {} : { traces: 'none' }),
    })
    await followed.follows({ node, from: 0, to: LAST, segmentBlocks: LAST + 1 })
  } finally {
    await client.close()
  }
}

/** The tellings of all sources; the one that lacks something tells no calls. */
function tellings({ lacking, isOfGeth, tellsLogs }: DrawnTelling): readonly (() => Promise<void>)[] {
  const file = (name: FileName) => async () => await tell(followed, await fromFile(followed, world, name))
  return [
    () => followedBy(lacking !== 'node'),
    file('transactions'),
    file('token_transfers'),
    lacking === 'files' ? () => Promise.resolve() : file(isOfGeth ? 'traces of geth' : 'traces'),
    async () =>
      await tell(
        followed,
        await fromExplorer(followed, world, { tellsLogs, lacksCalls: lacking === 'explorer' }),
      ),
  ]
}

async function forget(): Promise<void> {
  await followed.database.execute(
    `TRUNCATE ledger.segment, ledger.transfer, ledger.address, ledger.contract, ledger.transaction_place, ledger.block,
       ledger.unreadable_row, ledger.unknown_token, ledger.follower`,
  )
}

const stolen: LabelFacts = {
  ...{ labelId: 'thief', source: 'list', dataset: 'list', chain: 'BSC', address: THIEF, category: 'stolen' },
  ...{ subcategory: '', role: 'owner', entity: 'Thief', origin: 'list', kind: 'forensic' },
  ...{ confidencePpm: 900_000, sourceUrl: '', observedAt: null, validFrom: null, validTo: null },
  ...{ sanction: null, knownFrom: NOW.toISOString(), knownTo: null },
}

async function examined(address: string) {
  const { ledgerSeq } = await currentLedger(followed.database)
  const { breakdown, measures, historyComplete } = await examineAddress(followed.database, {
    ...{ chain: 'BSC', address, ledgerSeq, policy: compiledDefaultPolicy, labelSets: [] },
    generatedAt: new Date(NOW.getTime() + 60_000).toISOString(),
    labelsOf: async (keys) => new Map(keys.includes(THIEF) ? [[THIEF, [stolen]]] : []),
  })
  return {
    historyComplete,
    totals: breakdown.map(({ direction, total }) => `${direction} ${total}`).toSorted(),
    measures: measures
      .map((one) => `${one.category} ${one.relation} ${one.direction} ${one.asset} ${one.amount}`)
      .toSorted(),
  }
}
type Examined = Awaited<ReturnType<typeof examined>>

const everybody = async (): Promise<readonly Examined[]> => {
  const all: Examined[] = []
  for (const one of EVERYBODY) all.push(await examined(one))
  return all
}
const moneyOf = (all: readonly Examined[]) => all.map(({ totals, measures }) => ({ totals, measures }))

/** The rows that count, one for each movement of the world. */
const counted = async (): Promise<readonly string[]> => {
  const rows = await followed.database.query<{ told: string }>(
    `SELECT concat_ws(' ', CASE WHEN contract_id IS NULL THEN 'BNB' ELSE 'USDC' END, sender.address, receiver.address, amount) AS told
     FROM ledger.transfer JOIN ledger.segment USING (segment_id)
     JOIN ledger.address sender ON sender.address_id = from_id JOIN ledger.address receiver ON receiver.address_id = to_id
     WHERE ledger_seq IS NOT NULL AND retired_segment_id IS NULL AND amount > 0
       AND (failed_segment_id IS NULL OR kind = 'n' AND proven_segment_id IS NOT NULL)`,
  )
  return rows.map(({ told }) => told).toSorted()
}

test(
  'what a follower, files and an explorer tell of one chain is the world told once',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(drawnWorld, drawnTelling, async (drawn, telling) => {
        world = drawn
        await forget()
        await followedBy(true)
        const once = await everybody()
        await forget()
        const told = tellings(telling)
        for (const place of telling.order) await told[place]!()
        const expected = movedIn(world).map(({ asset, from, to, value }) => `${asset} ${from} ${to} ${value}`)
        expect(await counted()).toEqual(expected.toSorted())
        expect(moneyOf(await everybody())).toEqual(moneyOf(once))
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
      fc.subarray([0, 1, 2, 3, 4], { minLength: 1, maxLength: 3 }),
      async (drawn, telling, part) => {
        world = drawn
        await forget()
        await followedBy(true)
        const once = await everybody()
        await forget()
        const told = tellings(telling)
        for (const place of telling.order.filter((one) => part.includes(one))) await told[place]!()
        for (const [index, found] of (await everybody()).entries())
          if (found.historyComplete) expect(moneyOf([found])).toEqual(moneyOf([once[index]!]))
      },
    ),
    { numRuns: WORLDS },
  )
})
