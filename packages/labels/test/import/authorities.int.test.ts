/** Designations by several authorities, from their own lists and through a collection. The parties are made up. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listSets } from '../../src/read-model/sets.js'
import { startInstallation, type ImportInstallation } from './installation.js'
import { judgedIn } from './judged.js'
import { evm, rows } from './rows.js'

let installation: ImportInstallation
beforeEach(async () => {
  installation = await startInstallation()
})
afterEach(async () => await installation.close())

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const MISPRINT = ADDRESS.slice(0, -1)

const remarks = `Wallet addresses: ETH ${ADDRESS} and ${MISPRINT}`
const lists: readonly (readonly [format: string, source: string, text: string])[] = [
  [
    'uk-sanctions-xml',
    'uk_ofsi',
    '<Designations><DateGenerated>03/06/2026</DateGenerated><Designation><DateDesignated>19/02/2024</DateDesignated>' +
      `<UniqueID>CYB0099</UniqueID><OtherInformation>${remarks}</OtherInformation></Designation></Designations>`,
  ],
  [
    'ofsi-csv',
    'uk_ofsi',
    'Last Updated,03/06/2026\n' +
      'Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Other Information,Alias Type,Regime,Listed On,Group ID\n' +
      `ORLOVSKY,Boris,,,,,${remarks},Primary name,Cyber,19/02/2024,16440\n`,
  ],
  [
    'ofsi-xml',
    'uk_ofsi',
    '<ArrayOfFinancialSanctionsTarget><FinancialSanctionsTarget><Name6>ORLOVSKY</Name6><GroupID>16440</GroupID>' +
      `<DateListed>2024-02-19T00:00:00</DateListed><LastUpdated>2026-06-03T00:00:00</LastUpdated>` +
      `<OtherInformation>${remarks}</OtherInformation></FinancialSanctionsTarget></ArrayOfFinancialSanctionsTarget>`,
  ],
  [
    'eu-fsf-xml',
    'eu_fsf',
    '<export generationDate="2026-06-03T10:00:00.000+02:00"><sanctionEntity designationDate="2024-02-19" logicalId="9">' +
      `<remark>${remarks}</remark><nameAlias wholeName="Boris ORLOVSKY" strong="true"/></sanctionEntity></export>`,
  ],
  [
    'un-xml',
    'un_sc',
    '<CONSOLIDATED_LIST dateGenerated="2026-06-03T10:00:00.000Z"><INDIVIDUALS><INDIVIDUAL><FIRST_NAME>BORIS</FIRST_NAME>' +
      `<LISTED_ON>2024-02-19</LISTED_ON><COMMENTS1>${remarks}</COMMENTS1></INDIVIDUAL></INDIVIDUALS></CONSOLIDATED_LIST>`,
  ],
]

test.each(lists)('an address of a %s list is designated by its authority', async (format, source, text) => {
  const summary = await installation.imported(await installation.file('list', text), { format })
  expect(summary).toMatchObject({ added: 1, refused: { count: 0 }, unreadable: { count: 1 } })
  expect(await listSets(installation.database)).toMatchObject([{ source, whole: true, total: 1 }])
  const [label] = await installation.show(ADDRESS)
  expect(label).toMatchObject({
    kind: 'designation',
    confidencePpm: 1_000_000,
    validFrom: '2024-02-19T00:00:00.000Z',
    sanction: { designatedOn: '2024-02-19' },
  })
  expect(await judgedIn(installation, ADDRESS, 'ETH')).toMatchObject({
    level: 'red',
    overallHundredths: 10_000,
  })
})

describe('a wallet that a collection names for two authorities', () => {
  const wallet = (datasets: readonly string[]): string =>
    `${JSON.stringify({
      id: 'w',
      schema: 'CryptoWallet',
      caption: ADDRESS,
      datasets,
      last_change: '2026-06-03T00:00:00',
      properties: { publicKey: [ADDRESS], currency: ['ETH'], topics: ['sanction'] },
    })}\n`
  const collected = async (datasets: readonly string[]): Promise<void> => {
    await installation.imported(await installation.file('entities.ftm.json', wallet(datasets)), {
      format: 'ftm',
    })
  }
  const importOwnList = async (): Promise<void> => {
    const other = rows('ofac_sdn', 3, { source: 'ofac_sdn', category: 'sanctions' }, 1)
    await installation.imported(await installation.list('sdn', other), {
      ...{ whole: true, asOf: '2026-11-20' },
      ...{ acceptRemovals: 1, reason: 'OFAC’s own list does not state it' },
    })
  }

  test('stays designated by the other one when one’s own list does not name it', async () => {
    await collected(['us_ofac_sdn', 'eu_fsf'])
    await importOwnList()
    const { level, overallHundredths } = await judgedIn(installation, ADDRESS, 'ETH')
    expect({ level, overallHundredths }).toEqual({ level: 'orange', overallHundredths: 5_000 })
  })

  test('counts as two statements where neither own list is here', async () => {
    await collected(['us_ofac_sdn', 'eu_fsf'])
    expect(await judgedIn(installation, ADDRESS, 'ETH')).toMatchObject({
      level: 'red',
      overallHundredths: 7_500,
    })
  })

  test('of only one authority ends with that authority’s own list', async () => {
    await collected(['us_ofac_sdn'])
    await importOwnList()
    expect(await judgedIn(installation, ADDRESS, 'ETH')).toMatchObject({ overallHundredths: 0 })
    expect(await judgedIn(installation, evm(1), 'ETH')).toMatchObject({ level: 'red' })
  })
})
