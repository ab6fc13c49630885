/**
 * The customer reference of a report. The log has it sealed, so that it can be erased there, and the leaf has the hash of that text. The
 * customer has it plain. A proof therefore contains the sealed form, and the salt that shows that it belongs to the plain one.
 */
import { hash } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { HASH_BYTES } from './leaf.js'

export interface SealedReference {
  /** The form in the log. */
  readonly sealed: string
  /** 32 bytes; null once the key of the account was destroyed. */
  readonly salt: Buffer | null
}

/** Whether the reference of a report is also proven. `sealed`: the report shows the sealed text itself. */
export type ReferenceState = 'proven' | 'erased' | 'sealed'

/** An installation shows this in place of an erased reference. */
const ERASED = 'erased'
const FORM = /^sealed1\.[0-9a-f]{16}\.([A-Za-z0-9_-]{64,2048})$/
/** No text within a JSON string can look like this, because its quotes have a backslash before them. */
const MEMBER = '"customer_reference":'
const STRING = /"(?:[^"\\]|\\.)*"/y

export const isSealedReference = (text: string): boolean => commitmentOf(text) !== null

/** The report as in the log: with the sealed reference. Null if the report does not show this reference in its one spelling. */
export function reportAsRecorded(
  report: Uint8Array,
  { sealed, salt }: SealedReference,
): { readonly bytes: Uint8Array; readonly reference: ReferenceState } | null {
  if (!isUtf8(report)) return null
  const text = Buffer.from(report).toString('utf8')
  const found = text.indexOf(MEMBER)
  if (found < 0) return null
  const start = found + MEMBER.length + /^[ \t\r\n]*/.exec(text.slice(found + MEMBER.length))![0].length
  STRING.lastIndex = start
  const [literal] = STRING.exec(text) ?? []
  const plain = literal === undefined ? null : textOf(literal)
  if (literal === undefined || plain === null) return null
  const reference = stateOf(plain, { sealed, salt })
  if (reference === null) return null
  const recorded = `${text.slice(0, start)}"${sealed}"${text.slice(start + literal.length)}`
  return { bytes: Buffer.from(recorded, 'utf8'), reference }
}

function stateOf(plain: string, { sealed, salt }: SealedReference): ReferenceState | null {
  if (plain === sealed) return 'sealed'
  if (salt === null) return plain === ERASED ? 'erased' : null
  const commitment = hash('sha256', Buffer.concat([salt, Buffer.from(plain, 'utf8')]), 'buffer')
  return commitmentOf(sealed)?.equals(commitment) === true ? 'proven' : null
}

/** The sealed bytes begin with SHA-256 of the salt and the plain text. */
function commitmentOf(sealed: string): Buffer | null {
  const [, data] = FORM.exec(sealed) ?? []
  if (data === undefined) return null
  const bytes = Buffer.from(data, 'base64url')
  return bytes.toString('base64url') === data ? bytes.subarray(0, HASH_BYTES) : null
}

/** Null if the literal is not written as `JSON.stringify` writes its text. */
function textOf(literal: string): string | null {
  try {
    const text = JSON.parse(literal) as string
    return JSON.stringify(text) === literal ? text : null
  } catch {
    return null
  }
}
