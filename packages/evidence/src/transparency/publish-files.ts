/**
 * Publishes the tiles and the checkpoint as files that any web server can serve, and that the database cannot change. The checkpoint is
 * written last, so that every tile it needs already exists.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { turnsOnly, type Pauses } from '@cupel/kit/concurrency'
import { failpoint } from '@cupel/kit/failpoints'
import type { Database, Queryable } from '@cupel/postgres'
import { newTiles, TILE_WIDTH, tilePath } from './format/tiles.js'
import {
  CHECKPOINT,
  COSIGNED,
  POLICY,
  publishedCheckpoint,
  publishedNote,
  transparencyFolder,
  type Published,
} from './published.js'
import { readTile } from './read-tile.js'
import { loadLog, type CosignedCheckpoint, type StoredLog } from './state.js'
import { TransparencyStoppedError } from './transparency-stopped.js'
import { byTiles, hashReader, rootOfRange } from './tree-reader.js'
import { lineCount } from './witness/cosigned-rows.js'

const FILE_MODE = 0o644
const FOLDER_MODE = 0o755

/**
 * Checks that the database has all that was published. Throws TransparencyStoppedError if a folder has a longer tree, or another one:
 * continuing would sign a second history.
 */
export async function requireNotBehind(
  database: Queryable,
  { number, tree }: StoredLog,
  { folders, ...of }: Published,
): Promise<void> {
  const { log } = of
  for (const folder of folders) {
    const published = await publishedCheckpoint(folder, of)
    if (published === null) continue
    const { size, root } = published
    if (size > tree.size) {
      // Another process may have made it longer since the rows were read.
      const now = (await loadLog(database, log))?.tree.size ?? 0
      if (size <= now) continue
      throw olderDatabase(folder, log, { published: size, size: now })
    }
    const read = byTiles(hashReader(database, number), tree.size)
    if (!(await rootOfRange(read, 0, size)).equals(root))
      throw new TransparencyStoppedError(
        `${transparencyFolder(folder, log)} holds another transparency log than the database: a restored database went on, or two installations write into this folder. No second history is signed. Restore the database that belongs to the folder.`,
      )
  }
}

export function olderDatabase(
  folder: string,
  log: string,
  { published, size }: { readonly published: number; readonly size: number },
): TransparencyStoppedError {
  return new TransparencyStoppedError(
    `${transparencyFolder(folder, log)} holds a transparency log of ${published} leaves, and the database has ${size}: an older database was restored, or two installations write into this folder. No second history is signed. Restore the newer database, or take the leaves back from the files: cupel restore`,
  )
}

interface ToPublish extends Published {
  /** The text of the trust policy; absent if the one in the folders stays. */
  readonly policy?: string
}

/** Brings every folder up to the last checkpoint, with pauses between the tiles. One process writes at a time; false if another one does. */
export async function publishFiles(
  database: Database,
  published: ToPublish,
  pauses: Pauses = turnsOnly(),
): Promise<boolean> {
  return await database.transaction({ at: 'transparency.publish' }, async (transaction) => {
    const [lock] = await transaction.query<{ ours: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('cupel.transparency', 0)) AS ours`,
    )
    if (lock?.ours !== true) return false
    const stored = await loadLog(transaction, published.log)
    if (stored === null || stored.checkpoint === null) return true
    for (const folder of published.folders)
      await publishTo(transaction, folder, stored, { published, pauses })
    return true
  })
}

async function publishTo(
  database: Queryable,
  folder: string,
  { number, tree, checkpoint, cosigned }: StoredLog,
  { published: of, pauses }: { readonly published: ToPublish; readonly pauses: Pauses },
): Promise<void> {
  const published = await publishedCheckpoint(folder, of)
  const before = published?.size ?? 0
  const root = transparencyFolder(folder, of.log)
  if (before < tree.size) await publishTiles(database, root, { number, before, size: tree.size, pauses })
  if (before < tree.size || (before === tree.size && hasMoreLines(checkpoint!, published!.note))) {
    failpoint('before', 'transparency.publish')
    await writeWhole(join(root, CHECKPOINT), Buffer.from(checkpoint!))
  }
  if (before < tree.size) await removeNarrower(root, before, tree.size)
  if (cosigned !== null) await publishCosigned(folder, cosigned, of)
  const { policy } = of
  if (policy !== undefined && policy !== (await publishedNote(root, POLICY)))
    await writeWhole(join(root, POLICY), Buffer.from(policy))
}

async function publishTiles(
  database: Queryable,
  root: string,
  { number, before, size, pauses }: NewTiles,
): Promise<void> {
  for (const name of newTiles(before, size)) {
    await writeWhole(join(root, 'tile', tilePath(name)), await readTile(database, number, name))
    await pauses.next()
  }
}

interface NewTiles {
  readonly number: number
  readonly before: number
  readonly size: number
  readonly pauses: Pauses
}

/** Partial tiles that an earlier checkpoint named may be removed once the full one exists. */
async function removeNarrower(root: string, before: number, size: number): Promise<void> {
  for (const name of newTiles(before, size).filter(({ width }) => width === TILE_WIDTH))
    await rm(join(root, 'tile', `${tilePath(name)}.p`), { recursive: true, force: true })
}

/** The last checkpoint with enough cosignatures stays while a longer one has too few. */
async function publishCosigned(
  folder: string,
  { size, note }: CosignedCheckpoint,
  of: Omit<Published, 'folders'>,
): Promise<void> {
  const published = await publishedCheckpoint(folder, of, COSIGNED)
  const before = published?.size ?? 0
  if (before < size || (before === size && hasMoreLines(note, published!.note)))
    await writeWhole(join(transparencyFolder(folder, of.log), COSIGNED), Buffer.from(note))
}

/** Cosignatures come after a checkpoint. A database from before they came does not remove them. */
const hasMoreLines = (note: string, published: string): boolean => lineCount(note) > lineCount(published)

/** Writes a file under its name only after all of it is on the disk. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE })
  const draft = `${file}.new`
  const handle = await open(draft, 'w', FILE_MODE)
  try {
    await handle.writeFile(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
}
