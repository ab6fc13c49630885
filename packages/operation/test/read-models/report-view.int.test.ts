import type { DomainEvent, ReportGenerated } from '@cupel/contracts'
import { ownerKeysOf, parseAddress, soughtOwnerKeys, toEip55, writtenForms } from '@cupel/domain'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { MonthRetired } from '@cupel/projections'
import { event, openFixture, type Fixture } from './fixture.js'
import {
  documentReader,
  documentsOf,
  getReport,
  listReportPlaces,
  listReports,
  reportView,
  type ReportFilter,
  type ReportPage,
  type StoredDocument,
} from '@cupel/reports/read-model'

const OWNER = { accountId: 'acc_1', livemode: true }

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(reportView)
})
afterEach(() => fixture.close())

const project = (...events: readonly DomainEvent[]): Promise<void> => fixture.project(reportView, ...events)

function report(reportId: string, more: Partial<ReportGenerated> = {}): DomainEvent<'ReportGenerated'> {
  return event('ReportGenerated', reportId, {
    reportId,
    // JSON.stringify would write it differently: the text must come back as recorded.
    report: `{ "report_id":"${reportId}",  "note": "\\u00e9 é \\" {}, \\\\" }`,
    ...OWNER,
    address: '0xAbC',
    canonicalAddress: '0xabc',
    chain: 'ETH',
    candidateChains: [],
    customerReference: null,
    level: 'red',
    score: 92.4,
    categories: { sanctions: 0, darknet: 0, mixer: 0, scam: 0, stolen: 92.4, cleanExchange: 0 },
    levelReasons: [],
    scoreIsLowerBound: false,
    generatedAt: '2026-11-21T09:00:00.123Z',
    reportUrl: '',
    jobId: null,
    jobIndex: null,
    transfer: null,
    recommendation: null,
    reportSha256: '',
    inputs: {
      labelSetSeq: 0,
      labelView: '',
      labelStateSha256: '',
      labels: [],
      ownAddressLabels: [],
      cluster: null,
      policyId: '',
      policyVersion: 0,
      policySha256: '',
      chainTableVersion: '',
      originTableVersion: '',
      assetTableVersion: '',
      scorerVersion: '',
      chainStage: '',
      chainFacts: [],
      historyReading: null,
      exposure: null,
      candidates: [],
    },
    ...more,
  })
}

function failed(reportId: string): DomainEvent<'ScreeningFailed'> {
  const failedAt = '2026-11-21T09:00:00.000Z'
  const failure = { code: 'screening_failed', detail: 'It could not be decided.' }
  return event('ScreeningFailed', reportId, {
    reportId,
    ...OWNER,
    ...failure,
    jobId: null,
    isTransfer: false,
    jobIndex: null,
    failedAt,
  })
}

async function list(filter: ReportFilter = {}, pageSize = 10): Promise<string[]> {
  const { items } = await listReports(fixture.database, { ...OWNER, filter, pageSize, after: null })
  return items.map((item) => item.reportId)
}

const STORED = {
  partition: expect.any(Number) as number,
  offset: expect.any(Number) as number,
  documentMac: expect.any(String) as string,
}

test('a report is read as it was recorded, byte for byte', async () => {
  const recorded = report('r1')
  await project(recorded)
  expect(await getReport(fixture.database, { ...OWNER, reportId: 'r1' })).toEqual({
    state: 'generated',
    reportId: 'r1',
    document: { ...{ reportId: 'r1', document: recorded.data.report }, ...STORED },
  })
})

/** As retention does in a month whose event is in the log. */
const retire = (...reportIds: readonly string[]) =>
  fixture.database.execute(
    'UPDATE report_view.report SET document = NULL, document_mac = NULL WHERE report_id = ANY ($1::text[])',
    [reportIds],
  )

test('a document that is gone from its row is read from the record, byte for byte, and for its account only', async () => {
  const recorded = [report('r1'), report('r2', { level: 'red' }), report('r3')]
  await project(...recorded)
  await retire('r1', 'r3')
  const { items } = await listReports(fixture.database, {
    ...{ ...OWNER, filter: {}, pageSize: 10, after: null },
  })
  const read = documentReader(fixture)
  const stored = items.map(({ document }) => document)
  const texts = Object.fromEntries(recorded.map(({ data }) => [data.reportId, data.report]))
  expect(await documentsOf(read, OWNER, stored)).toEqual(items.map(({ reportId }) => texts[reportId]))
  const found = await getReport(fixture.database, { ...OWNER, reportId: 'r1' })
  const { document: row } = found as { readonly document: StoredDocument }
  expect(row).toMatchObject({ reportId: 'r1', document: null })
  const place = { ...row, sha256: null, mac: null }
  await expect(read({ ...OWNER, accountId: 'acc_2' }, [place])).rejects.toThrow('has no report r1')
  await expect(read(OWNER, [{ ...place, reportId: 'r2' }])).rejects.toThrow('has no report r2')
})

test('a rebuild leaves out what retention took in a month that the log states, and nothing else', async () => {
  const old = { generatedAt: '2024-01-31T23:59:59.999Z' }
  await project(
    report('r1', old),
    report('r2', old),
    report('r3', { generatedAt: '2024-02-01T00:00:00.000Z' }),
  )
  await retire('r1', 'r3')
  const differing = async () => {
    const { comparison } = await fixture.rebuild(reportView)
    return comparison[0]!.different.map(({ key, columns }) => [key, columns])
  }
  expect(await differing()).toEqual([
    ['report_id=r1', ['document']],
    ['report_id=r3', ['document']],
  ])
  await fixture.append(event('MonthRetired', '2024-01', retired('2024-01')))
  expect(await differing()).toEqual([['report_id=r3', ['document']]])
  await fixture.database.execute(`UPDATE report_view.report SET document = $1 WHERE report_id = 'r3'`, [
    report('r3').data.report,
  ])
  expect((await fixture.rebuild(reportView)).comparison).toMatchObject([{ isEqual: true }])
  const whole = await fixture.database.query(
    'SELECT report_id AS id FROM report_view.report WHERE document IS NOT NULL ORDER BY id',
  )
  expect(whole).toEqual([{ id: 'r2' }, { id: 'r3' }])
})

test('a rebuild compares no MACs, because those of a rotated key differ, and makes them anew', async () => {
  await project(report('r1'), report('r2'))
  const rows = () =>
    fixture.database.query<{ mac: string }>(
      'SELECT report_id AS id, document_mac AS mac FROM report_view.report ORDER BY id',
    )
  const made = await rows()
  expect(new Set(made.map(({ mac }) => mac)).size).toBe(2)
  await fixture.database.execute(`UPDATE report_view.report SET document_mac = 'of another key'`)
  expect(await fixture.rebuild(reportView)).toMatchObject({ comparison: [{ isEqual: true }], switched: true })
  expect(await rows()).toEqual(made)
  await fixture.database.execute(`UPDATE report_view.report SET document = '{}', document_mac = NULL`)
  const { comparison } = await fixture.rebuild(reportView)
  expect(comparison[0]!.different.map(({ columns }) => columns)).toEqual([['document'], ['document']])
})

const retired = (month: string): MonthRetired => ({
  ...{ month, store: 'database', reports: 2, archive: '/backup', manifest: 1, treeSize: 9, treeRoot: '' },
  ...{ cuts: [], retiredAt: '2026-11-21T09:00:00.000Z', retiredBy: 'operator', reason: 'old' },
})

test("another account's report, or the other environment's, does not exist", async () => {
  await project(report('r1'), report('t1', { livemode: false }))
  const get = async (reportId: string, accountId: string, livemode: boolean): Promise<boolean> =>
    (await getReport(fixture.database, { reportId, accountId, livemode })) !== null
  expect(await get('r1', 'acc_1', true)).toBe(true)
  expect(await get('r1', 'acc_2', true)).toBe(false)
  expect(await get('r1', 'acc_1', false)).toBe(false)
  expect(await get('t1', 'acc_1', false)).toBe(true)
  expect(await list()).toEqual(['r1'])
})

test('the first record of a report id counts, whichever kind it is and however often it is repeated', async () => {
  await project(report('r1', { level: 'red' }), report('r1', { level: 'grey' }), failed('r1'))
  await project(failed('r2'), report('r2'))
  await project(report('r1', { level: 'green' }))
  expect(await list({ level: 'red' })).toEqual(['r1'])
  expect(await getReport(fixture.database, { ...OWNER, reportId: 'r2' })).toEqual({
    state: 'failed',
    reportId: 'r2',
    code: 'screening_failed',
    detail: 'It could not be decided.',
  })
})

test('a list holds the reports that fit the filter, newest first, and no failures', async () => {
  await project(
    report('r1', { generatedAt: '2026-11-21T09:00:00.000Z' }),
    report('r2', { generatedAt: '2026-11-21T10:00:00.000Z', canonicalAddress: '0xdef', level: 'green' }),
    report('r3', { generatedAt: '2026-11-21T08:00:00.000Z', chain: 'BSC' }),
    failed('r4'),
  )
  expect(await list()).toEqual(['r2', 'r1', 'r3'])
  expect(await list({ ownerKeys: ownerKeysOf('0xabc', 'ETH') })).toEqual(['r1', 'r3'])
  expect(await list({ chain: 'BSC' })).toEqual(['r3'])
  expect(await list({ level: 'green' })).toEqual(['r2'])
  expect(await list({ ownerKeys: ['0xabc'], chain: 'ETH', level: 'green' })).toEqual([])
})

test('transfers are listed by what was recommended, together with every other filter', async () => {
  await project(
    report('r1', { recommendation: 'reject' }),
    report('r2', { recommendation: 'allow', level: 'green', generatedAt: '2026-11-21T10:00:00.000Z' }),
    report('r3', { recommendation: 'reject', chain: 'BSC', customerReference: 'mine' }),
    report('r4'),
  )
  const all = ['allow', 'review', 'reject']
  expect(await list({ recommendations: all })).toEqual(['r2', 'r3', 'r1'])
  expect(await list({ recommendations: 'reject' })).toEqual(['r3', 'r1'])
  expect(await list({ recommendations: all, chain: 'BSC' })).toEqual(['r3'])
  expect(await list({ recommendations: all, level: 'green' })).toEqual(['r2'])
  expect(await list({ recommendations: all, customerReference: 'mine' })).toEqual(['r3'])
  expect(await list({ recommendations: all, ownerKeys: ownerKeysOf('0xabc', 'ETH') })).toHaveLength(3)
  expect(await list({ recommendations: all, disposition: 'none' })).toHaveLength(3)
  expect(await list({ recommendations: all, disposition: 'open' })).toEqual([])
})

const EVM = '0x5cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb'

/** Addresses of one owner, each with its chain: what any of them is searched by finds the reports of all. */
const OWNERS = {
  'a key in its forms of Bitcoin': [
    ['BTC', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['BTC', '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
    ['BTC', '3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN'],
    ['BCH', 'bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h'],
  ],
  'a key of EVM chains and TRON': [
    ['ETH', toEip55(EVM)],
    ['BSC', EVM],
    ['TRX', writtenForms(EVM, 'ETH', 'TRX')[0]!],
  ],
  'a stake credential of Cardano': [
    ['ADA', 'stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw'],
    [
      'ADA',
      'addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs9yc0hh',
    ],
    [
      'ADA',
      'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
    ],
  ],
} as const

test.each(Object.entries(OWNERS))(
  'a search by one address of %s finds the reports of all',
  async (_owner, forms) => {
    const parsed = forms.map(([chain, text]) => {
      const one = parseAddress(text, chain)
      if (!one.ok) throw new Error(`${text}: ${one.detail}`)
      return one
    })
    await project(
      report('stranger', { canonicalAddress: '0xfedcfedcfedcfedcfedcfedcfedcfedcfedcfedc' }),
      ...parsed.map(({ canonical, chain }, index) =>
        report(`r${index}`, { canonicalAddress: canonical, chain, address: `spelling ${index}` }),
      ),
    )
    const all = parsed.map((_one, index) => `r${index}`).toReversed()
    for (const one of parsed) expect(await list({ ownerKeys: soughtOwnerKeys(one) })).toEqual(all)
  },
)

test('a report of a level that only a later version knows is listed too', async () => {
  await project(report('r1'), report('r2', { level: 'unheard-of' }), report('r3', { chain: 'BSC' }))
  expect(await list()).toEqual(['r3', 'r2', 'r1'])
  expect(await list({ chain: 'ETH' })).toEqual(['r2', 'r1'])
  expect(await list({ level: 'red' })).toEqual(['r3', 'r1'])
  const places = await listReportPlaces(fixture.database, { ...OWNER, limit: 10 })
  expect(places.map(({ reportId }) => reportId)).toEqual(['r3', 'r2', 'r1'])
})

test('pages join without gap or repeat, also between reports of one moment and while new ones arrive', async () => {
  const moment = { generatedAt: '2026-11-21T09:00:00.123Z' }
  await project(
    report('a', moment),
    report('b', moment),
    report('c', moment),
    report('d', moment),
    report('e', moment),
  )
  const seen: string[] = []
  let after: ReportPage['next'] = null
  do {
    const page: ReportPage = await listReports(fixture.database, { ...OWNER, filter: {}, pageSize: 2, after })
    seen.push(...page.items.map((item) => item.reportId))
    after = page.next
    await project(report(`new${seen.length}`, { generatedAt: '2026-11-22T09:00:00.000Z' }))
  } while (after !== null)
  expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
})

test('a rebuild gives the same rows, byte for byte', async () => {
  await project(
    report('r1'),
    report('r1', { level: 'grey' }),
    failed('r2'),
    report('t1', { livemode: false }),
  )
  const { comparison } = await fixture.rebuild(reportView)
  expect(comparison).toMatchObject([{ table: 'report', rowsBefore: 3, rowsAfter: 3, isEqual: true }])
})
