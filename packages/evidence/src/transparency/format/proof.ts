/** Proofs of C2SP (https://c2sp.org/tlog-proof): a leaf's position, the path from it to the root, and the checkpoint with that root. */

/**
 * The customer reference of a report. The log has it sealed, so that it can be erased there, and the leaf has the hash of that text. The
 * customer has it plain. A proof therefore contains the sealed form, and the salt that shows that it belongs to the plain one.
 */
export interface SealedReference {
  /** The form in the log. */
  readonly sealed: string
  /** 32 bytes; null once the key of the account was destroyed. */
  readonly salt: Buffer | null
}

/**
 * An entry of the case of the report, which has a leaf of its own in the same tree: salt of the document, leaf, index, path, text of the entry
 * as the log has it, and [sealed, plain, salt] of each text that is shown. Bytes in base64.
 */
export type ProofOfEntry = readonly [
  salt: string,
  leaf: string,
  index: number,
  path: readonly string[],
  text: string,
  openings: readonly (readonly [sealed: string, plain: string, salt: string])[],
]

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

/** The signed note of a proof whose form was checked. */
export function noteOfProof(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8')
  return text.slice(text.indexOf('\n\n') + 2)
}

/** A separate line after the leaf: the sealed reference, and its salt unless that was erased. */
function referenceText(reference: SealedReference | null): string {
  if (reference === null) return ''
  const salt = reference.salt === null ? '' : ` ${reference.salt.toString('base64')}`
  return `\n${reference.sealed}${salt}`
}
