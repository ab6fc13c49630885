/** The filter of a ledger's addresses never reports an address of the ledger as absent. */
import { createHash } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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

describe('a filter of a later state', () => {
  let grown: LedgerInstallation
  const pages: number[] = []
  beforeEach(async () => {
    grown = await startLedger()
    pages.length = 0
  }, 60_000)
  afterEach(async () => await grown.close())

  /** Counts the addresses of each page. */
  const read = async (ledgerSeq: number, before: AddressFilter | null = null): Promise<AddressFilter> => {
    const query: Queryable['query'] = async (statement, values) => {
      const rows = await grown.database.query(statement, values)
      pages.push(rows.length)
      return rows as never
    }
    const options = { ledgerSeq, before, afterPage: () => Promise.resolve(true) }
    return (await readAddressFilter({ ...grown.database, query }, options)) as AddressFilter
  }
  const give = async (database: Queryable, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts)
      await database.execute(`INSERT INTO ledger.address (chain, address) VALUES ('ETH', $1)`, [text])
  }
  const held = (filter: AddressFilter, ...texts: readonly string[]): readonly boolean[] =>
    texts.map((text) => filter.mayHold('ETH', text))

  test('reads only what came since, and holds what the earlier one held', async () => {
    await grown.imported(await grown.file('1.csv', csvOf(senders.map((from) => ({ from, to: BUSY })))))
    const first = await read(1)
    await grown.imported(await grown.file('2.csv', csvOf([{ from: named('late'), to: BUSY, block: 9_999 }])))
    pages.length = 0
    const second = await read(2, first)
    expect(held(second, senders[0]!, senders.at(-1)!, BUSY, named('late'))).toEqual([true, true, true, true])
    expect([second.ledgerSeq, held(second, named('nobody'))]).toEqual([2, [false]])
    // The last known address, to see that it is the same ledger, and the new one.
    expect(pages).toEqual([1, 1])
  })

  test('has an address whose transaction ended after those of later addresses', async () => {
    await give(grown.database, named('first'))
    let before: AddressFilter | null = null
    await grown.database.transaction({ at: 'test' }, async (slow) => {
      await give(slow, named('slow'))
      await give(grown.database, named('fast'))
      before = await read(1)
      expect(held(before, named('first'), named('slow'), named('fast'))).toEqual([true, false, true])
    })
    expect(held(await read(2, before), named('slow'))).toEqual([true])
  })

  test('asks for numbers that nobody has with one query, however many they are', async () => {
    const many = Array.from({ length: 300 }, (_, index) => named(`lost ${index}`))
    await expect(
      grown.database.transaction({ at: 'test' }, async (lost) => {
        await give(lost, ...many)
        throw new Error('lost')
      }),
    ).rejects.toThrow('lost')
    await give(grown.database, named('kept'))
    const before = await read(1)
    pages.length = 0
    await read(2, before)
    expect(pages).toEqual([1, 0, 0])
  })

  test('of a restored ledger, which gives numbers a second time, is read anew', async () => {
    await give(grown.database, named('one'), named('two'))
    const before = await read(1)
    await grown.database.execute('TRUNCATE ledger.address RESTART IDENTITY')
    await give(grown.database, named('other'), named('another'))
    expect(held(await read(2, before), named('other'), named('another'))).toEqual([true, true])
  })
})
