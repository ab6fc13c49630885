/** Writes rows as bytes, one behind another: a text that is put together from thirty parts takes three times as long. */

export interface RowBytes {
  /** A character of ASCII, by its code. */
  byte(code: number): void
  /** Characters of ASCII, from one place of the text to before another one. */
  text(value: string, from?: number, to?: number): void
  /** The digits of a whole number; nothing for null. */
  number(value: number | null): void
  /** The bytes that were written. */
  readonly length: () => number
  /** The text of what was written from a place on. */
  textFrom(start: number): string
  all(): Buffer
}

/** Of bytes and numbers that come between two texts. */
const ROOM = 256
const ZERO = 0x30
/** The largest whole number of 32 bits with a sign. */
const MOST_AT_ONCE = 2 ** 31 - 1

/** Holds more bytes than `expected` as well. At most 256 bytes of single characters and numbers may come between two texts. */
export function createRowBytes(expected: number): RowBytes {
  let bytes = Buffer.allocUnsafe(expected + ROOM)
  let length = 0

  function text(value: string, from = 0, to = value.length): void {
    const least = length + (to - from) + ROOM
    if (least > bytes.length) bytes = Buffer.concat([bytes], 2 * least)
    let at = length
    for (let place = from; place < to; place += 1) bytes[at++] = value.charCodeAt(place)
    length = at
  }

  return {
    text,
    byte(code) {
      bytes[length++] = code
    },
    number(value) {
      if (value === null) return
      if (value < 0 || value > MOST_AT_ONCE) return text(String(value))
      let digits = 1
      for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits += 1
      length += digits
      let rest = value
      for (let at = length - 1; at >= length - digits; at -= 1) {
        bytes[at] = ZERO + (rest % 10)
        rest = (rest / 10) | 0
      }
    },
    length: () => length,
    textFrom: (start) => bytes.toString('latin1', start, length),
    all: () => bytes.subarray(0, length),
  }
}
