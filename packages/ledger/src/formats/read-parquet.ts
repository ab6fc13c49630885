/**
 * Rows of a Parquet file as records. Numbers keep every digit: decimals and whole numbers are read without floats. Source: Apache Parquet,
 * "Logical Types".
 */
import { createReadStream } from 'node:fs'
import type { Hash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  type ParquetParsers,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet'
import { fileSha256 } from './file-sha256.js'
import { LedgerFileError } from './ledger-file-error.js'
import type { FileRecord } from './ledger-row.js'
import { boundFooter, boundGroup } from './parquet-bounds.js'
import { parseJson } from './parse-json.js'

/** Rows whose numbers tell together what they count. */
const ROWS_AT_ONCE = 50_000
/** Rows that are in memory at once. A page is unpacked again for every part of it: DuckDB writes groups of 122,880 rows, in pages as long. */
const ROWS_UNPACKED = 3 * ROWS_AT_ONCE

/** Nothing is unpacked beyond the bytes that the page states. */
const compressors: Compressors = {
  ZSTD: (input, maxOutputLength) => zstdDecompressSync(input, { maxOutputLength }),
  GZIP: (input, maxOutputLength) => gunzipSync(input, { maxOutputLength }),
  BROTLI: (input, maxOutputLength) => brotliDecompressSync(input, { maxOutputLength }),
}

/** The bytes with which a Parquet file begins. */
export async function isParquet(path: string): Promise<boolean> {
  for await (const chunk of createReadStream(path, { end: 3 }))
    return (chunk as Buffer).toString('latin1') === 'PAR1'
  return false
}

/** The columns of a Parquet file. */
export async function parquetFields(path: string): Promise<Pick<FileRecord, 'has'>> {
  const names = new Set((await openParquet(path)).names)
  return { has: (name) => names.has(name) }
}

/**
 * Records in the order of the file; the line of a record is the number of its row. A `hash` is updated with every byte of the file, which must
 * be the same after the last record. `impossible` is a number of whole coins that nobody has.
 */
export async function* readParquet(
  path: string,
  hash: Hash | null,
  impossible: bigint,
): AsyncGenerator<readonly FileRecord[]> {
  const before = await fileSha256(path, hash)
  const { file, metadata, names, leaves } = await openParquet(path)
  let groupStart = 0
  for (const group of metadata.row_groups) {
    await boundGroup(path, group, groupStart + 1)
    const groupEnd = groupStart + Number(group.num_rows)
    for (let rowStart = groupStart; rowStart < groupEnd; rowStart += ROWS_UNPACKED) {
      const rowEnd = Math.min(rowStart + ROWS_UNPACKED, groupEnd)
      const rows = await readable(
        () =>
          parquetReadObjects({
            ...{ file, metadata, compressors, rowStart, rowEnd },
            ...{ utf8: false, geoparquet: false, useOffsetIndex: true, parsers },
          }),
        rowStart,
      )
      if (rows.length !== rowEnd - rowStart)
        throw new LedgerFileError('the file has fewer rows than it states: it may be cut', rowStart + 1)
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        const part = rows.slice(from, from + ROWS_AT_ONCE)
        const texts = textsOf(part, leaves, impossible)
        const line = rowStart + from + 1
        yield part.map((row, index) => recordOf(row, { line: line + index, names, texts }))
      }
    }
    groupStart = groupEnd
  }
  if (groupStart !== Number(metadata.num_rows))
    throw new LedgerFileError('the file has fewer rows than it states: it may be cut', groupStart)
  // The parts of the file are read in another order than its bytes.
  if (hash !== null && (await fileSha256(path)) !== before)
    throw new LedgerFileError('The file changed while it was read; import it again', null)
}

interface OpenParquet {
  readonly file: AsyncBuffer
  readonly metadata: FileMetaData
  readonly names: readonly string[]
  readonly leaves: Leaves
}

interface Leaf {
  /** Null for a float. */
  readonly scale: number | null
  /** A float of 32 bits. */
  readonly isShort: boolean
}

/** Numbers that may count whole coins: floats, and decimals with their scale; by the names from the column to the value. */
type Leaves = ReadonlyMap<string, Leaf>

async function openParquet(path: string): Promise<OpenParquet> {
  const file = await asyncBufferFromFile(path)
  await boundFooter(file)
  const metadata = await readable(() => parquetMetadataAsync(file, { geoparquet: false }), 0)
  const leaves = new Map<string, Leaf>()
  const { children } = parquetSchema(metadata)
  const names = children.map(({ element }) => element.name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw new LedgerFileError(`the file names a column twice: ${repeated.slice(0, 40)}`, null)
  for (const child of children) collectLeaves(child, child.element.name, leaves)
  return { file, metadata, names, leaves }
}

/** Takes the type of a decimal away, so that its digits are read instead of a float. */
function collectLeaves(node: SchemaTree, place: string, leaves: Map<string, Leaf>): void {
  const { element, children } = node
  if (children.length === 0) {
    const scale = scaleOf(element)
    const isShort = element.type === 'FLOAT'
    if (scale !== null || element.type === 'DOUBLE' || isShort) leaves.set(place, { scale, isShort })
    if (scale === null) return
    delete element.converted_type
    delete element.logical_type
    return
  }
  const [first] = children
  // A list is written as a group that repeats, which holds an element.
  const items =
    element.converted_type === 'LIST' || element.logical_type?.type === 'LIST'
      ? first!.children.length === 1
        ? first!.children
        : [first!]
      : null
  if (items !== null) for (const item of items) collectLeaves(item, place, leaves)
  else for (const child of children) collectLeaves(child, `${place}.${child.element.name}`, leaves)
}

function scaleOf({ converted_type, logical_type, scale }: SchemaElement): number | null {
  if (logical_type?.type === 'DECIMAL') return logical_type.scale
  return converted_type === 'DECIMAL' ? (scale ?? 0) : null
}

async function readable<T>(read: () => Promise<T>, rowsBefore: number): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.slice(0, 200) : 'unknown'
    throw new LedgerFileError(`the file is not readable as Parquet (${why})`, rowsBefore + 1, { cause })
  }
}

/** Every type that would lose something on its way becomes a text. */
const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => isoTime(millis),
  timestampFromMicroseconds: (micros) => isoTime(micros / 1_000n),
  timestampFromNanoseconds: (nanos) => isoTime(nanos / 1_000_000n),
  dateFromDays: (days) => isoTime(BigInt(days) * 86_400_000n).slice(0, 10),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('utf8'),
}

/** A time beyond all years is a text that no reader takes for a time. */
function isoTime(millis: bigint | number): string {
  const time = new Date(Number(millis))
  return Number.isNaN(time.getTime()) ? `${millis} ms` : time.toISOString()
}

type TextOf = (value: unknown, place: string) => unknown

/**
 * How the values of these rows become texts. A whole number in a column of floats or of decimals gets a point, because it may count coins,
 * unless the numbers of the column show base units: all are whole, and one is more than all coins that anybody has.
 */
function textsOf(rows: readonly Row[], leaves: Leaves, impossible: bigint): TextOf {
  const units = new Set<string>()
  for (const [place, leaf] of leaves) {
    let isCertain = false
    const names = place.split('.')
    const isWhole = rows.every((row) =>
      numbersAt(row, names).every((value) => {
        const text = numberText(value, leaf)
        if (!/^\d+$/.test(text)) return false
        if (!isCertain) isCertain = BigInt(text) >= impossible
        return true
      }),
    )
    if (isWhole && isCertain) units.add(place)
  }
  const textOf: TextOf = (value, place) => {
    if (value === null || value === undefined) return null
    if (Array.isArray(value)) return value.map((item) => textOf(item, place))
    const leaf = leaves.get(place)
    if (leaf !== undefined) {
      const text = numberText(value, leaf)
      return units.has(place) || leaf.scale === 0 || !/^\d+$/.test(text) ? text : `${text}.0`
    }
    if (value instanceof Uint8Array) return bytesText(value)
    if (typeof value === 'object')
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, textOf(one, `${place}.${name}`)]),
      )
    return typeof value === 'bigint' ? String(value) : value
  }
  return textOf
}

type Row = Readonly<Record<string, unknown>>

/** All numbers at the place of a leaf; lists have several. */
function numbersAt(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value))
    return value.flatMap((item) => numbersAt(item, name === undefined ? [] : [name, ...rest]))
  return name === undefined ? [value] : numbersAt((value as Row)[name], rest)
}

/** Whole numbers up to here are exact in 32 bits. */
const MAX_SHORT = 2 ** 24

/** Exact digits of a decimal; the shortest digits of a float. A number that lost digits is a text that no reader takes for a number. */
function numberText(value: unknown, { scale, isShort }: Leaf): string {
  if (isShort && Math.abs(value as number) > MAX_SHORT) return `about ${String(value)}`
  if (scale === null) return Number.isInteger(value) ? String(BigInt(value as number)) : String(value)
  const digits = value instanceof Uint8Array ? signedNumber(value) : BigInt(value as number | bigint)
  const unit = 10n ** BigInt(scale)
  const fraction = digits % unit
  return fraction === 0n
    ? String(digits / unit)
    : `${digits / unit}.${String(fraction < 0n ? -fraction : fraction).padStart(scale, '0')}`
}

/** A two's complement number, most significant byte first. */
function signedNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hexOf(bytes)}`))
}

/** The same bytes, with the functions of a buffer. */
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length)

const hexOf = (bytes: Uint8Array): string => bufferOf(bytes).toString('hex')

const PRINTABLE = /^[\x20-\x7e]*$/

/** Columns of bytes hold texts whose writer left the type out, or an address, a hash, a large number or code as they are. */
function bytesText(bytes: Uint8Array): string {
  if (bytes.length === 20 || bytes.length === 32) return `0x${hexOf(bytes)}`
  const text = bufferOf(bytes).toString('latin1')
  return PRINTABLE.test(text) ? text : `0x${hexOf(bytes)}`
}

function recordOf(
  row: Row,
  {
    line,
    names,
    texts,
  }: { readonly line: number; readonly names: readonly string[]; readonly texts: TextOf },
): FileRecord {
  const read = (name: string): unknown => texts(Object.hasOwn(row, name) ? row[name] : null, name)
  return {
    line,
    text: (name) => {
      const value = read(name) ?? ''
      return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
    },
    json: (name) => {
      const value = read(name)
      return typeof value === 'string' ? parseJson(value, line) : value
    },
    has: (name) => names.includes(name),
    names,
  }
}
