/** The filter of a ledger's addresses never reports an address of the ledger as absent. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAddressFilter, type AddressFilter } from '../src/index.js'
import { csvOf, startLedger, type LedgerInstallation } from './installation.js'

/** More than one page for senders and for receivers. */
const TRANSFERS = 2_500
const BUSY = `0x${'b'.repeat(40)}`

const named = (name: string): string => `0x${createHash('sha1').update(name).digest('hex')}`
const senders = Array.from({ length: TRANSFERS }, (_, index) => named(`sender ${index}`))
const receivers = senders.map((_, index) => (index % 5 === 0 ? BUSY : named(`receiver ${index}`)))

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
  const rows = senders.map((from, index) => ({ from, to: receivers[index]! }))
  await ledger.imported(await ledger.file('many.csv', csvOf(rows)))
}, 60_000)
afterAll(async () => await ledger.close())

test('it may hold every sender and recipient on its chain, and hardly any other address', async () => {
  let pages = 0
  const afterPage = (): Promise<boolean> => Promise.resolve((pages += 1) > 0)
  const filter = (await readAddressFilter(ledger.database, { ledgerSeq: 1, afterPage })) as AddressFilter
  expect(filter.ledgerSeq).toBe(1)
  expect([...senders, ...receivers].filter((one) => !filter.mayHold('ETH', one))).toEqual([])
  const strangers = Array.from({ length: 2_000 }, (_, index) => named(`stranger ${index}`))
  expect(strangers.filter((one) => filter.mayHold('ETH', one)).length).toBeLessThan(5)
  expect(senders.filter((one) => filter.mayHold('BSC', one)).length).toBeLessThan(5)
  // Neither the pages nor their statements visit each transfer of a busy address.
  expect(pages).toBe(Math.floor(senders.length / 1_000) + Math.floor(new Set(receivers).size / 1_000))
})

test('above the limit of addresses there is no filter', async () => {
  const maxAddresses = new Set([...senders, ...receivers]).size
  const read = (bound: number) =>
    readAddressFilter(ledger.database, {
      ledgerSeq: 1,
      afterPage: () => Promise.resolve(true),
      maxAddresses: bound,
    })
  expect(await read(maxAddresses)).toMatchObject({ ledgerSeq: 1 })
  expect(await read(maxAddresses - 100)).toBe('too many')
})

test('a reading that was ended sends no further query', async () => {
  let pages = 0
  const ended = await readAddressFilter(ledger.database, {
    ledgerSeq: 1,
    afterPage: () => Promise.resolve((pages += 1) < 2),
  })
  expect([ended, pages]).toEqual([null, 2])
})
