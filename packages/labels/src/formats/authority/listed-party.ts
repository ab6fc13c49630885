/** A party that an authority lists, with the remarks about it, in one shape for the lists of several authorities. */
import type { ParsedItem } from '../label-source.js'
import { hiddenCharacterIn } from '../row-faults.js'
import { shown } from '../message.js'
import { oneLine, sanctionOf } from '../sanction.js'
import { textsWithLongWords, type XmlEvent } from '../xml-events.js'
import { addressesIn } from './addresses-in-text.js'

/** A list has about ten thousand parties; a file with far more is another document. */
export const MAX_PARTIES = 1_000_000

export interface ListedParty {
  readonly entityId: string
  /** In the order of preference; the first readable one names the party, the others are aliases. */
  readonly names: readonly string[]
  readonly programmes: readonly string[]
  /** UTC, RFC 3339; null if the list does not state it. */
  readonly designatedAt: string | null
  readonly sourceUrl: string
  /** Remarks, with the first line of each. */
  readonly remarks: readonly { readonly line: number; readonly text: string }[]
}

/** The addresses in the remarks about a party, each once, as designations. */
export function* itemsOfParty(
  party: ListedParty,
  list: { readonly name: string; readonly observedAt: string | null },
): Generator<ParsedItem> {
  const { entityId, programmes, designatedAt, sourceUrl } = party
  const [entity = '', ...aliases] = party.names
    .map(oneLine)
    .filter((name) => name !== '' && hiddenCharacterIn(name) === null)
  const seen = new Set<string>()
  for (const { line, text } of party.remarks) {
    const { found, unreadable } = addressesIn(text)
    for (const reason of unreadable.filter((one) => isNew(seen, one)))
      yield { type: 'unreadable', line, reason }
    for (const { address, ticker } of found.filter((one) => isNew(seen, one.address))) {
      yield {
        type: 'row',
        row: {
          line,
          address,
          chain: null,
          chainHint: ticker,
          category: 'sanctions',
          entity,
          source: null,
          sourceUrl,
          confidencePpm: null,
          kind: 'designation',
          observedAt: list.observedAt,
          validFrom: designatedAt,
          sanction: sanctionOf({
            list: list.name,
            programmes,
            entityId,
            name: entity,
            aliases,
            designatedAt,
          }),
        },
      }
    }
  }
}

/** The addresses in a part of a document that belongs to no listed party: nothing says whom they designate. */
export function* addressesOutside(event: XmlEvent): Generator<ParsedItem> {
  for (const { line, text } of textsWithLongWords(event))
    for (const { address } of addressesIn(text).found)
      yield { type: 'unreadable', line, reason: outsideOfParties(address) }
}

export const outsideOfParties = (address: string): string =>
  `the address is outside of every listed party: ${shown(address)}`

function isNew(seen: Set<string>, text: string): boolean {
  const known = seen.has(text)
  seen.add(text)
  return !known
}

/** The earlier of two dates; null if there is none. */
export function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
