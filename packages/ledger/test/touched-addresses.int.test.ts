/** New segments touch every address that they give another answer, and few others. */
import { writtenForms } from '@cupel/domain'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { touchedAddresses } from '../src/index.js'
import { bitcoinAddress, bitcoinKeyAddress } from './bitcoin-address.js'
import {
  answerOf as answerIn,
  GENERATED_AT,
  keyOf,
  label,
  labelledIn,
  MEMBERS,
  pay,
  policyWith,
  type World,
} from './examined-world.js'
import {
  address,
  csvOf,
  hash,
  startLedger,
  type CsvTransfer,
  type LedgerInstallation,
} from './installation.js'

const HOURS = 3_600_000

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
}, 60_000)
afterAll(async () => await ledger.close())

const answerOf = (world: World, one: string, ledgerSeq: number): Promise<string> =>
  answerIn(ledger.database, world, { one, ledgerSeq })

const ledgerSeq = async (): Promise<number> =>
  (
    await ledger.database.query<{ seq: number }>(
      'SELECT coalesce(max(ledger_seq), 0) AS seq FROM ledger.segment',
    )
  )[0]!.seq

async function touched(
  world: World,
  fromSeq: number,
  maxAddresses?: number,
): Promise<ReadonlySet<string> | 'all'> {
  const { chain, policy } = world
  return await touchedAddresses(ledger.database, {
    ...{ chain, policy, fromSeq, toSeq: await ledgerSeq(), nowS: Date.parse(GENERATED_AT) / 1_000 },
    ...(maxAddresses === undefined ? {} : { maxAddresses }),
    labelled: labelledIn(world),
  })
}

let files = 0
const imported = async (transfers: readonly CsvTransfer[], request = {}): Promise<void> => {
  files += 1
  await ledger.imported(await ledger.file(`${files}.csv`, csvOf(transfers)), request)
}

interface Run {
  readonly fromSeq: number
  readonly members: readonly string[]
}

/** The addresses whose answer differs are touched. Returns how many are not touched; null if all are. */
async function untouched(world: World, { fromSeq, members }: Run): Promise<number | null> {
  const found = await touched(world, fromSeq)
  if (found === 'all') return null
  const toSeq = await ledgerSeq()
  const keys = new Set([...found].map((one) => keyOf(one, world.chain)))
  const others = members.filter((one) => !keys.has(keyOf(one, world.chain)))
  for (const one of others)
    expect(await answerOf(world, one, toSeq)).toBe(await answerOf(world, one, fromSeq))
  return others.length
}

/** Rows of the second file that tell again what the first one told, with this outcome. */
const again = fc.record({ row: fc.nat(29), status: fc.constantFrom('1', '0') })

describe('an address that a segment does not touch has the answer that it had', () => {
  test('on a chain of accounts', async () => {
    let base = 10_000
    let left = 0
    await imported([{}])
    const ledgers = fc.record({
      hops: fc.constantFrom(1, 2, 3),
      first: fc.array(pay, { minLength: 8, maxLength: 30 }),
      second: fc.array(pay, { minLength: 0, maxLength: 3 }),
      again: fc.array(again, { maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(ledgers, async ({ hops, first, second, again: told }) => {
        base += 1_000
        const members = Array.from({ length: MEMBERS }, (_, n) => address(base + n))
        const rowOf = ({ from, to, ...of }: (typeof first)[number], at: number): CsvTransfer => ({
          ...of,
          ...{ from: members[from]!, to: members[to]!, hash: hash(base + at), block: base + at },
          time: new Date(Date.parse('2026-11-01') + at * HOURS).toISOString(),
        })
        const rows = first.map(rowOf)
        await imported(rows)
        const fromSeq = await ledgerSeq()
        const repeats = told.flatMap(({ row, status }) =>
          rows[row] === undefined ? [] : [{ ...rows[row], status }],
        )
        await imported([
          ...second.map((one, at) => rowOf(one, 100 + at)),
          ...repeats,
          { block: base + 500, hash: hash(base + 500) },
        ])
        const labels = [
          label(members[0]!, 'ETH', 'stolen'),
          label(members[1]!, 'ETH', 'mixer'),
          label(members[2]!, 'ETH', 'clean_exchange'),
          label(members[3]!, 'ETH', 'scam'),
        ]
        left +=
          (await untouched({ chain: 'ETH', policy: policyWith(hops), labels }, { fromSeq, members })) ?? 0
      }),
      { numRuns: 40, endOnFailure: true },
    )
    expect(left).toBeGreaterThan(100)
  })

  test('on a chain of outputs, whose addresses spend together and have several forms', async () => {
    let base = 0
    let left = 0
    const output = fc.record({
      to: fc.nat(MEMBERS - 1),
      value: fc.constantFrom(100_000_000, 100_000_000, 30_000_000, 200),
    })
    const transaction = fc.record({
      inputs: fc.uniqueArray(fc.nat(MEMBERS - 1), { minLength: 1, maxLength: 2 }),
      outputs: fc.array(output, { minLength: 1, maxLength: 3 }),
    })
    const joint = fc.record({
      inputs: fc.uniqueArray(fc.nat(MEMBERS - 1), { minLength: 5, maxLength: 6 }),
      outputs: fc.array(fc.record({ to: fc.nat(MEMBERS - 1), value: fc.constant(100_000_000) }), {
        minLength: 5,
        maxLength: 6,
      }),
    })
    const any = fc.oneof({ weight: 8, arbitrary: transaction }, { weight: 1, arbitrary: joint })
    const ledgers = fc.record({
      hops: fc.constantFrom(1, 2),
      first: fc.array(any, { minLength: 4, maxLength: 14 }),
      second: fc.array(any, { minLength: 1, maxLength: 2 }),
    })
    const file = async (text: string): Promise<void> => {
      files += 1
      await ledger.imported(await ledger.file(`${files}.jsonl`, text), {
        format: 'bitcoin-etl',
        chain: 'BTC',
      })
    }
    await fc.assert(
      fc.asyncProperty(ledgers, async ({ hops, first, second }) => {
        base += 1_000
        // Two of every four have one key, if it has several forms.
        const members = Array.from({ length: MEMBERS }, (_, n) => {
          const key = bitcoinKeyAddress(base + n - (n % 4))
          const further = n % 4 === 1 ? writtenForms(key, 'BTC', 'BTC')[1] : undefined
          return n % 4 === 0 ? key : (further ?? bitcoinAddress(base + n))
        })
        const lineOf = ({ inputs, outputs }: (typeof first)[number], at: number): string =>
          JSON.stringify({
            ...{ hash: (base + at).toString(16).padStart(64, '0'), block_number: base + at, index: 1 },
            timestamp: 1_767_225_600 + at * 3_600,
            inputs: inputs.map((n) => ({ addresses: [members[n]], value: 300_000_000 })),
            outputs: outputs.map(({ to, value }) => ({ addresses: [members[to]], value })),
          })
        await file([lineOf({ inputs: [0], outputs: [] }, 900), ...first.map(lineOf)].join('\n'))
        const fromSeq = await ledgerSeq()
        await file(second.map((one, at) => lineOf(one, 100 + at)).join('\n'))
        const labels = [
          label(members[0]!, 'BTC', 'stolen'),
          label(members[1]!, 'BTC', 'mixer'),
          label(members[2]!, 'BTC', 'clean_exchange'),
        ]
        left +=
          (await untouched({ chain: 'BTC', policy: policyWith(hops), labels }, { fromSeq, members })) ?? 0
      }),
      { numRuns: 40, endOnFailure: true },
    )
    expect(left).toBeGreaterThan(40)
  })
})

test('an address whose key has others in the ledger touches the clusters of these', async () => {
  const world = { chain: 'BTC', policy: policyWith(1), labels: [] }
  const [first, further] = writtenForms(bitcoinKeyAddress(900_000), 'BTC', 'BTC') as [string, string]
  const mate = bitcoinAddress(900_001)
  const payments = async (block: number, inputs: readonly string[], output: string): Promise<void> => {
    const line = JSON.stringify({
      ...{ hash: String(block).padStart(64, 'e'), block_number: block, index: 1, timestamp: 1_767_225_600 },
      inputs: inputs.map((one) => ({ addresses: [one], value: 100_000_000 })),
      outputs: [{ addresses: [output], value: 100_000_000 * inputs.length }],
    })
    const file = await ledger.file(`${(files += 1)}.jsonl`, line)
    await ledger.imported(file, { format: 'bitcoin-etl', chain: 'BTC' })
  }
  await payments(990_000, [first, mate], bitcoinAddress(900_002))
  const before = await ledgerSeq()
  await payments(990_001, [bitcoinAddress(900_003)], further)
  expect(await answerOf(world, mate, before + 1)).not.toBe(await answerOf(world, mate, before))
  expect(await touched(world, before)).toContain(mate)
})

test('an address that becomes a hub touches those whose paths went through it; one that was a hub before does not', async () => {
  const world = { chain: 'ETH', policy: policyWith(2), labels: [] }
  const [own, middle] = [address(8_000_000), address(8_000_001)]
  const payments = (from: number, count: number): CsvTransfer[] =>
    Array.from({ length: count }, (_, n) => ({
      from: address(8_000_010 + from + n),
      to: middle,
      hash: hash(8_100_000 + from + n),
      // Files that tell of one block again concern all transfers of it.
      block: 900_000 + from + n,
    }))
  await imported([{ from: middle, to: own, hash: hash(8_200_000), block: 800_000 }, ...payments(0, 2)])
  const small = await ledgerSeq()
  await imported(payments(2, 3))
  expect(await answerOf(world, own, small + 1)).not.toBe(await answerOf(world, own, small))
  expect(await touched(world, small)).toContain(own)
  await imported(payments(5, 1))
  expect(await answerOf(world, own, small + 2)).toBe(await answerOf(world, own, small + 1))
  expect(await touched(world, small + 1)).toEqual(new Set([middle, address(8_000_015)]))
})

test('a moved payment that a file tells beyond its own range touches both of its addresses', async () => {
  const [from, to] = [address(9_500_001), address(9_500_002)]
  const paid = (block: number): CsvTransfer => ({ from, to, block, hash: hash(9_500_000), status: '' })
  const other: CsvTransfer = { block: 900_011, hash: hash(9_500_001) }
  const range = { completeFrom: 900_010, completeTo: 900_020, covers: ['native'] }
  await imported([paid(900_020), other], range)
  await imported([other], { ...range, replace: true })
  const before = await ledgerSeq()
  await imported([paid(900_031)], { completeFrom: 900_021, completeTo: 900_030, covers: ['native'] })
  const found = await touched({ chain: 'ETH', policy: policyWith(1), labels: [] }, before)
  expect(found).toEqual(new Set([from, to]))
})

test('a call that counts once the block in which it failed is replaced touches both of its addresses', async () => {
  const [from, to] = [address(9_600_001), address(9_600_002)]
  const kind = 'internal'
  const call = (block: number, status: string): CsvTransfer => ({
    ...{ from, to, block, status, kind, hash: hash(9_600_000) },
  })
  const other: CsvTransfer = { block: 910_011, kind, hash: hash(9_600_001) }
  const range = { completeFrom: 910_010, completeTo: 910_020, covers: [kind] }
  await imported([call(910_020, '0'), other], range)
  await imported([call(910_031, '1')])
  const before = await ledgerSeq()
  await imported([other], { ...range, replace: true })
  const found = await touched({ chain: 'ETH', policy: policyWith(1), labels: [] }, before)
  expect([...found]).toEqual(expect.arrayContaining([from, to]))
})

describe('declared ranges', () => {
  const world = { chain: 'ARB', policy: policyWith(2), labels: [] }
  const kinds = ['native', 'internal', 'token']
  let row = 5_000_000
  /** A file that declares a range, with one transfer of these addresses. */
  const declared = async (
    [completeFrom, completeTo]: readonly [number, number],
    {
      from,
      to,
      block = completeTo,
      time = '2026-11-21T08:00:00Z',
    }: { from: string; to: string; block?: number; time?: string },
  ): Promise<void> => {
    row += 1
    await rows([{ from, to, block, time, hash: hash(row) }], { completeFrom, completeTo, covers: kinds })
  }
  const rows = async (transfers: readonly CsvTransfer[], request = {}): Promise<void> => {
    files += 1
    const text = csvOf(transfers).replaceAll('ETH,', 'ARB,')
    await ledger.imported(await ledger.file(`${files}.csv`, text), { chain: 'ARB', ...request })
  }
  const [A, B, C, D, E, F, G] = Array.from({ length: 7 }, (_, n) => address(9_000_000 + n)) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]

  test('a follower that adds blocks touches the addresses in them; what makes every history whole touches all', async () => {
    const seq = async (work: () => Promise<void>): Promise<number> => {
      const before = await ledgerSeq()
      await work()
      return before
    }
    // The first file of the chain.
    expect(await touched(world, await seq(() => declared([0, 100], { from: A, to: B })))).toBe('all')
    expect(await touched(world, await seq(() => declared([101, 110], { from: C, to: D })))).toEqual(
      new Set([C, D]),
    )
    // A gap: no history is whole any more.
    expect(await touched(world, await seq(() => declared([121, 130], { from: C, to: D })))).toBe('all')
    expect(await touched(world, await seq(() => declared([131, 140], { from: E, to: D })))).toEqual(
      new Set([E, D, C]),
    )
    expect(await touched(world, await seq(() => declared([111, 120], { from: C, to: D })))).toBe('all')
    // A transfer beyond the range keeps its addresses from a whole history, until the range contains it.
    const beyond = { from: F, to: G, block: 145, time: '2026-11-21T08:30:00Z', hash: hash(7_000_000) }
    await rows([beyond])
    const before = await ledgerSeq()
    const unknown = await answerOf(world, F, before)
    await rows([beyond], { completeFrom: 141, completeTo: 150, covers: kinds })
    expect(await answerOf(world, F, before + 1)).not.toBe(unknown)
    expect(await touched(world, before)).toEqual(new Set([F, G]))
    // The end of the range is in the future of the question.
    expect(
      await touched(
        world,
        await seq(() => declared([151, 160], { from: C, to: D, time: '2026-11-21T10:00:00Z' })),
      ),
    ).toBe('all')
  }, 60_000)

  test('times of blocks, and more addresses than a search may hold, touch all', async () => {
    const before = await ledgerSeq()
    await rows(
      Array.from({ length: 4 }, (_, n) => ({
        from: address(9_100_000 + n),
        block: 500_000 + n,
        hash: hash(8_000_000 + n),
      })),
    )
    expect(await touched(world, before, 5)).toEqual(
      new Set([address(2_000), ...[0, 1, 2, 3].map((n) => address(9_100_000 + n))]),
    )
    expect(await touched(world, before, 4)).toBe('all')
    const file = await ledger.file('blocks.csv', 'number,timestamp\n500000,1767225600\n')
    const then = await ledgerSeq()
    await ledger.imported(file, { format: 'blocks', chain: 'ARB' })
    expect(await touched(world, then)).toBe('all')
  })
})
