/** The public reads of the transparency log. They need no key. */
import { caseEntryId, caseEntryText, type RecordedEntry, type ReportLeaf } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { leafHash } from '@cupel/signing'
import { parseLeafEntry, saltedHash } from './format/leaf.js'
import { proofText, type ProofOfEntry, type SealedReference } from './format/proof.js'
import { hashesOfLevel, TILE_WIDTH, type TileName } from './format/tiles.js'
import type { ProvableDocument } from './leaf-of-record.js'
import { readTile } from './read-tile.js'
import { loadLog } from './state.js'
import { byTiles, hashReader, readPath } from './tree-reader.js'

/** The last signed checkpoint of the log; null if nothing was signed yet. */
export async function readCheckpoint(database: Queryable, log: string): Promise<string | null> {
  return (await loadLog(database, log))?.checkpoint ?? null
}

/** The bytes of a tile; null if the last checkpoint has no such tile. */
export async function readPublicTile(
  database: Queryable,
  log: string,
  name: TileName,
): Promise<Buffer | null> {
  const stored = await loadLog(database, log)
  if (stored === null) return null
  const hashes = hashesOfLevel(stored.tree.size, name.level === 'entries' ? 0 : name.level)
  if (name.index * TILE_WIDTH + name.width > hashes) return null
  return await readTile(database, stored.number, name)
}

export type FoundProof =
  | { readonly kind: 'proof'; readonly text: string }
  /** The report, or an entry of its case, has no leaf yet. */
  | { readonly kind: 'none' }

export interface ProvableReport {
  readonly reportId: string
  /** The text of the report as in the log. */
  readonly document: string
  /** Its customer reference, if that is sealed. */
  readonly reference?: SealedReference | null
  /** The entries of its case, if they are to be proven too, oldest first. */
  readonly entries?: readonly ProvableEntry[]
}

export interface ProvableEntry {
  readonly entry: RecordedEntry
  /** The plain form, with its salt, of each sealed text that may be shown. */
  readonly openings: ProofOfEntry[5]
}

interface LeafRow {
  readonly documentId: string
  readonly number: number
  readonly index: number
  readonly entry: string
  readonly salt: Buffer
  readonly size: number
  readonly checkpoint: string
  readonly cosignedSize: number | null
  readonly cosigned: string | null
}

const FIND = {
  name: 'transparency.find-documents',
  text: `SELECT DISTINCT ON (l.document_id) l.document_id AS "documentId", l.number, l.index, l.entry, l.salt, t.size,
      t.checkpoint, t.cosigned_size AS "cosignedSize", t.cosigned
    FROM transparency.leaf l JOIN transparency.log t USING (number)
    WHERE l.document_id = ANY ($1) ORDER BY l.document_id, l.number, l.index`,
}

/**
 * The proof of a report that the caller may read. Throws if a leaf does not belong to its document: an invalid proof is never returned.
 */
export async function readProof(
  database: Queryable,
  { reportId, document, reference = null, entries: provable = [] }: ProvableReport,
): Promise<FoundProof> {
  const ofEntries = provable.map(({ entry }) => {
    return { documentId: caseEntryId(entry), text: caseEntryText(entry) }
  })
  const rows = await findLeaves(database, [{ documentId: reportId, text: document }, ...ofEntries])
  if (rows === null) return { kind: 'none' }
  const [{ number, index, entry, salt }] = rows
  const { size, checkpoint } = checkpointFor(rows)
  const read = byTiles(hashReader(database, number), size)
  const entries: ProofOfEntry[] = []
  for (const [at, { openings }] of provable.entries()) {
    const leaf = rows[at + 1]!
    const path = (await readPath(read, leaf.index, size)).map((each) => each.toString('base64'))
    const { text } = ofEntries[at]!
    entries.push([leaf.salt.toString('base64'), leaf.entry, leaf.index, path, text, openings])
  }
  const path = await readPath(read, index, size)
  return { kind: 'proof', text: proofText({ salt, entry, reference, entries, index, path, checkpoint }) }
}

/** The last checkpoint that enough witnesses cosigned, if the leaves are in it; otherwise the last one. */
function checkpointFor(rows: Leaves) {
  const [{ size, checkpoint, cosignedSize, cosigned }] = rows
  return cosigned !== null && rows.every(({ index }) => cosignedSize! > index)
    ? { size: cosignedSize!, checkpoint: cosigned }
    : { size, checkpoint }
}

/** The leaf of a report that the caller may read; null if it has none yet. Throws if the leaf does not belong to this document. */
export async function readReportLeaf(
  database: Queryable,
  { reportId, document }: Pick<ProvableReport, 'reportId' | 'document'>,
): Promise<ReportLeaf | null> {
  const rows = await findLeaves(database, [{ documentId: reportId, text: document }])
  if (rows === null) return null
  const [{ checkpoint, index, entry }] = rows
  const log = checkpoint.slice(0, checkpoint.indexOf('\n'))
  return { log, index, hash: leafHash(Buffer.from(entry)).toString('hex') }
}

type Leaves = readonly [LeafRow, ...(readonly LeafRow[])]

/** The first leaf of each document in one log; null if one of them has none. Throws if a leaf does not belong to its document. */
async function findLeaves(
  database: Queryable,
  documents: readonly ProvableDocument[],
): Promise<Leaves | null> {
  const rows = await database.query<LeafRow>(FIND, [documents.map(({ documentId }) => documentId)])
  const known = new Map(rows.map((row) => [row.documentId, row]))
  const found = documents.map(({ documentId, text }) => {
    const row = known.get(documentId)
    if (row === undefined) return null
    const documentHash = parseLeafEntry(row.entry)?.documentHash
    if (documentHash?.equals(saltedHash(row.salt, Buffer.from(text))) !== true)
      throw new Error(
        `The leaf ${row.index} of the transparency log is not that of the document ${documentId}`,
      )
    return row
  })
  const leaves = found.filter((row) => row !== null && row.number === found[0]?.number)
  return leaves.length === documents.length ? (leaves as unknown as Leaves) : null
}
