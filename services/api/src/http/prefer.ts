/** The preference `wait` of RFC 7240: how long a caller is willing to wait for an answer. */
import type { IncomingHttpHeaders } from 'node:http'

/** A longer wait is cut to this. */
export const MAX_WAIT_SECONDS = 20

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const WORD = `(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`
const PARAMETERS = `(?:[ \\t]*;[ \\t]*(?:${TOKEN}(?:[ \\t]*=[ \\t]*${WORD})?)?)*`
/** One preference with the comma after it. */
const PREFERENCE = new RegExp(
  `[ \\t]*(?:(${TOKEN})(?:[ \\t]*=[ \\t]*(${WORD}))?${PARAMETERS})?[ \\t]*(?:,|$)`,
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
