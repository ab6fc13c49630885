/** The public reads of the transparency log. They need no key. */
import type { ReportLeaf } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { leafHash } from '@cupel/signing'
import { parseLeafEntry, saltedHash } from './format/leaf.js'
import { proofText } from './format/proof.js'
import type { SealedReference } from './format/sealed-reference.js'
import { hashesOfLevel, TILE_WIDTH, type TileName } from './format/tiles.js'
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
  /** The report has no leaf yet. */
  | { readonly kind: 'none' }

export interface ProvableReport {
  readonly reportId: string
  /** The text of the report as in the log. */
  readonly document: string
  /** Its customer reference, if that is sealed. */
  readonly reference?: SealedReference | null
}

interface LeafRow {
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
  name: 'transparency.find-report',
  text: `SELECT l.number, l.index, l.entry, l.salt, t.size, t.checkpoint,
      t.cosigned_size AS "cosignedSize", t.cosigned
    FROM transparency.leaf l JOIN transparency.log t USING (number)
    WHERE l.report_id = $1 ORDER BY l.number, l.index LIMIT 1`,
}

/**
 * The proof of a report that the caller may read. Throws if the leaf does not belong to this document: an invalid proof is never
 * returned.
 */
export async function readProof(
  database: Queryable,
  { reportId, document, reference = null }: ProvableReport,
): Promise<FoundProof> {
  const row = await findLeaf(database, { reportId, document })
  if (row === null) return { kind: 'none' }
  const { number, index, entry, salt } = row
  const { size, checkpoint } = checkpointFor(row)
  const path = await readPath(byTiles(hashReader(database, number), size), index, size)
  return { kind: 'proof', text: proofText({ salt, entry, reference, index, path, checkpoint }) }
}

/** The last checkpoint that enough witnesses cosigned, if the leaf is in it; otherwise the last one. */
function checkpointFor({ index, size, checkpoint, cosignedSize, cosigned }: LeafRow) {
  return cosigned !== null && cosignedSize! > index
    ? { size: cosignedSize!, checkpoint: cosigned }
    : { size, checkpoint }
}

/** The leaf of a report that the caller may read; null if it has none yet. Throws if the leaf does not belong to this document. */
export async function readReportLeaf(
  database: Queryable,
  report: Pick<ProvableReport, 'reportId' | 'document'>,
): Promise<ReportLeaf | null> {
  const row = await findLeaf(database, report)
  if (row === null) return null
  const { checkpoint, index, entry } = row
  const log = checkpoint.slice(0, checkpoint.indexOf('\n'))
  return { log, index, hash: leafHash(Buffer.from(entry)).toString('hex') }
}

async function findLeaf(
  database: Queryable,
  { reportId, document }: Pick<ProvableReport, 'reportId' | 'document'>,
): Promise<LeafRow | null> {
  const [row] = await database.query<LeafRow>(FIND, [reportId])
  if (row === undefined) return null
  const { index, entry, salt } = row
  const documentHash = parseLeafEntry(entry)?.documentHash
  if (documentHash?.equals(saltedHash(salt, Buffer.from(document))) !== true)
    throw new Error(`The leaf ${index} of the transparency log is not that of the report ${reportId}`)
  return row
}
