/** The addresses of a file: one per line, or a column of a table (CSV with commas, semicolons or tabs), or a JSON array. */
import { parseAddress } from '@cupel/domain'
import { parse } from 'csv-parse/sync'

/** Rows from which column and heading are guessed. */
const SAMPLE_ROWS = 100
const HEADING = /address|wallet|account|addr\b|recipient|destination|адрес|adresse|direcci|indirizzo|地址/i
/** Letters and digits in one long run are a mistyped address rather than a heading. */
const LONG_RUN = /[0-9A-Za-z]{20}/

export interface AddressFile {
  readonly addresses: readonly string[]
  /** Lines that say something, but nothing in the column of the addresses. */
  readonly leftOutLines: readonly number[]
}

interface Row {
  /** Line at which the row ends, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * Every row is an address, a heading or a line left out: a `#` begins an order number as often as a remark. Throws if the file
 * is not a table and no array of strings.
 */
export function readAddressFile(text: string): AddressFile {
  const content = text.replace(/^\uFEFF/, '')
  if (content.trimStart().startsWith('[')) return { addresses: arrayOf(content), leftOutLines: [] }
  const rows = rowsOf(content)
  const column = columnOf(rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells))
  const found = rows.map(({ line, cells }) => ({ line, address: cells[column] ?? '' }))
  const items = isHeading(found.map(({ address }) => address)) ? found.slice(1) : found
  return {
    addresses: items.map(({ address }) => address).filter((address) => address !== ''),
    leftOutLines: items.filter(({ address }) => address === '').map(({ line }) => line),
  }
}

function arrayOf(text: string): string[] {
  const values: unknown = JSON.parse(text)
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw new TypeError('The JSON in the file is not an array of strings')
  return values
}

/** No address contains one of the delimiters. */
function rowsOf(text: string): readonly Row[] {
  const records = parse(text, {
    ...{ delimiter: [',', ';', '\t'], record_delimiter: ['\r\n', '\n', '\r'], info: true },
    ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true, trim: true },
  }) as unknown as { readonly record: string[]; readonly info: { readonly lines: number } }[]
  return records
    .map(({ record, info }) => ({ line: info.lines, cells: record }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
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
  if (first === '' || isAddress(first)) return false
  if (first.startsWith('#') && !HEADING.test(first)) return false
  return HEADING.test(first) || (!LONG_RUN.test(first) && rest.slice(0, SAMPLE_ROWS).some(isAddress))
}
