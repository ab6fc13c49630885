/**
 * OFAC's SDN list in its classic XML layout (SDN.XML): one sdnEntry per listed party, addresses among its idList. The list states its date
 * and its number of entries; a list with another number is rejected. Layout: https://ofac.treasury.gov/sdn-list-data-formats-data-schemas
 */
import { utcMidnight } from '../dates.js'
import { SetRefusedError, type ByteStream, type LabelFormat, type ParsedItem } from '../label-source.js'
import { addressesOutside } from '../authority/listed-party.js'
import { addressCells, designation, OFAC_SOURCE, tickerOf, type AddressCell } from './digital-currency.js'
import { oneLine } from '../sanction.js'
import { readXml, textsWithLongWords, type XmlEvent } from '../xml-events.js'

export const ofacXmlFormat: LabelFormat = {
  name: 'ofac-xml',
  title: 'OFAC, SDN.XML',
  description: 'OFAC SDN list, classic XML (SDN.XML)',
  wholeAuthorityList: 'us-ofac',
  parse(file) {
    const list: ListFacts = { publishedAt: null, declared: null, entries: 0 }
    return {
      items: parseList(file.open(), list),
      facts: () => ({ publishedAt: list.publishedAt, defaultSource: OFAC_SOURCE }),
    }
  },
}

interface ListFacts {
  publishedAt: string | null
  /** Record_Count. */
  declared: number | null
  entries: number
}

interface Entry {
  uid: string
  firstName: string
  lastName: string
  readonly programmes: string[]
  readonly aliases: string[]
  readonly addresses: AddressCell[]
}

const AKA = 'sdnList/sdnEntry/akaList/aka'
const ID = 'sdnList/sdnEntry/idList/id'
const ID_NUMBER = `${ID}/idNumber`

/** Another edition may state a type or a number twice: each number counts. */
interface Id {
  readonly types: string[]
  readonly numbers: string[]
  readonly line: number
}

const emptyEntry = (): Entry => ({
  uid: '',
  firstName: '',
  lastName: '',
  programmes: [],
  aliases: [],
  addresses: [],
})

async function* parseList(input: ByteStream, list: ListFacts): AsyncGenerator<ParsedItem> {
  const path: string[] = []
  let entry: Entry | null = null
  let id: Id = { types: [], numbers: [], line: 0 }
  let aka = { firstName: '', lastName: '' }
  for await (const event of readXml(input, 'sdnList')) {
    const ended = event.type === 'end' ? path.join('/') : ''
    if (entry === null) yield* addressesOutside(event)
    else if (ended !== ID_NUMBER)
      for (const said of textsWithLongWords(event))
        entry.addresses.push(...addressCells({ ...said, type: '' }))
    if (event.type === 'start') {
      path.push(event.element.name)
      const at = path.join('/')
      if (at === 'sdnList/sdnEntry') entry = emptyEntry()
      if (at === AKA) aka = { firstName: '', lastName: '' }
      if (at === ID) id = { types: [], numbers: [], line: event.element.line }
      continue
    }
    const at = ended
    path.pop()
    if (at.startsWith('sdnList/publshInformation/')) readPublication(event, list)
    if (entry === null) continue
    if (at === 'sdnList/sdnEntry/uid') entry.uid = event.text
    if (at === 'sdnList/sdnEntry/firstName') entry.firstName = event.text
    if (at === 'sdnList/sdnEntry/lastName') entry.lastName = event.text
    if (at === 'sdnList/sdnEntry/programList/program') entry.programmes.push(event.text)
    if (at === `${AKA}/firstName`) aka.firstName = event.text
    if (at === `${AKA}/lastName`) aka.lastName = event.text
    if (at === AKA) entry.aliases.push(nameOf(aka))
    if (at === `${ID}/idType`) id.types.push(event.text)
    if (at === ID_NUMBER) id.numbers.push(event.text)
    if (at === ID) entry.addresses.push(...cellsOf(id))
    if (at === 'sdnList/sdnEntry') {
      list.entries += 1
      yield* rowsOf(entry, list)
      entry = null
    }
  }
  if (list.declared === null) throw new SetRefusedError('malformed', null, 'The list states no Record_Count')
  if (list.entries !== list.declared) {
    throw new SetRefusedError(
      'miscounted',
      null,
      `The list states ${list.declared} entries but has ${list.entries}`,
    )
  }
}

function cellsOf({ types, numbers, line }: Id): readonly AddressCell[] {
  const type = types.find((one) => tickerOf(one) !== null) ?? types[0] ?? ''
  const texts = numbers.length === 0 ? [''] : numbers
  return texts.flatMap((text) => [...addressCells({ line, type, text })])
}

function readPublication(event: XmlEvent & { type: 'end' }, list: ListFacts): void {
  if (event.element.name === 'Record_Count') {
    if (!/^\d{1,9}$/.test(event.text)) {
      throw new SetRefusedError('malformed', event.element.line, 'Record_Count is not a number')
    }
    list.declared = Number(event.text)
  }
  if (event.element.name === 'Publish_Date') {
    const date = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(event.text)
    list.publishedAt = date === null ? null : utcMidnight(Number(date[3]), Number(date[1]), Number(date[2]))
    if (list.publishedAt === null) {
      throw new SetRefusedError(
        'malformed',
        event.element.line,
        'Publish_Date is not a date (month/day/year)',
      )
    }
  }
}

function* rowsOf(entry: Entry, list: ListFacts): Generator<ParsedItem> {
  const { uid, programmes, aliases } = entry
  for (const listed of entry.addresses) {
    yield {
      type: 'row',
      row: designation({
        ...listed,
        entity: nameOf(entry),
        uid,
        observedAt: list.publishedAt,
        programmes,
        aliases,
      }),
    }
  }
}

const nameOf = ({ firstName, lastName }: Pick<Entry, 'firstName' | 'lastName'>): string =>
  oneLine(`${firstName} ${lastName}`)
