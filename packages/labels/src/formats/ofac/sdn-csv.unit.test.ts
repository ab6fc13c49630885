import { parseListedAddress } from '@cupel/domain'
import { describe, expect, test } from 'vitest'
import { noSharedData, parseFile, rawFile, textFile } from '../../../test/formats/samples.js'
import type { LabelRow } from '../label-source.js'
import { ofacCsvFormat } from './sdn-csv.js'

const nothing = Array<string>(7).fill('-0- ').join(',')
const row = (uid: number, name: string, remarks: string): string =>
  `${uid},"${name}","individual","CYBER2",${nothing},"${remarks}"\r\n`

describe('the legacy SDN CSV', () => {
  test('gives the addresses in the remarks, with the person named as people are', async () => {
    const text =
      row(
        29702,
        'POTEKHIN, Danil',
        'DOB 1 Jan 1990; Digital Currency Address - ETH 0xabc; alt. Digital Currency Address - XBT 1abc.',
      ) + `9,"ACME, S.A.","-0- ","SDNT",${nothing},"-0- "\r\n\u001a\r\n`
    expect(await parse(text)).toMatchObject([
      {
        address: '0xabc',
        chainHint: 'ETH',
        entity: 'Danil POTEKHIN',
        category: 'sanctions',
        kind: 'designation',
        line: 1,
      },
      { address: '1abc', chainHint: 'XBT' },
    ])
  })

  test('gives the programmes, the number of the party and the aliases in the remarks', async () => {
    const text = row(
      29702,
      'POTEKHIN, Danil',
      "Digital Currency Address - ETH 0xabc; a.k.a. 'CRONUSER'; f.k.a. 'DAN'.",
    ).replace('CYBER2', 'CYBER2] [DPRK3')
    expect((await parse(text))[0]!.sanction).toEqual({
      list: 'OFAC SDN',
      programmes: ['CYBER2', 'DPRK3'],
      entityId: '29702',
      aliases: ['CRONUSER', 'DAN'],
      designatedOn: null,
    })
  })

  test('follows remarks that were cut inside an address into sdn_comments', async () => {
    const text = row(30518, 'LIFSHITS, Artem', 'Digital Currency Address - XBT 12udabs2Tk')
    expect(await parse(text, '30518,"X7NXC; Linked To: OTHERS."\r\n30518," More."\r\n')).toMatchObject([
      { address: '12udabs2TkX7NXC' },
    ])
  })

  test('loses no address in another column, and none in the comments on a party that the list lacks', async () => {
    const address = '0x5a0b54d5dc17e0aadc383d2db43b0a0d3e029c4c'
    expect(await parse(row(7, `OWNER OF ${address}`, 'Linked To: OTHERS.'))).toMatchObject([{ address }])
    const { unreadable } = await parseFile(ofacCsvFormat, textFile(row(7, 'X', 'Linked To: OTHERS.')), {
      companion: textFile(`8,"Digital Currency Address - ETH ${address}."\r\n`),
    })
    expect(unreadable).toEqual([{ line: 1, reason: 'the list has no party 8, which the comments name' }])
  })

  test('is refused as a whole where remarks are cut and nothing continues them', async () => {
    const text = row(30518, 'LIFSHITS, Artem', 'Digital Currency Address - XBT 12udabs2Tk')
    await expect(parse(text)).rejects.toMatchObject({ refusal: 'missing-option', line: 1 })
    await expect(parse(text, '1,"Other."\r\n')).rejects.toMatchObject({ refusal: 'truncated' })
  })

  test.each([
    ['a column too few', '1,"A","x"\r\n', 'wrong-columns'],
    ['an open quote', row(1, 'A', 'B.').slice(0, -3), 'truncated'],
    ['a last row without its remarks', row(1, 'A', 'B.').slice(0, -6), 'truncated'],
    ['no number first', row(1, 'A', 'B.').replace('1', 'ent_num'), 'malformed'],
  ])('is refused as a whole: %s', async (_what, text, refusal) => {
    await expect(parse(text)).rejects.toMatchObject({ name: 'SetRefusedError', refusal })
  })
})

test.skipIf(noSharedData)(
  'a genuine excerpt of SDN.CSV is read with its comments: no address is cut (skipped without the shared data)',
  async () => {
    const companion = rawFile('ofac/sdn_comments_2021-07.csv')
    const { rows } = await parseFile(ofacCsvFormat, rawFile('ofac/sdn_csv_excerpt_2021-07.csv'), {
      companion,
    })
    const addresses = new Set(rows.map((found) => found.address))
    // These two are in the comments, after an address that begins in the list.
    expect(addresses).toContain('LWnbjLYUfqeokfbWM4FcU7uk2FP2DSxuWS')
    expect(addresses).toContain('0x8576acc5c05d6ce88f4e49bf65bdf0c62f91353c')
    expect(rows.length).toBeGreaterThan(50)
    const unreadable = rows.filter(
      ({ address, chainHint }) => !parseListedAddress(address, chainHint ?? '').ok,
    )
    // OFAC's own mistakes: a payment id listed as a Monero address, and an address that lacks its last digit.
    expect(unreadable.map(({ address }) => address)).toEqual([
      '5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320',
      '0xa7e5d5a720f06526557c513402f2e6b5fa20b00',
    ])
  },
)

async function parse(text: string, companion?: string): Promise<readonly LabelRow[]> {
  const options = companion === undefined ? {} : { companion: textFile(companion) }
  return (await parseFile(ofacCsvFormat, textFile(text), options)).rows
}
