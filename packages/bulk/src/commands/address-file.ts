/** The addresses of a file: one per line, or a column of a table (CSV with commas, semicolons or tabs), or a JSON array. */
import { parseAddress } from '@cupel/domain'
import { parse } from 'csv-parse/sync'

/** Rows from which column and heading are guessed. */
const SAMPLE_ROWS = 100
const HEADING = /address|wallet|account|addr\b|recipient|destination|адрес|adresse|direcci|indirizzo|地址/i
/** Letters and digits in one long run are a mistyped address rather than a heading. */
const LONG_RUN = /[0-9A-Za-z]{20}/

export interface AddressItem {
  readonly address: string
  readonly chain?: string
  readonly reference?: string
}

/** Columns by their heading, or by their number from 1. */
export interface ColumnChoice {
  readonly column?: string | undefined
  readonly referenceColumn?: string | undefined
}

/** Only the person knows which column is meant. */
export class ColumnQuestionError extends Error {
  override readonly name = 'ColumnQuestionError'
}

export interface AddressFile {
  readonly items: readonly AddressItem[]
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
export function readAddressFile(text: string, choice: ColumnChoice = {}): AddressFile {
  const content = text.replace(/^\uFEFF/, '')
  if (content.trimStart().startsWith('[')) return { items: arrayOf(content), leftOutLines: [] }
  const rows = rowsOf(content)
  const sample = rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells)
  const column = choice.column === undefined ? columnOf(sample) : namedColumn(sample, choice.column)
  const referenceColumn =
    choice.referenceColumn === undefined ? null : namedColumn(sample, choice.referenceColumn)
  const found = rows.map(({ line, cells }) => ({
    ...{ line, address: cells[column] ?? '' },
    reference: referenceColumn === null ? '' : (cells[referenceColumn] ?? ''),
  }))
  const items = isHeading(found.map(({ address }) => address)) ? found.slice(1) : found
  return {
    items: items
      .filter(({ address }) => address !== '')
      .map(({ address, reference }) => (reference === '' ? { address } : { address, reference })),
    leftOutLines: items.filter(({ address }) => address === '').map(({ line }) => line),
  }
}

/** Addresses, or items as the API takes them. */
function arrayOf(text: string): AddressItem[] {
  const values: unknown = JSON.parse(text)
  const isItem = (value: unknown): value is AddressItem =>
    typeof value === 'object' && value !== null && typeof (value as AddressItem).address === 'string'
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string' || isItem(value)))
    throw new TypeError('The JSON in the file is not an array of strings or of items with an address')
  return values.map((value: string | AddressItem) => (typeof value === 'string' ? { address: value } : value))
}

/** Throws if no heading is this one and the table has no column of this number. */
function namedColumn([head = [], ...rest]: readonly (readonly string[])[], name: string): number {
  const found = head.findIndex((cell) => cell.toLowerCase() === name.toLowerCase())
  if (found !== -1) return found
  const width = [head, ...rest].reduce((widest, row) => Math.max(widest, row.length), 0)
  if (/^\d{1,4}$/.test(name) && Number(name) >= 1 && Number(name) <= width) return Number(name) - 1
  throw new ColumnQuestionError(`There is no column ${name}. The columns are: ${head.join(', ')}`)
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

/** The column with addresses; in a table without any the one that its heading names, or the first. Throws if several have addresses. */
function columnOf(rows: readonly (readonly string[])[]): number {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const scores = Array.from({ length: width }, (_, column) => ({
    column,
    found: rows.filter((row) => isAddress(row[column])).length,
    isNamed: HEADING.test(rows[0]?.[column] ?? ''),
  }))
  const several = scores.filter(({ found }) => found > 0)
  if (several.length > 1 && rows.length > 1) {
    const hasHeading = !(rows[0] ?? []).some(isAddress)
    const names = several.map(({ column }) => (hasHeading && rows[0]?.[column]) || String(column + 1))
    throw new ColumnQuestionError(
      `Several columns have addresses: ${names.join(', ')}. Name one with --column`,
    )
  }
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
