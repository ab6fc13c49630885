/** Rows of every primary table that is compared with the log: accounts, keys, links, endpoints and a case, made as the services make them. */
import { revokeKey, rotateKey } from '@cupel/access'
import { addNote, setDisposition } from '@cupel/cases'
import type { ReportGenerated } from '@cupel/contracts'
import { createShare, revokeShare } from '@cupel/sharing'
import { until } from '@cupel/testkit'
import { issueTestKey } from '@cupel/testkit/installation'
import { changeEndpoint, createEndpoint } from '@cupel/webhooks'
import { expect } from 'vitest'
import type { Decided } from '../decided.js'

const call = {
  ...{ requestId: 'req_1', keyId: 'k', scope: 'read-write', clientAddress: '192.0.2.1', method: 'POST' },
  ...{ route: '/v1/reports', status: 200, latencyMs: 1, at: '2026-11-23T02:00:00.000Z', actor: '' },
} as never

/** Resolves once the log has the events of every row. */
export async function makePrimaryRows(
  { database }: Pick<Decided, 'database'>,
  { reportId, address, chain, level, score }: ReportGenerated,
): Promise<void> {
  const { accountId, keyId } = await issueTestKey(database)
  const successor = await rotateKey(database, { keyId, by: 'test', overlapMs: 0 })
  const { keyId: revoked } = await issueTestKey(database)
  await revokeKey(database, { keyId: revoked, by: 'test', reason: 'It was lost.' })
  const owner = { accountId, livemode: true }
  const actor = {
    ...{ keyId: successor.keyId, holder: keyId, person: '', subject: '', call },
    cannotCompare: () => false,
  }
  const share = { ...owner, ...actor, reportId, expiresInHours: 1, label: 'A bank' }
  await createShare(database, share)
  const second = await createShare(database, share)
  if (second.ok) await revokeShare(database, { ...owner, ...actor, reportId, shareId: second.share.shareId })
  const report = { reportId, address, chain, level, score }
  const entry = { ...owner, ...actor, report, expectedVersion: null }
  await addNote(database, { ...entry, text: 'The customer named a source.' })
  const decision = { ...entry, needsSecondPerson: false, doPeopleSignIn: false }
  await setDisposition(database, { ...decision, disposition: 'escalated', text: 'It needs a look.' })
  await setDisposition(database, { ...decision, disposition: 'cleared', text: 'It was looked at.' })
  const store = {
    database,
    judge: async (url: string) => ({ ok: true, target: { url: new URL(url) } }) as never,
    secrets: { seal: () => Buffer.from('sealed') } as never,
  }
  const made = await createEndpoint(store, { ...owner, by: 'test', url: 'https://receiver.example/hook' })
  if (!made.ok) throw new Error(made.code)
  const { endpointId } = made.endpoint
  await changeEndpoint(store, { ...owner, by: 'test', endpointId, status: 'disabled' })
  await until(async () =>
    expect(await database.query('SELECT FROM projection.outbox WHERE relayed_at IS NULL')).toEqual([]),
  )
}

/** What somebody with the owner's account of the database does to rows. */
export interface RowChange {
  readonly name: string
  readonly table: string
  readonly statements: readonly string[]
}

const update = (name: string, table: string, set: string, where = 'true'): RowChange => ({
  ...{ name, table, statements: [`UPDATE ${table} SET ${set} WHERE ${where}`] },
})
/** Somebody with that account takes the trigger away first. */
const entry = (name: string, statement: string): RowChange => ({
  ...{ name, table: 'cases.entry' },
  statements: [
    'ALTER TABLE cases.entry DISABLE TRIGGER entry_stays',
    statement,
    'ALTER TABLE cases.entry ENABLE TRIGGER entry_stays',
  ],
})

export const rowChanges: readonly RowChange[] = [
  entry('the text of an entry', `UPDATE cases.entry SET text = text || '.' WHERE version = 2`),
  entry(
    'the date of an entry',
    `UPDATE cases.entry SET made_at = made_at - interval '1 day' WHERE version = 3`,
  ),
  entry('a microsecond of an entry', `UPDATE cases.entry SET made_at = made_at + interval '1 microsecond'`),
  entry('the author of an entry', `UPDATE cases.entry SET holder = 'another', key_id = 'another'`),
  entry('the first key of an author', `UPDATE cases.entry SET holder = key_id`),
  entry('a removed entry', 'DELETE FROM cases.entry WHERE version = 3'),
  entry(
    'an inserted entry',
    `INSERT INTO cases.entry SELECT (jsonb_populate_record(e, '{"version":9}')).* FROM cases.entry e WHERE version = 1`,
  ),
  update('the disposition of a case', 'cases.report_case', `disposition = 'open'`),
  update('the date of a case', 'cases.report_case', `changed_at = changed_at - interval '1 hour'`),
  update('a revoked key that works again', 'access.api_key', 'revoked_at = NULL', 'revoked_at IS NOT NULL'),
  update('a key of another plan', 'access.api_key', `plan = 'pro'`),
  update(
    'a key of another account',
    'access.api_key',
    'account_id = (SELECT max(account_id) FROM access.account)',
    'account_id < (SELECT max(account_id) FROM access.account)',
  ),
  update(
    'a key that works from elsewhere',
    'access.api_key',
    `allowed_ips = allowed_ips || '203.0.113.0/24'::cidr`,
  ),
  update(
    'a key that expires later',
    'access.api_key',
    `expires_at = coalesce(expires_at, now()) + interval '9 years'`,
  ),
  {
    ...{ name: 'an inserted key', table: 'access.api_key' },
    statements: [
      `INSERT INTO access.api_key SELECT (jsonb_populate_record(k, jsonb_build_object('key_id', 'inserted'))).* FROM access.api_key k LIMIT 1`,
    ],
  },
  update('another name of an account', 'access.account', `name = name || 'x'`),
  {
    ...{ name: 'an inserted account', table: 'access.account' },
    statements: [`INSERT INTO access.account VALUES ('acc_inserted', 'x', now(), 'x')`],
  },
  update('a link that opens longer', 'sharing.share', `expires_at = expires_at + interval '1 year'`),
  update(
    'a revoked link that opens again',
    'sharing.share',
    'revoked_at = NULL, revoked_by = NULL',
    'revoked_at IS NOT NULL',
  ),
  update('a link to another report', 'sharing.share', `report_id = 'another'`),
  { ...{ name: 'a removed link', table: 'sharing.share' }, statements: ['DELETE FROM sharing.share'] },
  update('an endpoint elsewhere', 'webhooks.endpoint', `url = 'https://elsewhere.example/hook'`),
  update(
    'a disabled endpoint that is enabled',
    'webhooks.endpoint',
    `status = 'enabled', disabled_reason = NULL`,
  ),
  update('an endpoint that proved itself', 'webhooks.endpoint', 'proven_at = now()'),
  update('a disposition in the list of reports', 'case_view.report_case', `disposition = 'open'`),
  update('a call in the audit log', 'audit_view.entry', `status = 404, at = at - interval '1 day'`),
  {
    ...{ name: 'calls removed from the audit log', table: 'audit_view.entry' },
    statements: ['DELETE FROM audit_view.entry'],
  },
  update('another policy', 'policy_view.activation', `document = replace(document, '1', '2')`),
  update('another confidence of a label', 'label_view.label', 'confidence_ppm = confidence_ppm - 1'),
  update('another list of labels', 'label_view.publication', `sha256 = repeat('0', 64)`),
]
