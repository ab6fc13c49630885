/**
 * One cell of a CSV file (RFC 4180) that spreadsheets open. A spreadsheet may divide lines at another character than the comma, as
 * settings of a country or of a person say, and then takes a part of our cell for a cell of its own. So text is safe in every part.
 */

/** What some spreadsheet divides cells or lines at: comma, semicolon, bar, every control character with tab and line ends, U+2028, U+2029. */
const DIVIDER = String.raw`[,;|\p{Cc}\u2028\u2029]`
/** A spreadsheet takes text that begins so, full-width forms included, for a formula. Some strip blanks and quotes before they look. */
const FORMULA = String.raw`(?=[\s\p{Cf}"]*[=+\-@|%\uff0b\uff0d\uff1d\uff20])`
const BEFORE_FORMULA = new RegExp(`(?<=^|${DIVIDER})${FORMULA}`, 'gu')
/** Some spreadsheets let the text after such a beginning be a formula too. */
const BLANK_BEGINNING = /^[\t\r\n]/
const QUOTED = /[",;|\p{Cc}\u2028\u2029]|^\s|\s$/u

/** Where a formula could begin there is an apostrophe, which spreadsheets take for "this is text". Numbers stay as they are. */
export function csvCell(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const marked = value.replaceAll(BEFORE_FORMULA, "'")
  const safe = BLANK_BEGINNING.test(marked) ? `'${marked}` : marked
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
