import type { DomainEvent, EventData } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from './fixture.js'
import { inboxView } from '@cupel/watches/read-model'
import type { Tenant } from '@cupel/projections'

const OWN: Tenant = { accountId: 'acc_own', livemode: true }
const OTHER: Tenant = { accountId: 'acc_other', livemode: true }
const AT = '2026-11-21T09:00:00.000Z'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(inboxView)
})
afterEach(() => fixture.close())

const base = { keyName: '', actor: '', subject: '', call: null }

function changed(
  id: string,
  split: EventData['ReportChanged']['split'],
  of = OWN,
): DomainEvent<'ReportChanged'> {
  const reports = {
    ...{ previousReportId: 'r0', previousLevel: 'green', previousScore: 2.5 },
    ...{ reportId: 'r1', level: 'red', score: 83.5 },
  }
  const told = { causes: ['labels'], changedAt: AT, split, splitMissing: split === null ? 'busy' : null }
  const data = {
    watchId: 'wat_1',
    ...of,
    address: '0xA',
    canonicalAddress: '0xa',
    chain: 'ETH',
    reference: null,
  }
  return event('ReportChanged', 'wat_1', { ...data, ...reports, ...told, why: 'owned by X', reasons: [] }, id)
}

function proposed(version: number, of = OWN): DomainEvent<'DispositionProposed'> {
  const data = { reportId: 'r1', ...of, version, disposition: 'cleared', reason: 'why', ...base }
  return event('DispositionProposed', 'r1', { ...data, proposedAt: AT, proposedBy: 'k' }, `p${version}`)
}

function declined(version: number, of = OWN): DomainEvent<'DispositionProposalDeclined'> {
  const data = { reportId: 'r1', ...of, version, disposition: 'cleared', reason: 'no', proposalVersion: 1 }
  return event(
    ...(['DispositionProposalDeclined', 'r1'] as const),
    { ...data, declinedAt: AT, declinedBy: 'k', ...base },
    `d${version}`,
  )
}

function decided(version: number, of = OWN): DomainEvent<'DispositionChanged'> {
  const data = {
    reportId: 'r1',
    ...of,
    version,
    disposition: 'cleared',
    previousDisposition: '',
    reason: 'yes',
  }
  return event(
    ...(['DispositionChanged', 'r1'] as const),
    { ...data, proposalVersion: 1, changedAt: AT, changedBy: 'k', ...base },
    `c${version}`,
  )
}

const failed = (id: string): DomainEvent<'WatchFailed'> =>
  event(
    ...(['WatchFailed', 'wat_1'] as const),
    {
      ...{ watchId: 'wat_1', ...OWN, address: '0xA', chain: 'ETH', reference: 'sealed' },
      ...{ reportId: 'r9', failures: 3, failedAt: AT },
    },
    id,
  )

async function shown(of = OWN): Promise<readonly Record<string, unknown>[]> {
  return await fixture.database.query(
    `SELECT entry_id AS id, kind, report_id AS report, level, document::json AS document FROM inbox_view.inbox_entry
     WHERE account_id = $1 AND livemode = $2 AND is_shown ORDER BY entry_id`,
    [of.accountId, of.livemode],
  )
}

test('a change has its split in points, or why there is none, and a failing watch its count', async () => {
  const split = { labels: 84, funds: -3, policy: 0, scorer: 0, time: 0, notExamined: 0 }
  await fixture.project(
    inboxView,
    changed('e1', split),
    changed('e2', null),
    failed('e3'),
    changed('e1', split),
  )
  const told = {
    ...{ watch_id: 'wat_1', address: '0xA', chain: 'ETH', reference: null, why: 'owned by X', reasons: [] },
    ...{ causes: ['labels'], previous: { report_id: 'r0', level: 'green', score: 2.5 } },
    current: { report_id: 'r1', level: 'red', score: 83.5 },
  }
  const { notExamined: not_examined, ...parts } = split
  expect(await shown()).toEqual([
    {
      ...{ id: 'e1', kind: 'report_changed', report: 'r1', level: 'red' },
      document: { ...told, split: { ...parts, not_examined }, split_missing: null },
    },
    {
      ...{ id: 'e2', kind: 'report_changed', report: 'r1', level: 'red' },
      document: { ...told, split: null, split_missing: 'busy' },
    },
    {
      ...{ id: 'e3', kind: 'watch_failed', report: null, level: null },
      document: { watch_id: 'wat_1', address: '0xA', chain: 'ETH', reference: 'sealed', failures: 3 },
    },
  ])
})

test('a proposal is shown until it is declined or decided, whatever order its records have', async () => {
  const ids = async (): Promise<unknown[]> => (await shown()).map(({ id }) => id)
  await fixture.project(inboxView, proposed(1))
  expect(await ids()).toEqual(['p1'])
  await fixture.project(inboxView, declined(2))
  expect(await ids()).toEqual([])
  await fixture.project(inboxView, proposed(1))
  expect(await ids()).toEqual([])
  await fixture.project(inboxView, proposed(3))
  expect(await ids()).toEqual(['p3'])
  await fixture.project(inboxView, decided(4), proposed(3))
  expect(await ids()).toEqual([])
})

test('a record that names the report of another tenant settles no proposal of its own', async () => {
  await fixture.project(inboxView, proposed(1), decided(2, OTHER), changed('e1', null, OTHER))
  expect((await shown()).map(({ id }) => id)).toEqual(['p1'])
  expect((await shown(OTHER)).map(({ id }) => id)).toEqual(['e1'])
})

test('a rebuild gives the same rows, byte for byte', async () => {
  await fixture.project(inboxView, changed('e1', null), failed('e2'), proposed(1), declined(2))
  const { comparison } = await fixture.rebuild(inboxView)
  expect(comparison).toMatchObject([{ table: 'inbox_entry', rowsBefore: 3, rowsAfter: 3, isEqual: true }])
})
