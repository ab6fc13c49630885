/** Tiles of C2SP (https://c2sp.org/tlog-tiles): runs of up to 256 neighbouring hashes, or entries, of a tree. */
import { SUBTREE_LEAVES } from '@cupel/signing'
import { numberOf } from './base64.js'

/** Number of hashes in a full tile. */
export const TILE_WIDTH = SUBTREE_LEAVES
/** Number of levels that a tree of 2^53 leaves can have. */
const MAX_LEVEL = 6

export interface TileName {
  /** Level 0 holds leaf hashes; each further level holds the roots of full tiles of the level below. */
  readonly level: number | 'entries'
  readonly index: number
  /** Number of hashes, from 1 to 256. */
  readonly width: number
}

/** Without `tile/` before it: `0/x001/234.p/8`. */
export function tilePath({ level, index, width }: TileName): string {
  const groups = [index % 1000]
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(rest % 1000)
  const names = groups.map((group, at) => {
    const digits = String(group).padStart(3, '0')
    return at === groups.length - 1 ? digits : `x${digits}`
  })
  return `${level}/${names.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** Null if the path differs from what `tilePath` makes. */
export function parseTilePath(path: string): TileName | null {
  const [, levelText, groups, widthText] =
    /^(entries|[0-9]{1,2})\/((?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/([0-9]{1,3}))?$/.exec(path) ?? []
  if (levelText === undefined) return null
  const level: number | 'entries' | null = levelText === 'entries' ? 'entries' : numberOf(levelText)
  const width = widthText === undefined ? TILE_WIDTH : numberOf(widthText)
  if (level === null || width === null || width < 1 || width > TILE_WIDTH) return null
  const name = { level, index: Number(groups!.replaceAll(/[x/]/g, '')), width }
  return Number.isSafeInteger(name.index) && tilePath(name) === path ? name : null
}

/** The number of hashes of a level in a tree of this size. */
export const hashesOfLevel = (size: number, level: number): number => Math.floor(size / TILE_WIDTH ** level)

/** The tiles of a tree that a tree of `before` leaves did not have, including wider versions of tiles that grew. */
export function newTiles(before: number, size: number): readonly TileName[] {
  const names: TileName[] = []
  for (let level = 0; level <= MAX_LEVEL; level += 1) {
    const [from, to] = [hashesOfLevel(before, level), hashesOfLevel(size, level)]
    if (to === from) continue
    for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < to; index += 1) {
      const width = Math.min(TILE_WIDTH, to - index * TILE_WIDTH)
      names.push({ level, index, width })
      if (level === 0) names.push({ level: 'entries', index, width })
    }
  }
  return names
}

/** Concatenates entries, each after its length in two bytes. */
export function entryBundle(entries: readonly string[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const bytes = Buffer.from(entry)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      return [length, bytes]
    }),
  )
}

/** The entries of a bundle; null if the bytes differ from what `entryBundle` makes. */
export function entriesOfBundle(bundle: Buffer): readonly string[] | null {
  const entries: string[] = []
  for (let at = 0; at < bundle.length;) {
    if (at + 2 > bundle.length) return null
    const end = at + 2 + bundle.readUInt16BE(at)
    if (end > bundle.length) return null
    entries.push(bundle.toString('utf8', at + 2, end))
    at = end
  }
  return entryBundle(entries).equals(bundle) ? entries : null
}
