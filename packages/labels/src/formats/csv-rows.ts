/** RFC 4180 rows of a UTF-8 stream with the line each begins on. Every fault of the file is a refusal of the whole set. */
import { CsvError } from 'csv-parse'
import { parse as parseCsv } from 'csv-parse/sync'
import { SetRefusedError, type ByteStream } from './label-source.js'
import { readLines } from './utf8.js'

export interface CsvRow {
  readonly fields: readonly string[]
  /** Line the row begins on, from 1. */
  readonly line: number
}

/** A row beyond this is a missing closing quote rather than a row. */
const MAX_ROW_CHARACTERS = 65_536

/**
 * Yields rows as they come; blank lines are left out. `ending` tells afterwards whether the file ends with a line break.
 * A line without a quote is a row whose commas all separate; only rows with quotes need the parser, which costs ten times
 * as much. Quotes of a whole row come in pairs, so a row goes on until their number is even.
 */
export async function* readCsvRows(
  input: ByteStream,
  { trim = false }: { readonly trim?: boolean } = {},
  ending: { lineBreak: boolean } = { lineBreak: false },
): AsyncGenerator<CsvRow> {
  let open: { text: string; line: number } | null = null
  for await (const { line, text, terminated } of readLines(input, MAX_ROW_CHARACTERS)) {
    ending.lineBreak = terminated
    if (open === null && !text.includes('"')) {
      if (text !== '') yield { fields: trim ? text.split(',').map(trimmed) : text.split(','), line }
      continue
    }
    open = open === null ? { text, line } : { text: `${open.text}\n${text}`, line: open.line }
    if (open.text.length > MAX_ROW_CHARACTERS) throw neverClosed(open.line)
    if (countQuotes(open.text) % 2 === 1) continue
    yield { fields: parseQuoted(open, trim), line: open.line }
    open = null
  }
  if (open !== null) {
    // A quote in the wrong place is told as such; what parses up to here is an open quote.
    parseQuoted({ ...open, text: `${open.text}"` }, trim)
    throw neverClosed(open.line)
  }
}

const trimmed = (field: string): string => field.trim()

function countQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count += 1
  return count
}

function parseQuoted({ text, line }: { text: string; line: number }, trim: boolean): readonly string[] {
  try {
    const [fields] = parseCsv(text, { trim, relax_column_count: true, record_delimiter: '\u0000' })
    return fields ?? []
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new SetRefusedError('malformed', line, `not RFC 4180: ${error.message}`, { cause: error })
  }
}

function neverClosed(line: number): SetRefusedError {
  return new SetRefusedError('truncated', line, 'a quoted field is never closed: the file is cut off')
}
