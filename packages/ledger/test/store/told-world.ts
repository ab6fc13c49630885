/** A drawn world of transfers, told by several files, and what a list of all of them says of a state. */
import { findAsset, measuredAs } from '@cupel/domain'
import { runSeed } from '@cupel/testkit'
import fc from 'fast-check'
import { address, hash, type CsvTransfer } from '../installation.js'

export const CHAIN = 'ETH'
export const FILES = 4
const [TRANSFERS, PEOPLE, DAYS] = [60, 7, 3]
const [USDT, USDC] = [
  '0xdac17f958d2ee523a2206206994597c13d831ec7',
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
]
export const DAY_S = 86_400
export const BEGINNING_S = Date.parse('2026-06-01T00:00:00Z') / 1_000

/** One transfer, and what each file states of it: nothing, success, failure, or no status. */
export interface Told {
  readonly number: number
  readonly from: number
  readonly to: number
  readonly contract: string
  readonly amount: bigint
  readonly day: number
  readonly files: readonly (null | '1' | '0' | '')[]
}

const dustOf = (contract: string): bigint => findAsset(CHAIN, contract)!.dust

const drawnTransfers = fc
  .array(
    fc.record({
      from: fc.integer({ min: 0, max: PEOPLE - 1 }),
      /** Nobody pays themselves. */
      distance: fc.integer({ min: 1, max: PEOPLE - 1 }),
      contract: fc.constantFrom('', '', USDT, USDC),
      /** Hundredths of dust: equal values and less than dust are frequent. */
      hundredths: fc.integer({ min: 1, max: 400 }),
      day: fc.integer({ min: 0, max: DAYS - 1 }),
      files: fc.tuple(
        ...Array.from({ length: FILES }, () =>
          fc.constantFrom(null, '1' as const, '0' as const, '' as const),
        ),
      ),
    }),
    { minLength: TRANSFERS, maxLength: TRANSFERS },
  )
  .map((all) =>
    all.map(({ from, distance, contract, hundredths, files, day }, number): Told => {
      const isNative = contract === ''
      return {
        ...{ number, from, to: (from + distance) % PEOPLE, contract, day },
        amount: (dustOf(contract) * BigInt(hundredths)) / 100n,
        // Events of tokens exist only if the transaction succeeded.
        files: files.map((status) => (isNative || status === null ? status : '1')),
      }
    }),
  )

export const transfers: readonly Told[] = fc.sample(drawnTransfers, { numRuns: 1, seed: runSeed() })[0]!

export const csvRow = ({ number, from, to, contract, amount, day }: Told, status: string): CsvTransfer => ({
  ...{ block: heightOf(number), hash: hash(number + 1), txIndex: number % 5, status },
  ...(contract === '' ? {} : { kind: 'token', contract, index: number }),
  ...{ from: person(from), to: person(to), raw: amount.toString() },
  time: new Date((BEGINNING_S + day * DAY_S + number) * 1_000).toISOString(),
})
export const person = (one: number): string => address(100 + one)
export const heightOf = (number: number): number => 1_000 + number
export const people = Array.from({ length: PEOPLE }, (_, one) => person(one))
export const states = Array.from({ length: FILES }, (_, file) => file + 1)

export const tellings = ({ files }: Told, ledgerSeq: number) =>
  files.slice(0, ledgerSeq).filter((one) => one !== null)
/** Of a state: without a failure, or with a success that stands against it. */
export const isSeen = (told: Told, ledgerSeq: number): boolean => {
  const all = tellings(told, ledgerSeq)
  return all.length > 0 && (all.includes('1') || !all.includes('0'))
}
export const ofPerson = (one: number, ledgerSeq: number): readonly Told[] =>
  transfers.filter((told) => (told.from === one || told.to === one) && isSeen(told, ledgerSeq))

/** In a unit that divides the dust of every asset. */
export function weightOf({ contract, amount }: Told): bigint {
  const { factor, dust } = measuredAs(findAsset(CHAIN, contract)!)
  return (amount * factor * 10n ** 40n) / dust
}
export const isWorth = (told: Told): boolean => weightOf(told) >= 10n ** 40n
