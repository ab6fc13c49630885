/**
 * Publishes the tiles and the checkpoint as files that any web server can serve, and that the database cannot change. The checkpoint is
 * written last, so that every tile it needs already exists.
 */
import { turnsOnly, type Pauses } from '@cupel/kit/concurrency'
import { failpoint } from '@cupel/kit/failpoints'
import type { Database, Queryable } from '@cupel/postgres'
import { inParallel } from '@cupel/projections'
import { newTiles, TILE_WIDTH } from './format/tiles.js'
import {
  CHECKPOINT,
  COSIGNED,
  narrowerOf,
  POLICY,
  publishedCheckpoint,
  publishedNote,
  storeOfLog,
  tileFile,
  type Published,
} from './published.js'
import { readTile } from './read-tile.js'
import { loadLog, type CosignedCheckpoint, type StoredLog } from './state.js'
import type { PublishedStore } from './store/published-store.js'
import { TransparencyStoppedError } from './transparency-stopped.js'
import { byTiles, hashReader, rootOfRange } from './tree-reader.js'
import { lineCount } from './witness/cosigned-rows.js'

/** Tiles that are written at once. */
const CONCURRENT_TILES = 16

/**
 * Checks that the database has all that was published. Throws TransparencyStoppedError if a store has a longer tree, or another one:
 * continuing would sign a second history.
 */
export async function requireNotBehind(
  database: Queryable,
  { number, tree }: StoredLog,
  { stores, ...of }: Published,
): Promise<void> {
  const { log } = of
  for (const store of stores) {
    const published = await publishedCheckpoint(store, of)
    if (published === null) continue
    const { size, root } = published
    if (size > tree.size) {
      // Another process may have made it longer since the rows were read.
      const now = (await loadLog(database, log))?.tree.size ?? 0
      if (size <= now) continue
      throw olderDatabase(storeOfLog(store, log), { published: size, size: now })
    }
    const read = byTiles(hashReader(database, number), tree.size)
    if (!(await rootOfRange(read, 0, size)).equals(root))
      throw new TransparencyStoppedError(
        `${storeOfLog(store, log).place} holds another transparency log than the database: a restored database went on, or two installations write there. No second history is signed. Restore the database that belongs to these files.`,
      )
  }
}

export function olderDatabase(
  { place }: PublishedStore,
  { published, size }: { readonly published: number; readonly size: number },
): TransparencyStoppedError {
  return new TransparencyStoppedError(
    `${place} holds a transparency log of ${published} leaves, and the database has ${size}: an older database was restored, or two installations write there. No second history is signed. Restore the newer database, or take the leaves back from the files: cupel restore`,
  )
}

interface ToPublish extends Published {
  /** The text of the trust policy; absent if the published one stays. */
  readonly policy?: string
}

/** Brings every store up to the last checkpoint, with pauses between the tiles. One process writes at a time; false if another one does, or did meanwhile. */
export async function publishFiles(
  database: Database,
  published: ToPublish,
  pauses: Pauses = turnsOnly(),
): Promise<boolean> {
  const grown: Grown[] = []
  const isFirst = await database.transaction({ at: 'transparency.publish' }, async (transaction) => {
    const [lock] = await transaction.query<{ ours: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('cupel.transparency', 0)) AS ours`,
    )
    if (lock?.ours !== true) return false
    const stored = await loadLog(transaction, published.log)
    if (stored === null || stored.checkpoint === null) return true
    let isFirst = true
    for (const store of published.stores)
      isFirst = (await publishTo(transaction, store, stored, { published, pauses, grown })) && isFirst
    return isFirst
  })
  // Their number has no bound: the lock and the transaction do not wait for them.
  for (const each of grown) await removeNarrower(each)
  return isFirst
}

/** A tree that is published in these files now. */
interface Grown {
  readonly files: PublishedStore
  readonly before: number
  readonly size: number
}

async function publishTo(
  database: Queryable,
  store: PublishedStore,
  { number, tree, checkpoint, cosigned }: StoredLog,
  {
    published: of,
    pauses,
    grown,
  }: { readonly published: ToPublish; readonly pauses: Pauses; readonly grown: Grown[] },
): Promise<boolean> {
  const published = await publishedCheckpoint(store, of)
  const before = published?.size ?? 0
  const files = storeOfLog(store, of.log)
  if (before < tree.size) await publishTiles(database, files, { number, before, size: tree.size, pauses })
  if (before < tree.size || (before === tree.size && hasMoreLines(checkpoint!, published!.note))) {
    failpoint('before', 'transparency.publish')
    // The tree of another writer is compared with the database before the next checkpoint.
    if (!(await files.replace(CHECKPOINT, checkpoint!, published?.note ?? null))) return false
  }
  if (before < tree.size) grown.push({ files, before, size: tree.size })
  if (cosigned !== null) await publishCosigned(store, cosigned, of)
  const { policy } = of
  const earlier = policy === undefined ? null : await publishedNote(files, POLICY)
  if (policy !== undefined && policy !== earlier) await files.replace(POLICY, policy, earlier)
  return true
}

async function publishTiles(
  database: Queryable,
  files: PublishedStore,
  { number, before, size, pauses }: NewTiles,
): Promise<void> {
  const names = newTiles(before, size)
  for (let at = 0; at < names.length; at += CONCURRENT_TILES) {
    const tiles: (readonly [string, Buffer])[] = []
    for (const name of names.slice(at, at + CONCURRENT_TILES)) {
      tiles.push([tileFile(name), await readTile(database, number, name)])
      await pauses.next()
    }
    await inParallel(tiles, CONCURRENT_TILES, ([file, bytes]) => files.write(file, bytes))
  }
}

interface NewTiles {
  readonly number: number
  readonly before: number
  readonly size: number
  readonly pauses: Pauses
}

/** Partial tiles that an earlier checkpoint named may be removed once the full one exists. */
async function removeNarrower({ files, before, size }: Grown): Promise<void> {
  const full = newTiles(before, size).filter(({ width }) => width === TILE_WIDTH)
  await inParallel(full, CONCURRENT_TILES, (name) => files.remove(narrowerOf(name)))
}

/** The last checkpoint with enough cosignatures stays while a longer one has too few. */
async function publishCosigned(
  store: PublishedStore,
  { size, note }: CosignedCheckpoint,
  of: Omit<Published, 'stores'>,
): Promise<void> {
  const published = await publishedCheckpoint(store, of, COSIGNED)
  const before = published?.size ?? 0
  if (before < size || (before === size && hasMoreLines(note, published!.note)))
    await storeOfLog(store, of.log).replace(COSIGNED, note, published?.note ?? null)
}

/** Cosignatures come after a checkpoint. A database from before they came does not remove them. */
const hasMoreLines = (note: string, published: string): boolean => lineCount(note) > lineCount(published)
