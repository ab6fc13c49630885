/**
 * Cupel's own label layout: RFC 4180 CSV in UTF-8 with the header `address,chain,category,entity,source,source_url,confidence,observed_at`,
 * optionally followed by `subcategory`.
 */
import { categories } from '@cupel/contracts'
import { BLANK_ROW, isSubcategoryOf, upperAscii } from '@cupel/domain'
import { readCsvRows, type CsvRow } from './csv-rows.js'
import { isCategory } from './category.js'
import { parseTime } from './dates.js'
import {
  SetRefusedError,
  type ByteStream,
  type LabelFormat,
  type LabelRow,
  type ParsedItem,
} from './label-source.js'
import { shown } from './message.js'

export const CSV_HEADER = [
  'address',
  'chain',
  'category',
  'entity',
  'source',
  'source_url',
  'confidence',
  'observed_at',
] as const

const OPTIONAL_COLUMN = 'subcategory'

/** Longest entity, source or URL that is stored. */
const MAX_FIELD_CHARACTERS = 2_048

export const csvFormat: LabelFormat = {
  name: 'csv',
  title: 'CSV with the columns of Cupel',
  description: `CSV with the header ${CSV_HEADER.join(',')}`,
  parse(file) {
    return {
      items: parseRows(file.open()),
      facts: () => ({ publishedAt: null, defaultSource: null }),
    }
  },
}

async function* parseRows(input: ByteStream): AsyncGenerator<ParsedItem> {
  const ending = { lineBreak: false }
  let columns = 0
  // Each row is yielded one step late, because only the end of the file shows whether the last row was cut off.
  let newest: CsvRow | null = null
  for await (const row of readCsvRows(input, {}, ending)) {
    if (row.fields.length === 0) {
      yield { type: 'refused', line: row.line, reason: BLANK_ROW }
      continue
    }
    if (columns === 0) {
      columns = columnsOf(row)
      continue
    }
    if (newest !== null) yield readRow(newest, columns)
    newest = row
  }
  if (columns === 0) throw new SetRefusedError('truncated', null, 'The file is empty: not even a header')
  if (newest === null) return
  if (!ending.lineBreak) requireWholeRow(newest, columns)
  yield readRow(newest, columns)
}

/** A file without a final line break may be cut off; its last row is accepted only if it is complete and valid. */
function requireWholeRow(last: CsvRow, columns: number): void {
  const reason = whyIncomplete(last, columns)
  if (reason === null) return
  throw new SetRefusedError(
    'truncated',
    last.line,
    `the file ends in the middle of its last row (${reason}; no line break)`,
  )
}

function whyIncomplete(last: CsvRow, columns: number): string | null {
  if (last.fields.length !== columns) return `${last.fields.length} columns instead of ${columns}`
  if (last.fields.at(-1) === '') return 'its last field is empty'
  const item = readRow(last, columns)
  return item.type === 'refused' ? item.reason : null
}

/** The number of columns that each row has. */
function columnsOf({ fields, line }: CsvRow): number {
  const isKnown = CSV_HEADER.every((name, index) => fields[index] === name)
  const [more, ...rest] = fields.slice(CSV_HEADER.length)
  if (isKnown && rest.length === 0 && (more === undefined || more === OPTIONAL_COLUMN)) return fields.length
  throw new SetRefusedError(
    'wrong-header',
    line,
    `the header must be ${CSV_HEADER.join(',')}, not ${shown(fields.join(','))}`,
  )
}

function readRow({ fields, line }: CsvRow, columns: number): ParsedItem {
  if (fields.length !== columns) {
    throw new SetRefusedError('wrong-columns', line, `${fields.length} columns instead of ${columns}`)
  }
  const field = (index: number): string => fields[index] ?? ''
  const [address, chain, category, entity] = [field(0), field(1), field(2), field(3)]
  const [source, sourceUrl, confidence, observedAt] = [field(4), field(5), field(6), field(7)]
  const subcategory = field(8)
  const refused = (reason: string): ParsedItem => ({
    type: 'refused',
    line,
    reason,
    source: source === '' ? null : source,
  })
  if (address === '') return refused('the address is empty')
  if (chain === '') return refused('the chain is empty')
  if (!isCategory(category))
    return refused(`unknown category ${shown(category)}; known: ${categories.join(', ')}`)
  if (subcategory !== '' && !isSubcategoryOf(subcategory, category))
    return refused(`${shown(subcategory)} is not a subcategory of ${category}`)
  for (const [name, text] of [
    ['address', address],
    ['entity', entity],
    ['source', source],
    ['source_url', sourceUrl],
  ] as const) {
    if (text.length > MAX_FIELD_CHARACTERS)
      return refused(`${name} is longer than ${MAX_FIELD_CHARACTERS} characters`)
  }
  if (sourceUrl !== '' && !/^https?:\/\/[^\s]+$/.test(sourceUrl)) {
    return refused(`source_url is not an http(s) URL: ${shown(sourceUrl)}`)
  }
  const confidencePpm = confidence === '' ? null : parseConfidence(confidence)
  if (Number.isNaN(confidencePpm))
    return refused(`confidence is not a number from 0 to 1: ${shown(confidence)}`)
  const observed = observedAt === '' ? null : parseTime(observedAt)
  if (observedAt !== '' && observed === null)
    return refused(`observed_at is not a date: ${shown(observedAt)}`)
  const row: LabelRow = {
    line,
    address,
    chain: upperAscii(chain),
    chainHint: null,
    category,
    ...(subcategory === '' ? {} : { subcategory }),
    entity,
    source: source === '' ? null : source,
    sourceUrl,
    confidencePpm,
    kind: null,
    observedAt: observed,
    validFrom: null,
  }
  return { type: 'row', row }
}

/** Converts a decimal from 0 to 1 to parts per million, rounded half up; NaN for anything else. */
export function parseConfidence(text: string): number {
  if (!/^(0(\.\d+)?|1(\.0+)?|\.\d+)$/.test(text)) return Number.NaN
  const [whole = '', fraction = ''] = text.split('.')
  // Works on decimal digits: a binary fraction could round half a millionth the wrong way.
  const digits = `${fraction}0000000`.slice(0, 7)
  return Number(whole) * 1_000_000 + Math.floor((Number(digits) + 5) / 10)
}
