/** Digital currency addresses as OFAC writes them in all layouts of its list. */
import type { LabelRow } from '../label-source.js'
import { hiddenCharacterIn } from '../row-faults.js'
import { sanctionOf } from '../sanction.js'
import { upperAscii } from '@cupel/domain'
import { addressesIn, announcesAddress } from '../authority/addresses-in-text.js'
import { visible } from '../authority/lenient-address.js'

export const OFAC_SOURCE = 'ofac_sdn'

/** The currency's ticker at the end of an identifier type, after a dash, a colon or in brackets. */
const TICKER = /(?:^|[^\p{L}\p{N}])([\p{L}\p{N}]{2,12})[^\p{L}\p{N}]*$/u
const NO_TICKER = /^(?:address(?:es)?|wallets?|accounts?|currency|id|no|number|crypto\w*|blockchain)$/i

/**
 * The ticker of an identifier type such as `Digital Currency Address - XBT`, empty if the type names none; null for any other identifier.
 */
export function tickerOf(idType: string): string | null {
  const text = visible(idType).trim()
  if (!announcesAddress(text)) return null
  const ticker = TICKER.exec(text)?.[1] ?? ''
  return NO_TICKER.test(ticker) ? '' : upperAscii(ticker)
}

/** An identifier of one listed party, as the layout gives it. */
export interface Identifier {
  readonly line: number
  readonly type: string
  readonly text: string
}

/**
 * The cells that hold addresses. An identifier of another type is one only if it can be nothing but an address, or if it states no type and
 * looks like one.
 */
export function* addressCells({ line, type, text }: Identifier): Generator<AddressCell> {
  const ticker = tickerOf(type)
  if (ticker !== null) return yield { line, ticker, address: text }
  const { found, unreadable } = addressesIn(text)
  for (const { address, ticker: said } of found) yield { line, ticker: said ?? '', address }
  if (type.trim() === '' && unreadable.length > 0) yield { line, ticker: '', address: text }
}

export interface AddressCell {
  readonly line: number
  readonly ticker: string
  /** One address or several, as written. */
  readonly address: string
}

/** One cell of addresses. OFAC's ticker names an asset, not a chain, so the address decides the chain. */
export function designation(listed: {
  /** Name of the list; the other layouts name none, and are published for the SDN list. */
  readonly list?: string
  readonly line: number
  readonly address: string
  readonly ticker: string
  readonly entity: string
  /** OFAC's number of the listed party. */
  readonly uid: string
  readonly observedAt: string | null
  readonly designatedAt?: string | null
  readonly programmes: Iterable<string>
  readonly aliases?: Iterable<string>
}): LabelRow {
  // A name with hidden characters must not prevent the designation.
  const entity = hiddenCharacterIn(listed.entity) === null ? listed.entity : ''
  const { uid, programmes, aliases = [], designatedAt = null, list = 'SDN' } = listed
  return {
    line: listed.line,
    address: listed.address,
    chain: null,
    chainHint: listed.ticker,
    category: 'sanctions',
    entity,
    source: null,
    sourceUrl: `https://sanctionssearch.ofac.treas.gov/Details.aspx?id=${encodeURIComponent(uid)}`,
    confidencePpm: null,
    kind: 'designation',
    observedAt: listed.observedAt,
    validFrom: designatedAt,
    sanction: sanctionOf({
      list: `OFAC ${list}`,
      programmes,
      entityId: uid,
      name: entity,
      aliases,
      designatedAt,
    }),
  }
}
