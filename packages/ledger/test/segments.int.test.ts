/** Ranges that importers declare one after another. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { declaredRanges, heightsDeclaredFor, importLedger } from '../src/index.js'
import { csvOf, IMPORTED_AT, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const imports = async (from: number, to: number, changes: object = {}) =>
  await importLedger(
    {
      ...{
        file: await ledger.file(`${from}-${to}.csv`, csvOf([{ block: from }])),
        format: 'csv',
        chain: 'ETH',
      },
      ...{
        completeFrom: from,
        completeTo: to,
        covers: ['native', 'token'],
        importedBy: 'operator:test',
        ...changes,
      },
    },
    { database: ledger.database, now: () => new Date(IMPORTED_AT) },
  )

test('a range that is to be new is refused where a height of it is declared for all its kinds', async () => {
  expect(await imports(10, 20)).toMatchObject({ status: 'imported' })
  expect(await imports(20, 30, { onlyUndeclared: true })).toEqual({
    ...{ status: 'refused', message: 'The heights 10 to 20 are declared already', line: null },
  })
  expect(await imports(21, 30, { onlyUndeclared: true })).toMatchObject({ status: 'imported' })
  // Calls of these heights are not declared yet.
  expect(
    await imports(10, 30, { onlyUndeclared: true, covers: ['native', 'internal', 'token'] }),
  ).toMatchObject({
    status: 'imported',
  })
})

test('heights are declared for several kinds where they are declared for each', async () => {
  await imports(0, 9, { covers: ['native'] })
  await imports(5, 14, { covers: ['token'] })
  await imports(10, 20)
  const of = (...kinds: ('native' | 'internal' | 'token')[]) =>
    heightsDeclaredFor(ledger.database, 'ETH', kinds)
  expect(await of('native')).toEqual([{ from: 0, to: 20 }])
  expect(await of('native', 'token')).toEqual([{ from: 5, to: 20 }])
  expect(await of('native', 'internal')).toEqual([])
})

test('a range without a time ends no earlier than those below it, in whatever order they were declared', async () => {
  await imports(30, 40, { file: await ledger.file('empty.csv', csvOf([])) })
  await imports(10, 20)
  await imports(21, 29)
  const ranges = await declaredRanges(ledger.database, { chain: 'ETH', ledgerSeq: 3 })
  expect(ranges).toMatchObject([
    { kind: 'native', fromHeight: 10, toHeight: 40, toAtS: Date.parse('2026-11-20T00:00:00Z') / 1_000 },
    { kind: 'token', fromHeight: 10, toHeight: 40 },
  ])
})
