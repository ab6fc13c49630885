/** The log states the sums of the rows that imports made: what somebody else altered, added or removed is found, whatever the imports did. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compareLedger, importLedger } from '../src/index.js'
import {
  address,
  csvOf,
  hash,
  startLedger,
  type CsvTransfer,
  type LedgerInstallation,
} from './installation.js'

let installation: LedgerInstallation
beforeEach(async () => {
  installation = await startLedger()
})
afterEach(() => installation.close())

let files = 0
async function imported(
  transfers: readonly CsvTransfer[],
  request: Parameters<LedgerInstallation['imported']>[1] = {},
): Promise<void> {
  await installation.imported(await installation.file(`${(files += 1)}.csv`, csvOf(transfers)), request)
  await installation.relay()
}

const [FIRST, SECOND] = ['12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa']
const three = [{ block: 1 }, { block: 2 }, { block: 3 }]
const RANGE = { completeFrom: 1, completeTo: 9, covers: ['native', 'internal'] } as const

describe('what imports change in rows of earlier imports is stated too:', () => {
  test('transfers that were known, and a proof and a failure of earlier ones', async () => {
    await imported([{ status: '' }, { status: '' }, {}])
    await imported([{ status: '1' }, { status: '0' }, {}, { block: 104 }])
    expect(await compareLedger(installation)).toEqual([])
  })

  test('a file that replaces its range moves, retires and restores transfers', async () => {
    await imported(three, RANGE)
    await imported([{ block: 4 }, { block: 2 }], { ...RANGE, replace: true })
    await imported(three, { ...RANGE, completeTo: 10, replace: true })
    expect(await compareLedger(installation)).toEqual([])
  })

  test('calls that get the name of their transaction', async () => {
    await imported([{ block: 1, kind: 'internal', hash: '', txIndex: 0 }], RANGE)
    await imported([{ block: 1, hash: hash(7), txIndex: 0 }])
    expect(await compareLedger(installation)).toEqual([])
  })

  test('rows of every form, and addresses that a row puts in quotes', async () => {
    const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
    await imported([
      { kind: 'token', contract: usdc, index: 7, raw: '1' },
      { kind: 'issuance', from: '', raw: '5' },
      { from: '', status: '0' },
      { to: '', block: '', time: '', status: '' },
      { hash: '', index: '', kind: 'internal', raw: (2n ** 255n).toString().slice(0, 30) },
    ])
    const bitcoin = { hash: 'ab'.repeat(32), kind: 'utxo', txIndex: 3, raw: '700' }
    const text = csvOf([{ ...bitcoin, from: FIRST, to: SECOND }])
      .replaceAll('ETH', 'BTC')
      .replaceAll('0x', '')
    await installation.imported(await installation.file('btc.csv', text), { chain: 'BTC' })
    await installation.relay()
    expect(await compareLedger(installation)).toEqual([])
    await installation.database.execute(`UPDATE ledger.address SET address = 'x' WHERE address = ''`)
    expect(await compareLedger(installation)).toEqual([expect.stringMatching(/rows with other values/)])
  })

  test('rows that another file takes over from an import that did not end', async () => {
    const file = await installation.file('cut.csv', csvOf(three))
    const { database } = installation
    const cut = importLedger(
      { file, format: 'csv', chain: 'ETH', importedBy: 'test' },
      {
        database,
        onProgress: () => {
          throw new Error('cut off')
        },
      },
    )
    await expect(cut).rejects.toThrow('cut off')
    expect(await compareLedger(installation)).toEqual([])
    await imported(three.slice(0, 2))
    expect(await compareLedger(installation)).toEqual([])
    await installation.imported(file)
    await installation.relay()
    expect(await compareLedger(installation)).toEqual([])
  })
})

const altered: readonly (readonly [string, string, RegExp])[] = [
  ['an amount', 'UPDATE ledger.transfer SET amount = 1 WHERE block_number = 2', /rows with other values/],
  [
    'an address',
    'UPDATE ledger.transfer SET from_id = to_id WHERE block_number = 2',
    /rows with other values/,
  ],
  [
    'the text of an address',
    `UPDATE ledger.address SET address = 'x' WHERE address_id = 2`,
    /rows with other values/,
  ],
  [
    'the numbers of two addresses that were exchanged',
    `UPDATE ledger.address SET address = 'x' WHERE address = '${address(1_000)}';
     UPDATE ledger.address SET address = '${address(1_000)}' WHERE address = '${address(1_001)}';
     UPDATE ledger.address SET address = '${address(1_001)}' WHERE address = 'x'`,
    /rows with other values/,
  ],
  [
    'a transfer that counts as failed',
    'UPDATE ledger.transfer SET failed_segment_id = segment_id WHERE block_number = 2',
    /rows with other values/,
  ],
  [
    'two amounts that were exchanged',
    'UPDATE ledger.transfer t SET amount = o.amount FROM ledger.transfer o WHERE t.block_number + o.block_number = 3',
    /rows with other values/,
  ],
  ['a missing transfer', 'DELETE FROM ledger.transfer WHERE block_number = 2', /1 rows fewer/],
  [
    'a transfer of its own',
    `INSERT INTO ledger.transfer SELECT (jsonb_populate_record(t, '{"transfer_id":"00000000-0000-0000-0000-000000000001"}')).*
     FROM ledger.transfer t WHERE block_number = 2`,
    /1 rows more/,
  ],
  ['a time of a block', `INSERT INTO ledger.block VALUES ('ETH', 1, 1, 1)`, /1 rows more/],
  ['a join of addresses', `INSERT INTO ledger.cluster_join VALUES ('BTC', 'a', 'b', 'c', 1)`, /1 rows more/],
  ['a contract', `INSERT INTO ledger.contract (chain, contract) VALUES ('ETH', '0x1')`, /1 rows more/],
  ['an owner', `INSERT INTO ledger.owner_address VALUES ('BTC', 'a', 'b', 1)`, /1 rows more/],
  [
    'an unreadable row',
    `INSERT INTO ledger.unreadable_row VALUES (1, 9, NULL, '{native}', '')`,
    /1 rows more/,
  ],
]

describe('a row that no import made is named:', () => {
  test.each(altered)('%s', async (_, statement, words) => {
    await imported(three.map((one, index) => ({ ...one, raw: String(index + 1) })))
    expect(await compareLedger(installation)).toEqual([])
    await installation.database.execute(statement)
    expect(await compareLedger(installation)).toEqual([expect.stringMatching(words)])
    // A later import does not state what it did not change.
    await imported([{ block: 9, hash: hash(99) }])
    expect(await compareLedger(installation)).toEqual([expect.stringMatching(words)])
  })
})
