/** Calls that are recorded by the event they caused: the list is the same in whatever order topics arrive. */
import { screenTopic, type ApiCall, type ApiRequestAudited, type DomainEvent } from '@cupel/contracts'
import { TYPE_HEADER } from '@cupel/event-log'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from './fixture.js'
import { countUsage, auditView, listAuditEntries, type AuditEntry } from '@cupel/audit/read-model'
import { reportView } from '@cupel/reports/read-model'

const AT = '2026-11-21T09:00:00.000Z'
/** 7 ms after the call arrived. */
const DECIDED = '2026-11-21T09:00:00.007Z'
const CASES = 6

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  fixture.run(auditView)
  fixture.run(reportView)
})
afterAll(() => fixture.close())

interface Owner {
  readonly accountId: string
  readonly livemode: boolean
}

/** The events of one account. Ids end in its name, so that no two accounts share an id. */
function eventsOf(owner: Owner) {
  const own = (name: string) => `${name}-${owner.accountId}`
  const call = (name: string, method: string, route: string, status: number): ApiCall => ({
    ...{ requestId: own(name), keyId: 'key1', scope: 'read-write', clientAddress: '203.0.113.9' },
    ...{ method, route, status, at: AT, actor: 'Ada Lovelace' },
  })
  const screened = (name: string, report = name): DomainEvent =>
    event('ScreenRequested', own(report), {
      ...{ reportId: own(report), ...owner, address: 'a', canonicalAddress: 'a', chain: 'BTC' },
      ...{ candidateChains: [], customerReference: null, lane: 'interactive', answerByAt: null },
      stagesByAt: null,
      ...{ requestedAt: AT, reportUrl: '', jobId: null, jobIndex: null, transfer: null },
      call: call(name, 'POST', '/v1/screen', 200),
    })
  const failed = (name: string): DomainEvent =>
    event('ScreeningFailed', own(name), {
      ...{ reportId: own(name), ...owner, code: 'internal_error', detail: '' },
      ...{ isTransfer: false, jobId: null, jobIndex: null, failedAt: DECIDED },
    })
  const audited = (name: string, end: Partial<ApiRequestAudited>): DomainEvent => {
    return event('ApiRequestAudited', owner.accountId, {
      ...{ ...owner, ...call(name, 'POST', '/v1/screen', 0), environment: 'live', refusedBecause: '' },
      ...{ subjectIds: [], latencyMs: 5_000 },
      ...{ status: 503, code: 'screening_timeout', ...end },
    })
  }
  const changed = (by: ApiCall | null): DomainEvent =>
    event('WebhookEndpointChanged', own('we'), {
      ...{ endpointId: own('we'), ...owner, origin: '', recipient: '', payload: 'full' },
      ...{ events: null, status: 'enabled' },
      ...{
        disabledReason: null,
        provenAt: null,
        previousSecretExpiresAt: null,
        changedAt: DECIDED,
        changedBy: '',
      },
      ...{ reason: '', call: by },
    })
  const submitted = event('BulkSubmitted', own('job'), {
    ...{ jobId: own('job'), ...owner, name: null, items: [], reportPageUrl: '', submittedAt: DECIDED },
    call: call('bulk', 'POST', '/v1/bulk', 202),
  })
  return { own, call, screened, failed, audited, changed, submitted }
}

const told = (entries: readonly AuditEntry[]) =>
  entries.map(({ requestId, status, code, subjectIds, latencyMs }) =>
    [requestId.split('-')[0], status, code, subjectIds.map((id) => id.split('-')[0]), latencyMs].join(' '),
  )

let accounts = 0
const newOwner = (): Owner => ({ accountId: `acc${(accounts += 1)}`, livemode: true })
const listed = async (owner: Owner) =>
  told((await listAuditEntries(fixture.database, { ...owner, pageSize: 50, after: null })).items)

async function project(...events: readonly DomainEvent[]): Promise<void> {
  await fixture.append(...events)
  await Promise.all([fixture.caughtUp(auditView), fixture.caughtUp(reportView)])
}

test('a screen is listed once its outcome is known, with what came of it', async () => {
  const owner = newOwner()
  const { screened, failed } = eventsOf(owner)
  await project(screened('a'))
  expect(await listed(owner)).toEqual([])
  await project(failed('a'))
  expect(await listed(owner)).toEqual(['a 500 screening_failed a 7'])
})

test('a screened transfer counts in the usage as a screened address does', async () => {
  const owner = newOwner()
  const { own, audited } = eventsOf(owner)
  const screened = (name: string, route: string): DomainEvent =>
    audited(name, { ...{ status: 200, code: '', subjectIds: [own(name)] }, ...({ route } as object) })
  await project(
    screened('a', '/v1/transfers'),
    screened('b', '/v1/screen'),
    screened('c', '/v1/transfers/{transfer_id}'),
  )
  const [usage] = await countUsage(fixture.database, { ...owner, since: '2020-01-01' })
  expect(usage).toMatchObject({ calls: 3, screens: 2 })
})

test('an event that an operator or a service made is not a call', async () => {
  const owner = newOwner()
  await project(eventsOf(owner).changed(null))
  expect(await listed(owner)).toEqual([])
})

test('a request that nobody can read is skipped: the scorer dead-letters it', async () => {
  const owner = newOwner()
  const { screened, failed } = eventsOf(owner)
  const headers = { [TYPE_HEADER]: 'ScreenRequested' }
  await fixture.log.append('test', [
    { topic: screenTopic('interactive'), key: 'poison', value: Buffer.from('not an event'), headers },
    { topic: screenTopic('interactive'), key: 'poison', value: Buffer.from('nothing at all'), headers: {} },
  ])
  await project(screened('after', 'poison'), failed('poison'))
  expect(await listed(owner)).toEqual(['after 500 screening_failed poison 7'])
})

test('the events of the calls in any order, some repeated: the list is the same, and a rebuild gives the same rows and sums', async () => {
  const order = fc.array(fc.nat(), { minLength: 14, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(order, async (picks) => {
      const owner = newOwner()
      const { call, screened, failed, audited, changed, submitted } = eventsOf(owner)
      const events = [
        ...[screened('failed'), failed('failed')],
        // Its answer was late, but the outcome still arrived.
        ...[screened('late'), failed('late'), audited('late', {})],
        // A resumed call asks again for the report of an earlier call, under its own request id.
        ...[screened('again', 'failed'), screened('waiting')],
        ...[audited('refused', { status: 403, code: 'scope_required' }), submitted],
        changed(call('change', 'PATCH', '/v1/webhook-endpoints/{endpoint_id}', 200)),
      ]
      const rest = events.map((_, index) => index)
      for (const pick of picks) {
        // After all events are appended, the remaining picks are repeats.
        const index = rest.length > 0 ? rest.splice(pick % rest.length, 1)[0]! : pick % events.length
        await fixture.append(events[index]!)
        if (pick % 2 === 0) await fixture.caughtUp(auditView)
        if (pick % 3 === 0) await fixture.caughtUp(reportView)
      }
      await project()
      expect(await listed(owner)).toEqual([
        'refused 403 scope_required  5000',
        'late 503 screening_timeout  5000',
        'failed 500 screening_failed failed 7',
        'change 200  we 7',
        'bulk 202  job 7',
        'again 500 screening_failed failed 7',
      ])
    }),
    { numRuns: CASES },
  )
  const { comparison } = await fixture.rebuild(auditView)
  expect(comparison).toMatchObject([
    { table: 'entry', isEqual: true },
    { table: 'usage_day', isEqual: true },
  ])
  expect(await fixture.database.query(SUMS)).toEqual(await fixture.database.query(COUNTS))
})

const SUMS = `SELECT account_id, key_id, day::text, calls, screens, problems, rate_limited FROM audit_view.usage_day ORDER BY 1, 2, 3`
const COUNTS = `SELECT account_id, key_id, (at AT TIME ZONE 'UTC')::date::text AS day, count(*)::int8 AS calls,
    count(*) FILTER (WHERE method = 'POST' AND route IN ('/v1/screen', '/v1/transfers') AND status < 400 AND subject_ids <> '[]')::int8 AS screens,
    count(*) FILTER (WHERE status >= 400)::int8 AS problems, count(*) FILTER (WHERE status = 429)::int8 AS rate_limited
  FROM audit_view.entry GROUP BY account_id, key_id, day ORDER BY 1, 2, 3`
