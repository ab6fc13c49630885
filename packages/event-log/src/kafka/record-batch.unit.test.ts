import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { typeOf, type NewRecord } from '../port.js'
import {
  BATCH_OVERHEAD,
  crc32c,
  decodeBatches,
  MAX_UNPACKED_BYTES,
  NO_PRODUCER,
  recordBytes,
  UnreadableBatchError,
  writeBatch,
} from './record-batch.js'

const TIME_MS = 1_795_000_000_000
const START = 7

const encode = (records: readonly NewRecord[], baseOffset = 0): Buffer => {
  const bytes = records.reduce((sum, each) => sum + recordBytes(each), BATCH_OVERHEAD)
  // Something stands before a batch, and no more room than was asked for after it.
  const into = Buffer.alloc(START + bytes)
  const batch = into.subarray(START, writeBatch(into, START, records, TIME_MS, NO_PRODUCER, 0))
  // The broker writes the base offset; the checksum does not cover it.
  batch.writeBigInt64BE(BigInt(baseOffset), 0)
  return batch
}
const made = (text: string): NewRecord => ({
  topic: 't',
  partition: 0,
  key: `key of ${text}`,
  value: Buffer.from(text),
  headers: { ce_type: 'Happened', empty: '', ünïcode: '🔑' },
})
const offsets = (bytes: Buffer, from: number): number[] =>
  decodeBatches(bytes, 't', 0, from).records.map((each) => each.offset)

test('the checksum is CRC-32C', () => {
  // Check value of CRC-32/ISCSI in the catalogue of parametrised CRC algorithms.
  expect(crc32c(Buffer.from('123456789'), 0)).toBe(0xe3069283)
  expect(crc32c(Buffer.from('xx123456789'), 2)).toBe(0xe3069283)
  expect(crc32c(Buffer.alloc(0), 0)).toBe(0)
})

test('a record’s type is found without its other headers, and is the same once they were read', () => {
  const headers = [
    { ce_type: 'Happened' },
    { ce_typ: 'a', ce_types: 'b', ünïcode: '🔑', ce_type: 'Happened', other: 'ce_type' },
    { ce_id: 'ce_type' },
    {},
  ]
  const decoded = decodeBatches(encode(headers.map((each) => ({ ...made('x'), headers: each }))), 't', 0, 0)
  const types = ['Happened', 'Happened', undefined, undefined]
  expect(decoded.records.map(typeOf)).toEqual(types)
  expect(decoded.records.map((record) => record.headers['ce_type'])).toEqual(types)
  expect(decoded.records.map(typeOf)).toEqual(types)
})

test('what is written is read back, whatever it is', () => {
  const record = fc.record({
    topic: fc.constant('t'),
    partition: fc.constant(3),
    key: fc.string({ unit: 'binary', maxLength: 300 }),
    value: fc.uint8Array({ maxLength: 40_000 }).map((bytes) => Buffer.from(bytes)),
    headers: fc.dictionary(
      fc.string({ minLength: 1, maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 200 }),
    ),
  })
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 40 }), fc.nat(2 ** 40), (records, base) => {
      const decoded = decodeBatches(encode(records, base), 't', 3, base)
      expect(decoded.next).toBe(base + records.length)
      expect(
        decoded.records.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } })),
      ).toEqual(records.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } })))
      expect(decoded.records.map((each) => each.offset)).toEqual(records.map((_, index) => base + index))
    }),
    { numRuns: 60 },
  )
})

test('a header may have any name', () => {
  const headers = Object.fromEntries([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
  const [read] = decodeBatches(encode([{ ...made('a'), headers }]), 't', 0, 0).records
  expect(Object.entries(read!.headers)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
})

describe('a fetched range', () => {
  const batches = Buffer.concat([
    encode(['a', 'b', 'c'].map(made), 10),
    encode(['d'].map(made), 13),
    encode(['e', 'f'].map(made), 14),
  ])

  test('begins at the offset asked for, also in the middle of a batch', () => {
    expect(offsets(batches, 10)).toEqual([10, 11, 12, 13, 14, 15])
    expect(offsets(batches, 12)).toEqual([12, 13, 14, 15])
    expect(offsets(batches, 15)).toEqual([15])
    expect(decodeBatches(batches, 't', 0, 12)).toMatchObject({ first: 12, next: 16 })
  })

  test('ends before a batch that was cut off', () => {
    const cut = batches.subarray(0, batches.length - 3)
    expect(offsets(cut, 10)).toEqual([10, 11, 12, 13])
    expect(decodeBatches(cut, 't', 0, 10).next).toBe(14)
    expect(decodeBatches(cut, 't', 0, 14)).toMatchObject({ first: null, next: 14 })
  })

  test('says where it begins when that is later than asked', () => {
    expect(decodeBatches(batches, 't', 0, 7)).toMatchObject({ records: [], first: 10, next: 7 })
  })

  test('ends before a hole between batches', () => {
    const holed = Buffer.concat([encode(['a'].map(made), 0), encode(['b'].map(made), 5)])
    expect(decodeBatches(holed, 't', 0, 0)).toMatchObject({ first: 0, next: 1 })
    expect(decodeBatches(holed, 't', 0, 1)).toMatchObject({ first: 5, next: 1 })
  })

  test('passes over control batches, whose offsets count', () => {
    const control = encode(['marker'].map(made), 11)
    control.writeInt16BE(0x20, 21)
    const mixed = Buffer.concat([encode(['a'].map(made), 10), control, encode(['b'].map(made), 12)])
    expect(offsets(mixed, 10)).toEqual([10, 12])
    expect(decodeBatches(mixed, 't', 0, 10).next).toBe(13)
  })
})

const compressed = (plain: Buffer, body = gzipSync(plain.subarray(61))): Buffer => {
  const packed = Buffer.concat([plain.subarray(0, 61), body])
  packed.writeInt32BE(packed.length - 12, 8)
  packed.writeInt16BE(1, 21)
  return packed
}

test('a compressed batch that unpacks to more than the limit, or to nothing, makes the partition unreadable', () => {
  const plain = encode(['a'].map(made))
  const bomb = compressed(plain, gzipSync(Buffer.alloc(MAX_UNPACKED_BYTES + 1)))
  expect(bomb.length).toBeLessThan(MAX_UNPACKED_BYTES / 500)
  expect(() => decodeBatches(bomb, 't', 3, 0)).toThrow(
    't/3 holds a batch that unpacks to more than 8000000 bytes',
  )
  expect(() => decodeBatches(bomb, 't', 3, 0)).toThrow(UnreadableBatchError)
  const broken = compressed(plain, Buffer.from('no gzip'))
  expect(() => decodeBatches(broken, 't', 3, 0)).toThrow('t/3 holds a batch that is not what gzip writes')
})

test('a batch that gzip compressed is read; another codec and an old format are named', () => {
  const plain = encode(['a', 'b'].map(made))
  const packed = compressed(plain)
  expect(decodeBatches(packed, 't', 0, 0).records.map((each) => each.value?.toString())).toEqual(['a', 'b'])
  packed.writeInt16BE(4, 21)
  expect(() => decodeBatches(packed, 't', 0, 0)).toThrow(UnreadableBatchError)
  plain.writeInt8(1, 16)
  expect(() => decodeBatches(plain, 't', 0, 0)).toThrow(UnreadableBatchError)
})

test('another client reads what is written here, byte for byte', async () => {
  const require = createRequire(import.meta.url)
  const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => unknown
  const decodeByKafkaJs = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (
    decoder: unknown,
  ) => Promise<{ records: { offset: string; key: Buffer; value: Buffer; headers: Record<string, Buffer> }[] }>
  const { records } = await decodeByKafkaJs(new Decoder(encode(['a', 'b'].map(made), 7)))
  expect(records.map((each) => [each.offset, each.key.toString(), each.value.toString()])).toEqual([
    ['7', 'key of a', 'a'],
    ['8', 'key of b', 'b'],
  ])
  expect(records[0]!.headers['ünïcode']!.toString()).toBe('🔑')
})
