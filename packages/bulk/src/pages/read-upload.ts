/** Reads an uploaded file and judges its addresses. Runs in a thread. */
import {
  guessChoice,
  isOneLineOfAddresses,
  readAddresses,
  type Choice,
  type Reading,
} from './address-choice.js'
import { decodeText, MAX_COLUMNS, readAddressFile, type AddressFile } from './address-file.js'

/** The form as the thread gets it. */
export interface Upload {
  /** The bytes of a file, or the pasted text. */
  readonly content: Uint8Array | string
  readonly chain: string | null
  /** As chosen on the page that showed the file; null where none was shown yet. */
  readonly chosen: Omit<Choice, 'chain'> | null
}

export interface ReadBulkForm {
  readonly text: string
  /** The first rows of the file. */
  readonly file: AddressFile
  readonly choice: Choice
  /** Columns with addresses of which the person has chosen none yet; empty where nothing is to be asked. */
  readonly openColumns: readonly number[]
  readonly reading: Reading
  /** The file has no column to choose: its one line is a list. */
  readonly isList: boolean
}

export type BulkFormResult =
  | { readonly ok: true; readonly read: ReadBulkForm }
  | { readonly ok: false; readonly fault: string; readonly text: string }

const NOTHING_READ: Reading = { addresses: [], refused: [], unusable: [], repeats: [], emptyRows: 0 }

/** Rows that a page shows, and the header. */
const KEPT_ROWS = 16

export function readUpload({ content, chain, chosen }: Upload): BulkFormResult {
  const isFile = typeof content !== 'string'
  const text = isFile ? decodeText(content) : content
  const result = readAddressFile(text)
  if (!result.ok) return { ok: false, fault: result.fault, text: isFile ? '' : text }
  const { file } = result
  const isChosen = chosen !== null && chosen.column < file.width
  const guess = guessChoice(file)
  const choice = { ...(isChosen ? chosen : guess.choice), chain }
  const isList = isOneLineOfAddresses(file)
  const openColumns = isChosen || isList || guess.addressColumns.length < 2 ? [] : guess.addressColumns
  const reading = openColumns.length > 0 ? NOTHING_READ : readAddresses(file, choice)
  const rows = file.rows
    .slice(0, KEPT_ROWS)
    .map((row) => ({ ...row, cells: row.cells.slice(0, MAX_COLUMNS) }))
  const shown = { ...file, rows }
  return { ok: true, read: { text, file: shown, choice, openColumns, reading, isList } }
}
