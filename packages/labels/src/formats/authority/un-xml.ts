/**
 * The consolidated list of the UN Security Council as XML: an INDIVIDUAL or ENTITY for each party.
 * Layout: https://main.un.org/securitycouncil/en/content/un-sc-consolidated-list
 */
import { parseTime } from '../dates.js'
import { SetRefusedError, type ByteStream, type LabelFormat, type ParsedItem } from '../label-source.js'
import { readXml, textsWithLongWords, type XmlElement } from '../xml-events.js'
import { addressesOutside, earlier, itemsOfParty } from './listed-party.js'

const LIST = 'UN Security Council consolidated list'
const URL = 'https://main.un.org/securitycouncil/en/content/un-sc-consolidated-list'

export const unXmlFormat: LabelFormat = {
  name: 'un-xml',
  title: 'UN Security Council, XML',
  description: 'UN Security Council consolidated list, XML; addresses in its comments and documents',
  wholeAuthorityList: 'un-sc',
  mayNameNoAddress: true,
  parse(file) {
    const list = { generatedAt: null as string | null }
    return {
      items: parseList(file.open(), list),
      facts: () => ({ publishedAt: list.generatedAt, defaultSource: 'un_sc', list: 'UN' }),
    }
  },
}

interface Party {
  reference: string
  readonly nameParts: string[]
  readonly aliases: string[]
  readonly programmes: string[]
  designatedAt: string | null
  readonly remarks: { line: number; text: string }[]
}

/** Elements with free text or a number. */
const remarkElements: ReadonlySet<string> = new Set(['COMMENTS1', 'NOTE', 'NUMBER'])
const nameElements: ReadonlySet<string> = new Set(['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'])

async function* parseList(
  input: ByteStream,
  list: { generatedAt: string | null },
): AsyncGenerator<ParsedItem> {
  let party: Party | null = null
  let parties = 0
  let atRoot = true
  for await (const event of readXml(input, 'CONSOLIDATED_LIST')) {
    const { name } = event.element
    const isParty = name === 'INDIVIDUAL' || name === 'ENTITY'
    if (party === null && !isParty) yield* addressesOutside(event)
    if (event.type === 'start') {
      if (atRoot) list.generatedAt = generationOf(event.element)
      atRoot = false
      if (isParty) party = newParty()
      party?.remarks.push(...textsWithLongWords(event))
      continue
    }
    if (party === null) continue
    if (!isParty) {
      onEnd(party, name, event.text, event.element.line)
      party.remarks.push(...textsWithLongWords(event))
      continue
    }
    parties += 1
    yield* itemsOf(party, list.generatedAt)
    party = null
  }
  if (parties === 0) throw new SetRefusedError('truncated', null, 'The list names nobody')
}

function generationOf({ attributes, line }: XmlElement): string {
  const generatedAt = parseTime(attributes['dateGenerated'] ?? '')
  if (generatedAt === null) throw new SetRefusedError('malformed', line, 'dateGenerated is not a date')
  return generatedAt
}

const newParty = (): Party => ({
  reference: '',
  nameParts: [],
  aliases: [],
  programmes: [],
  designatedAt: null,
  remarks: [],
})

function onEnd(party: Party, name: string, text: string, line: number): void {
  if (nameElements.has(name)) party.nameParts.push(text)
  else if (name === 'ALIAS_NAME') party.aliases.push(text)
  else if (name === 'UN_LIST_TYPE') party.programmes.push(text)
  else if (name === 'REFERENCE_NUMBER') party.reference = text
  else if (name === 'LISTED_ON') party.designatedAt = earlier(party.designatedAt, parseTime(text))
  else if (remarkElements.has(name)) party.remarks.push({ line, text })
}

function* itemsOf(party: Party, observedAt: string | null): Generator<ParsedItem> {
  const { reference, nameParts, aliases, programmes, designatedAt, remarks } = party
  const listed = {
    entityId: reference,
    names: [nameParts.join(' '), ...aliases],
    programmes,
    designatedAt,
    sourceUrl: URL,
    remarks,
  }
  yield* itemsOfParty(listed, { name: LIST, observedAt })
}
