/** OFSI's consolidated list as XML: a FinancialSanctionsTarget for each name. It states no date; its newest update gives the date. */
import { parseTime } from '../dates.js'
import type { ByteStream, LabelFormat, ParsedItem } from '../label-source.js'
import { readXml, textsWithLongWords } from '../xml-events.js'
import { addressesOutside } from './listed-party.js'
import { collectOfsiParties, OFSI_ORIGIN, OFSI_SOURCE, type OfsiRow } from './ofsi-list.js'

export const ofsiXmlFormat: LabelFormat = {
  name: 'ofsi-xml',
  title: 'UK OFSI, XML',
  description: 'UK OFSI consolidated list, XML (ConList.xml); addresses in its remarks',
  wholeAuthorityList: OFSI_ORIGIN,
  mayNameNoAddress: true,
  parse(file) {
    return {
      items: parseList(file.open()),
      facts: () => ({ publishedAt: null, defaultSource: OFSI_SOURCE, list: 'UK' }),
    }
  },
}

const NAMES = ['name1', 'name2', 'name3', 'name4', 'name5', 'name6']

async function* parseList(input: ByteStream): AsyncGenerator<ParsedItem> {
  const parties = collectOfsiParties()
  let newest: string | null = null
  let fields = new Map<string, string>()
  let others: string[] = []
  let isTarget = false
  let depth = 0
  for await (const event of readXml(input, 'ArrayOfFinancialSanctionsTarget')) {
    if (event.type === 'start' && depth === 1) {
      isTarget = event.element.name === 'FinancialSanctionsTarget'
      ;[fields, others] = [new Map(), []]
    }
    if (isTarget) others.push(...textsWithLongWords(event).map(({ text }) => text))
    else yield* addressesOutside(event)
    if (event.type === 'start') {
      depth += 1
      continue
    }
    depth -= 1
    // The layout writes some names of elements with a capital and others without.
    if (depth === 2) fields.set(event.element.name.toLowerCase(), event.text)
    if (depth === 1 && isTarget) {
      parties.add(rowOf(fields, others, event.element.line))
      const updatedAt = parseTime(fields.get('lastupdated') ?? '')
      if (updatedAt !== null && (newest === null || updatedAt > newest)) newest = updatedAt
    }
  }
  yield* parties.items(newest)
}

function rowOf(fields: ReadonlyMap<string, string>, others: readonly string[], line: number): OfsiRow {
  const field = (name: string): string => fields.get(name) ?? ''
  return {
    line,
    groupId: field('groupid'),
    nameParts: NAMES.map(field),
    aliasType: field('aliastype'),
    regime: field('regimename'),
    listedAt: parseTime(field('datelisted')),
    designatedAt: parseTime(field('datedesignated')),
    remarks: [field('otherinformation'), field('ukstatementofreasons'), ...others],
  }
}
