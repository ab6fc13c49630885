/** Reads the published files without trusting them: a checkpoint counts by its signature, entries by its root. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UnsignedNoteError, type SigningKeys } from '@cupel/signing'
import { openCheckpoint, originOf, type Checkpoint } from './format/checkpoint.js'
import { HASH_BYTES } from './format/leaf.js'
import { entriesOfBundle, entryBundle, TILE_WIDTH, tilePath, type TileName } from './format/tiles.js'
import { TransparencyStoppedError } from './transparency-stopped.js'

export interface Published {
  /** Each contains a folder `transparency` with one folder for each log. */
  readonly folders: readonly string[]
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

/** The signed note of a published folder as in its file; null if there is none. */
export async function publishedNote(root: string, name = CHECKPOINT): Promise<string | null> {
  return (await bytesOrNull(join(root, name)))?.toString('utf8') ?? null
}

/** The bytes of a published tile, taken from the wider tile if only that one exists by now. Null if neither exists. */
export async function publishedTile(root: string, name: TileName): Promise<Buffer | null> {
  const exact = await bytesOrNull(join(root, 'tile', tilePath(name)))
  if (exact !== null || name.width === TILE_WIDTH) return exact
  const full = await bytesOrNull(join(root, 'tile', tilePath({ ...name, width: TILE_WIDTH })))
  return full === null ? null : firstOf(full, name)
}

/** The beginning of a wider tile, as long as a narrower one; null if the bytes are not a tile. */
export function firstOf(tile: Buffer, { level, width }: TileName): Buffer | null {
  if (level !== 'entries')
    return tile.length < width * HASH_BYTES ? null : tile.subarray(0, width * HASH_BYTES)
  const entries = entriesOfBundle(tile)
  return entries === null || entries.length < width ? null : entryBundle(entries.slice(0, width))
}

async function bytesOrNull(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The content of the folder's checkpoint; null if there is none. Throws TransparencyStoppedError for one of another signer. */
export async function publishedCheckpoint(
  folder: string,
  { log, keys: { signer, verifier } }: Omit<Published, 'folders'>,
  name = CHECKPOINT,
): Promise<PublishedCheckpoint | null> {
  const file = join(transparencyFolder(folder, log), name)
  try {
    const note = await readFile(file, 'utf8')
    const checkpoint = openCheckpoint(note, verifier)
    if (checkpoint?.origin === originOf(signer.key, log)) return { ...checkpoint, note }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (!(error instanceof UnsignedNoteError)) throw error
  }
  throw new TransparencyStoppedError(
    `${file} is not a checkpoint that this installation signed: put the folder back, from a copy.`,
  )
}

export interface InFolder extends PublishedCheckpoint {
  readonly folder: string
}

/** The longest published tree of the folders; null if there is none. Throws TransparencyStoppedError for one of another signer. */
export async function longestPublished({ folders, ...of }: Published): Promise<InFolder | null> {
  let longest: InFolder | null = null
  for (const folder of folders) {
    const published = await publishedCheckpoint(folder, of)
    if (published !== null && published.size > (longest?.size ?? 0)) longest = { ...published, folder }
  }
  return longest
}
