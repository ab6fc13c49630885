/**
 * The results of a job as a workbook of Office Open XML (ECMA-376): a sheet of results, and one with the number of results by level. Texts are
 * inline strings, so that no spreadsheet takes one for a formula, whatever it begins with.
 */
import { riskLevels } from '@cupel/contracts'
import type { JobItem } from '../../read-model/index.js'
import { cellsOf, columns } from './result-table.js'
import { zip, type ZippedFile } from './zip.js'

/** Excel opens no longer text of a cell. */
const MAX_CELL_LENGTH = 32_767

export interface ResultSheet {
  readonly begin: string
  readonly end: string
  /** Rows of these results; they count for the second sheet. */
  textOf(items: readonly JobItem[], reports: ReadonlyMap<string, string>): string
  /** The workbook around the chunks of the sheet. */
  workbook(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>
}

export function createResultSheet(): ResultSheet {
  const counts = new Map<string, number>()
  return {
    begin: SHEET_BEGIN + rowOf(columns),
    end: SHEET_END,
    textOf: (items, reports) =>
      items
        .map((item) => {
          const cells = cellsOf(item, reports)
          const group = String(cells.level ?? cells.status)
          counts.set(group, (counts.get(group) ?? 0) + 1)
          return rowOf(columns.map((column) => cells[column]))
        })
        .join(''),
    workbook: (chunks) => zip(filesOf(chunks, counts)),
  }
}

function* filesOf(
  results: AsyncIterable<Uint8Array>,
  counts: ReadonlyMap<string, number>,
): Generator<ZippedFile, void, undefined> {
  yield fileOf('[Content_Types].xml', CONTENT_TYPES)
  yield fileOf('_rels/.rels', relationships([['officeDocument', 'xl/workbook.xml']]))
  yield fileOf('xl/workbook.xml', WORKBOOK)
  const sheets = ['worksheets/sheet1.xml', 'worksheets/sheet2.xml'].map(
    (path) => ['worksheet', path] as const,
  )
  yield fileOf('xl/_rels/workbook.xml.rels', relationships(sheets))
  yield { name: 'xl/worksheets/sheet1.xml', chunks: results }
  // All results are counted by now.
  yield fileOf('xl/worksheets/sheet2.xml', countSheet(counts))
}

function countSheet(counts: ReadonlyMap<string, number>): string {
  const others = [...counts.keys()]
    .filter((group) => !(riskLevels as readonly string[]).includes(group))
    .sort()
  const rows = [...riskLevels, ...others].map((group) => rowOf([group, counts.get(group) ?? 0]))
  return SHEET_BEGIN + rowOf(['level_or_status', 'results']) + rows.join('') + SHEET_END
}

const fileOf = (name: string, text: string): ZippedFile => ({ name, chunks: [Buffer.from(text)] })

function rowOf(cells: readonly (string | number | undefined)[]): string {
  return `<row>${cells.map(cellOf).join('')}</row>`
}

function cellOf(value: string | number | undefined): string {
  if (value === undefined || value === '') return '<c/>'
  if (typeof value === 'number') return `<c><v>${value}</v></c>`
  const text = value.length > MAX_CELL_LENGTH ? `${value.slice(0, MAX_CELL_LENGTH - 1)}…` : value
  return `<c t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`
}

/**
 * Spreadsheets read `_x0041_` as a letter: its first character is written that way itself. What XML does not allow becomes `�`, and
 * a return, which XML takes for the end of a line, is written with its number.
 */
function xmlText(text: string): string {
  return text
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const SHEET_BEGIN = `${XML}<worksheet xmlns="${MAIN}"><sheetData>`
const SHEET_END = '</sheetData></worksheet>'

const WORKBOOK = `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Results" sheetId="1" r:id="r1"/><sheet name="Levels" sheetId="2" r:id="r2"/></sheets></workbook>`

const CONTENT_TYPES = `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`

const relationships = (targets: readonly (readonly [kind: string, target: string])[]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([kind, target], index) =>
        `<Relationship Id="r${index + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`
