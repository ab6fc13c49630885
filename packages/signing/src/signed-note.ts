/** Signed notes of C2SP (https://c2sp.org/signed-note): a text that ends in a newline, an empty line, and a line per signature. */
import type { Signer, Verifier } from './signing-key.js'

/** The note carries no matching signature of a known key. */
export class UnsignedNoteError extends Error {
  override readonly name = 'UnsignedNoteError'
}

export interface OpenedNote {
  /** The signed text, with its last newline. */
  readonly text: string
  readonly keyId: string
  readonly keyName: string
}

const SEPARATOR = '\n\n'
const LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/
/** Characters that no note holds: some readers would see a carriage return and others would not. */
const CONTROL = /(?!\n)\p{Cc}/u
const KEY_ID_BYTES = 4
/** More signature lines than any witness adds; a longer note is refused. */
const MAX_SIGNATURES = 100

/** `text` ends in a newline and has no empty line. */
export function signNote(text: string, { key, sign }: Signer): string {
  if (!text.endsWith('\n') || text.includes(SEPARATOR)) throw new RangeError('This text cannot be a note')
  const signature = Buffer.concat([Buffer.from(key.id, 'hex'), sign(Buffer.from(text))])
  return `${text}\n— ${key.name} ${signature.toString('base64')}\n`
}

/** A line of signatures, not yet checked. */
export interface NoteSignature {
  readonly keyName: string
  readonly keyId: string
  /** The bytes after the id of the key: for Ed25519 the 64 bytes of RFC 8032. */
  readonly bytes: Buffer
}

/** The text of a note and its lines of signatures, in their one spelling. Throws UnsignedNoteError if it is not a note. */
export function parseNote(note: string): {
  readonly text: string
  readonly signatures: readonly NoteSignature[]
} {
  const end = note.lastIndexOf(SEPARATOR)
  const lines = note.slice(end + SEPARATOR.length).split('\n')
  if (end < 0 || lines.pop() !== '' || lines.length > MAX_SIGNATURES || CONTROL.test(note))
    throw new UnsignedNoteError('It is not a signed note.')
  return { text: note.slice(0, end + 1), signatures: lines.map(signatureOf) }
}

/**
 * The text and the first known key that signed it. Throws UnsignedNoteError, also if the signature of a known key is wrong. A
 * line counts for a key if both name and id match.
 */
export function openNote(note: string, { nameOf, verify }: Verifier): OpenedNote {
  const { text, signatures } = parseNote(note)
  const known = signatures.filter(({ keyId, keyName }) => nameOf(keyId) === keyName)
  for (const { keyId, bytes } of known)
    if (!verify(keyId, Buffer.from(text), bytes))
      throw new UnsignedNoteError(`The signature of the key ${keyId} is wrong.`)
  const [first] = known
  if (first !== undefined) return { text, keyId: first.keyId, keyName: first.keyName }
  const unknown = signatures.map(({ keyId }) => keyId)
  throw new UnsignedNoteError(
    unknown.length === 0
      ? 'It has no signature.'
      : `It is signed by ${unknown.length === 1 ? 'the key' : 'the keys'} ${unknown.join(', ')}, which this installation does not know.`,
  )
}

function signatureOf(line: string): NoteSignature {
  const [, keyName = '', base64 = ''] = LINE.exec(line) ?? []
  const bytes = Buffer.from(base64, 'base64')
  // Another spelling of the same bytes is rejected: a note has exactly one form.
  if (bytes.toString('base64') !== base64 || bytes.length <= KEY_ID_BYTES)
    throw new UnsignedNoteError('A line of its signatures is not well-formed.')
  return { keyName, keyId: bytes.toString('hex', 0, KEY_ID_BYTES), bytes: bytes.subarray(KEY_ID_BYTES) }
}
