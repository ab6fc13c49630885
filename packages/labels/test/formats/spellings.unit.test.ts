/**
 * However an authority writes a listed address, it designates, or its row is counted as unreadable, and then the set is incomplete. It is
 * never neither: a designation that gets lost without a word makes a false green.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAddress } from '@cupel/domain'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createSpools, SPOOL_BUCKETS } from '../../src/import/label-spool.js'
import { readLabels, rowsOf, tallyOfFile } from '../../src/import/read-labels.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-spellings-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Addresses whose checksum, or whose length, shows every change. */
const ADDRESSES = [
  ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'ETH'],
  ['0x7f367cc41522ce07553e823bf3be79a889debe1b', 'ETH'],
  ['1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', 'XBT'],
  ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'XBT'],
  ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'USDT'],
] as const

const WORDINGS = [
  ...['Digital Currency Address - ', 'digital currency address-', 'DIGITAL  CURRENCY ADDRESS – '],
  ...[
    'Virtual Currency Address: ',
    'Crypto Wallet Address ',
    'Cryptocurrency address - ',
    'Blockchain Address ',
  ],
  ...['Digital\u200b Currency Address - ', 'Digital Asset Wallet, '],
]

/** Changes of writing, by their names, which a failure shows. */
const SPELLINGS: Readonly<Record<string, (address: string, at: number) => string>> = {
  'lower case': (address) => address.toLowerCase(),
  'upper case': (address) => address.toUpperCase(),
  'other case': (address, at) => address.slice(0, at) + swapped(address.slice(at)),
  'zero width': (address, at) => `${address.slice(0, at)}\u200b${address.slice(at)}\ufeff`,
  'soft hyphen': (address, at) => `${address.slice(0, at)}\u00ad${address.slice(at)}`,
  dash: (address, at) => `${address.slice(0, at)}-${address.slice(at)}`,
  'long dash': (address, at) => `${address.slice(0, at)}–${address.slice(at)}`,
  space: (address, at) => `${address.slice(0, at)} ${address.slice(at)}`,
  lines: (address, at) => `${address.slice(0, at)}\n    ${address.slice(at)}`,
  'no 0x': (address) => address.replace(/^0x/i, ''),
  'glued before': (address) => `wallet${address}`,
  'glued after': (address) => `${address}owner`,
  second: (address) => `${address}, TFcBjKTtn2RH1Z3yAE2hGCCaaSF2pVVgrA`,
  'missing end': (address) => address.slice(0, -1),
  'other letter': (address, at) =>
    address.slice(0, at) + (address[at] === 'z' ? 'y' : 'z') + address.slice(at + 1),
  'full stop': (address) => `${address}.`,
  brackets: (address) => `(${address})`,
}

const swapped = (text: string): string =>
  [...text].map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join('')

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const csvField = (text: string): string => `"${text.replaceAll('"', '""')}"`

interface Said {
  readonly wording: string
  readonly ticker: string
  readonly address: string
}

/** A document of each designating format with one party. */
const DOCUMENTS: Readonly<Record<string, (said: Said) => string>> = {
  'ofac-xml': ({ wording, ticker, address }) =>
    '<sdnList><publshInformation><Publish_Date>08/18/2026</Publish_Date><Record_Count>1</Record_Count></publshInformation>' +
    `<sdnEntry><uid>7</uid><lastName>X</lastName><idList><id><uid>1</uid><idType>${escaped(wording + ticker)}</idType>` +
    `<idNumber>${escaped(address)}</idNumber></id></idList></sdnEntry></sdnList>`,
  'ofac-advanced-xml': ({ wording, ticker, address }) =>
    '<Sanctions><DateOfIssue><Year>2026</Year><Month>8</Month><Day>18</Day></DateOfIssue><ReferenceValueSets><FeatureTypeValues>' +
    `<FeatureType ID="344">${escaped(wording + ticker)}</FeatureType></FeatureTypeValues>` +
    '<ListValues><List ID="1550">SDN List</List></ListValues></ReferenceValueSets><DistinctParties><DistinctParty FixedRef="5">' +
    `<Profile ID="5"><Feature FeatureTypeID="344"><VersionDetail>${escaped(address)}</VersionDetail></Feature></Profile>` +
    '</DistinctParty></DistinctParties><SanctionsEntries><SanctionsEntry ProfileID="5" ListID="1550"></SanctionsEntry>' +
    '</SanctionsEntries></Sanctions>',
  'ofac-csv': ({ wording, ticker, address }) =>
    `7,"X","-0- ","SDNT",${Array<string>(7).fill('-0- ').join(',')},${csvField(`DOB 1990; ${wording}${ticker} ${address}; More.`)}\r\n`,
  csv: ({ ticker, address }) =>
    'address,chain,category,entity,source,source_url,confidence,observed_at\n' +
    `${csvField(address)},${ticker},sanctions,X,ofac_sdn,,1.0,2026-11-20\n`,
  'eu-fsf-xml': (said) =>
    '<export generationDate="2026-08-05T16:47:04.123+02:00"><sanctionEntity euReferenceNumber="EU.1">' +
    `<remark>${remarkOf(said)}</remark><nameAlias wholeName="X"/></sanctionEntity></export>`,
  'un-xml': (said) =>
    '<CONSOLIDATED_LIST dateGenerated="2026-08-05T16:47:04.123Z"><INDIVIDUALS><INDIVIDUAL><FIRST_NAME>X</FIRST_NAME>' +
    `<REFERENCE_NUMBER>1</REFERENCE_NUMBER><COMMENTS1>${remarkOf(said)}</COMMENTS1></INDIVIDUAL></INDIVIDUALS></CONSOLIDATED_LIST>`,
  'uk-sanctions-xml': (said) =>
    '<Designations><DateGenerated>20/08/2026</DateGenerated><Designation><UniqueID>C1</UniqueID>' +
    `<OtherInformation>${remarkOf(said)}</OtherInformation></Designation></Designations>`,
}

const remarkOf = ({ wording, ticker, address }: Said): string =>
  escaped(`Known as X. ${wording}${ticker} ${address}; other text.`)

/** What an import would make of the document: the keys that it designates, and the rows that nobody read. */
async function imported(
  format: string,
  text: string,
): Promise<{ keys: Set<string>; unread: number; rows: number; told: number }> {
  const file = join(folder, 'list')
  writeFileSync(file, text)
  const request = { file, format, dataset: 'set', importedBy: 'test', acceptRemovals: 0 }
  const leftOut = tallyOfFile()
  const spools = createSpools({ query: never, execute: never } as never)
  const keys = new Set<string>()
  try {
    const read = await readLabels(request, spools, { leftOut, now: new Date(), onRows: () => undefined })
    for (const { labels } of read.sources)
      for (let bucket = 0; bucket < SPOOL_BUCKETS; bucket += 1)
        for (const { lookupKey } of await labels.bucket(bucket)) keys.add(lookupKey)
    const rows = rowsOf(read, request, null)
    const told = rows.read + rows.refused + rows.skipped + rows.unreadable
    return { keys, unread: rows.unreadable - rows.accepted, rows: read.rows, told }
  } catch (error) {
    // A document none of whose rows can be read is refused as a whole: the set in force stays.
    if (!(error instanceof Error) || !('refusal' in error) || error.refusal !== 'no-usable-row') throw error
    const { count } = leftOut.unreadable.result()
    return { keys, unread: count, rows: count, told: count }
  }
}

const never = (): never => {
  throw new Error('One address needs no table')
}

describe('a listed address designates, or its row is unreadable', () => {
  test.each(Object.keys(DOCUMENTS))('in %s', async (format) => {
    await assertWithin(
      { name: `spellings in ${format}`, full: 3_000, minimum: 150, demanded: 1_000 },
      fc.asyncProperty(
        fc.constantFrom(...ADDRESSES),
        fc.constantFrom(...WORDINGS),
        fc.constantFrom('', 'own', 'NEWCOIN'),
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(SPELLINGS)), fc.nat()), { maxLength: 3 }),
        async ([address, ticker], wording, named, spellings) => {
          const written = spellings.reduce(
            (text, [spelling, at]) => SPELLINGS[spelling]!(text, 1 + (at % Math.max(1, text.length - 2))),
            address as string,
          )
          const said = { wording, ticker: named === 'own' ? ticker : named, address: written }
          const { keys, unread, rows, told } = await imported(format, DOCUMENTS[format]!(said))
          const parsed = parseAddress(address)
          const isDesignated = parsed.ok && keys.has(parsed.lookupKey)
          expect(isDesignated || unread > 0, JSON.stringify(said)).toBe(true)
          expect(told).toBe(rows)
        },
      ),
    )
  })

  test('not as an address of Solana that only its length makes it', async () => {
    const misprint = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggownerowner'
    const solana = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
    for (const format of Object.keys(DOCUMENTS))
      for (const [address, ticker, unread] of [
        [misprint, '', 1],
        [misprint, 'XBT', 1],
        [solana, 'USDC', 1],
        [solana, 'SOL', 0],
      ] as const)
        expect(
          (await imported(format, DOCUMENTS[format]!({ wording: WORDINGS[0]!, ticker, address }))).unread,
          `${format} ${ticker}`,
        ).toBe(unread)
  })

  test('before the end of a DOS file, with a line break after it or without', async () => {
    const said = { wording: WORDINGS[0]!, ticker: 'ETH', address: ADDRESSES[0][0] }
    for (const end of ['\u001a', '\u001a\r\n'])
      expect((await imported('ofac-csv', DOCUMENTS['ofac-csv']!(said) + end)).keys.size).toBe(1)
  })

  test.each(Object.keys(DOCUMENTS))('as it is, it designates in %s', async (format) => {
    for (const [address, ticker] of ADDRESSES)
      for (const wording of WORDINGS) {
        const { keys, unread } = await imported(format, DOCUMENTS[format]!({ wording, ticker, address }))
        const parsed = parseAddress(address)
        expect([parsed.ok && keys.has(parsed.lookupKey), unread], `${wording}${ticker} ${address}`).toEqual([
          true,
          0,
        ])
      }
  })
})
