/** Joins the results of a job to the file that it was made from: every column of the file stays, and each row gets its result. */
import { csvCell, quotedCell, safeText } from '@cupel/reports/document'
import { parse } from 'csv-parse/sync'
import { decodeText, readAddressFile, type Row } from './address-file.js'
import { isOneLineOfAddresses } from './address-choice.js'

export type JoinedFile =
  | {
      readonly ok: true
      /** CSV (RFC 4180) without formulas. */
      readonly table: string
      /** Results of the job that no row of the file has. */
      readonly unmatched: number
    }
  | { readonly ok: false; readonly fault: string }

/** Of a row whose address is not in the job. Nothing is known of it, so that nothing else is written. */
const NOT_IN_JOB = 'not in this job'
/** In front of the names of the result columns, so that they differ from those of the file. */
const PREFIX = 'cupel_'

type Result = Readonly<Record<string, string>>

/** `table`: the results as the API writes them, in the order of the submission. */
export function joinResults(content: Uint8Array | string, table: string): JoinedFile {
  const read = readAddressFile(typeof content === 'string' ? content : decodeText(content))
  if (!read.ok) return read
  const [head = [], ...lines] = parse(table, { relax_column_count: true }) as string[][]
  const results = lines.map((cells) =>
    Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])),
  )
  const { file } = read
  const rows: readonly Row[] = isOneLineOfAddresses(file)
    ? file.rows[0]!.cells.map((cell) => ({ line: 1, cells: [cell] }))
    : file.rows
  const column = columnOf(rows, results)
  if (column === null)
    return {
      ok: false,
      fault: 'No column of this file has the addresses of this job. Choose the file that it was made from.',
    }
  const waiting = queuesOf(results)
  const added = head.filter((name) => name !== 'address')
  const width = Math.max(...rows.map(({ cells }) => cells.length))
  const hasHeader = !waiting.has(safeText(rows[0]?.cells[column] ?? ''))
  const names = Array.from({ length: width }, (_, index) =>
    hasHeader ? (rows[0]!.cells[index] ?? '') : `column ${index + 1}`,
  )
  const body = rows.slice(hasHeader ? 1 : 0).map(({ cells }) => {
    const result = take(waiting, cells, column)
    const own = Array.from({ length: width }, (_, index) => cells[index] ?? '')
    const found = added.map((name) => result?.[name] ?? (name === 'status' ? NOT_IN_JOB : ''))
    return [...own.map(csvCell), ...found.map(quotedCell)]
  })
  const first = [...names.map(csvCell), ...added.map((name) => PREFIX + name)]
  const left = [...waiting.values()].reduce((sum, queue) => sum + queue.length, 0)
  return { ok: true, table: [first, ...body].map((row) => `${row.join(',')}\r\n`).join(''), unmatched: left }
}

/** The column with the most addresses of the job; null if none has one. */
function columnOf(rows: readonly Row[], results: readonly Result[]): number | null {
  const known = new Set(results.map(({ address }) => address))
  const found: number[] = []
  for (const { cells } of rows)
    for (const [column, cell] of cells.entries())
      if (cell !== '' && known.has(safeText(cell))) found[column] = (found[column] ?? 0) + 1
  const most = Math.max(0, ...found.filter((count) => count !== undefined))
  return most === 0 ? null : found.indexOf(most)
}

/** The results by address, in the order of the submission. */
function queuesOf(results: readonly Result[]): Map<string, Result[]> {
  const queues = new Map<string, Result[]>()
  for (const result of results) {
    const address = result['address'] ?? ''
    queues.set(address, [...(queues.get(address) ?? []), result])
  }
  return queues
}

/** The next result of this address; of several the first whose reference is in the row, for a file that was sorted since. */
function take(waiting: Map<string, Result[]>, cells: readonly string[], column: number): Result | undefined {
  const queue = waiting.get(safeText(cells[column] ?? ''))
  if (queue === undefined) return undefined
  const safe = new Set(cells.map(safeText))
  const isOwn = ({ reference = '' }: Result): boolean => reference !== '' && safe.has(reference)
  const place = Math.max(0, queue.findIndex(isOwn))
  return queue.splice(place, 1)[0]
}
