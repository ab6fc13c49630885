/** Rows as bytes are the rows that their parts spell, whatever their values and however long they are. */
import { expect, test } from 'vitest'
import type { ToldTransfer } from './formats/ledger-row.js'
import { hashDigits } from './stored-values.js'
import { createToldRows, sumsOfRows } from './told-rows.js'

const SEGMENT = 7
const ends = { from: 1, to: 2_147_483_647, contract: null }
const id = '0123456789abcdef0123456789abcdef'
const uuid = '01234567-89ab-cdef-0123-456789abcdef'
const hash = `0x${'ab'.repeat(32)}`

const told = (fields: Partial<ToldTransfer> = {}): ToldTransfer => ({
  ...{ line: 1, kind: 'native', contract: '', txHash: hash, index: null, from: 'a', to: 'b', amount: 5n },
  ...{ blockNumber: 15_000_000, occurredAtS: 1_655_769_600, txIndex: 0, place: null, execution: 'proven' },
  ...fields,
})

const most = 10n ** 78n - 1n
const forms: readonly Partial<ToldTransfer>[] = [
  {},
  { execution: 'failed' },
  { execution: 'unknown', blockNumber: null, occurredAtS: null, txIndex: null },
  ...[0, 1, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER].map((place) => ({ place })),
  { occurredAtS: 2 ** 31 },
  { amount: 0n },
  { amount: most },
  { kind: 'token' },
  { txHash: '' },
  { txHash: 'ab'.repeat(32) },
  { txHash: '12345-6' },
  { kind: 'utxo', fromNet: -most },
  { kind: 'utxo', toNet: most },
  { kind: 'utxo', fromNet: -most, toNet: most },
  // A source may state anything: Postgres refuses what no column holds, and must see all of it.
  { amount: 10n ** 5_000n },
  { txHash: 'z'.repeat(9_000) },
]

/** The columns of `COPY_TRANSFERS`; the empty ones are null. */
const columnsOf = (one: ToldTransfer, contract: number | null): readonly string[] => [
  ...[`${one.place ?? ''}`, '1', '2147483647', '7', one.execution === 'proven' ? '7' : ''],
  ...[one.execution === 'failed' ? '7' : '', '', '', `${one.blockNumber ?? ''}`, `${one.occurredAtS ?? ''}`],
  ...[`${one.txIndex ?? ''}`, `${contract ?? ''}`, one.kind[0]!, uuid, `${one.amount}`],
  ...[String.raw`"\\x${hashDigits(one.txHash)}"`, `${one.fromNet ?? ''}`, `${one.toNet ?? ''}`],
]

const namesOf = (form: Partial<ToldTransfer>): string =>
  Object.entries(form)
    .map(([name, value]) => `${name} ${String(value).slice(0, 30)}`)
    .join()

test.each(forms.map((form) => [namesOf(form), form] as const))('the row of a transfer with %s', (_, form) => {
  const rows = createToldRows(SEGMENT, 1)
  for (const contract of [null, 32_767]) rows.add(id, told(form), { ...ends, contract })
  const columns = [null, 32_767].map((contract) => columnsOf(told(form), contract))
  expect(rows.lines().toString('utf8')).toBe(columns.map((one) => `${one.join()}\n`).join(''))
  // As `ledger.told_row` trims it.
  const summed = columns.map((one) => `transfer(${one.join()}`.replace(/[,)]+$/, ''))
  expect(rows.sums()).toEqual(sumsOfRows(summed))
  expect(rows.count()).toBe(2)
})

test('rows of more than were expected', () => {
  const rows = createToldRows(SEGMENT, 0)
  const many = Array.from({ length: 3_000 }, (_, n) => told({ place: n, ...forms[n % forms.length] }))
  for (const one of many) rows.add(id, one, ends)
  expect(rows.lines().toString('utf8')).toBe(many.map((one) => `${columnsOf(one, null).join()}\n`).join(''))
  expect(rows.count()).toBe(3_000)
})
