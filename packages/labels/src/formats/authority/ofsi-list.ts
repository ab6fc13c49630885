/**
 * The consolidated list of the UK's Office of Financial Sanctions Implementation. Both layouts have one row for each name of a party; the
 * rows of one party share a group id, and each repeats the list's data on the party. Layout:
 * https://www.gov.uk/government/publications/financial-sanctions-consolidated-list-of-targets
 */
import { SetRefusedError, type ParsedItem } from '../label-source.js'
import { earlier, itemsOfParty, MAX_PARTIES } from './listed-party.js'

export const OFSI_SOURCE = 'uk_ofsi'
export const OFSI_ORIGIN = 'uk-ofsi'
const LIST = 'UK OFSI consolidated list'
const URL = 'https://www.gov.uk/government/publications/financial-sanctions-consolidated-list-of-targets'
const PRIMARY = 'primary name'

/** One row, with its dates read. */
export interface OfsiRow {
  readonly line: number
  readonly groupId: string
  /** Names 1 to 5, then name 6, which is the surname or the whole name of an organisation. */
  readonly nameParts: readonly string[]
  readonly aliasType: string
  readonly regime: string
  readonly listedAt: string | null
  readonly designatedAt: string | null
  readonly remarks: readonly string[]
}

interface Party {
  readonly names: string[]
  readonly programmes: Set<string>
  readonly remarks: { readonly line: number; readonly text: string }[]
  designatedAt: string | null
}

export interface OfsiParties {
  add(row: OfsiRow): void
  /** All addresses of the list. Throws if it has no row. */
  items(observedAt: string | null): Generator<ParsedItem>
}

export function collectOfsiParties(): OfsiParties {
  const parties = new Map<string, Party>()
  return {
    add(row) {
      const { line, groupId } = row
      if (!/^\d{1,12}$/.test(groupId)) {
        throw new SetRefusedError('malformed', line, 'the row has no number of a listed party (Group ID)')
      }
      const party = parties.get(groupId) ?? newParty()
      parties.set(groupId, party)
      if (parties.size > MAX_PARTIES)
        throw new SetRefusedError('malformed', line, `more than ${MAX_PARTIES} parties`)
      addRow(party, row)
    },
    *items(observedAt) {
      if (parties.size === 0) throw new SetRefusedError('truncated', null, 'The list names nobody')
      for (const [entityId, { names, programmes, designatedAt, remarks }] of parties) {
        const party = { entityId, names, programmes: [...programmes], designatedAt, sourceUrl: URL, remarks }
        yield* itemsOfParty(party, { name: LIST, observedAt })
      }
    },
  }
}

const newParty = (): Party => ({ names: [], programmes: new Set(), remarks: [], designatedAt: null })

function addRow(party: Party, row: OfsiRow): void {
  const name = row.nameParts.filter((part) => part !== '').join(' ')
  if (row.aliasType.toLowerCase() === PRIMARY) party.names.unshift(name)
  else party.names.push(name)
  if (row.regime !== '') party.programmes.add(row.regime)
  // The earlier date leaves fewer transfers before the designation.
  party.designatedAt = earlier(party.designatedAt, earlier(row.listedAt, row.designatedAt))
  for (const text of row.remarks) {
    const isRepeated = party.remarks.some((known) => known.text === text)
    if (text !== '' && !isRepeated) party.remarks.push({ line: row.line, text })
  }
}
