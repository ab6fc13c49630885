/**
 * One cell of a CSV file (RFC 4180) that spreadsheets open. Depending on regional or personal settings, a spreadsheet may split lines
 * at another character than the comma and take a part of a cell for a whole cell. So every part of the text is safe.
 */

/** Where spreadsheets split cells or lines: comma, semicolon, bar, every control character with tab and line ends, U+2028, U+2029. */
const DIVIDER = String.raw`[,;|\p{Cc}\u2028\u2029]`
/** Spreadsheets take text with such a beginning, full-width forms included, for a formula. Some strip blanks and quotes first. */
const FORMULA = String.raw`(?=[\s\p{Cf}"]*[=+\-@|%\uff0b\uff0d\uff1d\uff20])`
const BEFORE_FORMULA = new RegExp(`(?<=^|${DIVIDER})${FORMULA}`, 'gu')
/** Some spreadsheets also take the text after such a beginning for a formula. */
const BLANK_BEGINNING = /^[\t\r\n]/
const QUOTED = /[",;|\p{Cc}\u2028\u2029]|^\s|\s$/u

/** What a reader of the file gets for this text. */
export function safeText(value: string): string {
  const marked = value.replaceAll(BEFORE_FORMULA, "'")
  return BLANK_BEGINNING.test(marked) ? `'${marked}` : marked
}

/** Puts an apostrophe wherever a formula could begin; spreadsheets take it for "this is text". Numbers stay as they are. */
export function csvCell(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  return quotedCell(safeText(value))
}

/** A cell whose text is safe already. */
export function quotedCell(safe: string): string {
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
