import { describe, expect, test } from 'vitest'
import { noSharedData, parseFile, rawFile, textFile, type Parsed } from '../../../test/formats/samples.js'
import { ofacXmlFormat } from './sdn-xml.js'

const entry = (uid: number, name: string, ids: string): string =>
  `<sdnEntry><uid>${uid}</uid>${name}<sdnType>Entity</sdnType><idList>${ids}</idList></sdnEntry>`
const id = (type: string, number: string): string =>
  `<id>\n<uid>1</uid><idType>${type}</idType><idNumber>${number}</idNumber></id>`
const list = (entries: string, count: number, date = '08/18/2026'): string =>
  `<?xml version="1.0" standalone="yes"?>\n<sdnList xmlns="https://example.org/XML"><publshInformation>` +
  `<Publish_Date>${date}</Publish_Date><Record_Count>${count}</Record_Count></publshInformation>${entries}</sdnList>`

const garantex = entry(
  36025,
  '<lastName>GARANTEX &amp; CO</lastName>',
  id('Website', 'garantex.example') +
    id('Digital Currency Address - XBT', ' 3Lpoy53K625zVeE47ZasiG5jGkAxJ27kh1 ') +
    id('Digital Currency Address - USDT', '3E6ZCKRrsdPc35chA9Eftp1h3DLW18NFNV'),
)
const eth = 'Digital Currency Address - ETH'
const address = '0x7F367cC41522cE07553e823bf3be79A889DEbe1B'
const person = entry(
  7,
  '<firstName>Danil</firstName><lastName>POTEKHIN</lastName>',
  id('Digital Currency Address - ETH', '0x7F367cC41522cE07553e823bf3be79A889DEbe1B'),
)

describe('the classic SDN list', () => {
  test('gives every digital currency address with its party, its ticker as a hint and no chain', async () => {
    const { rows, facts } = await parse(list(garantex + person, 2))
    expect(rows).toMatchObject([
      {
        address: '3Lpoy53K625zVeE47ZasiG5jGkAxJ27kh1',
        chain: null,
        chainHint: 'XBT',
        entity: 'GARANTEX & CO',
      },
      {
        address: '3E6ZCKRrsdPc35chA9Eftp1h3DLW18NFNV',
        chain: null,
        chainHint: 'USDT',
        entity: 'GARANTEX & CO',
      },
      { address: '0x7F367cC41522cE07553e823bf3be79A889DEbe1B', chainHint: 'ETH', entity: 'Danil POTEKHIN' },
    ])
    expect(rows.map((row) => row.line)).toEqual([3, 4, 5])
    expect(rows[0]).toMatchObject({
      category: 'sanctions',
      kind: 'designation',
      sourceUrl: 'https://sanctionssearch.ofac.treas.gov/Details.aspx?id=36025',
      observedAt: '2026-08-18T00:00:00.000Z',
      validFrom: null,
    })
    expect(facts).toMatchObject({ publishedAt: '2026-08-18T00:00:00.000Z', defaultSource: 'ofac_sdn' })
  })

  test('gives what the authority says: list, programmes, number of the party, at most five other names', async () => {
    const names = ['G', 'F', 'E', 'D', 'C', 'B', 'Danil POTEKHIN', 'A\u202e']
    const details =
      '<programList><program>CYBER2</program><program>DPRK3</program></programList><akaList>' +
      names.map((name) => `<aka><uid>1</uid><type>a.k.a.</type><lastName>${name}</lastName></aka>`).join('') +
      '<aka><firstName>Dan</firstName><lastName>P</lastName></aka></akaList>'
    const text = list(person.replace('<idList>', `${details}<idList>`), 1)
    const { rows } = await parse(text)
    expect(rows.map(({ sanction, validFrom }) => ({ sanction, validFrom }))).toEqual([
      {
        validFrom: null,
        sanction: {
          list: 'OFAC SDN',
          programmes: ['CYBER2', 'DPRK3'],
          entityId: '7',
          aliases: ['B', 'C', 'D', 'Dan P', 'E'],
          designatedOn: null,
        },
      },
    ])
  })

  test.each([
    ['in a second number of one identifier', id(eth, `1abc</idNumber><idNumber>${address}`)],
    ['in a number without an identifier', `<idNumber>${address}</idNumber>`],
    ['in an attribute of a number', `<id><idType>${eth}</idType><idNumber value="${address}"/></id>`],
  ])('loses no address %s', async (_where, ids) => {
    const { rows } = await parse(list(entry(7, '<lastName>X</lastName>', ids), 1))
    expect(rows.map((row) => row.address).join()).toContain(address)
  })

  test('keeps a number of a currency that has a second type', async () => {
    const { rows } = await parse(
      list(entry(7, '<lastName>X</lastName>', id(`${eth}</idType><idType>Passport`, '0xabc')), 1),
    )
    expect(rows).toMatchObject([{ address: '0xabc', chainHint: 'ETH' }])
  })

  test('names an address that no party has', async () => {
    const { rows, unreadable } = await parse(
      list(`${person}<idList>${id(eth, '0x5a0b54d5dc17e0aadc383d2db43b0a0d3e029c4c')}</idList>`, 1),
    )
    expect([rows.length, unreadable]).toEqual([
      1,
      [
        {
          line: 4,
          reason:
            'the address is outside of every listed party: "0x5a0b54d5dc17e0aadc383d2db43b0a0d3e029c4c"',
        },
      ],
    ])
  })

  test('keeps a designation whose name cannot be shown', async () => {
    const { rows } = await parse(list(person.replace('POTEKHIN', '\u202ePOTEKHIN'), 1))
    expect(rows).toMatchObject([{ address: '0x7F367cC41522cE07553e823bf3be79A889DEbe1B', entity: '' }])
  })

  test('is refused as a whole where it does not keep its own count', async () => {
    await expect(parse(list(garantex + person, 3))).rejects.toMatchObject({ refusal: 'miscounted' })
  })

  test('is refused as a whole wherever it is cut off', async () => {
    const whole = list(garantex + person, 2)
    for (let length = 0; length < whole.length; length += 1) {
      await expect(parse(whole.slice(0, length)), `cut at ${length}`).rejects.toMatchObject({
        name: 'SetRefusedError',
        refusal: expect.stringMatching(/truncated|malformed/) as string,
      })
    }
  })

  test.each([
    ['another document', '<html></html>', 'wrong-header'],
    ['no count', '<sdnList></sdnList>', 'malformed'],
    ['a count that is not a number', list('', 0).replace('>0<', '>none<'), 'malformed'],
    ['something else as a date', list('', 0, '18.08.2026'), 'malformed'],
    ['an undefined entity', list('&lol;', 0), 'malformed'],
    ['tags that cross', list('<sdnEntry><uid></sdnEntry></uid>', 1), 'malformed'],
  ])('is refused as a whole: %s', async (_what, text, refusal) => {
    await expect(parse(text)).rejects.toMatchObject({ name: 'SetRefusedError', refusal })
  })
})

test.skipIf(noSharedData)(
  'a genuine excerpt of SDN.XML is read to the last address (skipped without the shared data)',
  async () => {
    const { rows, facts } = await parseFile(ofacXmlFormat, rawFile('ofac/sdn_excerpt_2026-08-18.xml'))
    expect(rows).toHaveLength(39)
    expect(new Set(rows.map((row) => row.entity))).toContain('GARANTEX EUROPE OU')
    expect(facts.publishedAt).toBe('2026-08-18T00:00:00.000Z')
    expect(rows.every(({ sanction }) => sanction!.programmes.length > 0)).toBe(true)
    expect(rows.find(({ entity }) => entity === 'GARANTEX EUROPE OU')?.sanction).toMatchObject({
      aliases: ['GARANTEX'],
    })
  },
)

const parse = (text: string): Promise<Parsed> => parseFile(ofacXmlFormat, textFile(text, 100))
