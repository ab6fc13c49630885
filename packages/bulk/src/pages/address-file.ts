/**
 * Addresses as people have them: one per line, or a table with a column of addresses, from a file or the clipboard. Line numbers match
 * those of an editor.
 */
import { parse } from 'csv-parse/sync'

export interface Row {
  /** Line at which the row ends, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface AddressFile {
  readonly rows: readonly Row[]
  /** Cells of the longest row. */
  readonly width: number
  /** Null where each line is one cell. */
  readonly delimiter: Delimiter | null
  /** Line of a quote that is never closed: quotes are then taken as they are. */
  readonly openQuoteLine: number | null
}

export type ReadFile =
  | { readonly ok: true; readonly file: AddressFile }
  | { readonly ok: false; readonly fault: string }

/** Characters of a pasted or dropped text. */
export const MAX_TEXT_LENGTH = 1_048_576
/** Columns of a table; one with more was not made for addresses. */
export const MAX_COLUMNS = 500
/** Rows that are read; a text with more makes no job. */
export const MAX_ROWS = 20_000

export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]

/** Lines from which the delimiter is guessed. */
const SAMPLE_LINES = 20

export function readAddressFile(text: string): ReadFile {
  if (text.length > MAX_TEXT_LENGTH)
    return fault(
      'This is more than a mebibyte of text. Split it, or leave out the columns that are not needed.',
    )
  // Neither CSV nor pasted text has such characters; workbooks and pictures do.
  if (text.includes('\0') || text.startsWith('PK\u0003\u0004'))
    return fault('This is not text but, for example, a workbook or an archive. Save it as CSV first.')
  if (text.trim() === '') return fault('There is nothing in it.')
  const delimiter = delimiterOf(text)
  const quoted = rowsOf(text, delimiter, true)
  if (quoted.ok) return withinWidth(fileOf(quoted.rows, delimiter, null))
  const plain = rowsOf(text, delimiter, false)
  return plain.ok ? withinWidth(fileOf(plain.rows, delimiter, quoted.line)) : fault(UNREADABLE)
}

/** One row may be a list of any length. */
function withinWidth(file: AddressFile): ReadFile {
  return file.width > MAX_COLUMNS && file.rows.length > 1
    ? fault(`A row has more than ${MAX_COLUMNS} columns. Leave out the columns that are not needed.`)
    : { ok: true, file }
}

const UNREADABLE = 'The rows cannot be told apart. Save it as CSV, or paste one address a line.'

/** UTF-8, or UTF-16 with its mark, as spreadsheets write "Unicode text"; anything else is read in the encoding of Windows. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function fault(text: string): ReadFile {
  return { ok: false, fault: text }
}

/** The delimiter that divides the first lines most evenly; null where none divides them. */
function delimiterOf(text: string): Delimiter | null {
  const lines = text
    .split(/\r\n|\n|\r/, SAMPLE_LINES * 2)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, SAMPLE_LINES)
    .map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, ''))
  const least = delimiters.map((delimiter) => ({
    delimiter,
    count: Math.min(...lines.map((line) => line.split(delimiter).length - 1)),
    lines: lines.filter((line) => line.includes(delimiter)).length,
  }))
  const [best] = least.sort((one, other) => other.count - one.count || other.lines - one.lines)
  return best === undefined || best.lines === 0 ? null : best.delimiter
}

type ReadRows =
  | { readonly ok: true; readonly rows: readonly Row[] }
  | { readonly ok: false; readonly line: number }

function rowsOf(text: string, delimiter: Delimiter | null, hasQuotes: boolean): ReadRows {
  try {
    const records = parse(text, {
      ...{ bom: true, info: true, relax_column_count: true, skip_empty_lines: true, relax_quotes: true },
      ...{ delimiter: delimiter ?? NO_DELIMITER, quote: hasQuotes ? '"' : false, to: MAX_ROWS + 1 },
      record_delimiter: ['\r\n', '\n', '\r'],
    }) as unknown as { readonly record: string[]; readonly info: { readonly lines: number } }[]
    return {
      ok: true,
      rows: records
        .map(({ record, info }) => ({ line: info.lines, cells: record.map((cell) => cell.trim()) }))
        .filter(({ cells }) => cells.some((cell) => cell !== '')),
    }
  } catch (error) {
    const { lines } = error as { readonly lines?: number }
    return { ok: false, line: lines ?? 1 }
  }
}

/** A character that people do not type, so that every line becomes one cell. */
const NO_DELIMITER = '\u001f'

function fileOf(
  rows: readonly Row[],
  delimiter: Delimiter | null,
  openQuoteLine: number | null,
): AddressFile {
  const width = rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 0)
  return { rows, width, delimiter, openQuoteLine }
}
