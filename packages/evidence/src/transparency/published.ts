/** Reads the published files without trusting them: a checkpoint counts by its signature, entries by its root. */
import { join } from 'node:path'
import { UnsignedNoteError, type SigningKeys } from '@cupel/signing'
import { openCheckpoint, originOf, type Checkpoint } from './format/checkpoint.js'
import { HASH_BYTES } from './format/leaf.js'
import { entriesOfBundle, entryBundle, TILE_WIDTH, tilePath, type TileName } from './format/tiles.js'
import type { PublishedStore } from './store/published-store.js'
import { TransparencyStoppedError } from './transparency-stopped.js'

export interface Published {
  /** Each contains a folder `transparency` with one folder for each log. */
  readonly stores: readonly PublishedStore[]
  readonly log: string
  readonly keys: Pick<SigningKeys, 'signer' | 'verifier'>
}

export interface PublishedCheckpoint extends Checkpoint {
  /** The signed note as in the file. */
  readonly note: string
}

export const CHECKPOINT = 'checkpoint'
/** The trust policy of the log, for verifiers of others. */
export const POLICY = 'tlog-policy'
/** The last one that enough witnesses cosigned. */
export const COSIGNED = 'checkpoint.cosigned'

export function transparencyFolder(folder: string, log: string): string {
  return join(folder, 'transparency', log.replaceAll(/[^\w.-]/g, '_'))
}

/** The published files of one log. */
export const storeOfLog = (store: PublishedStore, log: string): PublishedStore =>
  store.within(transparencyFolder('', log))

/** The signed note of the published files as in its file; null if there is none. */
export async function publishedNote(store: PublishedStore, name = CHECKPOINT): Promise<string | null> {
  return (await store.read(name))?.toString('utf8') ?? null
}

/** The folder of the narrower tiles that readers of earlier checkpoints request. */
export const narrowerOf = (name: TileName): string => `${tileFile({ ...name, width: TILE_WIDTH })}.p`

export const tileFile = (name: TileName): string => `tile/${tilePath(name)}`

/** The bytes of a published tile, taken from the wider tile if only that one exists by now. Null if neither exists. */
export async function publishedTile(store: PublishedStore, name: TileName): Promise<Buffer | null> {
  const exact = await store.read(tileFile(name))
  if (exact !== null || name.width === TILE_WIDTH) return exact
  const full = await store.read(tileFile({ ...name, width: TILE_WIDTH }))
  return full === null ? null : firstOf(full, name)
}

/** The beginning of a wider tile, as long as a narrower one; null if the bytes are not a tile. */
export function firstOf(tile: Buffer, { level, width }: TileName): Buffer | null {
  if (level !== 'entries')
    return tile.length < width * HASH_BYTES ? null : tile.subarray(0, width * HASH_BYTES)
  const entries = entriesOfBundle(tile)
  return entries === null || entries.length < width ? null : entryBundle(entries.slice(0, width))
}

/** The content of the published checkpoint; null if there is none. Throws TransparencyStoppedError for one of another signer. */
export async function publishedCheckpoint(
  store: PublishedStore,
  { log, keys: { signer, verifier } }: Omit<Published, 'stores'>,
  name = CHECKPOINT,
): Promise<PublishedCheckpoint | null> {
  const files = storeOfLog(store, log)
  const note = await publishedNote(files, name)
  if (note === null) return null
  try {
    const checkpoint = openCheckpoint(note, verifier)
    if (checkpoint?.origin === originOf(signer.key, log)) return { ...checkpoint, note }
  } catch (error) {
    if (!(error instanceof UnsignedNoteError)) throw error
  }
  throw new TransparencyStoppedError(
    `${files.place}/${name} is not a checkpoint that this installation signed: put the folder back, from a copy.`,
  )
}

export interface InStore extends PublishedCheckpoint {
  readonly store: PublishedStore
}

/** The longest published tree of the stores; null if there is none. Throws TransparencyStoppedError for one of another signer. */
export async function longestPublished({ stores, ...of }: Published): Promise<InStore | null> {
  let longest: InStore | null = null
  for (const store of stores) {
    const published = await publishedCheckpoint(store, of)
    if (published !== null && published.size > (longest?.size ?? 0)) longest = { ...published, store }
  }
  return longest
}
