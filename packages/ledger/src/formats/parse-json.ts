import { repeatsNames } from '@cupel/domain'
import { LedgerFileError } from './ledger-file-error.js'

/** Amounts exceed the exact range of a float, so numbers are read as text. */
const EXACT_VALUE =
  /"(value|input_value|output_value|fee|amount_raw)"\s*:\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

/** Throws LedgerFileError for a text that is not JSON, and for a member that is named twice. */
export function parseJson(text: string, line: number): unknown {
  let value: unknown
  try {
    value = JSON.parse(text.replace(EXACT_VALUE, '"$1":"$2"'))
  } catch (cause) {
    throw new LedgerFileError('the line is not JSON: the file may be cut', line, { cause })
  }
  if (repeatsNames(text, value)) throw new LedgerFileError('the line names a member twice', line)
  return value
}
