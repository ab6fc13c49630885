/**
 * The entries of a case in the proof of its report. Each has a leaf of its own in the same tree; the text of the entry is as the log has
 * it, with sealed texts, and each sealed text that may be shown has its plain text and the salt that shows that both are the same.
 */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { isIncluded, leafHash } from '@cupel/signing'
import { bytesOfBase64 } from './base64.js'
import { HASH_BYTES, parseLeafEntry, saltedHash } from './leaf.js'

/** Salt of the document, leaf, index, path, text of the entry, and [sealed, plain, salt] of each text that is shown. Bytes in base64. */
export type ProofOfEntry = readonly [
  salt: string,
  leaf: string,
  index: number,
  path: readonly string[],
  text: string,
  openings: readonly (readonly [sealed: string, plain: string, salt: string])[],
]

export interface ProvenEntry {
  readonly version: number
  readonly kind: string
  readonly at: string
  readonly keyId: string
  /** Null if no person was signed in, or if the name is sealed and is not shown. */
  readonly person: string | null
  /** Sealed: two entries of one person have the same one. Empty if no person was signed in. */
  readonly subject: string
  /** Null if the text is sealed and is not shown: it was erased. */
  readonly text: string | null
  readonly disposition: string | null
  readonly previousDisposition: string | null
  readonly proposalVersion: number | null
  /** The further members of its kind; the value of a sealed text that is not shown is null. */
  readonly details: Readonly<Record<string, unknown>>
  /** The place of its leaf. */
  readonly index: number
}

const MAX_PATH = 63
const START = '["cupel-case-entry-1",{'
const SEALED = /^sealed1\.[0-9a-f]{16}\.([A-Za-z0-9_-]{64,16384})$/

/** An escape that `JSON.stringify` writes for half a character, after an even number of backslashes. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

const isText = (value: unknown): value is string => typeof value === 'string'
const isHash = (value: unknown): boolean => isText(value) && bytesOfBase64(value, HASH_BYTES) !== null

/** The one spelling of JSON that `JSON.stringify` writes; undefined for any other one, and for text that no UTF-8 holds. */
function exactJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text && !LONE_SURROGATE.test(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** `line` has one character for each byte. Null if it has another form. */
export function parseEntryLine(line: string): ProofOfEntry | null {
  const bytes = Buffer.from(line, 'latin1')
  const value = isUtf8(bytes) ? exactJson(bytes.toString('utf8')) : undefined
  if (!Array.isArray(value) || value.length !== 6) return null
  const [salt, leaf, index, path, text, openings] = value as unknown[]
  if (!isHash(salt) || !isText(leaf) || !Number.isSafeInteger(index) || (index as number) < 0) return null
  if (!Array.isArray(path) || path.length > MAX_PATH || !path.every(isHash) || !isText(text)) return null
  const isOpening = (each: unknown): boolean =>
    Array.isArray(each) && each.length === 3 && isText(each[0]) && isText(each[1]) && isHash(each[2])
  return Array.isArray(openings) && openings.every(isOpening) ? (value as unknown as ProofOfEntry) : null
}

/**
 * The entries of the case of this report, from its first one on, with none between left out. Otherwise a sentence that says why they are
 * not proven.
 */
export function provenEntries(
  entries: readonly ProofOfEntry[],
  { reportId, size, root }: { readonly reportId: string; readonly size: number; readonly root: Buffer },
): readonly ProvenEntry[] | string {
  const proven: ProvenEntry[] = []
  for (const [at, [salt, leaf, index, path, text, openings]] of entries.entries()) {
    const which = `The entry ${at + 1} of the case`
    const hashes = path.map((each) => Buffer.from(each, 'base64'))
    const bytes = Buffer.from(leaf)
    if (!isIncluded({ leaf: leafHash(bytes), index, size, path: hashes, root }))
      return `${which} does not lead to the root of the checkpoint.`
    const documentHash = parseLeafEntry(leaf)?.documentHash
    if (documentHash?.equals(saltedHash(Buffer.from(salt, 'base64'), Buffer.from(text))) !== true)
      return `${which} is not the one of its leaf.`
    const entry = entryIn(text)
    if (entry === null || entry['report_id'] !== reportId) return `${which} is not one of this report.`
    if (entry['version'] !== at + 1) return `${which} is missing.`
    if (index <= (proven.at(-1)?.index ?? -1)) return `${which} has a leaf before that of the entry before.`
    const opened = openedTexts(entry, openings)
    if (opened === null) return `${which} has a text that is not the sealed one.`
    proven.push(provenEntry(entry, opened, index))
  }
  return proven
}

type Entry = Readonly<Record<string, unknown>>

/** The members were checked when the installation recorded them: the text has the hash of a leaf. */
function entryIn(text: string): Entry | null {
  const value = text.startsWith(START) ? exactJson(text) : undefined
  return Array.isArray(value) ? (value[1] as Entry) : null
}

/** Permanent identifiers of persons stay sealed. */
const isShown = (entry: Entry, sealed: string): boolean =>
  Object.entries(entry).some(([name, value]) => value === sealed && name !== 'subject')

/** The plain texts by their sealed ones. Null if one is wrong, is given twice, or is of no text of the entry that is shown. */
function openedTexts(entry: Entry, openings: ProofOfEntry[5]): ReadonlyMap<unknown, string> | null {
  const opened = new Map<unknown, string>()
  for (const [sealed, plain, salt] of openings) {
    const [, data] = SEALED.exec(sealed) ?? []
    const commitment = Buffer.from(data ?? '', 'base64url').subarray(0, HASH_BYTES)
    const own = hash('sha256', Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(plain)]), 'buffer')
    if (opened.has(sealed) || !isShown(entry, sealed) || !commitment.equals(own)) return null
    opened.set(sealed, plain)
  }
  return opened
}

/** The members that every entry has. */
const COMMON = new Set([
  ...['report_id', 'version', 'kind', 'at', 'key_id', 'person', 'subject', 'text'],
  ...['disposition', 'previous_disposition', 'proposal_version'],
])

function provenEntry(entry: Entry, opened: ReadonlyMap<unknown, string>, index: number): ProvenEntry {
  const shown = (text: unknown): string | null =>
    opened.get(text) ?? (SEALED.test(text as string) ? null : (text as string))
  const further = Object.entries(entry).filter(([name]) => !COMMON.has(name))
  const person = shown(entry['person'])
  return {
    version: entry['version'] as number,
    kind: entry['kind'] as string,
    at: entry['at'] as string,
    keyId: entry['key_id'] as string,
    person: person === '' ? null : person,
    subject: entry['subject'] as string,
    text: shown(entry['text']),
    disposition: entry['disposition'] as string | null,
    previousDisposition: entry['previous_disposition'] as string | null,
    proposalVersion: entry['proposal_version'] as number | null,
    details: Object.fromEntries(further.map(([name, value]) => [name, isText(value) ? shown(value) : value])),
    index,
  }
}
