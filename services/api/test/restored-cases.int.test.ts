/** Four eyes after a restore: the entries of a case come back from its events, and Ann stays Ann. */
import { casesTables } from '@cupel/cases'
import type { CaseEventType, DomainEvent } from '@cupel/contracts'
import { startIdentityProvider, type IdentityProvider } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let people: IdentityProvider
let url: string
let keys: { readonly desk: string; readonly review: string }
beforeAll(async () => {
  installation = await startInstallation()
  people = await startIdentityProvider()
  const desk = await installation.key()
  const review = await installation.key({ accountId: desk.accountId })
  keys = { desk: desk.keyId, review: review.keyId }
  const config = {
    CUPEL_OIDC_FILE: people.settingsFile(keys),
    CUPEL_CASE_SECOND_PERSON: ['green' as const, 'orange' as const, 'red' as const, 'grey' as const],
  }
  url = (await installation.api({ config })).url
})
afterAll(async () => {
  await installation.stop()
  await people.close()
})

async function session(sub: string, name: string, group: keyof typeof keys): Promise<string> {
  const body = await people.signIn({ groups: [group], sub, name })
  return String((await call(url, 'POST', '/v1/sessions/oidc', { body })).json()['session_token'])
}

async function clear(key: string, reportId: string, version: number): Promise<Reply> {
  const body = { disposition: 'cleared', reason: 'A refund', version }
  return await call(url, 'POST', `/v1/reports/${reportId}/disposition`, { key, body })
}

/** Ann proposes with the key of the desk. Returns the report. */
async function proposed(): Promise<string> {
  const ann = await session('ann', 'Ann', 'desk')
  const made = await call(url, 'POST', '/v1/screen', { key: ann, body: { address: ADDRESS } })
  const reportId = String(made.json()['report_id'])
  expect((await clear(ann, reportId, 0)).json()).toMatchObject({
    disposition: 'open',
    needs_second_person: true,
  })
  return reportId
}

/** Puts the case back as a restore of an older database does: only from its events. */
async function restored(
  reportId: string,
  change: (event: DomainEvent<CaseEventType>) => unknown = (event) => event,
) {
  const { database } = installation
  const rows = await database.query<{ event: DomainEvent<CaseEventType> }>(
    `SELECT event FROM projection.outbox WHERE event -> 'data' ->> 'reportId' = $1 AND event ->> 'type' LIKE 'Disposition%' ORDER BY seq`,
    [reportId],
  )
  expect(rows).toHaveLength(1)
  await database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('ALTER TABLE cases.entry DISABLE TRIGGER entry_stays')
    for (const table of ['entry', 'report_case'])
      await transaction.execute(`DELETE FROM cases.${table} WHERE report_id = $1`, [reportId])
    await transaction.execute('ALTER TABLE cases.entry ENABLE TRIGGER entry_stays')
    const report = { reportId, address: ADDRESS, chain: 'ETH', level: 'red', score: 90 }
    const { type, data } = change(rows[0]!.event) as DomainEvent<CaseEventType>
    const changed: number[] = []
    const notLost = (): never => expect.unreachable()
    await casesTables.replay[type](
      {
        ...{ transaction, holderOf: async () => keys.desk, reportOf: async () => report },
        notes: {
          changed: (_sentence, count = 1) => changed.push(count),
          ...{ lost: notLost, notLost, losses: () => [] },
        },
      },
      data as never,
    )
    expect(changed).toEqual([1])
  })
}

test('after a case is restored from its events nobody is a second person by another name and key', async () => {
  const reportId = await proposed()
  await restored(reportId)
  const renamed = await session('ann', 'Ann Married', 'review')
  const shown = await call(url, 'GET', `/v1/reports/${reportId}/case`, { key: renamed })
  expect(shown.json()).toMatchObject({ proposal: { may_confirm: false } })
  expect((await clear(renamed, reportId, 1)).json()['code']).toBe('case_conflict')
  const bob = await session('bob', 'Bob', 'desk')
  expect((await clear(bob, reportId, 1)).json()).toMatchObject({ disposition: 'cleared', version: 2 })
})

test('an author whose identifier a lost key sealed may be anybody', async () => {
  const reportId = await proposed()
  const under = (text: string): string => text.replace(/^sealed1\.[0-9a-f]{16}/, 'sealed1.0123456789abcdef')
  await restored(reportId, ({ data, ...event }) => ({
    ...event,
    data: { ...data, actor: under(data.actor), subject: under(data.subject) },
  }))
  for (const [sub, name] of [
    ['ann', 'Ann Married'],
    ['bob', 'Bob'],
  ] as const)
    expect((await clear(await session(sub, name, 'review'), reportId, 1)).json()['code']).toBe(
      'case_conflict',
    )
})
