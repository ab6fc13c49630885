/** The entries of a case in the proof of its report: each has a leaf of its own in the same tree. */
import { exactBytes, exactUrlBytes } from '../base64.js'
import { ProofVerificationError } from '../errors.js'
import { hex, joined, leafHash, rootOfPath, sha256, type Bytes } from './hash-tree.js'

/** A note or a decision about a report, which is proven. */
export interface ProvenEntry {
  /** The place in the case, from 1: none before the last one of the proof is left out. */
  readonly version: number
  /** `note`, `disposition_changed`, `disposition_proposed`, `proposal_declined`, `assigned` or `file_attached`. */
  readonly kind: string
  readonly at: string
  /** The API key of the call. */
  readonly keyId: string
  /** Null if no person was signed in, or if the name was erased. */
  readonly person: string | null
  /** Sealed: two entries of one person have the same one. Empty if no person was signed in. */
  readonly subject: string
  /** Null if it was erased. */
  readonly text: string | null
  readonly disposition: string | null
  readonly previousDisposition: string | null
  /** The entry that this one confirms or declines. */
  readonly proposalVersion: number | null
  /**
   * The further members of its kind, as the proof names them: `key_name`, `assignee_person`, `due_on`, `file_name`, `file_sha256` and so on.
   * The value of a text that was erased is null.
   */
  readonly details: Readonly<Record<string, unknown>>
  /** The place of its leaf. */
  readonly index: number
}

/** Salt, leaf, index, path, text of the entry, and [sealed, plain, salt] of each text that is shown. */
export type EntryLine = readonly [
  salt: string,
  leaf: string,
  index: number,
  path: readonly string[],
  text: string,
  openings: readonly (readonly [sealed: string, plain: string, salt: string])[],
]

interface Recorded {
  readonly report_id: string
  readonly version: number
  readonly kind: string
  readonly at: string
  readonly key_id: string
  readonly person: string
  readonly subject: string
  readonly text: string
  readonly disposition: string | null
  readonly previous_disposition: string | null
  readonly proposal_version: number | null
}

const HASH_BYTES = 32
const MAX_PATH = 63
const START = '["cupel-case-entry-1",{'
const SEALED = /^sealed1\.[0-9a-f]{16}\.([\w-]{64,16384})$/
/** An escape that `JSON.stringify` writes for half a character, after an even number of backslashes. */
const LONE_SURROGATE = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/

const isText = (value: unknown): value is string => typeof value === 'string'
const isHash = (value: unknown): boolean => isText(value) && exactBytes(value)?.length === HASH_BYTES
const utf8 = (text: string): Bytes => new TextEncoder().encode(text)

/** Undefined if the text has another spelling than that of `JSON.stringify`. */
function exactJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text && !LONE_SURROGATE.test(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** Null if the line has another form. */
export function entryLine(line: string): EntryLine | null {
  const value = exactJson(line)
  if (!Array.isArray(value) || value.length !== 6) return null
  const [salt, leaf, index, path, text, openings] = value as unknown[]
  if (!isHash(salt) || !isText(leaf) || !Number.isSafeInteger(index) || (index as number) < 0) return null
  if (!Array.isArray(path) || path.length > MAX_PATH || !path.every(isHash) || !isText(text)) return null
  const isOpening = (each: unknown): boolean =>
    Array.isArray(each) && each.length === 3 && isText(each[0]) && isText(each[1]) && isHash(each[2])
  return Array.isArray(openings) && openings.every(isOpening) ? (value as unknown as EntryLine) : null
}

export interface ReportInTree {
  readonly reportId: string
  readonly size: number
  readonly root: Bytes
  /** The hash of the document of a leaf. */
  readonly documentHashIn: (leaf: string) => Bytes
}

/** Rejects with a ProofVerificationError unless these are the entries of the case of this report, from the first one on. */
export async function provenEntries(
  lines: readonly EntryLine[],
  { reportId, size, root, documentHashIn }: ReportInTree,
): Promise<readonly ProvenEntry[]> {
  const proven: ProvenEntry[] = []
  for (const [at, [salt, leaf, index, path, text, openings]] of lines.entries()) {
    const which = `The entry ${at + 1} of the case`
    const reached = await rootOfPath(await leafHash(utf8(leaf)), { index, size, path: path.map(bytesOf) })
    if (reached === null || hex(reached) !== hex(root))
      throw unproven(`${which} does not lead to the root of the checkpoint.`)
    if (hex(await sha256(joined(bytesOf(salt), utf8(text)))) !== hex(documentHashIn(leaf)))
      throw unproven(`${which} is not the one of its leaf.`)
    const value = text.startsWith(START) ? (exactJson(text) as [string, Recorded] | undefined) : undefined
    if (value?.[1].report_id !== reportId) throw unproven(`${which} is not one of this report.`)
    if (value[1].version !== at + 1) throw unproven(`${which} is missing.`)
    if (index <= (proven.at(-1)?.index ?? -1))
      throw unproven(`${which} has a leaf before that of the entry before.`)
    const opened = await openedTexts(value[1], openings)
    if (opened === null) throw unproven(`${which} has a text that is not the sealed one.`)
    proven.push(provenEntry(value[1], opened, index))
  }
  return proven
}

/** Permanent identifiers of persons stay sealed. */
const isShown = (entry: Recorded, sealed: string): boolean =>
  Object.entries(entry).some(([name, value]) => value === sealed && name !== 'subject')

/** The plain texts by their sealed ones. Null if one is wrong, is given twice, or is of no text of the entry that is shown. */
async function openedTexts(
  entry: Recorded,
  openings: EntryLine[5],
): Promise<ReadonlyMap<string, string> | null> {
  const opened = new Map<string, string>()
  for (const [sealed, plain, salt] of openings) {
    const commitment = exactUrlBytes(SEALED.exec(sealed)?.[1] ?? '')?.slice(0, HASH_BYTES)
    const own = await sha256(joined(bytesOf(salt), utf8(plain)))
    const isWrong = commitment === undefined || hex(commitment) !== hex(own)
    if (isWrong || opened.has(sealed) || !isShown(entry, sealed)) return null
    opened.set(sealed, plain)
  }
  return opened
}

/** The members that every entry has. */
const COMMON: ReadonlySet<string> = new Set([
  ...['report_id', 'version', 'kind', 'at', 'key_id', 'person', 'subject', 'text'],
  ...['disposition', 'previous_disposition', 'proposal_version'],
])

function provenEntry(recorded: Recorded, opened: ReadonlyMap<string, string>, index: number): ProvenEntry {
  const shown = (text: string): string | null => opened.get(text) ?? (SEALED.test(text) ? null : text)
  const { version, kind, at, key_id: keyId, person, subject, text, disposition } = recorded
  const details = Object.entries(recorded as unknown as Record<string, unknown>)
    .filter(([name]) => !COMMON.has(name))
    .map(([name, value]) => [name, isText(value) ? shown(value) : value])
  return {
    ...{ version, kind, at, keyId, person: person === '' ? null : shown(person), subject },
    ...{ text: shown(text), disposition, previousDisposition: recorded.previous_disposition },
    ...{ proposalVersion: recorded.proposal_version },
    ...{ details: Object.fromEntries(details) as Record<string, unknown>, index },
  }
}

const bytesOf = (base64: string): Bytes => exactBytes(base64)!
const unproven = (message: string): ProofVerificationError => new ProofVerificationError(message)
