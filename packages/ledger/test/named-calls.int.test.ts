/** A call within a transaction counts once, whether files name the transaction by hash, by place or by both, in any order. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { currentLedger, readTransfers } from '../src/index.js'
import { address, csvOf, hash, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const [PAYER, PAYEE, CONTRACT] = [address(1), address(2), address(9)]
const ETHER = '1000000000000000000'

interface File {
  readonly text: string
  readonly format: 'csv' | 'ethereum-etl'
}

/** Traces of geth: the outermost call and then as many equal calls as asked for. */
const geth = (calls: number, { block = 100, index = 2 } = {}): File => ({
  format: 'ethereum-etl',
  text: [
    'block_number,transaction_index,from_address,to_address,value,trace_type,call_type,trace_address,error',
    `${block},${index},${address(7)},${CONTRACT},0,call,call,,`,
    ...Array.from(
      { length: calls },
      (_, at) => `${block},${index},${PAYER},${PAYEE},${ETHER},call,call,${at},`,
    ),
    '',
  ].join('\n'),
})
/** The transaction moves nothing itself, so that no transfer tells its place. */
const transactions: File = {
  format: 'ethereum-etl',
  text: `hash,nonce,block_number,transaction_index,from_address,to_address,value,gas_price,receipt_status\n${hash(5)},1,100,2,${address(7)},${CONTRACT},0,1,1\n`,
}
const call = { kind: 'internal', from: PAYER, to: PAYEE, hash: hash(5), status: '' } as const
const withoutPlace = (text: string): string => text.replace(/,0$/gm, ',')
const bareExport: File = { format: 'csv', text: withoutPlace(csvOf([{ ...call, block: '', time: '' }])) }
const exportWithBlock: File = { format: 'csv', text: withoutPlace(csvOf([{ ...call, block: 100 }])) }
const parity: File = { format: 'csv', text: csvOf([{ ...call, block: 100, txIndex: 2 }]) }

async function importAll(files: readonly File[]): Promise<void> {
  for (const [at, { text, format }] of files.entries())
    await ledger.imported(await ledger.file(`${at}.txt`, text), { format })
}
const stateNow = async (): Promise<number> => (await currentLedger(ledger.database)).ledgerSeq
async function receivedAt(ledgerSeq: number) {
  const request = { chain: 'ETH', ledgerSeq, addresses: [PAYEE], limit: 100 }
  return (await readTransfers(ledger.database, request)).get(PAYEE)?.transfers ?? []
}
const received = async () => (await receivedAt(await stateNow())).map(({ amount }) => String(amount))

function ordersOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((one, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [one, ...rest]))
}

test.each(ordersOf([geth(1), transactions, bareExport, parity]))(
  'a call is told by place, by hash and by both: it counts once (order %#)',
  async (...files) => {
    await importAll(files)
    expect(await received()).toEqual([ETHER])
  },
)

test.each(ordersOf([geth(1), transactions, bareExport]))(
  'a transaction that moves nothing tells which hash belongs to a place (order %#)',
  async (...files) => {
    await importAll(files)
    expect(await received()).toEqual([ETHER])
    expect((await receivedAt(await stateNow()))[0]!.proven).toBe(true)
  },
)

test.each(ordersOf([geth(1), exportWithBlock]))(
  'an export with hash and block matches the call of that block although no file tells the place (order %#)',
  async (...files) => {
    await importAll(files)
    expect(await received()).toEqual([ETHER])
  },
)

/** A transaction that moves value itself, so that its transfer tells its place. */
const paying = (name: number): File => ({
  format: 'csv',
  text: csvOf([{ hash: hash(name), block: 100, txIndex: 2, from: address(7), to: address(20 + name) }]),
})
const nameOfCall = async (): Promise<readonly string[]> =>
  (await receivedAt(await stateNow())).map(({ txHash }) => txHash)

test.each(ordersOf([geth(1), paying(5), bareExport]))(
  'a transaction that moves value tells which hash belongs to its place (order %#)',
  async (...files) => {
    await importAll(files)
    expect(await received()).toEqual([ETHER])
    expect(await nameOfCall()).toEqual([hash(5)])
  },
)

test.each([
  [[paying(5), paying(6), geth(1)], 5],
  [[paying(6), paying(5), geth(1)], 6],
  [[transactions, paying(6), geth(1)], 5],
  [[paying(6), transactions, geth(1)], 6],
])(
  'of two transactions that files tell at one place, the first one names the call (%#)',
  async (files, name) => {
    await importAll(files)
    expect(await nameOfCall()).toEqual([hash(name)])
  },
)

test.each([paying(5), transactions])(
  'a file that replaces its range tells anew which transaction is at a place (%#)',
  async (earlier) => {
    await importAll([earlier, paying(4)])
    const range = { completeFrom: 100, completeTo: 100, covers: ['native'] as const, replace: true }
    await ledger.imported(await ledger.file('again.csv', paying(6).text), range)
    await ledger.imported(await ledger.file('calls.csv', geth(1).text), { format: 'ethereum-etl' })
    expect(await nameOfCall()).toEqual([hash(6)])
  },
)

test('a transfer that another file told without a place gets it from the file that tells it', async () => {
  await importAll([
    { ...paying(5), text: withoutPlace(paying(5).text.replaceAll(',2\n', ',0\n')) },
    paying(5),
    geth(1),
  ])
  expect(await nameOfCall()).toEqual([hash(5)])
})

test('equal calls count as often as the one file that states most of them', async () => {
  await importAll([geth(1), transactions, bareExport, geth(3)])
  expect(await received()).toEqual([ETHER, ETHER, ETHER])
  await importAll([geth(2)])
  expect(await received()).toHaveLength(3)
})

test('calls of other transactions and blocks stay calls of their own', async () => {
  await importAll([transactions, exportWithBlock, geth(1, { index: 3 }), geth(1, { block: 101 }), geth(1)])
  expect(await received()).toHaveLength(3)
})

test('a state of the ledger before the name was known stays what it was', async () => {
  await importAll([geth(1)])
  const before = await stateNow()
  const [known] = await receivedAt(before)
  await importAll([transactions, bareExport])
  expect(await receivedAt(before)).toEqual([known])
  expect((await receivedAt(await stateNow())).map(({ txHash }) => txHash)).toEqual([
    `0x${'5'.padStart(64, '0')}`,
  ])
})
