/** Base64 in the one spelling that encoders write: no other padding, no flipped bits after the last byte. */

/** Null if the text differs from what an encoder makes of `length` bytes; without `length`, of any number of bytes. */
export function bytesOfBase64(text: string, length?: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) return null
  return length === undefined || bytes.length === length ? bytes : null
}

/** A number as these formats write it: decimal, without leading zeros, and exact in JavaScript. Null if the text has another form. */
export function numberOf(text: string): number | null {
  const value = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(value) ? value : null
}
