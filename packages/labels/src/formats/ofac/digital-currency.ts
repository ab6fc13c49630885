/** Digital currency addresses as OFAC writes them in all layouts of its list. */
import type { LabelRow } from '../label-source.js'
import { hiddenCharacterIn } from '../row-faults.js'
import { sanctionOf } from '../sanction.js'

export const OFAC_SOURCE = 'ofac_sdn'

const ID_TYPE = /^Digital Currency Address - ([A-Za-z0-9]+)$/

/** The ticker of an identifier type such as `Digital Currency Address - XBT`, or null for any other identifier. */
export function tickerOf(idType: string): string | null {
  return ID_TYPE.exec(idType.trim())?.[1]?.toUpperCase() ?? null
}

const SDN_LIST = 'OFAC SDN'

/** One listed address. OFAC's ticker names an asset, not a chain, so the address decides the chain. */
export function designation(listed: {
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
  const { uid, programmes, aliases = [], designatedAt = null } = listed
  return {
    line: listed.line,
    address: listed.address.trim(),
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
    sanction: sanctionOf({ list: SDN_LIST, programmes, entityId: uid, name: entity, aliases, designatedAt }),
  }
}
