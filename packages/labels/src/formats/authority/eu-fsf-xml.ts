/**
 * The EU's consolidated list of financial sanctions (Financial Sanctions Files, XML 1.1): a sanctionEntity for each party, with
 * its names in attributes. Layout: https://webgate.ec.europa.eu/fsd/fsf
 */
import { parseTime } from '../dates.js'
import { SetRefusedError, type ByteStream, type LabelFormat, type ParsedItem } from '../label-source.js'
import { readXml, textsWithLongWords, type XmlElement, type XmlEvent } from '../xml-events.js'
import { addressesOutside, itemsOfParty } from './listed-party.js'

const LIST = 'EU consolidated list'
const URL = 'https://webgate.ec.europa.eu/fsd/fsf'

export const euFsfXmlFormat: LabelFormat = {
  name: 'eu-fsf-xml',
  title: 'EU financial sanctions, XML',
  description: 'EU financial sanctions files, XML 1.1; addresses in its remarks and identifications',
  wholeAuthorityList: 'eu-fsf',
  mayNameNoAddress: true,
  parse(file) {
    const list = { generatedAt: null as string | null }
    return {
      items: parseList(file.open(), list),
      facts: () => ({ publishedAt: list.generatedAt, defaultSource: 'eu_fsf', list: 'EU' }),
    }
  },
}

interface Party {
  readonly entityId: string
  /** The EU dates the designation of only some parties. */
  readonly designatedAt: string | null
  readonly strongNames: string[]
  readonly weakNames: string[]
  readonly programmes: string[]
  readonly remarks: { line: number; text: string }[]
  sourceUrl: string
}

async function* parseList(
  input: ByteStream,
  list: { generatedAt: string | null },
): AsyncGenerator<ParsedItem> {
  const path: string[] = []
  let party: Party | null = null
  let parties = 0
  for await (const event of readXml(input, 'export')) {
    if (party === null && event.element.name !== 'sanctionEntity') yield* addressesOutside(event)
    if (event.type === 'start') {
      path.push(event.element.name)
      if (path.length === 1) list.generatedAt = generationOf(event.element)
      else if (path.length === 2 && event.element.name === 'sanctionEntity')
        party = newParty(event.element, textsWithLongWords(event))
      else if (party !== null) onStart(party, event, path.length)
      continue
    }
    const depth = path.length
    path.pop()
    if (party === null) continue
    if (event.element.name === 'remark') party.remarks.push({ line: event.element.line, text: event.text })
    party.remarks.push(...textsWithLongWords(event))
    if (depth === 4 && event.element.name === 'publicationUrl' && /^https?:\/\/\S+$/.test(event.text)) {
      party.sourceUrl = event.text
    }
    if (depth !== 2) continue
    parties += 1
    yield* itemsOf(party, list.generatedAt)
    party = null
  }
  if (parties === 0) throw new SetRefusedError('truncated', null, 'The list names nobody')
}

function generationOf({ attributes, line }: XmlElement): string {
  const generatedAt = parseTime(attributes['generationDate'] ?? '')
  if (generatedAt === null) throw new SetRefusedError('malformed', line, 'generationDate is not a date')
  return generatedAt
}

const newParty = ({ attributes }: XmlElement, remarks: Party['remarks']): Party => ({
  entityId: attributes['euReferenceNumber'] || (attributes['logicalId'] ?? ''),
  designatedAt: parseTime(attributes['designationDate'] ?? ''),
  strongNames: [],
  weakNames: [],
  programmes: [],
  remarks,
  sourceUrl: URL,
})

function onStart(party: Party, event: XmlEvent, depth: number): void {
  const { name, attributes, line } = event.element
  const attribute = (key: string): string => attributes[key] ?? ''
  party.remarks.push(...textsWithLongWords(event))
  if (depth !== 3) return
  if (name === 'regulation') party.programmes.push(attribute('programme'))
  if (name === 'nameAlias') {
    const isStrong = attribute('strong') !== 'false'
    ;(isStrong ? party.strongNames : party.weakNames).push(attribute('wholeName'))
  }
  if (name === 'identification') {
    const said = ['identificationTypeDescription', 'nameOnDocument', 'number', 'latinNumber']
    party.remarks.push({ line, text: said.map(attribute).join(' ') })
  }
}

function* itemsOf(
  { strongNames, weakNames, ...party }: Party,
  observedAt: string | null,
): Generator<ParsedItem> {
  yield* itemsOfParty({ ...party, names: [...strongNames, ...weakNames] }, { name: LIST, observedAt })
}
