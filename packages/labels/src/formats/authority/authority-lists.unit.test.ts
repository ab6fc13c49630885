/** The lists of the UK, the EU and the UN. The parties are made up; the addresses are the examples of their specifications. */
import { describe, expect, test } from 'vitest'
import { parseFile, textFile, type Parsed } from '../../../test/formats/samples.js'
import { labelFormats } from '../formats.js'

const BTC = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu'
const SEGWIT = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const TRX = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const MISPRINT = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggv'

const parse = (format: string, text: string): Promise<Parsed> =>
  parseFile(labelFormats.get(format)!, textFile(text, 64))

const COLUMNS = [
  ...['Name 6', 'Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5', 'Title', 'Name Non-Latin Script'],
  ...['DOB', 'Passport Number', 'Address 1', 'Country', 'Other Information', 'Group Type', 'Alias Type'],
  ...[
    'Alias Quality',
    'Regime',
    'Listed On',
    'UK Sanctions List Date Designated',
    'Last Updated',
    'Group ID',
  ],
]
const ofsiRow = (fields: Readonly<Record<string, string>>): string =>
  COLUMNS.map((column) => `"${fields[column] ?? ''}"`).join(',')
const ofsiCsv = (...rows: readonly Readonly<Record<string, string>>[]): string =>
  [`Last Updated,03/06/2026`, COLUMNS.join(','), ...rows.map(ofsiRow), ''].join('\r\n')
const orlov = {
  'Name 6': 'ORLOVSKY',
  'Name 1': 'Boris',
  'Other Information': `Wallet addresses: XBT ${BTC} and ${MISPRINT}`,
  'Alias Type': 'Primary name',
  Regime: 'Cyber',
  'Listed On': '19/02/2024',
  'UK Sanctions List Date Designated': '20/02/2024',
  'Group ID': '16440',
}
const orlovAlias = { ...orlov, 'Name 6': 'BORKA', 'Name 1': '', 'Alias Type': 'AKA' }

const target = (fields: string): string =>
  `<FinancialSanctionsTarget>\n${fields}</FinancialSanctionsTarget>\n`
const ofsiXml = (...targets: readonly string[]): string =>
  `<?xml version="1.0"?><ArrayOfFinancialSanctionsTarget xmlns="http://schemas.example.org/ofsi">\n${targets.join('')}` +
  '</ArrayOfFinancialSanctionsTarget>'
const orlovTarget = (name: string, type: string): string =>
  target(
    `<Name6>${name}</Name6><name1>Boris</name1><AliasType>${type}</AliasType><GroupID>16440</GroupID>` +
      `<RegimeName>Cyber</RegimeName><DateListed>2024-02-19T00:00:00</DateListed><LastUpdated>2026-05-01T00:00:00</LastUpdated>` +
      `<OtherInformation>Wallet addresses: XBT ${BTC}\nand ${MISPRINT}</OtherInformation>`,
  )

const euXml = (...entities: readonly string[]): string =>
  `<?xml version="1.0"?><export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-08-05T16:47:04.123+02:00" ` +
  `globalFileId="1">\n${entities.join('')}</export>`
const orlovEntity = `<sanctionEntity designationDate="2024-02-19" euReferenceNumber="EU.99.1" logicalId="9">
<remark>Wallet addresses: XBT ${BTC}\nand ${MISPRINT}</remark>
<regulation programme="CYB" logicalId="1"><publicationUrl>https://eur-lex.europa.eu/act</publicationUrl></regulation>
<subjectType code="person" classificationCode="P"/>
<nameAlias wholeName="Borka" strong="false"/><nameAlias wholeName="Boris ORLOVSKY" strong="true"/>
<identification number="${SEGWIT}" identificationTypeDescription="Other identification number"><remark>${TRX}</remark></identification>
</sanctionEntity>
`

const unXml = (parties: string): string =>
  `<?xml version="1.0"?><CONSOLIDATED_LIST dateGenerated="2026-10-03T23:00:03.428Z"><INDIVIDUALS>\n${parties}</INDIVIDUALS>` +
  '<ENTITIES></ENTITIES></CONSOLIDATED_LIST>'
const orlovIndividual = `<INDIVIDUAL><DATAID>1</DATAID><FIRST_NAME>BORIS</FIRST_NAME>
<SECOND_NAME>ORLOVSKY</SECOND_NAME><UN_LIST_TYPE>DPRK</UN_LIST_TYPE><REFERENCE_NUMBER>KPi.999</REFERENCE_NUMBER>
<LISTED_ON>2024-02-19</LISTED_ON><COMMENTS1>Wallet addresses: XBT ${BTC} and ${MISPRINT}</COMMENTS1>
<INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>Borka</ALIAS_NAME></INDIVIDUAL_ALIAS>
<INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>AB123</NUMBER><NOTE>USDT ${TRX}</NOTE></INDIVIDUAL_DOCUMENT>
</INDIVIDUAL>
`

const ukXml = (...designations: readonly string[]): string =>
  `<?xml version="1.0"?><Designations><DateGenerated>20/08/2026</DateGenerated>\n${designations.join('')}</Designations>`
const orlovDesignation = `<Designation><LastUpdated>01/05/2026</LastUpdated><DateDesignated>19/02/2024</DateDesignated>
<UniqueID>CYB0099</UniqueID><OFSIGroupID>16440</OFSIGroupID><UNReferenceNumber/>
<Names><Name><Name6>BORKA</Name6><NameType>Alias</NameType></Name>
<Name><Name1>Boris</Name1><Name6>ORLOVSKY</Name6><NameType>Primary Name</NameType></Name></Names>
<RegimeName>The Cyber Regulations</RegimeName><OtherInformation>Wallet addresses: XBT ${BTC} and ${MISPRINT}</OtherInformation>
<UKStatementofReasons>He used the wallet ${TRX}.</UKStatementofReasons></Designation>
`

const said = (list: string, programme: string, entityId: string, aliases: readonly string[]): object => ({
  list,
  programmes: [programme],
  entityId,
  aliases,
  designatedOn: '2024-02-19',
})

describe('an address outside of every party is named, in the list of', () => {
  const wallet = `<Annex note="Ethereum address 0x5a0b54d5dc17e0aadc383d2db43b0a0d3e029c4c">BTC ${SEGWIT}</Annex>`
  test.each([
    ['the UK', 'uk-sanctions-xml', ukXml(orlovDesignation, wallet)],
    ['OFSI', 'ofsi-xml', ofsiXml(wallet, orlovTarget('ORLOVSKY', 'Primary name'))],
    ['the EU', 'eu-fsf-xml', euXml(orlovEntity, wallet)],
    ['the UN', 'un-xml', unXml(orlovIndividual + wallet)],
  ])('%s', async (_list, format, text) => {
    const { unreadable } = await parse(format, text)
    expect(unreadable.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining([
        'the address is outside of every listed party: "0x5a0b54d5dc17e0aadc383d2db43b0a0d3e029c4c"',
        `the address is outside of every listed party: "${SEGWIT}"`,
      ]),
    )
  })
})

describe('the list of', () => {
  test('the UK as XML gives the addresses of both texts, under the number of the designation', async () => {
    const { rows, unreadable, facts } = await parse('uk-sanctions-xml', ukXml(orlovDesignation))
    expect(rows).toMatchObject([
      {
        line: 6,
        address: BTC,
        entity: 'Boris ORLOVSKY',
        observedAt: '2026-08-20T00:00:00.000Z',
        validFrom: '2024-02-19T00:00:00.000Z',
        sanction: said('UK Sanctions List', 'The Cyber Regulations', 'CYB0099', ['BORKA']),
      },
      { line: 7, address: TRX },
    ])
    expect(unreadable).toEqual([{ line: 6, reason: `bad checksum: "${MISPRINT}"` }])
    expect(facts).toEqual({ publishedAt: '2026-08-20T00:00:00.000Z', defaultSource: 'uk_ofsi', list: 'UK' })
  })

  test('OFSI as CSV gives each address of a party once, with what the list says of the party', async () => {
    const { rows, unreadable, facts } = await parse('ofsi-csv', ofsiCsv(orlovAlias, orlov))
    expect(rows).toMatchObject([
      {
        line: 3,
        address: BTC,
        chain: null,
        chainHint: 'XBT',
        category: 'sanctions',
        kind: 'designation',
        entity: 'Boris ORLOVSKY',
        observedAt: '2026-06-03T00:00:00.000Z',
        validFrom: '2024-02-19T00:00:00.000Z',
        sanction: said('UK OFSI consolidated list', 'Cyber', '16440', ['BORKA']),
      },
    ])
    expect(rows).toHaveLength(1)
    expect(unreadable).toEqual([{ line: 3, reason: `bad checksum: "${MISPRINT}"` }])
    expect(facts).toEqual({ publishedAt: '2026-06-03T00:00:00.000Z', defaultSource: 'uk_ofsi', list: 'UK' })
  })

  test('OFSI as XML gives the same, dated by its newest update', async () => {
    const text = ofsiXml(
      orlovTarget('BORKA', 'AKA'),
      orlovTarget('ORLOVSKY', 'Primary name'),
      target('<Name6>NOBODY</Name6><GroupID>2</GroupID><LastUpdated>2026-06-02T00:00:00</LastUpdated>'),
    )
    const { rows, unreadable, facts } = await parse('ofsi-xml', text)
    expect(rows).toMatchObject([
      {
        address: BTC,
        entity: 'Boris ORLOVSKY',
        observedAt: '2026-06-02T00:00:00.000Z',
        sanction: said('UK OFSI consolidated list', 'Cyber', '16440', ['Boris BORKA']),
      },
    ])
    expect(unreadable).toEqual([{ line: 2, reason: `bad checksum: "${MISPRINT}"` }])
    expect(facts).toEqual({ publishedAt: null, defaultSource: 'uk_ofsi', list: 'UK' })
  })

  test('the EU gives addresses of remarks and identifications, under the strong name', async () => {
    const { rows, unreadable, facts } = await parse('eu-fsf-xml', euXml(orlovEntity))
    expect(rows).toMatchObject([
      {
        line: 3,
        address: BTC,
        entity: 'Boris ORLOVSKY',
        sourceUrl: 'https://eur-lex.europa.eu/act',
        observedAt: '2026-08-05T14:47:04.123Z',
        validFrom: '2024-02-19T00:00:00.000Z',
        sanction: said('EU consolidated list', 'CYB', 'EU.99.1', ['Borka']),
      },
      { line: 8, address: SEGWIT },
      { line: 8, address: TRX },
    ])
    expect(unreadable).toEqual([{ line: 3, reason: `bad checksum: "${MISPRINT}"` }])
    expect(facts).toEqual({ publishedAt: '2026-08-05T14:47:04.123Z', defaultSource: 'eu_fsf', list: 'EU' })
  })

  test('the UN gives addresses of comments and notes', async () => {
    const { rows, unreadable, facts } = await parse('un-xml', unXml(orlovIndividual))
    expect(rows).toMatchObject([
      {
        line: 4,
        address: BTC,
        entity: 'BORIS ORLOVSKY',
        observedAt: '2026-10-03T23:00:03.428Z',
        validFrom: '2024-02-19T00:00:00.000Z',
        sanction: said('UN Security Council consolidated list', 'DPRK', 'KPi.999', ['Borka']),
      },
      { line: 6, address: TRX, chainHint: 'USDT' },
    ])
    expect(unreadable).toEqual([{ line: 4, reason: `bad checksum: "${MISPRINT}"` }])
    expect(facts).toEqual({ publishedAt: '2026-10-03T23:00:03.428Z', defaultSource: 'un_sc', list: 'UN' })
  })
})

describe('each of the lists', () => {
  const whole: readonly (readonly [format: string, origin: string, text: string])[] = [
    ['uk-sanctions-xml', 'uk-ofsi', ukXml(orlovDesignation)],
    ['ofsi-csv', 'uk-ofsi', ofsiCsv(orlov)],
    ['ofsi-xml', 'uk-ofsi', ofsiXml(orlovTarget('ORLOVSKY', 'Primary name'))],
    ['eu-fsf-xml', 'eu-fsf', euXml(orlovEntity)],
    ['un-xml', 'un-sc', unXml(orlovIndividual)],
  ]

  test.each(whole)('%s is all of what %s lists', (format, origin) => {
    expect(labelFormats.get(format)!.wholeAuthorityList).toBe(origin)
  })

  test.each(whole)('%s is refused as a whole wherever it is cut off', async (format, _origin, text) => {
    for (let length = 0; length < text.length; length += 7) {
      await expect(parse(format, text.slice(0, length)), `cut at ${length}`).rejects.toMatchObject({
        name: 'SetRefusedError',
      })
    }
    await expect(parse(format, text.slice(0, -1))).rejects.toMatchObject({ name: 'SetRefusedError' })
  })

  test.each(whole)('%s keeps a designation whose name cannot be shown', async (format, _origin, text) => {
    const { rows } = await parse(format, text.replaceAll(/ORLOVSKY/g, '\u202eORLOVSKY'))
    expect(rows.map(({ address }) => address)).toContain(BTC)
    expect(JSON.stringify(rows)).not.toContain('\u202e')
  })

  test.each([
    ['uk-sanctions-xml', 'no date', ukXml(orlovDesignation).replace('20/08/2026', ''), 'malformed'],
    ['uk-sanctions-xml', 'nobody', ukXml(), 'truncated'],
    ['uk-sanctions-xml', 'no number', ukXml(orlovDesignation).replace('CYB0099', ''), 'malformed'],
    ['ofsi-csv', 'no date', ofsiCsv(orlov).replace('Last Updated,03/06/2026\r\n', ''), 'wrong-header'],
    ['ofsi-csv', 'something else as a date', ofsiCsv(orlov).replace('03/06/2026', '06/31/2026'), 'malformed'],
    [
      'ofsi-csv',
      'a column too few',
      ofsiCsv(orlov).replace('"16440"', '').replace(',\r', '\r'),
      'wrong-columns',
    ],
    ['ofsi-csv', 'no remarks', ofsiCsv(orlov).replace('Other Information', 'Other'), 'wrong-header'],
    ['ofsi-csv', 'a row of nobody', ofsiCsv({ ...orlov, 'Group ID': '' }), 'malformed'],
    ['ofsi-csv', 'no rows', ofsiCsv(), 'truncated'],
    ['ofsi-xml', 'no rows', ofsiXml(), 'truncated'],
    ['ofsi-xml', 'another document', unXml(''), 'wrong-header'],
    ['eu-fsf-xml', 'no date', euXml(orlovEntity).replace('generationDate', 'date'), 'malformed'],
    ['eu-fsf-xml', 'nobody', euXml(), 'truncated'],
    ['un-xml', 'no date', unXml(orlovIndividual).replace('dateGenerated', 'date'), 'malformed'],
    ['un-xml', 'nobody', unXml(''), 'truncated'],
  ])('%s is refused as a whole with %s', async (format, _what, text, refusal) => {
    await expect(parse(format, text)).rejects.toMatchObject({ name: 'SetRefusedError', refusal })
  })
})
