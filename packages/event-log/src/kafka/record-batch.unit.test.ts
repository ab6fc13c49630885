import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { topicOf } from '@cupel/contracts'
import lz4js from 'lz4js'
import snappyjs from 'snappyjs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { numbered } from '../contract/records.contract.js'
import { typeOf, type NewRecord } from '../port.js'
import {
  BATCH_OVERHEAD,
  crc32c,
  decodeBatches,
  NO_PRODUCER,
  recordBytes,
  UnreadableBatchError,
  writeBatch,
} from './record-batch.js'
import { PACK_FROM_BYTES, type Compression } from './pack.js'
import { MAX_UNPACKED_BYTES } from './unpack.js'

const TIME_MS = 1_795_000_000_000
const START = 7

const encode = (records: readonly NewRecord[], baseOffset = 0, compression: Compression = 'none'): Buffer => {
  const bytes = records.reduce((sum, each) => sum + recordBytes(each), BATCH_OVERHEAD)
  // Bytes stand before a batch, and the buffer has only the requested room after them.
  const into = Buffer.alloc(START + bytes)
  const written = { records, timestampMs: TIME_MS, producer: NO_PRODUCER, sequence: 0, compression }
  const batch = into.subarray(START, writeBatch(into, START, written))
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
  const records = fc.array(record, { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(records, fc.nat(2 ** 40), fc.constantFrom('none', 'gzip'), (records, base, compression) => {
      const decoded = decodeBatches(encode(records, base, compression), 't', 3, base)
      expect(decoded.next).toBe(base + records.length)
      expect(
        decoded.records.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } })),
      ).toEqual(records.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } })))
      expect(decoded.records.map((each) => each.offset)).toEqual(records.map((_, index) => base + index))
    }),
    { numRuns: 60 },
  )
})

describe('A batch that is written with gzip', () => {
  const codecOf = (batch: Buffer): number => batch.readInt16BE(21)
  const repeated = numbered(20).map((text) => made(text.padEnd(2_000, 'the same in every report ')))

  test('takes less than a third where its records repeat one another, with a right length and checksum', () => {
    const [plain, packed] = [encode(repeated), encode(repeated, 0, 'gzip')]
    expect([codecOf(plain), codecOf(packed)]).toEqual([0, 1])
    expect(packed.length).toBeLessThan(plain.length / 3)
    expect(packed.readInt32BE(8)).toBe(packed.length - 12)
    expect(packed.readUInt32BE(17)).toBe(crc32c(packed, 21))
    expect(readAll(packed)).toEqual(readAll(plain))
    // Readers limit their records by the size in memory.
    expect(decodeBatches(packed, 't', 0, 0).bytes).toBe(plain.length)
    // For the broker, a repeated request must be the same batch.
    expect(encode(repeated, 0, 'gzip')).toEqual(packed)
  })

  test('is left as it is where it is small, or gains nothing', () => {
    const small = [made('x'.repeat(PACK_FROM_BYTES / 4))]
    expect(encode(small, 0, 'gzip')).toEqual(encode(small))
    const random = [{ ...made('random'), value: randomBytes(20_000) }]
    expect(encode(random, 0, 'gzip')).toEqual(encode(random))
  })
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
    const compacted = decodeBatches(holed, topicOf('LatestReportRecorded'), 0, 1)
    expect(compacted).toMatchObject({ first: 5, next: 6 })
    expect(compacted.records.map(({ offset }) => offset)).toEqual([5])
  })

  test('passes over control batches, whose offsets count', () => {
    const control = encode(['marker'].map(made), 11)
    control.writeInt16BE(0x20, 21)
    seal(control)
    const mixed = Buffer.concat([encode(['a'].map(made), 10), control, encode(['b'].map(made), 12)])
    expect(offsets(mixed, 10)).toEqual([10, 12])
    expect(decodeBatches(mixed, 't', 0, 10).next).toBe(13)
  })
})

/** Writes a new checksum into a changed batch. */
const seal = (batch: Buffer): void => void batch.writeUInt32BE(crc32c(batch, 21), 17)

const compressed = (plain: Buffer, codec: number, body: Uint8Array): Buffer => {
  const packed = Buffer.concat([plain.subarray(0, 61), body])
  packed.writeInt32BE(packed.length - 12, 8)
  packed.writeInt16BE(codec, 21)
  seal(packed)
  return packed
}

/** A zstd frame of repeated zeros: four bytes for each 128 KiB. `window`: the window size that the frame states. */
function zstdZeros(bytes: number, window = 0x58): Buffer {
  const blocks: Buffer[] = []
  for (let left = bytes; left > 0; left -= 131_072) {
    const size = Math.min(left, 131_072)
    const head = Buffer.alloc(4)
    head.writeUIntLE((size << 3) | 2 | (left <= 131_072 ? 1 : 0), 0, 3)
    blocks.push(head)
  }
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]), ...blocks])
}
/** A zstd frame with one raw block. */
function zstdRaw(body: Buffer): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0, 0, 0])
  head.writeUIntLE((body.length << 3) | 1, 6, 3)
  return Buffer.concat([head, body])
}
function xerial(...blocks: Uint8Array[]): Buffer {
  const framed = blocks.map((block) => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(block.length)
    return Buffer.concat([size, block])
  })
  return Buffer.concat([Buffer.from('82534e415050590000000001'.padEnd(32, '0'), 'hex'), ...framed])
}

const BOMB_BYTES = MAX_UNPACKED_BYTES + 1
const zeros = Buffer.alloc(BOMB_BYTES)
const codecCases: readonly [string, number, (body: Buffer) => Uint8Array, () => Uint8Array][] = [
  ['gzip', 1, (body) => gzipSync(body), () => gzipSync(zeros)],
  ['snappy', 2, (body) => snappyjs.compress(body), () => snappyjs.compress(zeros)],
  [
    'snappy in blocks',
    2,
    (body) => xerial(snappyjs.compress(body.subarray(0, 3)), snappyjs.compress(body.subarray(3))),
    () => {
      const block = snappyjs.compress(zeros.subarray(0, BOMB_BYTES / 2 + 1))
      return xerial(block, block)
    },
  ],
  ['lz4', 3, (body) => lz4js.compress(body), () => lz4js.compress(zeros)],
  ['zstd', 4, zstdRaw, () => zstdZeros(BOMB_BYTES)],
]

describe.each(codecCases)('A batch that %s compressed', (name, codec, pack, bomb) => {
  const plain = encode(['a', 'b'].map(made))
  const body = Buffer.from(plain.subarray(61))

  test('is read', () => {
    const { records, next } = decodeBatches(compressed(plain, codec, pack(body)), 't', 0, 0)
    expect(records.map((each) => each.value.toString())).toEqual(['a', 'b'])
    expect(next).toBe(2)
  })

  test('makes the partition unreadable where it unpacks to more than the limit', () => {
    const packed = compressed(plain, codec, bomb())
    expect(packed.length).toBeLessThan(MAX_UNPACKED_BYTES / 10)
    expect(() => decodeBatches(packed, 't', 3, 0)).toThrow(
      't/3 holds a batch that unpacks to more than 8000000 bytes',
    )
    expect(() => decodeBatches(packed, 't', 3, 0)).toThrow(UnreadableBatchError)
  })

  test('is named where it is cut off or something else, wherever it ends', () => {
    const whole = Buffer.from(pack(body))
    for (let size = 0; size < whole.length; size += 1) {
      const cut = compressed(plain, codec, whole.subarray(0, size))
      expect(() => readAll(cut), `${name}, ${size} bytes`).toThrow(UnreadableBatchError)
    }
    const other = compressed(plain, codec, Buffer.from('something else entirely'))
    expect(() => readAll(other)).toThrow(UnreadableBatchError)
  })
})

const readAll = (batch: Buffer): unknown =>
  decodeBatches(batch, 't', 3, 0).records.map(({ key, value, headers }) => [key, value, headers])

test('lengths that a compressed batch states are not believed', () => {
  const plain = encode(['a'].map(made))
  const window = compressed(plain, 4, zstdZeros(10, 0xf8))
  expect(() => decodeBatches(window, 't', 3, 0)).toThrow('unpacks to more than')
  const block = Buffer.from(lz4js.compress(Buffer.alloc(100)))
  block.writeUInt32LE(0xffffffff, 7)
  expect(() => decodeBatches(compressed(plain, 3, block), 't', 3, 0)).toThrow('is not what lz4 writes')
  const snappy = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0])
  expect(() => decodeBatches(compressed(plain, 2, snappy), 't', 3, 0)).toThrow('unpacks to more than')
})

test('a codec that nobody knows and an old format are named', () => {
  const plain = encode(['a', 'b'].map(made))
  expect(() => decodeBatches(compressed(plain, 5, plain.subarray(61)), 't', 0, 0)).toThrow(
    't/0 holds a batch compressed with codec 5',
  )
  plain.writeInt8(1, 16)
  expect(() => decodeBatches(plain, 't', 0, 0)).toThrow(UnreadableBatchError)
})

test('a bit that changed on the way makes the partition unreadable, wherever it is', () => {
  const batch = encode(['a', 'b'].map(made))
  for (let at = 21; at < batch.length; at += 1) {
    const damaged = Buffer.from(batch)
    damaged[at]! ^= 1 << (at % 8)
    expect(() => decodeBatches(damaged, 't', 0, 0), `byte ${at}`).toThrow(
      't/0 holds a batch at 0 whose checksum is wrong',
    )
  }
})

test('a record of nothing has no value on a compacted topic, for other clients too, and an empty one elsewhere', async () => {
  const nothing = { ...made('x'), value: Buffer.alloc(0) }
  for (const [topic, value] of [
    [topicOf('LatestReportRecorded'), null],
    [topicOf('LatestReportRecorded', false), null],
    [topicOf('ReportGenerated'), Buffer.alloc(0)],
  ] as const) {
    const batch = encode([{ ...nothing, topic }])
    const { records } = await decodeByKafkaJs(batch)
    expect(records.map((each) => each.value)).toEqual([value])
    expect(decodeBatches(batch, topic, 0, 0).records.map((each) => each.value.length)).toEqual([0])
  }
})

test('another client reads what is written here, byte for byte', async () => {
  const texts = ['a', 'b'.repeat(2 * PACK_FROM_BYTES)]
  for (const compression of ['none', 'gzip'] as const) {
    const batch = encode(texts.map(made), 7, compression)
    const { records } = await decodeByKafkaJs(batch)
    expect(records.map((each) => [each.offset, each.key.toString(), each.value!.toString()])).toEqual(
      texts.map((text, index) => [String(7 + index), `key of ${text}`, text]),
    )
    expect(records[0]!.headers['ünïcode']!.toString()).toBe('🔑')
  }
})

interface ForeignRecord {
  readonly offset: string
  readonly key: Buffer
  readonly value: Buffer | null
  readonly headers: Record<string, Buffer>
}

function decodeByKafkaJs(batch: Buffer): Promise<{ records: ForeignRecord[] }> {
  const require = createRequire(import.meta.url)
  const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => unknown
  const decode = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (
    decoder: unknown,
  ) => Promise<{ records: ForeignRecord[] }>
  return decode(new Decoder(batch))
}
