import type { DomainEvent } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from './fixture.js'
import { caseView } from '@cupel/reports/dispositions'
import { listReports, type ReportFilter, type ReportPage } from '@cupel/reports/read-model'
import type { Tenant } from '@cupel/projections'

const OWN: Tenant = { accountId: 'acc_own', livemode: true }
const OTHER: Tenant = { accountId: 'acc_other', livemode: true }
const SANDBOX: Tenant = { accountId: 'acc_own', livemode: false }

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(caseView)
})
afterEach(() => fixture.close())

const base = { keyName: '', actor: '', subject: '', call: null }

function note(reportId: string, version: number, of = OWN): DomainEvent<'ReportNoteAdded'> {
  const text = { text: 'a note', addedAt: '2026-11-21T09:00:00.000Z', addedBy: 'k' }
  return event(
    'ReportNoteAdded',
    reportId,
    { reportId, ...of, version, ...text, ...base },
    `${reportId} ${version}`,
  )
}

function decided(
  reportId: string,
  version: number,
  disposition: string,
  of = OWN,
): DomainEvent<'DispositionChanged'> {
  const decision = { disposition, previousDisposition: '', reason: 'why', proposalVersion: 0 }
  const who = { changedAt: '2026-11-21T09:00:00.000Z', changedBy: 'k' }
  const data = { reportId, ...of, version, ...decision, ...who, ...base }
  return event('DispositionChanged', reportId, data, `${reportId} ${version}`)
}

/** Inserts rows of reports, the newest last. */
async function insertReports(owner: Tenant, ...ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries())
    await fixture.database.execute(
      `INSERT INTO report_view.report (report_id, account_id, livemode, state, level, document, ended_at, log_partition, log_offset)
       VALUES ($1, $2, $3, 'generated', $4, '{}', timestamptz '2026-11-21T09:00:00Z' + make_interval(mins => $5), 0, $5)`,
      [id, owner.accountId, owner.livemode, index % 2 === 0 ? 'red' : 'grey', index],
    )
}

const list = (
  filter: ReportFilter,
  { owner = OWN, pageSize = 10, after = null as ReportPage['next'] } = {},
) => listReports(fixture.database, { ...owner, filter, pageSize, after })
const idsOf = (page: ReportPage): readonly string[] => page.items.map(({ reportId }) => reportId)

test('reports are found by what people decided last, newest report first, and by no case at all', async () => {
  await insertReports(OWN, 'r1', 'r2', 'r3', 'r4', 'r5')
  await fixture.project(
    caseView,
    ...[
      note('r1', 1),
      decided('r2', 1, 'escalated'),
      decided('r4', 1, 'escalated'),
      decided('r3', 1, 'escalated'),
    ],
    ...[decided('r3', 2, 'cleared'), note('r3', 3)],
  )
  expect(idsOf(await list({ disposition: 'open' }))).toEqual(['r1'])
  expect(idsOf(await list({ disposition: 'escalated' }))).toEqual(['r4', 'r2'])
  expect(idsOf(await list({ disposition: 'cleared' }))).toEqual(['r3'])
  expect(idsOf(await list({ disposition: 'none' }))).toEqual(['r5'])
  expect(idsOf(await list({ disposition: 'escalated', level: 'red' }))).toEqual([])
})

test('pages of a disposition are whole, without gap or repetition', async () => {
  const ids = Array.from({ length: 7 }, (_, index) => `r${index}`)
  await insertReports(OWN, ...ids, 'n1', 'n2', 'n3')
  await fixture.project(caseView, ...ids.map((id) => decided(id, 1, 'cleared')))
  for (const [disposition, expected] of [
    ['cleared', ids.toReversed()],
    ['none', ['n3', 'n2', 'n1']],
  ] as const) {
    const seen: string[] = []
    let after: ReportPage['next'] = null
    do {
      const page: ReportPage = await list({ disposition }, { pageSize: 2, after })
      seen.push(...idsOf(page))
      after = page.next
    } while (after !== null)
    expect(seen).toEqual(expected)
  }
})

test('repeated and late records of earlier decisions change nothing', async () => {
  await insertReports(OWN, 'r1')
  await fixture.project(caseView, decided('r1', 2, 'cleared'), decided('r1', 1, 'escalated'), note('r1', 3))
  await fixture.project(caseView, decided('r1', 2, 'cleared'))
  await fixture.project(caseView, decided('r1', 1, 'escalated'))
  await fixture.project(caseView, note('r1', 3))
  expect(idsOf(await list({ disposition: 'cleared' }))).toEqual(['r1'])
  expect(idsOf(await list({ disposition: 'escalated' }))).toEqual([])
})

test('a disposition of another tenant neither shows a report nor hides one', async () => {
  await insertReports(OWN, 'r1')
  await insertReports(OTHER, 'o1')
  await insertReports(SANDBOX, 's1')
  // Records that name a report of another tenant: no service appends them.
  await fixture.project(caseView, decided('r1', 1, 'cleared', OTHER), decided('s1', 1, 'cleared', OWN))
  await fixture.project(caseView, decided('r1', 2, 'escalated', OWN), decided('o1', 1, 'cleared', OTHER))
  expect(idsOf(await list({ disposition: 'cleared' }))).toEqual([])
  expect(idsOf(await list({ disposition: 'escalated' }))).toEqual(['r1'])
  expect(idsOf(await list({ disposition: 'none' }, { owner: SANDBOX }))).toEqual(['s1'])
  expect(idsOf(await list({ disposition: 'cleared' }, { owner: OTHER }))).toEqual(['o1'])
})

test('a rebuild gives the same rows, byte for byte', async () => {
  await fixture.project(caseView, note('r1', 1), decided('r2', 1, 'escalated'), decided('r2', 2, 'cleared'))
  const { comparison } = await fixture.rebuild(caseView)
  expect(comparison).toMatchObject([{ table: 'report_case', rowsBefore: 2, rowsAfter: 2, isEqual: true }])
})
