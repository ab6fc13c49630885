/** A row without a certain meaning is refused with its line, and the declared range it lies in is not complete. */
import { writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { declaredRanges, importLedger, readTransfers, type LedgerImportRequest } from '../src/index.js'
import { address, csvOf, hash, IMPORTED_AT, startLedger, type LedgerInstallation } from './installation.js'

async function opened(): Promise<LedgerInstallation> {
  const ledger = await startLedger()
  onTestFinished(() => ledger.close())
  return ledger
}

async function unreadableKinds(ledger: LedgerInstallation, ledgerSeq: number): Promise<readonly string[]> {
  const ranges = await declaredRanges(ledger.database, { chain: 'ETH', ledgerSeq })
  return ranges.flatMap((range) => (range.hasUnreadableRows === true ? [range.kind] : []))
}

const good = { block: 150, status: '1' }
const bad = { block: 160, status: 'maybe' }
const range = { completeFrom: 100, completeTo: 199, covers: ['native'] } as const

test('the good rows of a file count, a bad one is told with its line, and a later whole file makes up for it', async () => {
  const ledger = await opened()
  const first = await ledger.imported(await ledger.file('bad.csv', csvOf([good, bad])), range)
  expect(first).toMatchObject({ added: 1, leftOut: { unreadable: 1 } })
  expect(first.unreadable).toEqual([{ line: 3, message: 'the status maybe is neither success nor failure' }])
  expect(await unreadableKinds(ledger, first.ledgerSeq)).toEqual(['native'])

  const second = await ledger.imported(
    await ledger.file('good.csv', csvOf([good, { ...bad, status: '1' }])),
    range,
  )
  expect(await unreadableKinds(ledger, second.ledgerSeq)).toEqual([])
  // An earlier state stays as it was.
  expect(await unreadableKinds(ledger, first.ledgerSeq)).toEqual(['native'])
})

test('a bad row of a file without a range makes the range of another file incomplete', async () => {
  const ledger = await opened()
  const declared = await ledger.imported(await ledger.file('whole.csv', csvOf([good])), range)
  expect(await unreadableKinds(ledger, declared.ledgerSeq)).toEqual([])
  const other = await ledger.imported(await ledger.file('other.csv', csvOf([good, bad])))
  expect(await unreadableKinds(ledger, other.ledgerSeq)).toEqual(['native'])
})

async function refusal(
  ledger: LedgerInstallation,
  text: string,
  request: Partial<LedgerImportRequest> = {},
): Promise<string> {
  const result = await importLedger(
    { file: await ledger.file('one.csv', text), format: 'csv', chain: 'ETH', importedBy: 'test', ...request },
    { database: ledger.database, now: () => new Date(IMPORTED_AT) },
  )
  return result.status === 'refused' ? result.message : ''
}

test('a file is refused if nothing would show that its row is missing', async () => {
  const ledger = await opened()
  const nowhere = csvOf([good, { ...bad, block: '' }])
  expect(await refusal(ledger, nowhere)).toContain('line 3: the status maybe')
  expect(await refusal(ledger, csvOf([bad]), range)).toContain('line 2: the status maybe')
  expect(await refusal(ledger, csvOf([good, bad]), { ...range, replace: true })).toContain('line 3')
})

test('no row over a long range needs to be accepted, with a reason', async () => {
  const ledger = await opened()
  const long = { completeFrom: 0, completeTo: 2_000, covers: ['native'] } as const
  expect(await refusal(ledger, csvOf([]), long)).toContain('--accept-empty')
  expect(await refusal(ledger, csvOf([]), { ...long, acceptEmpty: true })).toContain('--reason')
  expect(await refusal(ledger, csvOf([]), { ...long, acceptEmpty: true, reason: 'a new chain' })).toBe('')
  expect(await refusal(ledger, csvOf([]), { ...range, completeTo: 999 })).toBe('')
})

test('an error page is refused, and lines that end in a carriage return are read', async () => {
  const ledger = await opened()
  const page = '<html><body><h1>429 Too Many Requests</h1></body></html>'
  expect(await refusal(ledger, page, { ...range, acceptEmpty: true, reason: 'test' })).toContain('columns')
  const file = await ledger.file('cr.csv', '')
  await writeFile(file, csvOf([good, { block: 151 }, { block: 152 }]).replaceAll('\n', '\r'))
  expect(await ledger.imported(file, range)).toMatchObject({ rows: 3, added: 3 })
  await writeFile(file, csvOf([good, { block: 153 }]).replaceAll('\n', '\r\n'))
  expect(await ledger.imported(file, range)).toMatchObject({ rows: 2 })
})

test('receipts that call a proven transaction failed do not undo it, and the import tells them', async () => {
  const ledger = await opened()
  await ledger.imported(await ledger.file('good.csv', csvOf([good])))
  const receipts = `transaction_hash,cumulative_gas_used,status\n${hash(1)},1,0\n`
  const told = await ledger.imported(await ledger.file('receipts.csv', receipts), { format: 'ethereum-etl' })
  expect(told.notes.join()).toContain('1 transactions that this file calls failed')
  const found = await readTransfers(ledger.database, {
    ...{ chain: 'ETH', ledgerSeq: told.ledgerSeq, limit: 10 },
    addresses: [address(1_000)],
  })
  expect(found.get(address(1_000))?.transfers).toMatchObject([{ proven: true }])
})
