/**
 * OFAC's SDN list in its advanced layout (SDN_ADVANCED.XML, namespace http://www.un.org/sanctions/1.0).
 * The features of a party hold its addresses. The reference values at the start name the feature types. The entry with the
 * date of the designation comes after the parties, so the addresses are kept until the document ends.
 */
import { utcMidnight } from '../dates.js'
import { SetRefusedError, type ByteStream, type LabelFormat, type ParsedItem } from '../label-source.js'
import { outsideOfParties } from '../authority/listed-party.js'
import { shown } from '../message.js'
import { addressCells, designation, OFAC_SOURCE, tickerOf, type AddressCell } from './digital-currency.js'
import { oneLine } from '../sanction.js'
import { readXml, textsWithLongWords, type XmlElement, type XmlEvent } from '../xml-events.js'

/** The list has about a thousand addresses; a file with far more is another document. */
const MAX_ADDRESSES = 1_000_000
/** The EntryEventType "Created": the date the party was put on the list. */
const CREATED = '1'
/** The SanctionsType "Program": its comment names a sanctions programme. */
const PROGRAMME = '1'

export const ofacAdvancedXmlFormat: LabelFormat = {
  name: 'ofac-advanced-xml',
  title: 'OFAC, SDN_ADVANCED.XML',
  description: 'OFAC SDN list, advanced XML (SDN_ADVANCED.XML), with designation dates',
  wholeAuthorityList: 'us-ofac',
  parse(file) {
    const list: AdvancedList = {
      issuedAt: null,
      featureTypes: new Map(),
      lists: new Map(),
      entered: new Set(),
      addresses: [],
      lastNameTypes: new Set(),
      names: new Map(),
      listedAt: new Map(),
      listOf: new Map(),
      programmes: new Map(),
    }
    return {
      items: parseList(file.open(), list),
      facts: () => ({ publishedAt: list.issuedAt, defaultSource: OFAC_SOURCE, list: nameOfDocument(list) }),
    }
  },
}

interface AdvancedList {
  issuedAt: string | null
  /** Feature type → its name. */
  readonly featureTypes: Map<string, string>
  /** Id → name of each list in ListValues. */
  readonly lists: Map<string, ListName>
  /** Lists on which the document has entries. */
  readonly entered: Set<ListName>
  /** The profile is null for an address that the document states outside of every party. */
  readonly addresses: (AddressCell & { readonly profile: string | null })[]
  /** Ids of the name part type `Last Name`. */
  readonly lastNameTypes: Set<string>
  /** Profile → names, for parties that have an address. */
  readonly names: Map<string, PartyNames>
  /** Profile on a list → date of its earliest entry; null if the entry is undated. */
  readonly listedAt: Map<string, string | null>
  /** Profile → the list that it is on; SDN if it is on several. */
  readonly listOf: Map<string, ListName>
  /** Profile on a list → programmes. */
  readonly programmes: Map<string, string[]>
}

/** OFAC's list of specially designated nationals, or any of its other lists: these are published together. */
type ListName = 'SDN' | 'non-SDN'

/** The lists on which the document has entries; without any, the only list that it names. */
function nameOfDocument({ entered, lists }: AdvancedList): string | null {
  const names = entered.size > 0 ? entered : new Set(lists.values())
  return entered.size > 0 || names.size === 1 ? [...names].sort().join(' and ') : null
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
  inParty: boolean
  profile: string
  primaryIdentity: boolean
  identityNames: WrittenName[]
  /** Group of name parts → type. It follows the names of the identity. */
  groupTypes: Map<string, string>
  name: string
  aliases: string[]
  /** Null outside of a feature. */
  feature: { readonly type: string; readonly line: number; readonly details: string[] } | null
  partyAddresses: AddressCell[]
  entryProfile: string | null
  created: boolean
  measureType: string
  date: { year: number; month: number; day: number }
}

async function* parseList(input: ByteStream, list: AdvancedList): AsyncGenerator<ParsedItem> {
  const now: Reading = {
    inParty: false,
    profile: '',
    primaryIdentity: false,
    identityNames: [],
    groupTypes: new Map(),
    name: '',
    aliases: [],
    feature: null,
    partyAddresses: [],
    entryProfile: null,
    created: false,
    measureType: '',
    date: { year: 0, month: 0, day: 0 },
  }
  for await (const event of readXml(input, 'Sanctions')) {
    if (event.type === 'start' || event.element.name !== 'VersionDetail' || now.feature === null)
      readElsewhere(event, now, list)
    if (event.type === 'start') onStart[event.element.name]?.(event.element, now, list)
    else onEnd[event.element.name]?.(event.text, now, list, event.element)
  }
  if (![...list.featureTypes.values()].some((type) => tickerOf(type) !== null)) {
    throw new SetRefusedError('malformed', null, 'The list names no digital currency feature type')
  }
  for (const { line, ticker, address, profile } of list.addresses) {
    if (profile === null) {
      yield { type: 'unreadable', line, reason: outsideOfParties(address) }
      continue
    }
    const listedAt = list.listedAt.get(profile)
    if (listedAt === undefined) {
      yield { type: 'unreadable', line, reason: `the party has no entry on a list: ${shown(profile)}` }
      continue
    }
    const { primary: entity, aliases } = list.names.get(profile) ?? { primary: '', aliases: [] }
    yield {
      type: 'row',
      row: designation({
        list: list.listOf.get(profile) ?? 'SDN',
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

/** An address in another place: in a party it is the party's, in an entry that of the entry's party, and elsewhere nobody's. */
function readElsewhere(event: XmlEvent, now: Reading, list: AdvancedList): void {
  const type = now.inParty ? '' : event.element.name
  const cells = textsWithLongWords(event).flatMap((said) => [...addressCells({ ...said, type })])
  if (now.inParty) now.partyAddresses.push(...cells)
  else for (const cell of cells) list.addresses.push({ ...cell, profile: now.entryProfile })
}

type StartHandler = (element: XmlElement, now: Reading, list: AdvancedList) => void
type EndHandler = (text: string, now: Reading, list: AdvancedList, element: XmlElement) => void

const onStart: Readonly<Record<string, StartHandler>> = {
  DistinctParty: (element, now) => {
    now.inParty = true
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
    const type = list.featureTypes.get(element.attributes['FeatureTypeID'] ?? '') ?? ''
    now.feature = { type, line: element.line, details: [] }
  },
  SanctionsEntry: (element, now, list) => {
    now.entryProfile = element.attributes['ProfileID'] ?? null
    const name = list.lists.get(element.attributes['ListID'] ?? '')
    if (name !== undefined) list.entered.add(name)
    if (now.entryProfile === null) return
    if (!list.listedAt.has(now.entryProfile)) list.listedAt.set(now.entryProfile, null)
    if (name !== undefined && list.listOf.get(now.entryProfile) !== 'SDN')
      list.listOf.set(now.entryProfile, name)
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
    list.featureTypes.set(element.attributes['ID'] ?? '', text)
  },
  List: (text, _now, list, element) => {
    const isSdn = /\bSDN\b|specially designated/i.test(text) && !/non.?SDN/i.test(text)
    list.lists.set(element.attributes['ID'] ?? '', isSdn ? 'SDN' : 'non-SDN')
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
    if (text !== '') now.feature?.details.push(text)
  },
  Feature: (_text, now) => {
    const { type = '', line = 0, details = [] } = now.feature ?? {}
    now.feature = null
    // A feature of an address without any is a row that cannot be read.
    const texts = details.length === 0 && tickerOf(type) !== null ? [''] : details
    for (const text of texts) now.partyAddresses.push(...addressCells({ line, type, text }))
  },
  DistinctParty: (_text, now, list, element) => {
    now.inParty = false
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
