/** Reads RFC 4180 rows from a UTF-8 stream, with the first line of each row. Any fault rejects the whole set. */
import { CsvError } from 'csv-parse'
import { parse as parseCsv } from 'csv-parse/sync'
import { blankLines } from '@cupel/domain'
import { SetRefusedError, type ByteStream } from './label-source.js'
import { readLines } from './utf8.js'

export interface CsvRow {
  /** Empty for a blank line in the place of a row. */
  readonly fields: readonly string[]
  /** Line the row begins on, from 1. */
  readonly line: number
}

/** A longer row means that a closing quote is missing. */
const MAX_ROW_CHARACTERS = 65_536

/**
 * Yields rows, and at the end each blank line that may be a lost row. Afterwards `ending` states whether the file ends with a line break. A line without a quote is split at
 * its commas. Rows with quotes need the parser, which takes ten times as long. A complete row has an even number of quotes, so a row
 * continues over lines until the number is even.
 */
export async function* readCsvRows(
  input: ByteStream,
  { trim = false }: { readonly trim?: boolean } = {},
  ending: { lineBreak: boolean } = { lineBreak: false },
): AsyncGenerator<CsvRow> {
  let open: OpenRow | null = null
  const blanks = blankLines()
  for await (const { line, text, terminated } of readLines(input, MAX_ROW_CHARACTERS)) {
    ending.lineBreak = terminated
    if (open === null && !text.includes('"')) {
      if (text === '') blanks.blank(line)
      else {
        blanks.row()
        yield { fields: trim ? text.split(',').map(trimmed) : text.split(','), line }
      }
      continue
    }
    if (open === null) blanks.row()
    open ??= { parts: [], characters: -1, quotes: 0, line }
    open.parts.push(text)
    open.characters += text.length + 1
    open.quotes += countQuotes(text)
    if (open.characters > MAX_ROW_CHARACTERS) throw neverClosed(open.line)
    if (open.quotes % 2 === 1) continue
    yield { fields: parseQuoted({ text: open.parts.join('\n'), line: open.line }, trim), line: open.line }
    open = null
  }
  if (open !== null) {
    // The parser reports a misplaced quote. If it accepts the text so far, a quote is still open.
    parseQuoted({ text: `${open.parts.join('\n')}"`, line: open.line }, trim)
    throw neverClosed(open.line)
  }
  for (const line of blanks.inPlaceOfRows(ending)) yield { fields: [], line }
}

/** A row whose quote is not closed yet: a text that grew with each line would be copied for each of them. */
interface OpenRow {
  readonly parts: string[]
  characters: number
  quotes: number
  readonly line: number
}

const trimmed = (field: string): string => field.trim()

function countQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count += 1
  return count
}

function parseQuoted({ text, line }: { text: string; line: number }, trim: boolean): readonly string[] {
  try {
    const [fields, next] = parseCsv(text, { trim, relax_column_count: true, record_delimiter: '\u0000' })
    if (next !== undefined)
      throw new SetRefusedError('malformed', line, 'a NUL character stands in the place of a line break')
    return fields ?? []
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new SetRefusedError('malformed', line, `not RFC 4180: ${error.message}`, { cause: error })
  }
}

function neverClosed(line: number): SetRefusedError {
  return new SetRefusedError('truncated', line, 'a quoted field is never closed: the file is cut off')
}
