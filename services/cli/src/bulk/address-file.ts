/** The addresses of a file: one per line, or a column of a table (CSV with commas, semicolons or tabs), or a JSON array. */
import { parseAddress } from '@cupel/domain'
import { parse } from 'csv-parse/sync'

/** Rows from which column and heading are guessed. */
const SAMPLE_ROWS = 100
const HEADING = /address|wallet|account|addr\b|recipient|destination|адрес|adresse|direcci|indirizzo|地址/i
/** Letters and digits in one long run are a mistyped address rather than a heading. */
const LONG_RUN = /[0-9A-Za-z]{20}/

/** Skips empty lines, lines that begin with #, empty cells, and a heading. Throws where the file is no table or no array of strings. */
export function addressesOf(text: string): string[] {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (trimmed.startsWith('[')) return arrayOf(trimmed)
  const rows = rowsOf(trimmed)
  const column = columnOf(rows.slice(0, SAMPLE_ROWS))
  const cells = rows.map((row) => row[column] ?? '')
  return (isHeading(cells) ? cells.slice(1) : cells).filter((cell) => cell !== '')
}

function arrayOf(text: string): string[] {
  const values: unknown = JSON.parse(text)
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw new TypeError('The JSON in the file is not an array of strings')
  return values
}

/** No address contains one of the delimiters. */
function rowsOf(text: string): string[][] {
  const rows = parse(text, {
    ...{
      delimiter: [',', ';', '\t'],
      comment: '#',
      comment_no_infix: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    },
    ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true, trim: true },
  }) as unknown as string[][]
  return rows.filter((row) => row.some((cell) => cell !== ''))
}

const isAddress = (text: string | undefined): boolean => text !== undefined && parseAddress(text).ok

/** The column with the most addresses; among equals the one that its heading names, then the first. */
function columnOf(rows: readonly (readonly string[])[]): number {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const scores = Array.from({ length: width }, (_, column) => ({
    column,
    found: rows.filter((row) => isAddress(row[column])).length,
    isNamed: HEADING.test(rows[0]?.[column] ?? ''),
  }))
  const [best] = scores.sort(
    (one, other) =>
      other.found - one.found || Number(other.isNamed) - Number(one.isNamed) || one.column - other.column,
  )
  return best?.column ?? 0
}

/** A heading names the content of the column, or is a word above addresses. A mistyped first address stays and becomes a failed item. */
function isHeading([first = '', ...rest]: readonly string[]): boolean {
  if (isAddress(first)) return false
  return HEADING.test(first) || (!LONG_RUN.test(first) && rest.slice(0, SAMPLE_ROWS).some(isAddress))
}
