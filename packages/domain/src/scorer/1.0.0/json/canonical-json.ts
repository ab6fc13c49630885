/** The JSON Canonicalization Scheme, RFC 8785: one byte sequence per JSON value, so that hashes compare values. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * Canonical text of a JSON value. ECMAScript's own number and string formatting is what the RFC prescribes;
 * members are sorted by UTF-16 code units. Members with the value undefined are left out.
 * Throws on what JSON cannot hold: NaN, infinities, functions, text with lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return canonicalString(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('JSON has no infinite numbers and no NaN')
    return JSON.stringify(value)
  }
  // Every report is hashed in this form. Appending to one text allocates less than joining lists of parts.
  if (Array.isArray(value)) {
    let written = '['
    for (let index = 0; index < value.length; index += 1)
      written += (index === 0 ? '' : ',') + canonicalJson(value[index])
    return `${written}]`
  }
  if (typeof value !== 'object') throw new TypeError(`JSON has no ${typeof value}`)
  const members = value as Readonly<Record<string, unknown>>
  let written = '{'
  for (const name of Object.keys(members).sort()) {
    if (members[name] === undefined) continue
    written += `${written === '{' ? '' : ','}${canonicalString(name)}:${canonicalJson(members[name])}`
  }
  return `${written}}`
}

/** Printable ASCII without quote and backslash needs no escape in JSON. */
const WRITTEN_AS_IT_IS = /^[ !#-[\]-~]*$/

function canonicalString(text: string): string {
  if (WRITTEN_AS_IT_IS.test(text)) return `"${text}"`
  if (!isWellFormedText(text)) throw new TypeError('Text with a lone surrogate has no UTF-8 form')
  return JSON.stringify(text)
}

/** Whether a text has a UTF-8 form: no surrogate stands alone. */
export function isWellFormedText(text: string): boolean {
  // Most text has no surrogate, so the slower check runs only where there is one.
  return !/[\ud800-\udfff]/.test(text) || !/\p{Surrogate}/u.test(text)
}

/** SHA-256 of a text's UTF-8 bytes, lowercase hex. */
export type Sha256Hex = (text: string) => string

/** In plain ECMAScript, for callers without a faster implementation. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
}
