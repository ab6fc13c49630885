/** Base64 in the one spelling that encoders write: no other padding, no flipped bits behind the last byte. */

/** Null where the text is not what an encoder makes of `length` bytes; of any number of bytes where no length is given. */
export function bytesOfBase64(text: string, length?: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) return null
  return length === undefined || bytes.length === length ? bytes : null
}

/** A number as these formats write it: decimal, without leading zeros, and exact in JavaScript. Null where it is none. */
export function numberOf(text: string): number | null {
  const value = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(value) ? value : null
}
