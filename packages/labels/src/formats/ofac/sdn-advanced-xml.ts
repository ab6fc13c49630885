/**
 * OFAC's SDN list in its advanced layout (SDN_ADVANCED.XML, namespace http://www.un.org/sanctions/1.0).
 * The features of a party hold its addresses. The reference values at the start name the feature types. The entry with the
 * date of the designation comes after the parties, so the addresses are kept until the document ends.
 */
import { utcMidnight } from '../dates.js'
import { SetRefusedError, type ByteStream, type LabelFormat, type ParsedItem } from '../label-source.js'
import { shown } from '../message.js'
import { designation, OFAC_SOURCE, tickerOf } from './digital-currency.js'
import { oneLine } from '../sanction.js'
import { readXml, type XmlElement } from '../xml-events.js'

/** The list has about a thousand addresses; a file with far more is another document. */
const MAX_ADDRESSES = 1_000_000
/** The EntryEventType "Created": the date the party was put on the list. */
const CREATED = '1'
/** The SanctionsType "Program": its comment names a sanctions programme. */
const PROGRAMME = '1'

export const ofacAdvancedXmlFormat: LabelFormat = {
  name: 'ofac-advanced-xml',
  description: 'OFAC SDN list, advanced XML (SDN_ADVANCED.XML), with designation dates',
  wholeAuthorityList: 'us-ofac',
  parse(file) {
    const list: AdvancedList = {
      issuedAt: null,
      tickers: new Map(),
      sdnLists: new Set(),
      addresses: [],
      lastNameTypes: new Set(),
      names: new Map(),
      listedAt: new Map(),
      programmes: new Map(),
    }
    return {
      items: parseList(file.open(), list),
      facts: () => ({ publishedAt: list.issuedAt, defaultSource: OFAC_SOURCE }),
    }
  },
}

interface AdvancedList {
  issuedAt: string | null
  /** Feature type → ticker, for digital currency features only. */
  readonly tickers: Map<string, string>
  /** Ids of the SDN list. */
  readonly sdnLists: Set<string>
  readonly addresses: { line: number; ticker: string; address: string; profile: string }[]
  /** Ids of the name part type `Last Name`. */
  readonly lastNameTypes: Set<string>
  /** Profile → names, for parties that have an address. */
  readonly names: Map<string, PartyNames>
  /** Profile on the SDN list → date of its earliest entry; null if the entry is undated. */
  readonly listedAt: Map<string, string | null>
  /** Profile on the SDN list → programmes. */
  readonly programmes: Map<string, string[]>
}

interface PartyNames {
  readonly primary: string
  readonly aliases: readonly string[]
}

/** A name as the document gives it: its parts, each in a group that states its type. */
interface WrittenName {
  readonly isPrimary: boolean
  readonly parts: { readonly text: string; readonly group: string }[]
}

/** The parser's state in the current party, feature and entry. */
interface Reading {
  profile: string
  primaryIdentity: boolean
  identityNames: WrittenName[]
  /** Group of name parts → type. It follows the names of the identity. */
  groupTypes: Map<string, string>
  name: string
  aliases: string[]
  featureTicker: string | null
  featureLine: number
  partyAddresses: { line: number; ticker: string; address: string }[]
  entryProfile: string | null
  created: boolean
  measureType: string
  date: { year: number; month: number; day: number }
}

async function* parseList(input: ByteStream, list: AdvancedList): AsyncGenerator<ParsedItem> {
  const now: Reading = {
    profile: '',
    primaryIdentity: false,
    identityNames: [],
    groupTypes: new Map(),
    name: '',
    aliases: [],
    featureTicker: null,
    featureLine: 0,
    partyAddresses: [],
    entryProfile: null,
    created: false,
    measureType: '',
    date: { year: 0, month: 0, day: 0 },
  }
  for await (const event of readXml(input, 'Sanctions')) {
    if (event.type === 'start') onStart[event.element.name]?.(event.element, now, list)
    else onEnd[event.element.name]?.(event.text, now, list, event.element)
  }
  if (list.tickers.size === 0) {
    throw new SetRefusedError('malformed', null, 'The list names no digital currency feature type')
  }
  for (const { line, ticker, address, profile } of list.addresses) {
    const listedAt = list.listedAt.get(profile)
    if (listedAt === undefined) {
      yield { type: 'refused', line, reason: `the party has no entry on the SDN list: ${shown(profile)}` }
      continue
    }
    const { primary: entity, aliases } = list.names.get(profile) ?? { primary: '', aliases: [] }
    yield {
      type: 'row',
      row: designation({
        line,
        ticker,
        address,
        entity,
        uid: profile,
        observedAt: list.issuedAt,
        designatedAt: listedAt,
        programmes: list.programmes.get(profile) ?? [],
        aliases,
      }),
    }
  }
}

type StartHandler = (element: XmlElement, now: Reading, list: AdvancedList) => void
type EndHandler = (text: string, now: Reading, list: AdvancedList, element: XmlElement) => void

const onStart: Readonly<Record<string, StartHandler>> = {
  DistinctParty: (element, now) => {
    now.profile = element.attributes['FixedRef'] ?? ''
    now.name = ''
    now.aliases = []
    now.partyAddresses = []
  },
  Profile: (element, now) => {
    now.profile = element.attributes['ID'] ?? now.profile
  },
  Identity: (element, now) => {
    now.primaryIdentity = element.attributes['Primary'] === 'true'
    now.identityNames = []
    now.groupTypes = new Map()
  },
  Alias: (element, now) => {
    now.identityNames.push({ isPrimary: element.attributes['Primary'] === 'true', parts: [] })
  },
  NamePartGroup: (element, now) => {
    now.groupTypes.set(element.attributes['ID'] ?? '', element.attributes['NamePartTypeID'] ?? '')
  },
  Feature: (element, now, list) => {
    now.featureTicker = list.tickers.get(element.attributes['FeatureTypeID'] ?? '') ?? null
    now.featureLine = element.line
  },
  SanctionsEntry: (element, now, list) => {
    const onSdnList = list.sdnLists.size === 0 || list.sdnLists.has(element.attributes['ListID'] ?? '')
    now.entryProfile = onSdnList ? (element.attributes['ProfileID'] ?? null) : null
    if (now.entryProfile !== null && !list.listedAt.has(now.entryProfile)) {
      list.listedAt.set(now.entryProfile, null)
    }
  },
  EntryEvent: (element, now) => {
    now.created = (element.attributes['EntryEventTypeID'] ?? CREATED) === CREATED
    now.date = { year: 0, month: 0, day: 0 }
  },
  DateOfIssue: (_element, now) => {
    now.date = { year: 0, month: 0, day: 0 }
  },
  SanctionsMeasure: (element, now) => {
    now.measureType = element.attributes['SanctionsTypeID'] ?? ''
    // Skip the dates of measures: they are not the date of the entry.
    now.created = false
  },
}

const onEnd: Readonly<Record<string, EndHandler>> = {
  FeatureType: (text, _now, list, element) => {
    const ticker = tickerOf(text)
    if (ticker !== null) list.tickers.set(element.attributes['ID'] ?? '', ticker)
  },
  List: (text, _now, list, element) => {
    if (/\bSDN\b/.test(text) && !/non-SDN/i.test(text)) list.sdnLists.add(element.attributes['ID'] ?? '')
  },
  Year: (text, now) => void (now.date.year = Number(text)),
  Month: (text, now) => void (now.date.month = Number(text)),
  Day: (text, now) => void (now.date.day = Number(text)),
  DateOfIssue: (_text, now, list, element) => {
    list.issuedAt = utcMidnight(now.date.year, now.date.month, now.date.day)
    if (list.issuedAt === null)
      throw new SetRefusedError('malformed', element.line, 'DateOfIssue is not a date')
  },
  NamePartType: (text, _now, list, element) => {
    if (text === 'Last Name') list.lastNameTypes.add(element.attributes['ID'] ?? '')
  },
  NamePartValue: (text, now, _list, element) => {
    now.identityNames.at(-1)?.parts.push({ text, group: element.attributes['NamePartGroupID'] ?? '' })
  },
  Identity: (_text, now, list) => {
    for (const written of now.identityNames) {
      const name = nameOf(written, now, list)
      if (now.primaryIdentity && written.isPrimary && now.name === '') now.name = name
      else now.aliases.push(name)
    }
  },
  VersionDetail: (text, now) => {
    if (now.featureTicker === null || text === '') return
    now.partyAddresses.push({ line: now.featureLine, ticker: now.featureTicker, address: text })
  },
  Feature: (_text, now) => void (now.featureTicker = null),
  DistinctParty: (_text, now, list, element) => {
    if (now.partyAddresses.length === 0) return
    list.names.set(now.profile, { primary: now.name, aliases: now.aliases })
    for (const found of now.partyAddresses) list.addresses.push({ ...found, profile: now.profile })
    if (list.addresses.length > MAX_ADDRESSES) {
      throw new SetRefusedError('malformed', element.line, `more than ${MAX_ADDRESSES} addresses`)
    }
  },
  EntryEvent: (_text, now, list) => {
    if (now.entryProfile === null || !now.created) return
    const date = utcMidnight(now.date.year, now.date.month, now.date.day)
    const earlier = list.listedAt.get(now.entryProfile) ?? null
    if (date !== null && (earlier === null || date < earlier)) list.listedAt.set(now.entryProfile, date)
    now.created = false
  },
  Comment: (text, now, list) => {
    if (now.entryProfile === null || now.measureType !== PROGRAMME || text === '') return
    list.programmes.set(now.entryProfile, [...(list.programmes.get(now.entryProfile) ?? []), text])
  },
  SanctionsMeasure: (_text, now) => void (now.measureType = ''),
  SanctionsEntry: (_text, now) => void (now.entryProfile = null),
}

/** The name in the usual order, last name last, as the classic layout gives it. */
function nameOf({ parts }: WrittenName, now: Reading, list: AdvancedList): string {
  const isLast = ({ group }: { readonly group: string }): number =>
    list.lastNameTypes.has(now.groupTypes.get(group) ?? '') ? 1 : 0
  const ordered = [...parts].sort((a, b) => isLast(a) - isLast(b))
  return oneLine(ordered.map(({ text }) => text).join(' '))
}
