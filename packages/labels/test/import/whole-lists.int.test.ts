/** Sets of one authority: whole sets and parts, which set replaces which, and which addresses lose a designation. */
import type { LabelSetPublished } from '@cupel/contracts'
import { testEvent } from '@cupel/testkit/installation'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LABEL_TOPIC } from '../../src/read-model/reducers.js'
import { listSets, type PublishedSet } from '../../src/read-model/sets.js'
import { importLabels, type LabelImportRequest } from '../../src/index.js'
import { startInstallation, type ImportInstallation } from './installation.js'
import { evm, row, rows, type Row } from './rows.js'

let installation: ImportInstallation
beforeEach(async () => {
  installation = await startInstallation()
})
afterEach(async () => await installation.close())

const OFAC = { source: 'ofac_sdn', category: 'sanctions', confidence: '0.99' }
/** Addresses `from` to `to` as designations of OFAC. */
const designations = (from: number, to: number, more: Row = {}): string[] =>
  rows('ofac_sdn', to - from + 1, { ...OFAC, ...more }, from)

type Options = Partial<LabelImportRequest>
const imported = async (name: string, lines: readonly string[], options: Options = {}) =>
  await installation.imported(await installation.list(name, lines), options)
const tried = async (name: string, lines: readonly string[], options: Options = {}) =>
  await installation.import(await installation.list(name, lines), options)
const set = async (dataset: string): Promise<PublishedSet | undefined> =>
  (await listSets(installation.database)).find((one) => one.dataset === dataset)
const listedIn = async (number: number): Promise<string[]> =>
  (await installation.show(evm(number), 'ETH')).filter(({ listed }) => listed).map(({ dataset }) => dataset)

const WHOLE = { whole: true, asOf: '2026-11-20' }

describe('a set of an authority', () => {
  test('is a part unless the format or --whole says that it is the whole list', async () => {
    await imported('part.csv', designations(1, 3))
    await imported('whole.csv', designations(1, 3), WHOLE)
    expect(await set('part.csv')).toMatchObject({ whole: false, authorityOrigin: 'us-ofac', total: 3 })
    expect(await set('whole.csv')).toMatchObject({
      whole: true,
      asOf: '2026-11-20T00:00:00.000Z',
      visible: 3,
    })
    const xml = await installation.file(
      'SDN.XML',
      `<?xml version="1.0"?><sdnList><publshInformation><Publish_Date>11/21/2026</Publish_Date><Record_Count>1</Record_Count>
       </publshInformation><sdnEntry><uid>7</uid><lastName>LAZARUS</lastName><idList><id><uid>1</uid>
       <idType>Digital Currency Address - ETH</idType><idNumber>${evm(9)}</idNumber></id></idList></sdnEntry></sdnList>`,
    )
    await installation.imported(xml, { format: 'ofac-xml', acceptRemovals: 3, reason: 'a list of one' })
    expect(await set('SDN.XML')).toMatchObject({ whole: true, asOf: '2026-11-21T00:00:00.000Z', total: 1 })
  })

  test('of another source, or that only adds, cannot be whole', async () => {
    expect(await tried('mine.csv', rows('mine', 3), { whole: true })).toMatchObject({ refusal: 'bad-option' })
    expect(await tried('sdn', designations(1, 3), { whole: true, append: true })).toMatchObject({
      refusal: 'bad-option',
    })
  })

  test('under another file name ends nothing: 631 rows of a list leave the other 422 designated', async () => {
    await imported('ofac_sdn.csv', designations(1, 1_053), WHOLE)
    const again = await imported('random.csv', designations(423, 1_053), { asOf: '2026-11-21' })
    expect(again).toMatchObject({ added: 631, retired: 0, lost: [] })
    expect(again.warnings).toEqual([expect.stringContaining('ofac_sdn/ofac_sdn.csv')])
    expect(await listedIn(1)).toEqual(['ofac_sdn.csv'])
    expect(await listedIn(1_053)).toEqual(['ofac_sdn.csv', 'random.csv'])
    expect(await set('ofac_sdn.csv')).toMatchObject({ total: 1_053, visible: 1_053, whole: true })
    expect(await set('random.csv')).toMatchObject({ whole: false })
  })

  test('of one file per asset is one part set per file, and all of them designate', async () => {
    await imported('ETH.txt', designations(1, 40))
    await imported('XBT.txt', designations(41, 80))
    for (const [number, file] of [
      [1, 'ETH.txt'],
      [80, 'XBT.txt'],
    ] as const)
      expect(await listedIn(number)).toEqual([file])
    expect((await listSets(installation.database)).map(({ whole }) => whole)).toEqual([false, false])
  })

  test('keeps its date and stays whole when a few rows are appended', async () => {
    await imported('sdn', designations(1, 10), { whole: true, asOf: '2019-06-01' })
    await imported('sdn', designations(11, 12), { append: true, asOf: '2026-11-22' })
    expect(await set('sdn')).toMatchObject({
      whole: true,
      asOf: '2019-06-01T00:00:00.000Z',
      total: 12,
      visible: 12,
    })
  })
})

describe('a whole list dated before another one of the authority', () => {
  test('only adds history, whatever its name: a list of 2024 sanctions no delisted address again', async () => {
    await imported('sdn', designations(1, 100), WHOLE)
    const old = await imported('ofac_2024.csv', designations(1, 187, { date: '2024-09-27' }), {
      whole: true,
      asOf: '2024-09-27',
    })
    expect(old.sets).toMatchObject([{ historical: true, total: 0, added: 87, unchanged: 100 }])
    expect(old.warnings).toEqual([expect.stringContaining('ofac_sdn/sdn of 2026-11-20')])
    expect((await listSets(installation.database)).map(({ dataset }) => dataset)).toEqual(['sdn'])
    expect(await installation.show(evm(187), 'ETH')).toMatchObject([
      { listed: false, historical: true, validTo: '2026-11-20T00:00:00.000Z' },
    ])
    expect(await listedIn(95)).toEqual(['sdn'])
    // A part set of that age designates, as every part does, and the import reports it.
    const part = await imported('part.csv', designations(187, 187), { asOf: '2024-09-27' })
    expect(part.warnings).toContainEqual(expect.stringContaining('import it with --whole'))
  })

  test('becomes history when the later one comes, and the guard counts what then ends', async () => {
    await imported('ofac_2024.csv', designations(1, 187), { whole: true, asOf: '2024-09-27' })
    const lines = designations(88, 187)
    expect(await tried('sdn', lines, WHOLE)).toMatchObject({ refusal: 'too-many-removals', removals: 87 })
    const accepted = await imported('sdn', lines, { ...WHOLE, acceptRemovals: 87, reason: 'delisted since' })
    expect(accepted.warnings).toEqual([expect.stringContaining('is history from now on')])
    expect(await set('sdn')).toMatchObject({ lostDesignations: 87, acceptedRemovals: 87 })
  })
})

test('a whole list of other parties, dated later, ends nothing and lets the main list in after it too', async () => {
  await imported('sdn', designations(1, 100), WHOLE)
  const others = designations(201, 212)
  const beside = await imported('non_sdn', others, { whole: true, asOf: '2026-11-21' })
  expect(beside).toMatchObject({ lost: [], sets: [{ historical: false }] })
  expect(beside.warnings).toEqual([expect.stringContaining('the sets designate together')])
  expect(await imported('sdn', designations(1, 99), WHOLE)).toMatchObject({
    sets: [{ historical: false, total: 99 }],
    lost: [{ address: evm(100) }],
  })
})

describe('the guard counts addresses that lose a designation', () => {
  test('by a retired row, and not those whose entity is only named otherwise', async () => {
    await imported('sdn', designations(1, 100), WHOLE)
    const renamed = designations(1, 100, { entity: 'The same under another name' })
    expect(await imported('sdn', renamed, WHOLE)).toMatchObject({ retired: 100, added: 100, lost: [] })
    const shorter = await tried('sdn', renamed.slice(30), WHOLE)
    expect(shorter).toMatchObject({ refusal: 'too-many-removals', removals: 30 })
    expect(shorter).toMatchObject({ lost: expect.objectContaining({ length: 30 }) as unknown })
    expect(shorter.status === 'refused' && shorter.lost[0]).toEqual({
      ...{ authority: 'us-ofac', chain: 'ETH', address: evm(1), entity: 'The same under another name' },
      ...{ source: 'ofac_sdn', dataset: 'sdn', isRestatement: false },
    })
    for (const acceptRemovals of [29, 31])
      expect(await tried('sdn', renamed.slice(30), { ...WHOLE, acceptRemovals, reason: 'x' })).toMatchObject({
        refusal: 'too-many-removals',
      })
  })

  test('over all sets of the authority: an address in another set loses nothing', async () => {
    await imported('sdn', designations(1, 100), WHOLE)
    await imported('urgent.csv', designations(1, 50))
    expect(await imported('sdn', designations(51, 100), WHOLE)).toMatchObject({ retired: 50, lost: [] })
    expect(await tried('urgent.csv', designations(50, 50))).toMatchObject({
      refusal: 'too-many-removals',
      removals: 49,
    })
  })

  test('by a replaced set', async () => {
    await imported('SDN.XML', designations(1, 100), WHOLE)
    const replaces = { ...WHOLE, replaces: ['SDN.XML'] }
    expect(await tried('sdn', designations(21, 100), replaces)).toMatchObject({ removals: 20 })
    expect(await set('SDN.XML')).toMatchObject({ total: 100 })
    expect(await imported('sdn', designations(1, 101), replaces)).toMatchObject({ replaced: 100, lost: [] })
    expect(await set('SDN.XML')).toMatchObject({
      total: 0,
      visible: 0,
      replacedBy: { source: 'ofac_sdn', dataset: 'sdn' },
    })
    expect(await set('sdn')).toMatchObject({ replaces: [{ source: 'ofac_sdn', dataset: 'SDN.XML' }] })
    expect(await listedIn(1)).toEqual(['sdn'])
    // The old name is free again, and its set starts empty.
    expect(
      await imported('SDN.XML', designations(1, 2), {
        whole: true,
        asOf: '2026-11-21',
        acceptRemovals: 99,
        reason: 'test',
      }),
    ).toMatchObject({ added: 2, retired: 0 })
  })

  test('by a restatement that the whole list ends', async () => {
    const restated = rows(
      'somebody',
      30,
      { category: 'sanctions', url: 'https://sanctionssearch.ofac.treas.gov/Details.aspx?id=1' },
      1,
    )
    await imported('restated.csv', restated)
    const result = await tried('sdn', designations(21, 60), WHOLE)
    expect(result).toMatchObject({ refusal: 'too-many-removals', removals: 20 })
    // Whom a row that cannot be read designates is unknown: nothing ends until somebody accepts it, and only then their number is asked for.
    const unread = [...designations(21, 60), row({ ...OFAC, chain: 'ETH', address: '0x12' })]
    expect(await imported('unread', unread, WHOLE)).toMatchObject({ lost: [], unreadable: { count: 1 } })
    expect(await listedIn(1)).toEqual(['restated.csv'])
    const accepting = { ...WHOLE, acceptUnreadable: 1, reason: 'a misprint' }
    expect(await tried('unread', unread, accepting)).toMatchObject({
      ...{ refusal: 'too-many-removals', removals: 20 },
      message: expect.stringContaining('let the list of us-ofac take the place') as string,
    })
    const accepted = await imported('unread', unread, { ...accepting, acceptRemovals: 20 })
    expect(accepted.lost).toHaveLength(20)
    await imported('unread', [], { source: 'ofac_sdn', acceptRemovals: 30, reason: 'the end of the example' })
    // A part set ends no restatement.
    expect(await imported('sdn', designations(21, 60))).toMatchObject({ lost: [] })
  })

  test('by a withdrawal, after which the set is not a list', async () => {
    await imported('sdn', designations(1, 40), WHOLE)
    const empty = { source: 'ofac_sdn', reason: 'imported by mistake', whole: true }
    expect(await tried('sdn', [], { ...empty, acceptRemovals: 39 })).toMatchObject({ removals: 40 })
    await imported('sdn', [], { ...empty, acceptRemovals: 40 })
    expect(await set('sdn')).toMatchObject({ total: 0, visible: 0, whole: true, lostDesignations: 40 })
    // A withdrawn list makes no other list historical.
    const older = await imported('old', designations(1, 40), { whole: true, asOf: '2026-01-01' })
    expect(older.sets).toMatchObject([{ historical: false, whole: true }])
  })

  test('and labels of other categories by row', async () => {
    const mixers = rows('ofac_sdn', 40, { ...OFAC, category: 'mixer' }, 500)
    await imported('sdn', [...designations(1, 10), ...mixers], WHOLE)
    expect(await tried('sdn', designations(1, 10), WHOLE)).toMatchObject({
      refusal: 'too-many-removals',
      removals: 40,
      lost: [],
    })
  })
})

describe('--replaces', () => {
  beforeEach(async () => {
    await imported('old', designations(1, 10), WHOLE)
  })

  test.each<[string, Options]>([
    ['names a set that is not in force', { replaces: ['nowhere'] }],
    ['names the set itself', { replaces: ['ofac_sdn/new'] }],
    ['has a mistyped source', { replaces: ['ofac/old'] }],
  ])('is refused where it %s', async (_what, options) => {
    expect(await tried('new', designations(1, 10), { ...WHOLE, ...options })).toMatchObject({
      refusal: 'bad-option',
    })
  })

  test('is refused for a file of several sources', async () => {
    const lines = [...designations(1, 10), ...rows('somebody', 3)]
    expect(await tried('new', lines, { replaces: ['old'] })).toMatchObject({ refusal: 'bad-option' })
  })

  test('takes a list with an earlier date, because the operator says so, if no third list is later', async () => {
    const earlier = { whole: true, asOf: '2026-11-01', replaces: ['old'] }
    await imported('third', designations(1, 10), WHOLE)
    expect(await tried('new', designations(1, 10), earlier)).toMatchObject({ refusal: 'too-old' })
    const both = { ...earlier, replaces: ['old', 'third'] }
    expect((await imported('new', designations(1, 10), both)).sets).toMatchObject([{ historical: false }])
    expect(await set('new')).toMatchObject({ whole: true, total: 10, visible: 10, retired: 20 })
  })

  test('counts what the file does not state of a replaced set of another source', async () => {
    await imported('a.csv', rows('mine', 50))
    expect(await tried('b.csv', rows('mine', 30), { replaces: ['mine/a.csv'] })).toMatchObject({
      removals: 20,
    })
    expect(await imported('b.csv', rows('mine', 50), { replaces: ['a.csv'] })).toMatchObject({ replaced: 50 })
  })
})

describe('identity', () => {
  test('only a changed observation date is not a change; another confidence is a revision', async () => {
    await imported('sdn', designations(1, 3), WHOLE)
    const later = designations(1, 3, { date: '2026-11-20' })
    expect(await imported('sdn', later, WHOLE)).toMatchObject({ unchanged: 3, changed: 0 })
    expect(await imported('sdn', designations(1, 3, { confidence: '0.98' }), WHOLE)).toMatchObject({
      changed: 3,
    })
  })

  test('of the advanced list after the classic one: the dates of designation arrive', async () => {
    const classic = `<?xml version="1.0"?><sdnList><publshInformation><Publish_Date>11/20/2026</Publish_Date>
      <Record_Count>1</Record_Count></publshInformation><sdnEntry><uid>27307</uid><lastName>LAZARUS GROUP</lastName><idList><id>
      <uid>1</uid><idType>Digital Currency Address - ETH</idType><idNumber>${evm(9)}</idNumber></id></idList></sdnEntry></sdnList>`
    const advanced = `<?xml version="1.0"?><Sanctions xmlns="http://www.un.org/sanctions/1.0">
      <DateOfIssue CalendarTypeID="1"><Year>2026</Year><Month>11</Month><Day>20</Day></DateOfIssue><ReferenceValueSets>
      <FeatureTypeValues><FeatureType ID="345">Digital Currency Address - ETH</FeatureType></FeatureTypeValues>
      <ListValues><List ID="1550">SDN List</List></ListValues></ReferenceValueSets><DistinctParties>
      <DistinctParty FixedRef="27307"><Profile ID="27307"><Identity Primary="true"><Alias Primary="true"><DocumentedName>
      <DocumentedNamePart><NamePartValue>LAZARUS GROUP</NamePartValue></DocumentedNamePart></DocumentedName></Alias></Identity>
      <Feature FeatureTypeID="345"><FeatureVersion><VersionDetail>${evm(9)}</VersionDetail></FeatureVersion></Feature></Profile>
      </DistinctParty></DistinctParties><SanctionsEntries><SanctionsEntry ProfileID="27307" ListID="1550">
      <EntryEvent EntryEventTypeID="1"><Date CalendarTypeID="1"><Year>2019</Year><Month>9</Month><Day>13</Day></Date></EntryEvent>
      </SanctionsEntry></SanctionsEntries></Sanctions>`
    const named = { set: 'sdn' }
    await installation.imported(await installation.file('SDN.XML', classic), { ...named, format: 'ofac-xml' })
    expect(await installation.show(evm(9), 'ETH')).toMatchObject([{ validFrom: null, listed: true }])
    const dated = await installation.file('SDN_ADVANCED.XML', advanced)
    expect(await installation.imported(dated, { ...named, format: 'ofac-advanced-xml' })).toMatchObject({
      changed: 1,
      lost: [],
    })
    expect((await installation.show(evm(9), 'ETH')).filter(({ listed }) => listed)).toMatchObject([
      { validFrom: '2019-09-13T00:00:00.000Z', entity: 'LAZARUS GROUP' },
    ])
    expect(await set('sdn')).toMatchObject({ whole: true, total: 1, visible: 1 })
  })
})

describe('two importers of different sets of one authority', () => {
  test('run one after the other, and neither state is stale', async () => {
    const [first, second] = await Promise.all([
      imported('ETH.txt', designations(1, 40)),
      imported('XBT.txt', designations(41, 80)),
    ])
    expect([first, second]).toMatchObject([{ added: 40 }, { added: 40 }])
    expect(await listSets(installation.database)).toMatchObject([
      { total: 40, visible: 40, staleBase: false },
      { total: 40, visible: 40, staleBase: false },
    ])
  })

  test('of which one lost its locks give a conflict: its set is not fresh until it is imported again', async () => {
    const { deps } = installation
    const intruder = deps.codec.encode(testEvent('LabelSetPublished', 'intruder', publication), {
      topic: LABEL_TOPIC,
      key: 'ofac_sdn/intruder',
    })
    let isAppended = false
    const log: typeof deps.log = {
      ...deps.log,
      async append(at, records) {
        // Another process publishes between the comparison and the publication, as after a lost connection.
        if (at === 'labels.publish' && !isAppended) {
          isAppended = true
          await deps.log.append('labels.publish', [intruder])
        }
        return await deps.log.append(at, records)
      },
    }
    await imported('base', designations(1, 2))
    const file = await installation.list('sdn', designations(1, 10))
    const request = { file, format: 'csv', importedBy: 'operator:test', ...WHOLE }
    expect(await importLabels(request, { ...deps, log })).toMatchObject({ status: 'imported' })
    expect(await set('sdn')).toMatchObject({ staleBase: true, total: 10, visible: 10 })
    await installation.imported(file, WHOLE)
    expect(await set('sdn')).toMatchObject({ staleBase: false })
  })
})

const publication: LabelSetPublished = {
  ...{ importId: 'intruder', source: 'ofac_sdn', dataset: 'intruder', sha256: '', asOf: null },
  ...{ publishedAt: '2026-11-20T00:00:00.000Z', historical: false, appended: false, importedBy: 'test' },
  ...{ authorityOrigin: 'us-ofac', whole: false, replaces: [], basedOnSeq: 1, confirmedAt: null },
  ...{ list: '', versionOf: [], rows: { read: 0, refused: 0, skipped: 0, unreadable: 0, accepted: 0 } },
  ...{ total: 0, added: 0, unchanged: 0, retired: 0, refused: 0, lostDesignations: 0 },
  ...{ acceptedRemovals: null, reason: null, refreshConfigured: false },
}
