/** Checks the signed trees that rows and files of a transparency log name. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@cupel/postgres'
import { UnsignedNoteError, type Verifier } from '@cupel/signing'
import { openCheckpoint, originOf, type Checkpoint } from '../format/checkpoint.js'
import { COSIGNED, publishedNote } from '../published.js'
import type { SignedNote } from './cosigned-trees.js'
import type { Findings } from './findings.js'
import type { PublishedStore } from '../store/published-store.js'
import { loadRows, type StoredRows } from './stored-leaves.js'

export type SignedTree = Checkpoint

export interface TreeOfRows {
  readonly stored: StoredRows
  /** Null if the rows have no checkpoint that counts. */
  readonly signed: SignedTree | null
  /** Number of leaves that the rows must have. */
  readonly size: number
}

export interface SignedTrees {
  readonly rows: TreeOfRows | null
  /** Null if no published checkpoint counts. */
  readonly files: SignedTree | null
  /** Every valid note of each side: the last one, and the last one that enough witnesses cosigned. */
  readonly notes: { readonly rows: readonly SignedNote[]; readonly files: readonly SignedNote[] }
}

interface Options {
  readonly log: { identity(): Promise<string> }
  readonly database: Database | null
  readonly store: PublishedStore | null
  readonly verifier: Verifier
  /** How long files may be behind the rows of a running log, in milliseconds. */
  readonly publishGraceMs: number
  readonly looksForLoss?: boolean
}

const GRACE_REST_MS = 50

/** Null if there are neither rows nor files. */
export async function signedTrees(options: Options, findings: Findings): Promise<SignedTrees | null> {
  const { store, verifier } = options
  const identity = await options.log.identity()
  const { note, cosigned, stored } = await settled(options, identity)
  if (note === null && (stored === null || isEmpty(stored))) return null
  const opened = (text: string, of: string): SignedTree | null => {
    const signed = signedTree(text, verifier, identity)
    if (typeof signed !== 'string') return signed
    findings.fault(`${of}: ${signed}`)
    return null
  }
  const files = note === null ? null : opened(note, `${store?.place}/checkpoint`)
  const rows = stored === null ? null : rowsOf(stored, opened, findings)
  if (rows === null && options.database !== null && files !== null && options.looksForLoss !== true)
    findings.fault(
      `The database has no transparency log, and ${store?.place} holds one of ${files.size} leaves: its rows were removed, or another database was put there.`,
    )
  if (store !== null && rows !== null)
    requireSameLength(store.place, { note, files, size: rows.size, ...options }, findings)
  const notesOf = (side: Side): SignedNote[] => signedNotes(side, opened, findings)
  return {
    ...{ rows, files },
    notes: {
      rows: notesOf({
        of: 'Database',
        last: rows?.signed ?? null,
        note: stored?.checkpoint,
        cosigned: stored?.cosigned,
      }),
      files: notesOf({ of: `${store?.place}/${COSIGNED}`, last: files, note, cosigned }),
    },
  }
}

interface Side {
  /** Of the cosigned checkpoint. */
  readonly of: string
  readonly last: SignedTree | null
  readonly note: string | null | undefined
  readonly cosigned: string | null | undefined
}

function signedNotes(
  { of, last, note, cosigned }: Side,
  opened: (text: string, of: string) => SignedTree | null,
  findings: Findings,
): SignedNote[] {
  const notes = last === null ? [] : [{ of, note: note!, signed: last }]
  const signed = typeof cosigned === 'string' ? opened(cosigned, of) : null
  if (signed === null) return notes
  if (last !== null && signed.size > last.size)
    findings.fault(
      `${of}: witnesses cosigned a checkpoint of ${signed.size} leaves, and the last one next to it has ${last.size}: an older one was put there.`,
      last.size,
    )
  return [...notes, { of, note: cosigned!, signed }]
}

/** Rows of one moment, and files that were read before them: the files of an honest log have no more leaves. */
async function settled(options: Options, identity: string) {
  const { store, database } = options
  let due: number | null = store === null ? 0 : null
  const read = async () => {
    // Read first, because it is written last, and is never longer than the checkpoint beside it.
    const cosigned = store === null ? null : await publishedNote(store, COSIGNED)
    const note = store === null ? null : await publishedNote(store)
    const stored = database === null ? null : await loadRows(database, identity)
    due ??= stored?.size ?? 0
    return { cosigned, note, stored }
  }
  return await whenPublished(read, () => due!, { ...options, identity })
}

/** Reads again while the checkpoint is behind: a running projector publishes a moment after it has signed. */
export async function whenPublished<Found extends { readonly note: string | null }>(
  read: () => Promise<Found>,
  sizeDue: () => number,
  { identity, verifier, publishGraceMs }: Pick<Options, 'verifier' | 'publishGraceMs'> & { identity: string },
): Promise<Found & { readonly files: SignedTree | string | null }> {
  const until = performance.now() + publishGraceMs
  for (;;) {
    const found = await read()
    const files = found.note === null ? null : signedTree(found.note, verifier, identity)
    const isBehind = typeof files !== 'string' && (files?.size ?? 0) < sizeDue()
    if (!isBehind || performance.now() >= until) return { ...found, files }
    await sleep(GRACE_REST_MS)
  }
}

/** A sentence if the note is not a checkpoint of this log that a known key signed. */
export function signedTree(note: string, verifier: Verifier, identity: string): SignedTree | string {
  try {
    const opened = openCheckpoint(note, verifier)
    if (opened !== null && opened.origin === originOf(opened.key, identity)) return opened
    return 'The signed text is not a checkpoint of the transparency log of this log.'
  } catch (error) {
    if (error instanceof UnsignedNoteError) return `The checkpoint does not count. ${error.message}`
    throw error
  }
}

const isEmpty = ({ size, leaves, checkpoint }: StoredRows): boolean =>
  size === 0 && leaves === 0 && checkpoint === null

function rowsOf(
  stored: StoredRows,
  opened: (text: string, of: string) => SignedTree | null,
  findings: Findings,
): TreeOfRows {
  const signed = stored.checkpoint === null ? null : opened(stored.checkpoint, 'Database')
  if (stored.checkpoint === null && !isEmpty(stored))
    findings.fault('The database has leaves of a transparency log, and no checkpoint of it.')
  if (signed !== null && signed.size !== stored.size)
    findings.fault(
      `The database says that its transparency log has ${stored.size} leaves, and its checkpoint says ${signed.size}.`,
      Math.min(stored.size, signed.size),
    )
  return { stored, signed, size: signed?.size ?? Math.min(stored.size, stored.leaves) }
}

/** Reports files that are not as long as the tree of `size` leaves. */
export function requireSameLength(
  place: string,
  {
    note,
    files,
    size,
    looksForLoss = false,
  }: {
    readonly note: string | null
    readonly files: SignedTree | null
    readonly size: number
    readonly looksForLoss?: boolean
  },
  findings: Findings,
): void {
  if (note === null) findings.fault(`${place}/checkpoint is gone: put the files back, from a copy.`)
  if (files === null || files.size === size || (files.size > size && looksForLoss)) return
  findings.fault(
    files.size > size
      ? `${place} holds a transparency log of ${files.size} leaves, and the database has ${size}: an older database was restored, or its rows were changed.`
      : `${place} holds a transparency log of ${files.size} leaves, and the database has ${size}: older files were put there, or the projector cannot publish.`,
    Math.min(files.size, size),
  )
}
