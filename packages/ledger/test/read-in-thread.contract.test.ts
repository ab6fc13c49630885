/** A thread reads of a file what its importer would read of it: the same batches in their order, or the same fault. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, expect, test } from 'vitest'
import { LedgerFileError } from '../src/formats/ledger-file-error.js'
import type { Batch } from '../src/batch.js'
import { packed, unpacked } from '../src/packed-batch.js'
import { readBatches, type ReadFile, type ReadOrder } from '../src/read-batches.js'
import { readInThread } from '../src/read-in-thread.js'
import { filesAs, layoutsOf, textOf } from './losses/files.js'
import { drawnWorld } from './losses/world.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-read-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Reader = typeof readInThread

let files = 0
function fileOf(content: string | Buffer): string {
  const file = join(folder, `${(files += 1)}`)
  writeFileSync(file, content)
  return file
}

const orderOf = (request: Partial<ReadOrder['request']> & { readonly file: string }): ReadOrder => ({
  request: { format: 'csv', chain: 'ETH', importedBy: 'operator:test', ...request },
  ...{ covers: [], now: new Date('2026-11-22T00:00:00Z'), segmentId: 3, rowsDone: 0 },
})

interface Told {
  readonly batches: readonly Batch[]
  readonly read: ReadFile | null
  readonly fault: unknown
}

async function toldBy(reader: Reader, order: ReadOrder): Promise<Told> {
  const batches: Batch[] = []
  try {
    // Both without what only the reader needs.
    const read = await reader(order, async (batch) => void batches.push(unpacked(packed(batch))))
    return { batches, read, fault: null }
  } catch (error) {
    return { batches, read: null, fault: error }
  }
}

async function expectSame(order: ReadOrder): Promise<Told> {
  const [here, there] = await Promise.all([toldBy(readBatches, order), toldBy(readInThread, order)])
  expect(there).toEqual(here)
  return there
}

const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const HEADING = 'chain,block_number,tx_hash,kind,from_address,to_address,amount_raw,amount,status'
const line = (n: number): string => `ETH,${n},${hash(n)},native,${address(n)},${address(50_000)},${n},,1`
const many = [HEADING, ...Array.from({ length: 12_000 }, (_, n) => line(n + 1)), ''].join('\n')

const drawn = [1, 23].flatMap((seed) => {
  const world = drawnWorld(seed)
  // A thread takes half a second to begin, and other layouts tell nothing else.
  return layoutsOf[world.chain]
    .filter((layout) => !/receipts|cryo/.test(layout))
    .flatMap((layout) =>
      filesAs(world, layout).map((file) => [`${file.name} ${layout} ${seed}`, world.chain, file] as const),
    )
})

test.each(drawn)('the file %s of %s', async (_, chain, file) => {
  const request = { file: fileOf(textOf(file)), format: file.format, chain }
  const { read } = await expectSame(orderOf(request))
  expect(read).not.toBeNull()
})

test('a file of several batches', async () => {
  const { batches, read } = await expectSame(orderOf({ file: fileOf(many) }))
  expect(batches.map(({ transfers }) => transfers.size)).toEqual([5_000, 5_000, 2_000])
  expect(read?.rows).toBe(12_000)
})

test('a file of which rows are stored', async () => {
  const { batches } = await expectSame({ ...orderOf({ file: fileOf(many) }), rowsDone: 10_000 })
  expect(batches.map(({ rows }) => rows)).toEqual([2_000])
})

test('a Parquet file', async () => {
  const rows = Array.from({ length: 6_000 }, (_, n) => line(n + 1).split(','))
  const columnData = HEADING.split(',').map((name, at) => ({
    ...{ name, type: 'STRING' as const, data: rows.map((row) => row[at]) },
  }))
  const { read } = await expectSame(
    orderOf({ file: fileOf(Buffer.from(parquetWriteBuffer({ columnData }))) }),
  )
  expect(read?.rows).toBe(6_000)
})

test.each([
  ['a row that is cut', `${many}ETH,1\n`, 12_002],
  ['a row that nobody can place', `${many}ETH,,,unknown,,,1,,\n`, 12_002],
  ['no row that can be read', `${HEADING}\nETH,1,,unknown,,,1,,\n`, null],
  ['no row at all', '', null],
])('a file with %s', async (_, content, lineOfFault) => {
  const { fault, read } = await expectSame(orderOf({ file: fileOf(content) }))
  if (lineOfFault === null) return expect(read).not.toBeNull()
  expect(fault).toBeInstanceOf(LedgerFileError)
  expect((fault as LedgerFileError).line).toBe(lineOfFault)
})

test('a thread that cannot go on fails the reading', async () => {
  const { fault } = await toldBy(readInThread, orderOf({ file: join(folder, 'nothing') }))
  expect(fault).toMatchObject({ code: 'ENOENT' })
})

test('a thread that fails ends the reading once what it gave away is stored', async () => {
  const untimed = Array.from({ length: 12_000 }, (_, n) => `${line(n + 1)},`)
  const timed = `${line(12_001)},2026-11-20T00:00:00Z`
  const file = fileOf([`${HEADING},block_time`, ...untimed, timed].join('\n'))
  let storing = 0
  const reading = readInThread({ ...orderOf({ file }), now: null as unknown as Date }, async () => {
    storing += 1
    await setTimeout(300)
    storing -= 1
  })
  await expect(reading).rejects.toThrow('getTime')
  expect(storing).toBe(0)
})

test('a batch that cannot be stored ends the reading', async () => {
  let stored = 0
  const reading = readInThread(orderOf({ file: fileOf(many) }), async () => {
    stored += 1
    throw new Error('the database is away')
  })
  await expect(reading).rejects.toThrow('the database is away')
  expect(stored).toBe(1)
})
