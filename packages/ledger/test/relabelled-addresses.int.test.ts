/** Other labels touch every address that they give another answer, and paths through hubs and services touch nobody. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressesReaching } from '../src/index.js'
import { answerOf, label, labelledIn, MEMBERS, pay, policyWith, type World } from './examined-world.js'
import {
  address,
  csvOf,
  hash,
  startLedger,
  type CsvTransfer,
  type LedgerInstallation,
} from './installation.js'

let ledger: LedgerInstallation
let files = 0
beforeAll(async () => {
  ledger = await startLedger()
}, 60_000)
afterAll(async () => await ledger.close())

async function imported(transfers: readonly CsvTransfer[]): Promise<number> {
  files += 1
  await ledger.imported(await ledger.file(`${files}.csv`, csvOf(transfers)))
  const [row] = await ledger.database.query<{ seq: number }>(
    'SELECT max(ledger_seq) AS seq FROM ledger.segment',
  )
  return row!.seq
}

const worldOf = (hops: number, categories: readonly string[], members: readonly string[]): World => ({
  ...{ chain: 'ETH', policy: policyWith(hops) },
  labels: categories.flatMap((one, n) => (one === '' ? [] : [label(members[n]!, 'ETH', one)])),
})

const reaching = (world: World, addresses: readonly string[], maxAddresses?: number) =>
  addressesReaching(ledger.database, {
    ...{ chain: world.chain, policy: world.policy, addresses, labelled: labelledIn(world) },
    ...(maxAddresses === undefined ? {} : { maxAddresses }),
  })

test('an address from which no search reaches a relabelled one has the answer that it had', async () => {
  let base = 10_000
  let left = 0
  const labelled = fc.array(fc.constantFrom('', 'stolen', 'mixer', 'clean_exchange', 'scam'), {
    minLength: 5,
    maxLength: 5,
  })
  const worlds = fc.record({
    hops: fc.constantFrom(1, 2, 3),
    rows: fc.array(pay, { minLength: 8, maxLength: 30 }),
    before: labelled,
    after: labelled,
  })
  await fc.assert(
    fc.asyncProperty(worlds, async ({ hops, rows, before, after }) => {
      base += 1_000
      const members = Array.from({ length: MEMBERS }, (_, n) => address(base + n))
      const ledgerSeq = await imported(
        rows.map(({ from, to, ...of }, at) => ({
          ...of,
          ...{ from: members[from]!, to: members[to]!, hash: hash(base + at), block: base + at },
        })),
      )
      const [old, young] = [worldOf(hops, before, members), worldOf(hops, after, members)]
      const found = await reaching(
        young,
        members.filter((_, n) => (before[n] ?? '') !== (after[n] ?? '')),
      )
      if (found === 'all') throw new Error('A chain of accounts is searched')
      for (const one of members.filter((each) => !found.has(each))) {
        left += 1
        expect(await answerOf(ledger.database, young, { one, ledgerSeq })).toBe(
          await answerOf(ledger.database, old, { one, ledgerSeq }),
        )
      }
    }),
    { numRuns: 60, endOnFailure: true },
  )
  expect(left).toBeGreaterThan(100)
})

test('paths through a hub touch nobody unless it has a label; more addresses than the limit are all of the chain', async () => {
  const [hub, listed] = [address(5_000_000), address(5_000_001)]
  const deposits = Array.from({ length: 6 }, (_, n) => address(5_000_010 + n))
  await imported(
    [listed, ...deposits].map((from, n) => ({
      from,
      to: hub,
      hash: hash(5_000_100 + n),
      block: 5_000_000 + n,
    })),
  )
  const plain = worldOf(2, [], [])
  expect(await reaching(plain, [listed])).toEqual(new Set([listed, hub]))
  const scam = worldOf(2, ['scam'], [hub])
  expect(await reaching(scam, [listed])).toEqual(new Set([listed, hub, ...deposits]))
  expect(await reaching(worldOf(2, ['clean_exchange'], [hub]), [listed])).toEqual(new Set([listed, hub]))
  expect(await reaching(scam, [listed], 3)).toBe('all')
})

test('a search reads nothing twice', async () => {
  const [listed, middle, own] = [address(6_000_000), address(6_000_001), address(6_000_002)]
  await imported([
    { from: listed, to: middle, hash: hash(6_000_100), block: 6_000_000 },
    { from: middle, to: own, hash: hash(6_000_101), block: 6_000_001 },
  ])
  const world = worldOf(3, [], [])
  const asked: string[] = []
  const database: Pick<typeof ledger.database, 'query' | 'execute'> = {
    ...ledger.database,
    async query(statement, values) {
      asked.push(JSON.stringify([statement, values]))
      return await ledger.database.query(statement, values)
    },
  }
  const of = { chain: world.chain, policy: world.policy, addresses: [listed], labelled: labelledIn(world) }
  expect(await addressesReaching(database, of)).toEqual(new Set([listed, middle, own]))
  expect(asked).toEqual([...new Set(asked)])
})

test.each(['BTC', 'SOL', 'ADA'])(
  'on %s, where clusters or accounts count too, it is all of the chain',
  async (chain) => {
    expect(await reaching({ chain, policy: policyWith(2), labels: [] }, [address(1)])).toBe('all')
  },
)
