/** The preference `wait` of RFC 7240: how long a caller is willing to wait for an answer. */
import type { IncomingHttpHeaders } from 'node:http'

/** A longer wait is cut to this. */
export const MAX_WAIT_SECONDS = 20

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const WORD = `(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`
const BLANKS = '[ \\t]*'
const VALUE = `(?:=${BLANKS}${WORD}${BLANKS})?`
/**
 * One preference with the comma after it. Blanks are taken by the part before them and by no other, so that a text that does not fit costs
 * time in proportion to its length.
 */
const PREFERENCE = new RegExp(
  `${BLANKS}(?:(${TOKEN})${BLANKS}(?:=${BLANKS}(${WORD})${BLANKS})?(?:;${BLANKS}(?:${TOKEN}${BLANKS}${VALUE})?)*)?(?:,|$)`,
  'y',
)

/**
 * The seconds that the caller asks to wait; null without a usable preference. Of several the first one counts. A preference that cannot be
 * read is ignored, as the RFC asks.
 */
export function preferredWait({ prefer }: IncomingHttpHeaders): number | null {
  // Node joins several fields of this name with commas.
  const field = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')
  PREFERENCE.lastIndex = 0
  while (PREFERENCE.lastIndex < field.length) {
    const [, name, value] = PREFERENCE.exec(field) ?? []
    // `exec` sets the index to 0 where nothing fits; an empty element is allowed.
    if (PREFERENCE.lastIndex === 0) return null
    if (name?.toLowerCase() === 'wait') return secondsOf(value ?? '')
  }
  return null
}

function secondsOf(value: string): number | null {
  const digits = /^"?([0-9]+)"?$/.exec(value)?.[1]
  return digits === undefined ? null : Math.min(MAX_WAIT_SECONDS, Number(digits))
}
