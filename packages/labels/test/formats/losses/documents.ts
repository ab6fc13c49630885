/** A list of every layout with the same parties, one element or row per line, so that losses can hit each of them. */

export interface Party {
  readonly name: string
  readonly ticker: string
  readonly address: string
}

/** Addresses whose checksum or length shows every change of a letter that is none of their alphabet. */
export const PARTIES: readonly Party[] = [
  { name: 'ORLOVSKY', ticker: 'ETH', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  { name: 'BORKA', ticker: 'ETH', address: '0x7f367cc41522ce07553e823bf3be79a889debe1b' },
  { name: 'AMBER TRADE', ticker: 'XBT', address: '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu' },
  { name: 'GRANITE', ticker: 'XBT', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  { name: 'COPPER', ticker: 'USDT', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
]

/** An explorer is of one chain. */
export const partiesOf = (format: string): readonly Party[] =>
  format === 'explorer-json' ? PARTIES.filter(({ ticker }) => ticker === 'ETH') : PARTIES

const each = (text: (party: Party, index: number) => string): string => PARTIES.map(text).join('\n')
const remark = ({ name, ticker, address }: Party): string =>
  `Known as ${name}. Digital Currency Address - ${ticker} ${address}; other text.`

const OFSI_COLUMNS = [
  ...['Name 6', 'Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5', 'Other Information', 'Alias Type'],
  ...['Regime', 'Listed On', 'UK Sanctions List Date Designated', 'Last Updated', 'Group ID'],
]

function ofsiRow(party: Party, index: number): string {
  const fields: Readonly<Record<string, string>> = {
    ...{ 'Name 6': party.name, 'Other Information': remark(party), 'Alias Type': 'Primary name' },
    ...{ Regime: 'Cyber', 'Listed On': '19/02/2024', 'Group ID': String(16_440 + index) },
  }
  return OFSI_COLUMNS.map((column) => `"${fields[column] ?? ''}"`).join(',')
}

/** In packs, USDT is a token of Ethereum. */
const TICKER_OF_PACKS: Readonly<Record<string, string>> = { USDT: 'TRX' }

const ftmEntity = (id: string, schema: string, caption: string, properties: object): string =>
  JSON.stringify({ id, schema, caption, datasets: ['us_ofac_sdn'], properties })
const holderLine = ({ name }: Party, index: number): string =>
  ftmEntity(`NK-${index}`, 'Person', name, { name: [name], topics: ['sanction'] })
const walletLine = ({ ticker, address }: Party, index: number): string =>
  ftmEntity(`wallet-${index}`, 'CryptoWallet', address, {
    ...{ publicKey: [address], currency: [ticker], holder: [`NK-${index}`] },
  })

export const DOCUMENTS: Readonly<Record<string, () => string>> = {
  'ofac-xml': () =>
    `<?xml version="1.0"?>\n<sdnList>\n<publshInformation>\n<Publish_Date>08/18/2026</Publish_Date>\n<Record_Count>${PARTIES.length}</Record_Count>
</publshInformation>\n${each(
      ({ name, ticker, address }, index) => `<sdnEntry>
<uid>${index + 7}</uid>
<lastName>${name}</lastName>
<idList>
<id>
<uid>${index + 90}</uid>
<idType>Digital Currency Address - ${ticker}</idType>
<idNumber>${address}</idNumber>
</id>
</idList>
</sdnEntry>`,
    )}\n</sdnList>\n`,
  'ofac-advanced-xml': () =>
    `<?xml version="1.0"?>\n<Sanctions>
<DateOfIssue>\n<Year>2026</Year>\n<Month>8</Month>\n<Day>18</Day>\n</DateOfIssue>
<ReferenceValueSets>
<FeatureTypeValues>\n${each(({ ticker }, index) => `<FeatureType ID="${344 + index}">Digital Currency Address - ${ticker}</FeatureType>`)}
</FeatureTypeValues>
<ListValues>\n<List ID="1550">SDN List</List>\n</ListValues>
</ReferenceValueSets>
<DistinctParties>\n${each(
      ({ address }, index) => `<DistinctParty FixedRef="${index + 5}">
<Profile ID="${index + 5}">
<Feature FeatureTypeID="${344 + index}">
<VersionDetail>${address}</VersionDetail>
</Feature>
</Profile>
</DistinctParty>`,
    )}\n</DistinctParties>
<SanctionsEntries>\n${each(
      (_, index) => `<SanctionsEntry ProfileID="${index + 5}" ListID="1550">
</SanctionsEntry>`,
    )}\n</SanctionsEntries>
</Sanctions>\n`,
  'ofac-csv': () =>
    `${PARTIES.map(
      (party, index) =>
        `${index + 7},"${party.name}","-0- ","SDNT",${Array<string>(7).fill('-0- ').join(',')},"${remark(party)}"`,
    ).join('\r\n')}\r\n`,
  csv: () =>
    `address,chain,category,entity,source,source_url,confidence,observed_at\n${each(
      ({ name, ticker, address }) => `${address},${ticker},sanctions,${name},ofac_sdn,,1.0,2026-11-20`,
    )}\n`,
  'eu-fsf-xml': () =>
    `<?xml version="1.0"?>\n<export generationDate="2026-08-05T16:47:04.123+02:00" globalFileId="1">\n${each(
      (party, index) => `<sanctionEntity euReferenceNumber="EU.${index + 1}">
<remark>${remark(party)}</remark>
<nameAlias wholeName="${party.name}"/>
</sanctionEntity>`,
    )}\n</export>\n`,
  'un-xml': () =>
    `<?xml version="1.0"?>\n<CONSOLIDATED_LIST dateGenerated="2026-08-05T16:47:04.123Z">\n<INDIVIDUALS>\n${each(
      (party, index) => `<INDIVIDUAL>
<FIRST_NAME>${party.name}</FIRST_NAME>
<REFERENCE_NUMBER>KPi.${index + 1}</REFERENCE_NUMBER>
<COMMENTS1>${remark(party)}</COMMENTS1>
</INDIVIDUAL>`,
    )}\n</INDIVIDUALS>\n<ENTITIES></ENTITIES>\n</CONSOLIDATED_LIST>\n`,
  'uk-sanctions-xml': () =>
    `<?xml version="1.0"?>\n<Designations>\n<DateGenerated>20/08/2026</DateGenerated>\n${each(
      (party, index) => `<Designation>
<UniqueID>CYB${index + 1}</UniqueID>
<OtherInformation>${remark(party)}</OtherInformation>
</Designation>`,
    )}\n</Designations>\n`,
  'ofsi-csv': () =>
    ['Last Updated,03/06/2026', OFSI_COLUMNS.join(','), ...PARTIES.map(ofsiRow), ''].join('\r\n'),
  'ofsi-xml': () =>
    `<?xml version="1.0"?>\n<ArrayOfFinancialSanctionsTarget xmlns="http://schemas.example.org/ofsi">\n${each(
      (party, index) => `<FinancialSanctionsTarget>
<Name6>${party.name}</Name6>
<AliasType>Primary name</AliasType>
<GroupID>${16_440 + index}</GroupID>
<RegimeName>Cyber</RegimeName>
<DateListed>2024-02-19T00:00:00</DateListed>
<LastUpdated>2026-05-01T00:00:00</LastUpdated>
<OtherInformation>${remark(party)}</OtherInformation>
</FinancialSanctionsTarget>`,
    )}\n</ArrayOfFinancialSanctionsTarget>\n`,
  // The word of the category comes last, so that a cut within a tag shows.
  tagpack: () =>
    `title: Designated addresses\ncreator: Example\ntags:\n${each(
      ({ name, ticker, address }) => `- address: ${address}
  currency: ${TICKER_OF_PACKS[ticker] ?? ticker}
  label: ${name}
  confidence: authority_data
  abuse: sanction`,
    )}\n`,
  ftm: () => `${each((party, index) => `${holderLine(party, index)}\n${walletLine(party, index)}`)}\n`,
  'explorer-json': () =>
    `[\n${partiesOf('explorer-json')
      .map(({ name, address }) => JSON.stringify({ address, nameTag: name, chainId: 1 }))
      .join(',\n')}\n]\n`,
}
