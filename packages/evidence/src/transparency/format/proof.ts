/** Proofs of C2SP (https://c2sp.org/tlog-proof): a leaf's position, the path from it to the root, and the checkpoint with that root. */
import { bytesOfBase64, numberOf } from './base64.js'
import { HASH_BYTES } from './leaf.js'
import { parseEntryLine, type ProofOfEntry } from './case-entries.js'
import { isSealedReference, type SealedReference } from './sealed-reference.js'

export interface Proof {
  /** The salt of the document, then the text of the leaf, then the sealed reference and its salt, then a line for each entry of the case. Only the path proves it. */
  readonly salt: Buffer
  readonly entry: string
  /** For a report whose customer reference is sealed. */
  readonly reference: SealedReference | null
  /** The entries of the case of the report, oldest first; empty in the proof of a report. */
  readonly entries: readonly ProofOfEntry[]
  readonly index: number
  readonly path: readonly Buffer[]
  /** The signed note, verbatim. */
  readonly checkpoint: string
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1'
/** Maximum length of a path: of a tree whose size a JavaScript number can hold. */
const MAX_PATH = 63
/** More characters than the proof of the longest case has. */
export const MAX_PROOF_CHARS = 16_777_216

export function proofText({ salt, entry, reference, entries, index, path, checkpoint }: Proof): string {
  const lines = entries.map((each) => `\n${JSON.stringify(each)}`).join('')
  const extra = Buffer.concat([salt, Buffer.from(entry + referenceText(reference) + lines)]).toString(
    'base64',
  )
  const hashes = path.map((hash) => `${hash.toString('base64')}\n`).join('')
  return `${FIRST_LINE}\nextra ${extra}\nindex ${index}\n${hashes}\n${checkpoint}`
}

/** Whether the text begins like a proof: a signed note begins with the name of its log. */
export const isProof = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, FIRST_LINE.length + 1)).toString('latin1') === `${FIRST_LINE}\n`

/** Null if the text differs from what `proofText` makes: a proof has exactly one spelling. */
export function parseProof(text: string): Proof | null {
  if (text.length > MAX_PROOF_CHARS) return null
  const end = text.indexOf('\n\n')
  if (end < 0) return null
  const [first, extraLine, indexLine, ...hashes] = text.slice(0, end).split('\n')
  const extra = bytesOfBase64(/^extra ([^ ]+)$/.exec(extraLine ?? '')?.[1] ?? '')
  const index = numberOf(/^index ([^ ]+)$/.exec(indexLine ?? '')?.[1] ?? '')
  const path = hashes.flatMap((line) => bytesOfBase64(line, HASH_BYTES) ?? [])
  if (first !== FIRST_LINE || extra === null || extra.length <= HASH_BYTES || index === null) return null
  if (hashes.length > MAX_PATH || path.length !== hashes.length) return null
  const [entry, ...lines] = extra.toString('latin1', HASH_BYTES).split('\n')
  const at = lines.findIndex((line) => line.startsWith('['))
  const reference = parseReference(at < 0 ? lines : lines.slice(0, at))
  const entries = at < 0 ? [] : lines.slice(at).map(parseEntryLine)
  if (entry === undefined || reference === undefined) return null
  if (!entries.every((each) => each !== null)) return null
  const salt = extra.subarray(0, HASH_BYTES)
  return { salt, entry, reference, entries, index, path, checkpoint: text.slice(end + 2) }
}

/** A separate line after the leaf: the sealed reference, and its salt unless that was erased. */
function referenceText(reference: SealedReference | null): string {
  if (reference === null) return ''
  const salt = reference.salt === null ? '' : ` ${reference.salt.toString('base64')}`
  return `\n${reference.sealed}${salt}`
}

/** Undefined if the line differs from what `referenceText` makes. */
function parseReference(lines: readonly string[]): SealedReference | null | undefined {
  if (lines.length === 0) return null
  const [sealed = '', saltText, ...rest] = (lines[0] ?? '').split(' ')
  if (lines.length > 1 || rest.length > 0 || !isSealedReference(sealed)) return undefined
  if (saltText === undefined) return { sealed, salt: null }
  const salt = bytesOfBase64(saltText, HASH_BYTES)
  return salt === null ? undefined : { sealed, salt }
}
