/** OFSI's consolidated list as CSV: a line with its date, a header, and a row for each name. */
import { BLANK_ROW } from '@cupel/domain'
import { readCsvRows, type CsvRow } from '../csv-rows.js'
import { dayMonthYear } from '../dates.js'
import { SetRefusedError, type ByteStream, type LabelFormat, type ParsedItem } from '../label-source.js'
import { hasLongWord } from './addresses-in-text.js'
import { collectOfsiParties, OFSI_ORIGIN, OFSI_SOURCE, type OfsiRow } from './ofsi-list.js'

export const ofsiCsvFormat: LabelFormat = {
  name: 'ofsi-csv',
  title: 'UK OFSI, CSV',
  description: 'UK OFSI consolidated list, CSV (ConList.csv); addresses in its remarks',
  wholeAuthorityList: OFSI_ORIGIN,
  mayNameNoAddress: true,
  parse(file) {
    const list = { updatedAt: null as string | null }
    return {
      items: parseList(file.open(), list),
      facts: () => ({ publishedAt: list.updatedAt, defaultSource: OFSI_SOURCE, list: 'UK' }),
    }
  },
}

const NAMES = ['Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5', 'Name 6'] as const
const REQUIRED = [...NAMES, 'Other Information', 'Alias Type', 'Regime', 'Listed On', 'Group ID'] as const
/** Some editions of the layout lack the last two. */
type Column = (typeof REQUIRED)[number] | 'UK Sanctions List Date Designated' | 'UK Statement of Reasons'

async function* parseList(input: ByteStream, list: { updatedAt: string | null }): AsyncGenerator<ParsedItem> {
  const ending = { lineBreak: false }
  const parties = collectOfsiParties()
  let header: readonly string[] | null = null
  for await (const row of readCsvRows(input, { trim: true }, ending)) {
    if (row.fields.length === 0) yield { type: 'unreadable', line: row.line, reason: BLANK_ROW }
    else if (list.updatedAt === null) list.updatedAt = publicationOf(row)
    else if (header === null) header = headerOf(row)
    else parties.add(rowOf(row, header))
  }
  // The number of the party ends a row: if it is cut off, it may be another party's.
  if (!ending.lineBreak)
    throw new SetRefusedError('truncated', null, 'The file does not end with a line break: it is cut off')
  yield* parties.items(list.updatedAt)
}

function publicationOf({ fields, line }: CsvRow): string {
  const [label = '', date = ''] = fields
  if (label !== 'Last Updated') {
    throw new SetRefusedError(
      'wrong-header',
      line,
      'the first line is not the date of the list (Last Updated)',
    )
  }
  const updatedAt = dayMonthYear(date)
  if (updatedAt === null)
    throw new SetRefusedError('malformed', line, 'Last Updated is not a date (day/month/year)')
  return updatedAt
}

function headerOf({ fields, line }: CsvRow): readonly string[] {
  const missing = REQUIRED.filter((column) => !fields.includes(column))
  if (missing.length > 0) {
    throw new SetRefusedError('wrong-header', line, `the header has no column ${missing.join(', ')}`)
  }
  return fields
}

function rowOf({ fields, line }: CsvRow, header: readonly string[]): OfsiRow {
  if (fields.length !== header.length) {
    throw new SetRefusedError('wrong-columns', line, `${fields.length} columns instead of ${header.length}`)
  }
  const field = (column: Column): string => fields[header.indexOf(column)] ?? ''
  return {
    line,
    groupId: field('Group ID'),
    nameParts: NAMES.map(field),
    aliasType: field('Alias Type'),
    regime: field('Regime'),
    listedAt: dayMonthYear(field('Listed On')),
    designatedAt: dayMonthYear(field('UK Sanctions List Date Designated')),
    remarks: [
      ...[field('Other Information'), field('UK Statement of Reasons')],
      // A row may have its cells in other columns.
      ...fields.flatMap((text, index) => (hasLongWord(text) ? [`${header[index]} ${text}`] : [])),
    ],
  }
}
