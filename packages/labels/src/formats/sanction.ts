/** An authority's data on a listed party, in one shape for all formats. */
import type { LabelSanction } from '@cupel/contracts'
import { hiddenCharacterIn } from './row-faults.js'

const MAX_ALIASES = 5
const MAX_PROGRAMMES = 20

/**
 * The same party gives the same sanction for any order and layout of a file, so that another layout of one list is no change. An alias with
 * a hidden character is left out: it must not prevent the designation.
 */
export function sanctionOf(said: {
  /** Name of the authority's list. */
  readonly list: string
  readonly programmes: Iterable<string>
  readonly entityId: string
  /** Main name of the party; it is not repeated as an alias. */
  readonly name: string
  readonly aliases: Iterable<string>
  /** UTC, RFC 3339; null if the list does not date the designation. */
  readonly designatedAt: string | null
}): LabelSanction {
  return {
    list: said.list,
    programmes: distinct(said.programmes).slice(0, MAX_PROGRAMMES),
    entityId: said.entityId,
    aliases: distinct(said.aliases)
      .filter((alias) => alias !== said.name)
      .slice(0, MAX_ALIASES),
    designatedOn: said.designatedAt?.slice(0, 'YYYY-MM-DD'.length) ?? null,
  }
}

function distinct(texts: Iterable<string>): string[] {
  const cleaned = [...texts].map(oneLine).filter((text) => text !== '' && hiddenCharacterIn(text) === null)
  return [...new Set(cleaned)].sort()
}

/** A text with line breaks, as one line. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
