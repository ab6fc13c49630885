/** The content of a job form: the text of the file, and how to read it. */
import { fieldOf } from '../../server/page.js'
import {
  readAddresses,
  guessChoice,
  isOneLineOfAddresses,
  type Choice,
  type Reading,
} from './address-choice.js'
import { decodeText, readAddressFile, type AddressFile } from './address-file.js'

export interface ReadBulkForm {
  readonly text: string
  readonly file: AddressFile
  readonly choice: Choice
  readonly reading: Reading
  /** The file has no column to choose: its one line is a list. */
  readonly isList: boolean
}

export type BulkFormResult =
  | { readonly ok: true; readonly read: ReadBulkForm }
  | { readonly ok: false; readonly fault: string; readonly text: string }

/** A file takes precedence over pasted text. */
export async function readBulkForm(form: FormData): Promise<BulkFormResult> {
  const given = form.get('file')
  const isFile = typeof given === 'object' && given !== null && given.size > 0
  const text = isFile ? decodeText(new Uint8Array(await given.arrayBuffer())) : fieldOf(form, 'text')
  const result = readAddressFile(text)
  if (!result.ok) return { ok: false, fault: result.fault, text: isFile ? '' : text }
  const { file } = result
  const choice = choiceOf(form, file)
  const isList = isOneLineOfAddresses(file)
  return { ok: true, read: { text, file, choice, isList, reading: readAddresses(file, choice) } }
}

/** As chosen on the page that showed the file; guessed where none was shown yet. */
function choiceOf(form: FormData, file: AddressFile): Choice {
  const guess = guessChoice(file)
  const chain = fieldOf(form, 'chain') || null
  const column = fieldOf(form, 'column')
  if (!/^\d{1,5}$/.test(column) || Number(column) >= file.width) return { ...guess, chain }
  return { column: Number(column), hasHeader: fieldOf(form, 'header') === 'yes', chain }
}
