import { describe, expect, test } from 'vitest'
import { parseFile, textFile, type Parsed } from '../../../test/formats/samples.js'
import { ofacAdvancedXmlFormat } from './sdn-advanced-xml.js'

const head = `<?xml version="1.0" encoding="utf-8"?>
<Sanctions xmlns="http://www.un.org/sanctions/1.0">
<DateOfIssue CalendarTypeID="1"><Year>2026</Year><Month>8</Month><Day>18</Day></DateOfIssue>
<ReferenceValueSets>
<FeatureTypeValues><FeatureType ID="344" FeatureTypeGroupID="1">Digital Currency Address - XBT</FeatureType>
<FeatureType ID="345" FeatureTypeGroupID="1">Digital Currency Address - ETH</FeatureType><FeatureType ID="8">Birthdate</FeatureType></FeatureTypeValues>
<NamePartTypeValues><NamePartType ID="1520">Last Name</NamePartType><NamePartType ID="1521">First Name</NamePartType></NamePartTypeValues>
<ListValues><List ID="1550">SDN List</List><List ID="91507">Consolidated List</List></ListValues>
</ReferenceValueSets>
`
const name = (...parts: string[]): string =>
  parts
    .map((part) => `<DocumentedNamePart><NamePartValue>${part}</NamePartValue></DocumentedNamePart>`)
    .join('')
const party = (profile: number, alias: string, features: string): string =>
  `<DistinctParty FixedRef="${profile}"><Profile ID="${profile}"><Identity Primary="true">` +
  `<Alias Primary="false"><DocumentedName>${name('AKA')}</DocumentedName></Alias>` +
  `<Alias Primary="true"><DocumentedName>${alias}</DocumentedName></Alias></Identity>${features}</Profile></DistinctParty>`
const feature = (type: number, detail: string): string =>
  `<Feature FeatureTypeID="${type}"><FeatureVersion><Comment/><VersionDetail DetailTypeID="1432">${detail}</VersionDetail></FeatureVersion></Feature>`
const date = (year: number, month: number, day: number): string =>
  `<Date CalendarTypeID="1"><Year>${year}</Year><Month>${month}</Month><Day>${day}</Day></Date>`
const listing = (profile: number, events: string, list = 1550): string =>
  `<SanctionsEntry ProfileID="${profile}" ListID="${list}">${events}<SanctionsMeasure><Comment>DPRK3</Comment>` +
  `<DatePeriod><Start><From><Year>1999</Year><Month>1</Month><Day>1</Day></From></Start></DatePeriod></SanctionsMeasure></SanctionsEntry>`
const created = (text: string): string => `<EntryEvent EntryEventTypeID="1"><Comment/>${text}</EntryEvent>`
const document = (parties: string, entries: string): string =>
  `${head}<DistinctParties>${parties}</DistinctParties><SanctionsEntries>${entries}</SanctionsEntries></Sanctions>`

describe('the advanced SDN list', () => {
  test('gives addresses with the primary name and the date the party was designated', async () => {
    const { items, facts } = await parse(
      document(
        party(
          27307,
          name('LAZARUS', 'GROUP'),
          feature(8, '1 Jan 1970') + feature(345, '0xabc') + feature(344, '1abc'),
        ),
        listing(27307, created(date(2022, 4, 14)) + created(date(2019, 9, 13))),
      ),
    )
    expect(items).toMatchObject([
      { type: 'row', row: { address: '0xabc', chain: null, chainHint: 'ETH', entity: 'LAZARUS GROUP' } },
      { type: 'row', row: { address: '1abc', chainHint: 'XBT', validFrom: '2019-09-13T00:00:00.000Z' } },
    ])
    expect(facts.publishedAt).toBe('2026-08-18T00:00:00.000Z')
  })

  test('gives what the authority says, and names people as the classic list does', async () => {
    const part = (text: string, group: number): string =>
      `<DocumentedNamePart><NamePartValue NamePartGroupID="${group}">${text}</NamePartValue></DocumentedNamePart>`
    const groups =
      '<NamePartGroups><MasterNamePartGroup><NamePartGroup ID="1" NamePartTypeID="1520"/></MasterNamePartGroup>' +
      '<MasterNamePartGroup><NamePartGroup ID="2" NamePartTypeID="1521"/></MasterNamePartGroup></NamePartGroups></Identity>'
    const text = document(
      party(30, part('POTEKHIN', 1) + part('Danil', 2), feature(345, '0xabc')).replace('</Identity>', groups),
      listing(30, created(date(2020, 9, 16))).replace(
        '<SanctionsMeasure>',
        '<SanctionsMeasure SanctionsTypeID="1">',
      ),
    )
    const { rows } = await parse(text)
    expect(rows).toMatchObject([
      {
        entity: 'Danil POTEKHIN',
        validFrom: '2020-09-16T00:00:00.000Z',
        sanction: {
          list: 'OFAC SDN',
          programmes: ['DPRK3'],
          entityId: '30',
          aliases: ['AKA'],
          designatedOn: '2020-09-16',
        },
      },
    ])
  })

  test('leaves the designation undated where the list does not date it', async () => {
    const { items } = await parse(
      document(party(5, name('X'), feature(345, '0xabc')), listing(5, created(''))),
    )
    expect(items).toMatchObject([{ type: 'row', row: { validFrom: null } }])
  })

  test('is named after the lists on which it has entries', async () => {
    const on = async (...entries: string[]) =>
      await parse(document(party(6, name('Y'), feature(345, '0xabc')), entries.join('')))
    const [sdn, other] = [listing(6, created('')), listing(6, created(''), 91507)]
    expect((await on(sdn)).facts.list).toBe('SDN')
    expect((await on(other)).facts.list).toBe('non-SDN')
    expect((await on(sdn, other)).facts.list).toBe('SDN and non-SDN')
  })

  test('designates who is on another list than the SDN list, under its name', async () => {
    const { rows } = await parse(
      document(party(6, name('Y'), feature(345, '0xabc')), listing(6, created(date(2020, 1, 1)), 91507)),
    )
    expect(rows).toMatchObject([{ address: '0xabc', sanction: { list: 'OFAC non-SDN' } }])
  })

  test('loses no party without an entry, and no address of a feature without a text', async () => {
    const { items } = await parse(document(party(6, name('Y'), feature(345, '0xabc')), ''))
    expect(items).toMatchObject([{ type: 'unreadable', reason: 'the party has no entry on a list: "6"' }])
    const empty = await parse(document(party(6, name('Y'), feature(345, '')), listing(6, created(''))))
    expect(empty.rows).toMatchObject([{ address: '' }])
  })

  test('loses no address outside of a feature: of a party, of its entry, and of nobody', async () => {
    const [inParty, inEntry, elsewhere] = [1, 2, 3].map((digit) => `0x${String(digit).repeat(40)}`)
    const of = party(6, name('Y'), `${feature(8, '1970')}<VersionDetail>${inParty}</VersionDetail>`)
    const entry = listing(6, created('')).replace('DPRK3', `DPRK3, wallet ${inEntry}`)
    const documents = `<IDRegDocuments><IDRegistrationNo>${elsewhere}</IDRegistrationNo></IDRegDocuments>`
    const { rows, unreadable } = await parse(
      document(of, entry).replace('<DistinctParties>', `${documents}$&`),
    )
    expect(rows.map(({ address, sanction }) => [address, sanction!.entityId])).toEqual([
      [expect.stringContaining(inParty!), '6'],
      [inEntry, '6'],
    ])
    expect(unreadable).toMatchObject([{ reason: expect.stringMatching(/outside .* "0x33/) as string }])
  })

  test('is refused as a whole where it is cut off, even between two parties', async () => {
    const whole = document(party(5, name('X'), feature(345, '0xabc')), listing(5, created(date(2020, 1, 1))))
    for (const end of ['</DistinctParties>', '<SanctionsEntries>', '</SanctionsEntries>']) {
      await expect(parse(whole.slice(0, whole.indexOf(end)))).rejects.toMatchObject({ refusal: 'truncated' })
    }
  })

  test('is refused as a whole where no feature type is a digital currency', async () => {
    await expect(
      parse(document('', '').replaceAll(/Digital Currency Address - \w+/g, 'Postal Address')),
    ).rejects.toMatchObject({
      refusal: 'malformed',
    })
  })
})

const parse = (text: string): Promise<Parsed> => parseFile(ofacAdvancedXmlFormat, textFile(text))
