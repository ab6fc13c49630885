import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, describe, expect, test } from 'vitest'
import { impossibleCoins, openChain } from './chain.js'
import { ledgerFormats } from './formats.js'
import { LedgerFileError } from './ledger-file-error.js'
import type { FileRecord } from './ledger-row.js'
import { readFields, readRecords } from './read-file.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-parquet-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Column = Omit<SchemaElement, 'num_children'> & { readonly data: readonly unknown[] }
let files = 0

/** Writes columns of these types, as other programs than ours write them. */
function written(columns: readonly Column[], rowGroupSize = 100): string {
  const path = join(folder, `${files++}.parquet`)
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map((column) => ({ repetition_type: 'OPTIONAL' as const, ...column, data: undefined })),
  ]
  const columnData = columns.map(({ name, data }) => ({ name, data: [...data] }))
  const options = {
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) },
  } as const
  writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData, schema, rowGroupSize, ...options })))
  return path
}

async function recordsOf(path: string, chain = 'ETH'): Promise<readonly FileRecord[]> {
  const records: FileRecord[] = []
  for await (const some of readRecords(path, createHash('sha256'), impossibleCoins(chain)))
    records.push(...some)
  return records
}

const textsOf = async (column: Column, chain = 'ETH'): Promise<readonly string[]> =>
  (await recordsOf(written([column]), chain)).map(({ text }) => text(column.name))

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

describe('a value keeps every digit', () => {
  test.each<[string, Column, readonly string[]]>([
    [
      'an integer of 64 bits',
      { name: 'n', type: 'INT64', data: [9_007_199_254_740_993n, null] },
      ['9007199254740993', ''],
    ],
    [
      'a decimal',
      {
        name: 'n',
        type: 'INT64',
        converted_type: 'DECIMAL',
        precision: 18,
        scale: 2,
        data: [1_234_567_890_123_456_789n, 150n],
      },
      ['12345678901234567.89', '1.50'],
    ],
    [
      'a decimal without a fraction',
      { name: 'n', type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 0, data: [7n] },
      ['7'],
    ],
    [
      'bytes of an address',
      { name: 'n', type: 'BYTE_ARRAY', data: [bytes('ab'.repeat(20))] },
      [`0x${'ab'.repeat(20)}`],
    ],
    [
      'an address whose bytes are letters',
      { name: 'n', type: 'BYTE_ARRAY', data: [bytes(Buffer.from('call me an address!!').toString('hex'))] },
      [`0x${Buffer.from('call me an address!!').toString('hex')}`],
    ],
    [
      'a text without its type',
      { name: 'n', type: 'BYTE_ARRAY', data: [Uint8Array.from(Buffer.from('native'))] },
      ['native'],
    ],
    ['a text', { name: 'n', type: 'BYTE_ARRAY', converted_type: 'UTF8', data: ['ünï', ''] }, ['ünï', '']],
    [
      'a time',
      {
        name: 'n',
        type: 'INT64',
        converted_type: 'TIMESTAMP_MILLIS',
        data: [new Date('2023-05-02T12:19:59Z')],
      },
      ['2023-05-02T12:19:59.000Z'],
    ],
    ['a truth value', { name: 'n', type: 'BOOLEAN', data: [true, false] }, ['true', 'false']],
  ])('%s', async (_name, column, expected) => {
    await expect(textsOf(column)).resolves.toEqual(expected)
  })

  test('in records whose lines are the numbers of rows, over all row groups', async () => {
    const path = written(
      [{ name: 'n', type: 'INT64', data: Array.from({ length: 7 }, (_, index) => BigInt(index)) }],
      3,
    )
    const records = await recordsOf(path)
    expect(records.map(({ line, text }) => [line, text('n')])).toEqual(
      Array.from({ length: 7 }, (_, index) => [index + 1, String(index)]),
    )
    expect((await readFields(path))?.has('n')).toBe(true)
    expect((await readFields(path))?.has('m')).toBe(false)
  })
})

describe('whole numbers of a column of floats', () => {
  const float = (data: readonly number[]): Column => ({ name: 'value', type: 'DOUBLE', data })

  test.each<[string, Column, readonly string[], string]>([
    [
      'count base units if one is more than all coins',
      float([1.5e18, 7, 1e21]),
      ['1500000000000000000', '7', '1000000000000000000000'],
      'ETH',
    ],
    ['may count coins if all are small', float([12, 7]), ['12.0', '7.0'], 'ETH'],
    ['may count coins if one has a fraction', float([1.5e18, 0.5]), ['1500000000000000000.0', '0.5'], 'ETH'],
    [
      'may count coins if one is not a number',
      float([1.5e18, Number.NaN]),
      ['1500000000000000000.0', 'NaN'],
      'ETH',
    ],
    ['count base units of a scarce coin earlier', float([2e8, 7]), ['200000000', '7'], 'BTC'],
    ['may count coins with a negative number', float([2e8, -7]), ['200000000.0', '-7'], 'BTC'],
  ])('%s', async (_name, column, expected, chain) => {
    await expect(textsOf(column, chain)).resolves.toEqual(expected)
  })

  test('tell together with those of 50,000 rows, in groups of more than are in memory at once', async () => {
    const data = Array.from({ length: 150_001 }, (_, index) => index)
    // In the second and in the last of these parts.
    for (const index of [60_000, 150_000]) data[index] = 1e18
    const records = await recordsOf(written([float(data)], data.length))
    const texts = records.map(({ text }) => text('value'))
    const expected = data.map((value, index) => {
      const isCertain = Math.floor(index / 50_000) === 1 || index === 150_000
      return `${value === 1e18 ? '1000000000000000000' : value}${isCertain ? '' : '.0'}`
    })
    // Comparing them one by one takes seconds.
    expect(texts.join()).toBe(expected.join())
  })

  test('of 32 bits become a text that no reader takes if digits were lost', async () => {
    const column: Column = { name: 'value', type: 'FLOAT', data: [1.5e18, 16_777_216, 7] }
    await expect(textsOf(column)).resolves.toEqual(['about 1499999942100385800', '16777216.0', '7.0'])
  })

  test('that may count coins refuse their rows', async () => {
    const address = (digit: number) => `0x${String(digit).repeat(40)}`
    const text = (name: string, value: string): Column => ({
      name,
      type: 'BYTE_ARRAY',
      converted_type: 'UTF8',
      data: [value],
    })
    const path = written([
      ...[
        text('hash', `0x${'a'.repeat(64)}`),
        text('from_address', address(1)),
        text('to_address', address(2)),
      ],
      ...[text('gas_price', '1'), text('receipt_status', '1'), text('block_number', '20')],
      float([12]),
    ])
    const reader = ledgerFormats['ethereum-etl']!.open(openChain('ETH')!)
    const [record] = await recordsOf(path)
    expect(() => reader.read(record!)).toThrow('12.0 may be whole coins')
  })
})

test('lists of inputs and outputs are read with exact values', async () => {
  const path = join(folder, 'lists.parquet')
  const item = [
    { name: 'addresses', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    {
      name: 'value',
      repetition_type: 'OPTIONAL',
      type: 'INT64',
      converted_type: 'DECIMAL',
      precision: 18,
      scale: 2,
    },
  ] as const
  const list = (name: string) =>
    [
      { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', num_children: 2 },
      ...item,
    ] as const
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 3 },
    { name: 'hash', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    ...list('inputs'),
    ...list('outputs'),
  ]
  const [payer, payee] = ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa']
  const columnData = [
    { name: 'hash', data: ['9'.repeat(64)] },
    { name: 'inputs', data: [[{ addresses: [payer], value: 50_000_000_100n }]] },
    { name: 'outputs', data: [[{ addresses: [payee], value: 50_000_000_000n }]] },
  ]
  writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData, schema })))
  const [record] = await recordsOf(path, 'BTC')
  const rows = ledgerFormats['bitcoin-etl']!.open(openChain('BTC')!).read(record!)
  expect(rows).toMatchObject([
    { type: 'transfer', transfer: { from: payer, to: payee, amount: 500_000_000n } },
  ])
})

describe('a file is refused that', () => {
  const whole = (): string => written([{ name: 'n', type: 'INT64', data: [1n, 2n, 3n] }])

  test('is cut', async () => {
    const path = whole()
    const all = readFileSync(path)
    writeFileSync(path, all.subarray(0, all.length - 9))
    await expect(recordsOf(path)).rejects.toThrow(LedgerFileError)
    await expect(readFields(path)).rejects.toThrow('the file is not readable as Parquet')
  })

  test('has a damaged page', async () => {
    const path = whole()
    const all = readFileSync(path)
    all.fill(0xff, 8, 40)
    writeFileSync(path, all)
    await expect(recordsOf(path)).rejects.toThrow(LedgerFileError)
  })

  test('names a column twice', async () => {
    const column: Column = { name: 'value', type: 'INT64', data: [1n] }
    await expect(recordsOf(written([column, column]))).rejects.toThrow('the file names a column twice: value')
  })

  test('changes while it is read', async () => {
    const path = whole()
    const reading = readRecords(path, createHash('sha256'))
    expect((await reading.next()).done).toBe(false)
    appendFileSync(path, 'x')
    await expect(reading.next()).rejects.toThrow('The file changed while it was read')
  })
})
