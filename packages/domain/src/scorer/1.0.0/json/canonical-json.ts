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
  for (const { name, begin } of inOrder(Object.keys(members))) {
    if (members[name] === undefined) continue
    written += `${written === '{' ? '' : ','}${begin}${canonicalJson(members[name])}`
  }
  return `${written}}`
}

interface Member {
  readonly name: string
  /** The name in JSON, with its colon. */
  readonly begin: string
}

interface Shape {
  readonly names: readonly string[]
  readonly sorted: readonly Member[]
}

/** Shapes of objects by their first name. Sorting the names again for each object takes longer than all the rest of the text. */
const shapes = new Map<string, Shape[]>()
/** A report has some dozens. */
const MAX_SHAPES_OF_NAME = 8
const MAX_FIRST_NAMES = 512

/** The members of an object with these names, in canonical order. */
function inOrder(names: readonly string[]): readonly Member[] {
  const [first] = names
  if (first === undefined) return []
  const alike = shapes.get(first)
  const known = alike?.find((shape) => isSame(shape.names, names))
  if (known !== undefined) return known.sorted
  const sorted = names.toSorted().map((name): Member => ({ name, begin: `${canonicalString(name)}:` }))
  if (alike === undefined && shapes.size < MAX_FIRST_NAMES) shapes.set(first, [{ names, sorted }])
  else if (alike !== undefined && alike.length < MAX_SHAPES_OF_NAME) alike.push({ names, sorted })
  return sorted
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false
  return true
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
