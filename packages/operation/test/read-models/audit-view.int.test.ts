import type { ApiRequestAudited, DomainEvent } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from './fixture.js'
import { auditView, listAuditEntries, type AuditCursor } from '@cupel/audit/read-model'

const OWNER = { accountId: 'acc_1', livemode: true }

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(auditView)
})
afterEach(() => fixture.close())

function audited(requestId: string, more: Partial<ApiRequestAudited> = {}): DomainEvent {
  const data: ApiRequestAudited = {
    ...OWNER,
    environment: 'live',
    keyId: 'key1',
    scope: 'read-write',
    clientAddress: '203.0.113.9',
    method: 'POST',
    route: '/v1/screen',
    status: 200,
    code: '',
    refusedBecause: '',
    requestId,
    subjectIds: ['9f2c4a1be07d6358'],
    latencyMs: 4.25,
    at: '2026-11-21T09:00:00.123Z',
    actor: 'Ada Lovelace',
    ...more,
  }
  return event('ApiRequestAudited', more.accountId ?? 'acc_1', data)
}

async function list(owner: Partial<typeof OWNER> = {}, pageSize = 10, after: AuditCursor | null = null) {
  return await listAuditEntries(fixture.database, { ...OWNER, ...owner, pageSize, after })
}

test('an account sees its own calls of one environment, refusals included, and nobody else', async () => {
  await fixture.project(
    auditView,
    audited('r1'),
    audited('r2', { status: 403, code: 'scope_required', subjectIds: [] }),
    audited('r3', { accountId: 'acc_2' }),
    audited('r4', { livemode: false, environment: 'test' }),
    audited('r5', { accountId: '', keyId: '', environment: '' }),
  )
  const { items } = await list()
  expect(items.map((item) => [item.requestId, item.status, item.code, item.subjectIds])).toEqual([
    ['r2', 403, 'scope_required', []],
    ['r1', 200, null, ['9f2c4a1be07d6358']],
  ])
  expect(items[1]).toMatchObject({ at: '2026-11-21T09:00:00.123Z', latencyMs: 4.25, keyId: 'key1' })
  expect((await list({ accountId: 'acc_2' })).items.map((item) => item.requestId)).toEqual(['r3'])
  expect((await list({ livemode: false })).items.map((item) => item.requestId)).toEqual(['r4'])
  expect((await list({ accountId: '' })).items).toEqual([])
})

test('a call told twice, by the log and by the outbox, is one entry, and a rebuild gives the same rows', async () => {
  await fixture.project(auditView, audited('r1'), audited('r2'), audited('r1'))
  expect((await list()).items).toHaveLength(2)
  const { comparison } = await fixture.rebuild(auditView)
  expect(comparison).toMatchObject([
    { table: 'entry', rowsBefore: 2, rowsAfter: 2, isEqual: true },
    { table: 'usage_day', isEqual: true },
  ])
})

test('pages join without gap or repeat, also between calls of one moment', async () => {
  await fixture.project(auditView, ...['a', 'b', 'c', 'd', 'e'].map((id) => audited(id)))
  const first = await list({}, 2)
  await fixture.project(auditView, audited('new', { at: '2026-11-22T09:00:00.000Z' }))
  const second = await list({}, 2, first.next)
  const third = await list({}, 2, second.next)
  const seen = [first, second, third].flatMap(({ items }) => items.map((item) => item.requestId))
  expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
  expect(third.next).toBeNull()
})
