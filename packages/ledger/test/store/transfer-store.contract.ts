/**
 * What every store of transfers answers. Files of a drawn world are imported one after another, and in each state a store says what a list of all told
 * transfers says.
 */
import { findAsset, measuredAs } from '@cupel/domain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listSegments } from '../../src/index.js'
import type { NeighbourReader, StoredRow, TransferReader } from '../../src/store/transfer-store.js'
import { hashOfDigits } from '../../src/stored-values.js'
import { address, csvOf, hash, type CsvTransfer, type LedgerInstallation } from '../installation.js'
import {
  BEGINNING_S,
  CHAIN,
  csvRow,
  DAY_S,
  FILES,
  heightOf,
  isSeen,
  isWorth,
  ofPerson,
  people,
  person,
  states,
  tellings,
  transfers,
  weightOf,
  type Told,
} from './told-world.js'

export interface StoreUnderTest {
  readonly ledger: LedgerInstallation
  readonly transfers: TransferReader
  readonly neighbours: NeighbourReader
}

/** Of a coin with 18 decimals nobody has more, so an import refuses it. */
const MOST = 10n ** 33n - 1n

export function transferStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let store: StoreUnderTest
    beforeAll(async () => {
      store = await open()
      const { ledger } = store
      for (let file = 0; file < FILES; file += 1) {
        const rows = transfers.flatMap((told) => {
          const status = told.files[file]!
          return status === null ? [] : [csvRow(told, status)]
        })
        await ledger.imported(await ledger.file(`${file}.csv`, csvOf(rows)))
      }
    }, 120_000)
    afterAll(async () => await store.ledger.close())

    const allOf = async (one: string, ledgerSeq: number): Promise<readonly StoredRow[]> =>
      await store.transfers.allRows({ chain: CHAIN, ledgerSeq, addresses: [one], owners: [0] })
    const numberIn = (row: StoredRow): number => Number(BigInt(hashOfDigits(row[13]!))) - 1
    const toldIn = (row: StoredRow): Told => transfers[numberIn(row)]!
    const addressOf = async (number: string): Promise<string> =>
      (
        await store.ledger.database.query<{ address: string }>(
          'SELECT address FROM ledger.address WHERE address_id = $1',
          [number],
        )
      )[0]!.address

    test.each(states)(
      'in state %i each address has its rows, with every value, each once',
      async (ledgerSeq) => {
        for (const [one, name_] of people.entries()) {
          const rows = await allOf(name_, ledgerSeq)
          expect(rows.map(numberIn).sort((a, b) => a - b)).toEqual(
            ofPerson(one, ledgerSeq).map(({ number }) => number),
          )
          for (const row of rows) {
            const told = toldIn(row)
            const [asked, id, outgoing, counterparty, ...values] = row
            expect({ asked, outgoing, counterparty: await addressOf(counterparty!) }).toEqual({
              asked: '1',
              outgoing: told.from === one ? 't' : 'f',
              counterparty: person(told.from === one ? told.to : told.from),
            })
            expect(id).toMatch(/^[0-9a-f]{32}$/)
            expect(values.slice(0, 4)).toEqual([
              told.contract,
              told.amount.toString(),
              String(heightOf(told.number)),
              String(BEGINNING_S + told.day * DAY_S + told.number),
            ])
            expect(values[4]).toBe(String(told.number % 5))
            expect(values[6]).toBe(tellings(told, ledgerSeq).includes('1') ? 't' : 'f')
            expect(values[8]).toBe(told.contract === '' ? 'n' : 't')
          }
        }
      },
    )

    test('a transfer has one id on both sides, and no other one has it', async () => {
      const ids = new Map<number, string>()
      for (const one of people)
        for (const row of await allOf(one, FILES)) {
          expect(ids.get(numberIn(row)) ?? row[1]).toBe(row[1])
          ids.set(numberIn(row), row[1]!)
        }
      expect(new Set(ids.values()).size).toBe(ids.size)
    })

    const largest = async (one: string, limit: number, worth: boolean, ledgerSeq = FILES) =>
      await store.transfers.largestRows({
        ...{ chain: CHAIN, ledgerSeq, addresses: [one], owners: [0], limit, isWorth: worth },
      })

    test.each([1, 3, 10, 1_000])('the %i largest are those of most dust, then by id', async (limit) => {
      for (const one of people)
        for (const worth of [false, true]) {
          const all = (await allOf(one, FILES)).filter((row) => !worth || isWorth(toldIn(row)))
          const sorted = [...all].sort((a, b) => {
            const [x, y] = [weightOf(toldIn(a)), weightOf(toldIn(b))]
            return x === y ? (a[1]! < b[1]! ? -1 : 1) : x > y ? -1 : 1
          })
          expect(await largest(one, limit, worth)).toEqual(sorted.slice(0, limit))
        }
    })

    test('rows of several addresses name the place of theirs, in the order of the owners', async () => {
      const [a, b, c] = people as [string, string, string]
      const rows = await store.transfers.largestRows({
        ...{ chain: CHAIN, ledgerSeq: FILES, addresses: [a, address(9_999), b, c], owners: [1, 1, 0, 1] },
        ...{ limit: 2, isWorth: false },
      })
      const placed = async (one: string, place: string) =>
        (await largest(one, 2, false)).map((row) => [place, ...row.slice(1)])
      expect(rows.filter(([place]) => place === '3')).toEqual(await placed(b, '3'))
      expect(rows.slice(0, 2).map(([place]) => place)).toEqual(['3', '3'])
      expect(rows.filter(([place]) => place === '1')).toEqual(await placed(a, '1'))
      expect(rows.filter(([place]) => place === '4')).toEqual(await placed(c, '4'))
      expect(rows).toHaveLength(6)
    })

    test.each([0, 4, 1_000])(
      'all but the %i largest are bundles of a counterparty, asset and day',
      async (beyond) => {
        for (const [one, name_] of people.entries()) {
          const rest = (await largest(name_, 10_000, false)).slice(beyond)
          const expected = new Map<
            string,
            { amount: bigint; transfers: number; heights: number[]; times: number[] }
          >()
          for (const row of rest) {
            const told = toldIn(row)
            const key = [row[2], row[3], told.contract, row[12], row[10], told.day].join(' ')
            const known = expected.get(key) ?? { amount: 0n, transfers: 0, heights: [], times: [] }
            expected.set(key, {
              amount: known.amount + told.amount,
              transfers: known.transfers + 1,
              heights: [...known.heights, heightOf(told.number)],
              times: [...known.times, BEGINNING_S + told.day * DAY_S + told.number],
            })
          }
          const found = await store.transfers.bundles({
            chain: CHAIN,
            ledgerSeq: FILES,
            addresses: [name_],
            beyond,
          })
          expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
          const told = new Map(
            found.map((bundle) => {
              const { outgoing, counterparty, contract, kind, proven, lastAtS } = bundle
              const letter = (is: boolean): string => (is ? 't' : 'f')
              const day = Math.floor((Number(lastAtS) - BEGINNING_S) / DAY_S)
              return [[letter(outgoing), counterparty, contract, kind, letter(proven), day].join(' '), bundle]
            }),
          )
          expect([...told.keys()].sort(), `of ${one}`).toEqual([...expected.keys()].sort())
          for (const [key, { amount, transfers: count, heights, times }] of expected)
            expect(told.get(key)).toMatchObject({
              ...{ amount: amount.toString(), transfers: count, blockNumber: String(Math.max(...heights)) },
              ...{ firstAtS: String(Math.min(...times)), lastAtS: String(Math.max(...times)) },
            })
        }
      },
    )

    test.each(states)('in state %i the numbers of transfers are those of its rows', async (ledgerSeq) => {
      const asked = { chain: CHAIN, ledgerSeq, addresses: people }
      for (const limit of [1, 5, 1_000]) {
        const counts = await store.transfers.countTransfers({ ...asked, limit })
        const rows = await store.transfers.countRows({ ...asked, limit })
        for (const [one, name_] of people.entries()) {
          const exact = Math.min(ofPerson(one, ledgerSeq).length, limit)
          expect(counts.get(name_) ?? 0).toBe(exact)
          expect(rows.get(name_) ?? 0).toBeGreaterThanOrEqual(exact)
          expect(rows.get(name_) ?? 0).toBeLessThanOrEqual(limit)
        }
      }
    })

    test.each(states)('in state %i the sizes are those of the rows', async (ledgerSeq) => {
      const sizes = await store.transfers.sizes({ chain: CHAIN, ledgerSeq, addresses: people })
      for (const [one, name_] of people.entries()) {
        const own = ofPerson(one, ledgerSeq)
        const sums = new Map<string, { value: bigint; dust: bigint; other: number }>()
        for (const told of own) {
          const other = told.from === one ? told.to : told.from
          const { contract, factor, dust } = measuredAs(findAsset(CHAIN, told.contract)!)
          const key = `${other} ${contract}`
          sums.set(key, { value: (sums.get(key)?.value ?? 0n) + told.amount * factor, dust, other })
        }
        const counterparties = new Set(
          [...sums.values()].filter(({ value, dust }) => value >= dust).map(({ other }) => other),
        )
        expect(sizes.get(name_)).toMatchObject({
          transfers: own.length,
          worth: own.filter(isWorth).length,
          counterparties: counterparties.size,
        })
      }
    })

    test('sizes that are counted up to a number of transfers never exceed the whole ones', async () => {
      const asked = { chain: CHAIN, ledgerSeq: FILES, addresses: people }
      const whole = await store.transfers.sizes(asked)
      const least = await store.transfers.sizes({ ...asked, most: 3 })
      for (const one of people) {
        const [some, all] = [least.get(one)!, whole.get(one)!]
        expect(some.transfers).toBeLessThanOrEqual(6)
        expect(some.transfers).toBeGreaterThanOrEqual(Math.min(3, all.transfers))
        expect(some.worth).toBeLessThanOrEqual(all.worth)
        expect(some.counterparties).toBeLessThanOrEqual(all.counterparties)
      }
    })

    test.each(states)(
      'in state %i the movements of a transaction are found at both of its ends',
      async (ledgerSeq) => {
        for (const told of transfers) {
          const of = async (one: number, direction: 'incoming' | 'outgoing') =>
            await store.transfers.movements({
              ...{ chain: CHAIN, ledgerSeq, address: person(one), direction, most: 10 },
              txHash: hash(told.number + 1),
            })
          const { contract, amount } = told
          const movement = { contract, amount: amount.toString(), kind: contract === '' ? 'n' : 't' }
          const expected = (counterparty: number) =>
            isSeen(told, ledgerSeq) ? [{ ...movement, counterparty: person(counterparty) }] : []
          expect(await of(told.to, 'incoming')).toEqual(expected(told.from))
          expect(await of(told.from, 'outgoing')).toEqual(expected(told.to))
          expect(await of(told.from, 'incoming')).toEqual([])
        }
      },
    )

    test('whether an address has more rows counts those of its direction', async () => {
      for (const [one, name_] of people.entries()) {
        const sent = transfers.filter((told) => told.from === one && tellings(told, FILES).length > 0).length
        const asked = { chain: CHAIN, ledgerSeq: 1, address: name_, direction: 'outgoing' } as const
        expect(await store.transfers.hasMoreRows({ ...asked, most: sent })).toBe(false)
        if (sent > 0) expect(await store.transfers.hasMoreRows({ ...asked, most: sent - 1 })).toBe(true)
      }
    })

    const sorted = (addresses: Iterable<string>): readonly string[] => [...addresses].sort()
    const endsOf = (all: readonly Told[]): readonly string[] =>
      sorted(new Set(all.flatMap(({ from, to }) => [person(from), person(to)])))

    test('neighbours are the other ends of the rows of all states', async () => {
      for (const [one, name_] of people.entries()) {
        const rows = transfers.filter((told) => tellings(told, FILES).length > 0)
        const others = rows.flatMap(({ from, to }) => (from === one ? [to] : to === one ? [from] : []))
        const asked = { chain: CHAIN, addresses: [name_], most: 100 }
        expect(sorted(await store.neighbours.neighbours(asked))).toEqual(sorted(new Set(others.map(person))))
        const some = await store.neighbours.neighbours({ ...asked, most: 2 })
        expect(some).toHaveLength(Math.min(2, new Set(others).size))
      }
    })

    test('a segment changed the ends of what it brought, proved or called failed first', async () => {
      const segments = await listSegments(store.ledger.database)
      for (const [file, { segmentId }] of segments.entries()) {
        const isFirst = ({ files }: Told, status: (one: null | string) => boolean): boolean =>
          files.findIndex((one) => status(one)) === file
        const changed = transfers.filter(
          (told) =>
            isFirst(told, (one) => one !== null) ||
            isFirst(told, (one) => one === '1') ||
            isFirst(told, (one) => one === '0'),
        )
        expect(sorted(await store.neighbours.changedBy({ segmentIds: [segmentId], most: 100 }))).toEqual(
          endsOf(changed),
        )
      }
    })

    test('the rows at some heights that other segments brought are told again', async () => {
      const [first] = await listSegments(store.ledger.database)
      const [low, high] = [heightOf(10), heightOf(30)]
      const others = transfers.filter(
        (told) =>
          told.number >= 10 &&
          told.number <= 30 &&
          told.files[0] === null &&
          tellings(told, FILES).length > 0,
      )
      const asked = { chain: CHAIN, low, high, segmentIds: [first!.segmentId], most: 100 }
      expect(sorted(await store.neighbours.retold(asked))).toEqual(endsOf(others))
    })

    test('an address, a chain and a state without rows have none', async () => {
      const nobody = address(9_999)
      for (const asked of [
        { chain: CHAIN, ledgerSeq: FILES, addresses: [nobody] },
        { chain: 'BTC', ledgerSeq: FILES, addresses: [people[0]!] },
        { chain: CHAIN, ledgerSeq: 0, addresses: [people[0]!] },
      ]) {
        expect(await store.transfers.allRows({ ...asked, owners: [0] })).toEqual([])
        expect(
          await store.transfers.largestRows({ ...asked, owners: [0], limit: 9, isWorth: false }),
        ).toEqual([])
        expect(await store.transfers.bundles({ ...asked, beyond: 0 })).toEqual([])
        expect([...(await store.transfers.countTransfers({ ...asked, limit: 9 })).values()]).not.toContain(1)
        expect(await store.transfers.codeAmong(asked)).toEqual([])
        const [one] = asked.addresses
        expect((await store.transfers.sizes(asked)).get(one!) ?? { transfers: 0 }).toMatchObject({
          transfers: 0,
        })
      }
    })

    describe('after further files', () => {
      const [caller, sender, mixed] = [address(501), address(502), address(503)]

      test('code makes calls and sends no transactions', async () => {
        const call = (from: string, number: number): CsvTransfer => ({
          ...{ kind: 'internal', from, hash: hash(number), block: number, index: 1 },
        })
        const sent = (from: string, number: number): CsvTransfer => ({
          from,
          hash: hash(number),
          block: number,
        })
        const rows = [call(caller, 7_001), sent(sender, 7_002), call(mixed, 7_003), sent(mixed, 7_004)]
        await store.ledger.imported(await store.ledger.file('calls.csv', csvOf(rows)))
        const among = async (ledgerSeq: number) =>
          await store.transfers.codeAmong({ chain: CHAIN, ledgerSeq, addresses: [caller, sender, mixed] })
        expect(await among(FILES + 1)).toEqual([caller])
        expect(await among(FILES)).toEqual([])
      })

      test('the largest amount is read with every digit', async () => {
        const one = address(504)
        const row = { from: one, hash: hash(7_100), block: 7_100, raw: MOST.toString() }
        await store.ledger.imported(await store.ledger.file('most.csv', csvOf([row])))
        const [found] = await allOf(one, FILES + 2)
        expect(found?.[5]).toBe(MOST.toString())
        expect(await largest(one, 1, true, FILES + 2)).toEqual([found])
      })

      test('a file that replaces its range retires what it does not tell, from its state on', async () => {
        const one = address(505)
        const pay = (number: number): CsvTransfer => ({ from: one, hash: hash(number), block: number })
        const range = { completeFrom: 7_200, completeTo: 7_210, covers: ['native'] as const }
        await store.ledger.imported(
          await store.ledger.file('range.csv', csvOf([pay(7_200), pay(7_201)])),
          range,
        )
        await store.ledger.imported(await store.ledger.file('again.csv', csvOf([pay(7_201), pay(7_202)])), {
          ...range,
          replace: true,
        })
        const told = async (ledgerSeq: number) =>
          (await allOf(one, ledgerSeq)).map((row) => numberIn(row) + 1).sort((a, b) => a - b)
        expect(await told(FILES + 3)).toEqual([7_200, 7_201])
        expect(await told(FILES + 4)).toEqual([7_201, 7_202])
      })
    })
  })
}
