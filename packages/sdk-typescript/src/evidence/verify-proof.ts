/** Checks offline whether a report, and what people decided about it, is in the transparency log of an installation. */
import { exactBytes, exactUrlBytes, latin1Text } from '../base64.js'
import { ProofVerificationError } from '../errors.js'
import { entryLine, provenEntries, type EntryLine, type ProvenEntry } from './case-entries.js'
import { verifyingKeys } from './public-keys.js'
import { hex, joined, leafHash, rootOfPath, sha256, type Bytes } from './hash-tree.js'
import { openCheckpoint } from './checkpoint.js'

export interface ProvenReport {
  /** Name of the transparency log. */
  readonly log: string
  /** The place of the leaf, and the number of leaves in the log when the proof was made. */
  readonly index: number
  readonly size: number
  /** RFC 6962 hash of the leaf, 64 hex digits: the PDF of the report prints it. */
  readonly leafHash: string
  /** The key that signed the checkpoint. */
  readonly keyId: string
  /**
   * Whether the customer reference is proven too. `recorded`: the log has it as the report shows it. `erased`: its key was destroyed.
   * `sealed`: the report shows the sealed text itself.
   */
  readonly customerReference: 'recorded' | 'proven' | 'erased' | 'sealed'
  /** The case of the report if the proof is one of a case: its entries from the first one on, without a gap. */
  readonly entries: readonly ProvenEntry[]
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1'
const MAX_PATH = 63
const MAX_PROOF_CHARS = 16_777_216
const HASH_BYTES = 32
const BASE64 = '[A-Za-z0-9+/]{43}='
const LEAF = new RegExp(`^\\["cupel-leaf-1","(${BASE64})","(${BASE64})",(?:"(${BASE64})"|null)\\]$`)

/**
 * `report` and `proof` are the bytes of `reports.document` and of `reports.proof` or `cases.proof`, unchanged; `publicKeys` is the text of the file with public
 * keys that the operator gave you. Rejects with a ProofVerificationError if the proof does not prove the report. It needs no network and
 * checks no cosignatures of witnesses.
 */
export async function verifyProof(
  report: Uint8Array,
  proof: Uint8Array | string,
  { publicKeys }: { readonly publicKeys: string },
): Promise<ProvenReport> {
  const { salt, entry, reference, entries: lines, index, path, note } = parseProof(proof)
  const checkpoint = await openCheckpoint(note, await verifyingKeys(publicKeys))
  const document = documentHashIn(entry)
  const leaf = await leafHash(latin1Bytes(entry))
  const root = await rootOfPath(leaf, { index, size: checkpoint.size, path })
  if (root === null || hex(root) !== hex(checkpoint.root))
    throw unproven('The path does not lead from the leaf to the root of the checkpoint.')
  const recorded = await asRecorded(new Uint8Array(report), reference)
  if (hex(await sha256(joined(salt, recorded.bytes))) !== hex(document))
    throw unproven('The report is not the one of the leaf: not one byte of it may differ.')
  // The leaf of an entry of a case is of a text that begins with a bracket.
  if (report[0] !== OPENING_BRACE) throw unproven('The file is not a report.')
  const { origin: log, size, root: signedRoot, keyId } = checkpoint
  const reportId =
    lines.length === 0 ? '' : (JSON.parse(textOf(report) ?? '') as { report_id: string }).report_id
  const entries = await provenEntries(lines, { reportId, size, root: signedRoot, documentHashIn })
  const customerReference = recorded.reference
  return { log, index, size, leafHash: hex(leaf), keyId, customerReference, entries }
}

interface Proof {
  readonly salt: Bytes
  readonly entry: string
  readonly reference: SealedReference | null
  readonly entries: readonly EntryLine[]
  readonly index: number
  readonly path: readonly Bytes[]
  readonly note: string
}

/** A proof has one spelling, and any other one is refused. */
function parseProof(proof: Uint8Array | string): Proof {
  const text = typeof proof === 'string' ? proof : textOf(proof)
  const end = text?.indexOf('\n\n') ?? -1
  if (text === null || end < 0 || text.length > MAX_PROOF_CHARS) throw malformed()
  const [first, extraLine = '', indexLine = '', ...hashes] = text.slice(0, end).split('\n')
  const extra = extraLine.startsWith('extra ') ? exactBytes(extraLine.slice('extra '.length)) : null
  const index = indexLine.startsWith('index ') ? numberOf(indexLine.slice('index '.length)) : null
  const path = hashes.map((line) => hashOf(line) ?? fail())
  if (first !== FIRST_LINE || extra === null || extra.length <= HASH_BYTES) throw malformed()
  if (index === null || path.length > MAX_PATH) throw malformed()
  const [entry, ...lines] = latin1Text(extra.slice(HASH_BYTES)).split('\n')
  const salt = extra.slice(0, HASH_BYTES)
  const at = lines.findIndex((line) => line.startsWith('['))
  const reference = referenceIn(at < 0 ? lines : lines.slice(0, at))
  const entries = (at < 0 ? [] : lines.slice(at)).map(
    (line) => entryLine(textOf(latin1Bytes(line)) ?? '') ?? fail(),
  )
  return { salt, entry: entry!, reference, entries, index, path, note: text.slice(end + 2) }
}

function documentHashIn(entry: string): Bytes {
  const texts = LEAF.exec(entry)?.slice(1) as (string | undefined)[] | undefined
  const hashes = texts?.map((text) => (text === undefined ? undefined : hashOf(text)))
  if (hashes === undefined || hashes.includes(null)) throw unproven('The proof holds no leaf.')
  return hashes[2] ?? fail('The leaf is not one of a report.')
}

/** The customer reference as the log has it, and the salt that shows that it is the plain one; null after an erasure. */
interface SealedReference {
  readonly sealed: string
  readonly commitment: Bytes
  readonly salt: Bytes | null
}

const SEALED = /^sealed1\.[0-9a-f]{16}\.([\w-]{64,2048})$/
/** No text within a JSON string can look like this, because its quotes have a backslash before them. */
const MEMBER = '"customer_reference":'
const STRING = /"(?:[^"\\]|\\.)*"/y

function referenceIn(lines: readonly string[]): SealedReference | null {
  if (lines.length === 0) return null
  const [sealed = '', salt, ...rest] = lines[0]!.split(' ')
  const bytes = exactUrlBytes(SEALED.exec(sealed)?.[1] ?? '=')
  if (lines.length > 1 || rest.length > 0 || bytes === null) throw malformed()
  const commitment = bytes.slice(0, HASH_BYTES)
  return { sealed, commitment, salt: salt === undefined ? null : (hashOf(salt) ?? fail()) }
}

/** The report as the log has it: with the sealed reference. */
async function asRecorded(
  report: Bytes,
  reference: SealedReference | null,
): Promise<{ readonly bytes: Bytes; readonly reference: ProvenReport['customerReference'] }> {
  if (reference === null) return { bytes: report, reference: 'recorded' }
  const text = textOf(report) ?? fail(OTHER_REFERENCE)
  const found = text.indexOf(MEMBER)
  if (found < 0) throw unproven(OTHER_REFERENCE)
  const behind = text.slice(found + MEMBER.length)
  const start = text.length - behind.replace(/^[ \t\r\n]*/, '').length
  STRING.lastIndex = start
  const literal = STRING.exec(text)?.[0] ?? fail(OTHER_REFERENCE)
  const state = await stateOf(literal, reference)
  const recorded = `${text.slice(0, start)}"${reference.sealed}"${text.slice(start + literal.length)}`
  return { bytes: new TextEncoder().encode(recorded), reference: state }
}

const OTHER_REFERENCE = 'The customer reference of the report is not the one of the proof.'

async function stateOf(
  literal: string,
  { sealed, commitment, salt }: SealedReference,
): Promise<ProvenReport['customerReference']> {
  const plain = plainOf(literal)
  if (plain === sealed) return 'sealed'
  if (salt === null && plain === 'erased') return 'erased'
  if (salt !== null && plain !== null) {
    const hash = await sha256(joined(salt, new TextEncoder().encode(plain)))
    if (hex(hash) === hex(commitment)) return 'proven'
  }
  throw unproven(OTHER_REFERENCE)
}

/** Null if the literal is not written as `JSON.stringify` writes its text. */
function plainOf(literal: string): string | null {
  try {
    const text = JSON.parse(literal) as string
    return JSON.stringify(text) === literal ? text : null
  } catch {
    return null
  }
}

const hashOf = (base64: string): Bytes | null => {
  const bytes = exactBytes(base64)
  return bytes?.length === HASH_BYTES ? bytes : null
}

/** Null if the text has leading zeros, or is more than a number holds. */
function numberOf(text: string): number | null {
  const number = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(number) ? number : null
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const OPENING_BRACE = 0x7b
const latin1Bytes = (text: string): Bytes => Uint8Array.from(text, (character) => character.charCodeAt(0))
const unproven = (message: string): ProofVerificationError => new ProofVerificationError(message)
const malformed = (): ProofVerificationError => unproven('The proof is not well-formed.')
function fail(message = 'The proof is not well-formed.'): never {
  throw unproven(message)
}
