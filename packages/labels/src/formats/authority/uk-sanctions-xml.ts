/**
 * The UK Sanctions List of the Foreign, Commonwealth and Development Office as XML: a Designation for each party. Since 28 January 2026 it
 * replaces OFSI's consolidated list, so it has the same source and authority. Layout:
 * https://www.gov.uk/government/publications/the-uk-sanctions-list
 */
import { dayMonthYear } from '../dates.js'
import { SetRefusedError, type ByteStream, type LabelFormat, type ParsedItem } from '../label-source.js'
import { readXml, textsWithLongWords, type XmlEvent } from '../xml-events.js'
import { addressesOutside, itemsOfParty, MAX_PARTIES, type ListedParty } from './listed-party.js'
import { OFSI_ORIGIN, OFSI_SOURCE } from './ofsi-list.js'

const LIST = 'UK Sanctions List'
const URL = 'https://www.gov.uk/government/publications/the-uk-sanctions-list'
const NAMES = ['Name1', 'Name2', 'Name3', 'Name4', 'Name5', 'Name6']
const PRIMARY = 'primary name'

export const ukSanctionsXmlFormat: LabelFormat = {
  name: 'uk-sanctions-xml',
  title: 'UK sanctions list, XML',
  description: 'UK Sanctions List, XML (UK-Sanctions-List.xml); addresses in its remarks',
  wholeAuthorityList: OFSI_ORIGIN,
  mayNameNoAddress: true,
  parse(file) {
    const list = { generatedAt: null as string | null }
    return {
      items: parseList(file.open(), list),
      facts: () => ({ publishedAt: list.generatedAt, defaultSource: OFSI_SOURCE, list: 'UK' }),
    }
  },
}

/** The parser's state in the current party. */
interface Party {
  id: string
  regime: string
  designatedAt: string | null
  readonly names: string[]
  readonly remarks: { line: number; text: string }[]
  /** Parts of the name that is being read. */
  name: Map<string, string>
}

/** The date may follow the parties, so they are kept until the document ends. */
async function* parseList(
  input: ByteStream,
  list: { generatedAt: string | null },
): AsyncGenerator<ParsedItem> {
  const parties: ListedParty[] = []
  const path: string[] = []
  let party = newParty()
  for await (const event of readXml(input, 'Designations')) {
    const { name, line } = event.element
    if (event.type === 'start') path.push(name)
    if (path[1] !== 'Designation') yield* addressesOutside(event)
    if (event.type === 'start') {
      if (path.length === 2) party = newParty()
      if (path.length === 4) party.name = new Map()
      party.remarks.push(...textsWithLongWords(event))
      continue
    }
    const at = path.slice(1).join('/')
    path.pop()
    if (at === 'DateGenerated') list.generatedAt = dayMonthYear(event.text)
    else if (at === 'Designation') parties.push(listedParty(party, line))
    else onEnd(party, at, event)
    if (parties.length > MAX_PARTIES)
      throw new SetRefusedError('malformed', line, `more than ${MAX_PARTIES} parties`)
  }
  if (list.generatedAt === null)
    throw new SetRefusedError('malformed', null, 'The list states no DateGenerated')
  if (parties.length === 0) throw new SetRefusedError('truncated', null, 'The list names nobody')
  for (const listed of parties) yield* itemsOfParty(listed, { name: LIST, observedAt: list.generatedAt })
}

const newParty = (): Party => ({
  id: '',
  regime: '',
  designatedAt: null,
  names: [],
  remarks: [],
  name: new Map(),
})

function onEnd(party: Party, at: string, event: XmlEvent & { readonly type: 'end' }): void {
  const { text } = event
  party.remarks.push(...textsWithLongWords(event))
  if (at === 'Designation/UniqueID') party.id = text
  else if (at === 'Designation/RegimeName') party.regime = text
  else if (at === 'Designation/DateDesignated') party.designatedAt = dayMonthYear(text)
  else if (at === 'Designation/OtherInformation' || at === 'Designation/UKStatementofReasons') {
    party.remarks.push({ line: event.element.line, text })
  } else if (at.startsWith('Designation/Names/Name/')) {
    party.name.set(at.slice('Designation/Names/Name/'.length), text)
  } else if (at === 'Designation/Names/Name') {
    const name = NAMES.map((part) => party.name.get(part) ?? '').join(' ')
    if (party.name.get('NameType')?.toLowerCase() === PRIMARY) party.names.unshift(name)
    else party.names.push(name)
  }
}

function listedParty({ id, regime, designatedAt, names, remarks }: Party, line: number): ListedParty {
  if (id === '') throw new SetRefusedError('malformed', line, 'the designation has no UniqueID')
  return { entityId: id, names, programmes: [regime], designatedAt, sourceUrl: URL, remarks }
}
