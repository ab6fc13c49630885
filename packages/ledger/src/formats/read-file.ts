/** Reads a ledger file as a stream of records: Parquet, CSV with a heading, or JSON lines. The first characters decide which. */
import { isAscii } from 'node:buffer'
import { createReadStream } from 'node:fs'
import type { Hash } from 'node:crypto'
import { TextDecoder } from 'node:util'
import { BLANK_ROW, blankLines } from '@cupel/domain'
import { parse as parseCsv } from 'csv-parse/sync'
import { LedgerFileError } from './ledger-file-error.js'
import type { FileRecord } from './ledger-row.js'
import { impossibleCoins } from './chain.js'
import { parseJson } from './parse-json.js'
import { isParquet, parquetFields, readParquet } from './read-parquet.js'

/** The input data of a transaction may be large. A longer line means that a line break is missing. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024
/** Some 300 rows: between two chunks the database gets its next statement. */
const CHUNK_BYTES = 64 * 1024

/**
 * Records in the order of the file. A `hash` is updated with every byte, so that it belongs to exactly these records. A blank line between
 * rows may be a lost one and refuses the file, as a row that is cut does.  `impossible` is a number of whole coins that
 * nobody has.
 */
export async function* readRecords(
  path: string,
  hash: Hash | null,
  impossible = impossibleCoins(''),
): AsyncGenerator<readonly FileRecord[]> {
  if (await isParquet(path)) return yield* readParquet(path, hash, impossible)
  let heading: Heading | null = null
  let isJson = false
  let isFirst = true
  let lineBreak = false
  let lastRow = 0
  const blanks = blankLines()
  for await (const lines of readLines(path, hash)) {
    const records: FileRecord[] = []
    for (const { line, text, isCut } of lines) {
      lineBreak = isCut !== true
      if (text.trim() === '') {
        blanks.blank(line)
        continue
      }
      blanks.row()
      lastRow = line
      if (isFirst) {
        isFirst = false
        isJson = text.trimStart().startsWith('{')
        if (!isJson) {
          heading = headingOf(text, line)
          continue
        }
      }
      records.push(isJson ? jsonRecord(text, line) : csvRecord(text, line, heading!))
    }
    if (records.length > 0) yield records
  }
  const lost = blanks.inPlaceOfRows({ lineBreak }).find((line) => line < lastRow)
  if (lost !== undefined) throw new LedgerFileError(BLANK_ROW, lost)
}

/** The columns of a file: its heading, or the names of the first JSON line. Null for an empty file. */
export async function readFields(path: string): Promise<Pick<FileRecord, 'has'> | null> {
  if (await isParquet(path)) return parquetFields(path)
  for await (const lines of readLines(path, null))
    for (const { line, text } of lines) {
      if (text.trim() === '') continue
      if (text.trimStart().startsWith('{')) return jsonRecord(text, line)
      const { columns } = headingOf(text, line)
      return { has: (name) => columns.has(name) }
    }
  return null
}

interface Line {
  readonly line: number
  readonly text: string
  /** The last line has no line break. */
  readonly isCut?: true
}

/** Yields the lines of a chunk together: a turn of the generator costs more than a line. A quoted field may contain line breaks. */
async function* readLines(path: string, hash: Hash | null): AsyncGenerator<readonly Line[]> {
  // Bytes of ASCII are their characters, and no character of them is cut: a decoder follows once other ones come.
  let decoder: TextDecoder | null = null
  let isFirst = true
  let pending = ''
  let line = 0
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    hash?.update(chunk as Buffer)
    // A mark of the byte order stands at the beginning only.
    if (!isAscii(chunk as Buffer)) decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isFirst })
    isFirst = false
    pending = withLineFeeds(
      pending +
        (decoder === null ? (chunk as Buffer).toString('latin1') : decode(decoder, chunk as Buffer, line)),
    )
    const isQuoted = pending.includes('"')
    const lines: Line[] = []
    let start = 0
    for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n', end + 1)) {
      const text = pending.slice(start, end)
      if (isQuoted && isOpen(text)) continue
      line += 1
      lines.push({ line, text })
      start = end + 1
    }
    pending = pending.slice(start)
    if (pending.length > MAX_LINE_CHARACTERS)
      throw new LedgerFileError(`the line is longer than ${MAX_LINE_CHARACTERS} characters`, line + 1)
    if (lines.length > 0) yield lines
  }
  // A last carriage return waited for a line feed.
  pending = (pending + (decoder === null ? '' : decode(decoder, undefined, line))).replace(/\r$/, '')
  if (pending !== '') yield [{ line: line + 1, text: pending, isCut: true }]
}

/** A carriage return ends a line, with or without a line feed. One at the end waits for the next chunk, which may begin with a line feed. */
function withLineFeeds(text: string): string {
  if (!text.includes('\r')) return text
  const end = text.endsWith('\r') ? '\r' : ''
  return text.slice(0, text.length - end.length).replace(/\r\n?/g, '\n') + end
}

/** Whether a CSV row continues on the next line: it has an odd number of quotes. JSON lines never continue. */
function isOpen(text: string): boolean {
  if (text.startsWith('{') || !text.includes('"')) return false
  let isQuoted = false
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isQuoted = !isQuoted
  return isQuoted
}

function decode(decoder: TextDecoder, chunk: Buffer | undefined, line: number): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (cause) {
    throw new LedgerFileError(`the file is not UTF-8 on or after line ${line + 1}`, null, { cause })
  }
}

function fieldsOf(text: string, line: number): readonly string[] {
  if (!text.includes('"')) return text.split(',')
  try {
    const [fields, next] = parseCsv(text, { relax_column_count: true, record_delimiter: '\u0000' })
    if (next === undefined) return fields ?? []
  } catch (cause) {
    throw new LedgerFileError('the line is not RFC 4180', line, { cause })
  }
  throw new LedgerFileError('a NUL character stands in the place of a line break', line)
}

interface Heading {
  readonly names: readonly string[]
  /** Place of each name. */
  readonly columns: ReadonlyMap<string, number>
}

/** Of two columns with one name nobody knows which one holds the value. */
function headingOf(text: string, line: number): Heading {
  const names = fieldsOf(text, line).map((name) => name.trim())
  const columns = new Map(names.map((name, index) => [name, index]))
  const repeated = names.find((name, index) => columns.get(name) !== index)
  if (repeated !== undefined)
    throw new LedgerFileError(`the heading names a column twice: ${repeated.slice(0, 40)}`, line)
  return { names, columns }
}

function csvRecord(text: string, line: number, { names, columns }: Heading): FileRecord {
  const fields = fieldsOf(text, line)
  if (fields.length !== names.length)
    throw new LedgerFileError(
      `${fields.length} fields under a heading of ${names.length}: the file may be cut`,
      line,
    )
  const read = (name: string): string => {
    const index = columns.get(name)
    return index === undefined ? '' : fields[index]!
  }
  return {
    line,
    text: read,
    json: (name) => parseJson(read(name) || '[]', line),
    has: (name) => columns.has(name),
    names,
  }
}

function jsonRecord(text: string, line: number): FileRecord {
  const value = parseJson(text, line)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new LedgerFileError('the line is not a JSON object', line)
  const fields = value as Readonly<Record<string, unknown>>
  return {
    line,
    text: (name) => textOf(fields[name]),
    json: (name) => (typeof fields[name] === 'string' ? parseJson(fields[name], line) : fields[name]),
    has: (name) => Object.hasOwn(fields, name),
    names: Object.keys(fields),
  }
}

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number | boolean)
