import { ProviderError } from './provider-error.js'

/** Nested lists and objects. */
const MAX_DEPTH = 64
/** Values and names. A page of the longest transactions has a tenth of them; this many take a tenth of a second to read. */
const MAX_VALUES = 500_000
/** The largest whole number of a chain has 78. The time that a number takes grows faster than its digits. */
const MAX_DIGITS = 100

const [QUOTE, BACKSLASH, COMMA, COLON, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x30, 0x39]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Looks at the bytes of JSON as they come, and throws a ProviderError before what holds the event loop for long is read as a whole: a small answer can be
 * dear to parse. What is no JSON at all is left to the parser.
 */
export function boundJson(): (chunk: Uint8Array) => void {
  let [depth, values, digits] = [0, 0, 0]
  let [isText, isEscaped] = [false, false]
  return (chunk) => {
    for (const byte of chunk) {
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
        continue
      }
      digits = byte >= ZERO && byte <= NINE ? digits + 1 : 0
      if (byte === QUOTE) isText = true
      if (byte === LIST || byte === OBJECT) depth += 1
      if (byte === LIST_END || byte === OBJECT_END) depth -= 1
      if (byte === LIST || byte === OBJECT || byte === COMMA || byte === COLON) values += 1
      if (depth > MAX_DEPTH) throw new ProviderError('malformed', `more than ${MAX_DEPTH} levels`)
      if (digits > MAX_DIGITS)
        throw new ProviderError('malformed', `a number of more than ${MAX_DIGITS} digits`)
      if (values > MAX_VALUES) throw new ProviderError('too_large', `more than ${MAX_VALUES} values`)
    }
  }
}
