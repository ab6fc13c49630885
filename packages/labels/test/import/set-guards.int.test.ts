import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LABEL_PARTITION, LABEL_TOPIC } from '../../src/read-model/reducers.js'
import { listPublications, listSets } from '../../src/read-model/sets.js'
import { startInstallation, type ImportInstallation } from './installation.js'
import { evm, row, rows } from './rows.js'

let installation: ImportInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(async () => await installation.close())

const labelsEnd = (): Promise<number> => installation.deps.log.endOffset(LABEL_TOPIC, LABEL_PARTITION)

describe('removals', () => {
  test('of up to five labels or two percent need no confirmation', async () => {
    const name = 'few.csv'
    await installation.imported(await installation.list(name, rows('few', 300)))
    expect(await installation.imported(await installation.list(name, rows('few', 294)))).toMatchObject({
      retired: 6,
    })
    expect(await installation.imported(await installation.list(name, rows('few', 289)))).toMatchObject({
      retired: 5,
    })
  })

  test('beyond that are refused until the operator accepts exactly their number and says why', async () => {
    const name = 'many.csv'
    await installation.imported(await installation.list(name, rows('many', 100)))
    const shorter = await installation.list(name, rows('many', 50))
    const before = await labelsEnd()
    expect(await installation.import(shorter)).toMatchObject({ refusal: 'too-many-removals', removals: 50 })
    for (const acceptRemovals of [49, 51]) {
      expect(await installation.import(shorter, { acceptRemovals, reason: 'delisted' })).toMatchObject({
        refusal: 'too-many-removals',
      })
    }
    expect(await labelsEnd()).toBe(before)
    const accepted = await installation.imported(shorter, { acceptRemovals: 50, reason: 'delisted' })
    expect(accepted).toMatchObject({ retired: 50 })
    const [published] = await listPublications(installation.database, { source: 'many', dataset: name })
    expect(published).toMatchObject({
      acceptedRemovals: 50,
      reason: 'delisted',
      importedBy: 'operator:test',
      total: 50,
    })
  })

  test('beyond the guard in one of several sets stop the whole file', async () => {
    const name = 'both.csv'
    await installation.imported(await installation.list(name, [...rows('left', 20), ...rows('right', 20)]))
    const before = await labelsEnd()
    const result = await installation.import(
      await installation.list(name, [...rows('left', 20), ...rows('right', 9)]),
    )
    expect(result).toMatchObject({ refusal: 'too-many-removals', removals: 11 })
    expect(await labelsEnd()).toBe(before)
  })
})

describe('a set', () => {
  test('is withdrawn by an empty file only with source, set, number and reason', async () => {
    const name = 'withdrawn.csv'
    await installation.imported(await installation.list(name, rows('withdrawn', 40)))
    const empty = await installation.list(name, [])
    expect(await installation.import(empty)).toMatchObject({ refusal: 'no-usable-row' })
    expect(await installation.import(empty, { source: 'withdrawn' })).toMatchObject({
      refusal: 'no-usable-row',
    })
    const purpose = { source: 'withdrawn', reason: 'imported under a wrong name' }
    expect(await installation.import(empty, { ...purpose, acceptRemovals: 39 })).toMatchObject({
      refusal: 'too-many-removals',
      removals: 40,
    })
    expect(await installation.imported(empty, { ...purpose, acceptRemovals: 40 })).toMatchObject({
      retired: 40,
    })
    const sets = (await listSets(installation.database)).filter(({ source }) => source === 'withdrawn')
    expect(sets).toMatchObject([{ total: 0, retired: 40 }])
  })

  test('of an authority that has another set gives a warning: a delisting from one would not reach the other', async () => {
    const listed = [row({ source: 'uk_ofsi', category: 'sanctions', address: evm(0x77), chain: 'ETH' })]
    const first = await installation.imported(await installation.list('ofsi-august.csv', listed))
    expect(first.warnings).toEqual([])
    const second = await installation.imported(await installation.list('ofsi-september.csv', listed))
    expect(second.warnings).toEqual([expect.stringContaining('uk_ofsi/ofsi-august.csv')])
  })
})

test('a list dated in the future is refused: a mistyped year would make an old list look like one of today', async () => {
  const file = await installation.list('typo.csv', rows('typo', 3))
  expect(await installation.import(file, { asOf: '2962-01-01' })).toMatchObject({ refusal: 'bad-option' })
  // In the place where the list is published, the day may already have begun.
  const tomorrow = new Date(Date.now() + 3_600_000).toISOString()
  const { sets } = await installation.imported(file, { asOf: tomorrow })
  expect(Date.parse(sets[0]!.asOf!)).toBeLessThanOrEqual(Date.now())
  const xml = `<?xml version="1.0"?><sdnList><publshInformation><Publish_Date>11/21/2962</Publish_Date><Record_Count>1</Record_Count>
    </publshInformation><sdnEntry><uid>7</uid><lastName>LAZARUS</lastName><idList><id><uid>1</uid>
    <idType>Digital Currency Address - ETH</idType><idNumber>${evm(9)}</idNumber></id></idList></sdnEntry></sdnList>`
  const list = await installation.file('SDN.XML', xml)
  const refused = await installation.import(list, { format: 'ofac-xml' })
  expect(refused).toMatchObject({ status: 'refused', message: expect.stringContaining('future') as string })
})

describe('an earlier file of a set', () => {
  test('does not return without a reason once another one replaced it, and may be added without one', async () => {
    const set = 'returns'
    const first = await installation.list('first.csv', rows('returns', 20))
    const second = await installation.list('second.csv', rows('returns', 20, {}, 2))
    const refused = async (file: string): Promise<void> =>
      expect(await installation.import(file, { set })).toMatchObject({ refusal: 'superseded' })
    for (const file of [first, first, second]) await installation.imported(file, { set })
    await refused(first)
    await installation.imported(first, { set: 'returns elsewhere' })
    await installation.imported(first, { set, append: true })
    await refused(second)
    const { sets } = await installation.imported(second, { set, reason: 'the other file was wrong' })
    expect(sets).toMatchObject([{ historical: false, total: 20 }])
    await installation.imported(second, { set })
  })
})

describe('a list older than the published one', () => {
  test('adds history and changes nothing current', async () => {
    const name = 'sdn.csv'
    const listed = row({
      source: 'ofac_sdn',
      category: 'sanctions',
      address: evm(0x51),
      chain: 'ETH',
      date: '2026-08-20',
    })
    const delisted = row({
      source: 'ofac_sdn',
      category: 'sanctions',
      address: evm(0x52),
      chain: 'ETH',
      date: '2024-09-27',
    })
    await installation.imported(await installation.list(name, [listed]), { asOf: '2026-08-20' })
    const older = await installation.imported(
      await installation.list(name, [listed.replace('2026-08-20', '2024-09-27'), delisted]),
      { asOf: '2024-09-27' },
    )
    expect(older).toMatchObject({ added: 1, unchanged: 1, retired: 0 })
    expect(older.sets[0]).toMatchObject({ historical: true, total: 1 })
    expect(older.warnings).toHaveLength(1)
    const history = (await installation.show(evm(0x52))).filter(({ dataset }) => dataset === name)
    expect(history).toMatchObject([{ historical: true, listed: false, validTo: '2026-08-20T00:00:00.000Z' }])
    const sets = (await listSets(installation.database)).filter(({ dataset }) => dataset === name)
    expect(sets).toMatchObject([{ asOf: '2026-08-20T00:00:00.000Z', total: 1 }])
    // The same earlier list is already known, and the current list is unchanged.
    const again = await installation.list(name, [delisted])
    expect(await installation.imported(again, { asOf: '2024-09-27' })).toMatchObject({
      added: 0,
      unchanged: 1,
    })
    const current = await installation.list(name, [listed])
    expect(await installation.imported(current, { asOf: '2026-08-20' })).toMatchObject({
      added: 0,
      unchanged: 1,
    })
  })
})

describe('sanctions', () => {
  const sanctioned = (source: string, count: number, entity = 'A listed party'): string[] =>
    Array.from({ length: count }, (_, index) =>
      row({ source, category: 'sanctions', address: evm(0x900 + index), chain: 'ETH', entity }),
    )

  test.each([
    ['own_list', 8, 7, 1],
    ['own_list', 10, 9, 1],
    ['own_list', 20, 15, 5],
    ['eu_fsf', 8, 7, 1],
    ['il_nbctf', 20, 15, 5],
  ])('of %s: %i that become %i need the number %i', async (source, before, after, removals) => {
    const name = `${source}-${before}.csv`
    await installation.imported(await installation.list(name, sanctioned(source, before)))
    const shorter = await installation.list(name, sanctioned(source, after))
    expect(await installation.import(shorter)).toMatchObject({ refusal: 'too-many-removals', removals })
    const accepted = { acceptRemovals: removals, reason: 'delisted' }
    expect(await installation.imported(shorter, accepted)).toMatchObject({ retired: removals })
    const empty = { source, acceptRemovals: after, reason: 'the end of the test' }
    await installation.imported(await installation.list(name, []), empty)
  })

  test('of a short own list keep their address if only the party is renamed', async () => {
    const name = 'renamed.csv'
    await installation.imported(await installation.list(name, sanctioned('renaming', 3)))
    const renamed = await installation.list(name, sanctioned('renaming', 3, 'The same party'))
    expect(await installation.imported(renamed)).toMatchObject({ added: 3, retired: 3 })
  })

  test('of a short list are guarded as well as a long list of the same authority', async () => {
    const long = rows('ofac_sdn', 400).map((line) => line.replace(',scam,', ',sanctions,'))
    await installation.imported(await installation.list('long.csv', long))
    const short = (count: number): Promise<string> =>
      installation.list('short.csv', sanctioned('ofac_sdn', count))
    await installation.imported(await short(6))
    expect(await installation.import(await short(5))).toMatchObject({
      refusal: 'too-many-removals',
      removals: 1,
    })
  })

  test('of a replaced own list need their number too', async () => {
    await installation.imported(await installation.list('first.csv', sanctioned('replacing', 4)))
    const second = await installation.list('second.csv', sanctioned('replacing', 3))
    expect(await installation.import(second, { replaces: ['first.csv'] })).toMatchObject({
      refusal: 'too-many-removals',
      removals: 1,
    })
  })
})

test.each(['us-ofac', 'OFAC SDN', 'ofac_sdn '])(
  'a list of the source %j is refused: its labels would end with the list of the authority',
  async (source) => {
    const before = await labelsEnd()
    const file = await installation.list('own.csv', rows(source, 2, { category: 'sanctions' }))
    const refused = await installation.import(file)
    expect(refused).toMatchObject({ status: 'refused', refusal: 'unclear-source' })
    expect(refused).toMatchObject({ message: expect.stringContaining('reads like ofac_sdn') })
    const named = await installation.import(await installation.list('named.csv', rows('named', 2)), {
      source,
    })
    expect(named).toMatchObject({ refusal: 'unclear-source' })
    expect(await labelsEnd()).toBe(before)
  },
)
