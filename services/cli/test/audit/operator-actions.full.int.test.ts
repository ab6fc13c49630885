/** The audit log holds every change by an operator, with its author and its reason. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { defaultPolicy } from '@cupel/domain'
import { outboxBacklog, startOutboxRelay } from '@cupel/projections'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { operator } from '@cupel/command-line/installation'

let decided: Decided
let relay: ReturnType<typeof startOutboxRelay>
beforeAll(async () => {
  decided = await openDecided()
  const { database, log, codec } = decided
  relay = startOutboxRelay({ database, log, codec, logger: silentLogger, metrics: noMetrics })
})
afterAll(async () => {
  await relay.stop()
  await decided.close()
})

interface Told {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

async function exported(): Promise<Told[]> {
  await until(async () => expect((await outboxBacklog(decided.database)).waiting).toBe(0))
  const { out } = await decided.cupel('audit', 'export')
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told)
}

const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const address = `0x${(index + 1).toString(16).padStart(40, '0')}`
    return `${address},ETH,scam,Somebody,my_list,https://example.org/list,0.8,2026-01-01`
  })

test('accounts, keys, label sets with accepted removals and policies are told with who and why', async () => {
  const account = await decided.json<{ account_id: string }>(
    ...['accounts', 'create', 'Examined Ltd', '--reason', 'contract 117'],
  )
  const order = ['--account', account.account_id, '--scope', 'read-only', '--plan', 'pro']
  const key = await decided.json<{ key_id: string }>('keys', 'create', ...order, '--reason', 'go-live')
  const next = await decided.json<{ key_id: string }>(
    'keys',
    'rotate',
    key.key_id,
    '--reason',
    'one year old',
  )
  const fewer = ['--allow-ip', '203.0.113.0/24', '--name', 'payments', '--reason', 'one office']
  await decided.json('keys', 'change', next.key_id, ...fewer)
  await decided.json('keys', 'revoke', next.key_id, '--reason', 'it was printed')
  await decided.importLabels('mine', rows(40))
  const accepted = ['--accept-removals', '35', '--reason', 'the list was cleaned']
  await decided.importLabels('mine', rows(5), ...accepted)
  const policy = await decided.file('policy.json', JSON.stringify({ ...defaultPolicy, version: 99 }))
  await decided.json('policy', 'activate', policy, '--reason', 'a second look')

  const told = await exported()
  const of = (type: string) => told.filter((event) => event.type === type).map(({ data }) => data)
  const who = operator()
  expect(of('AccountCreated')).toMatchObject([{ created_by: who, reason: 'contract 117' }])
  expect(of('ApiKeyIssued')).toMatchObject([
    { key_id: key.key_id, issued_by: who, reason: 'go-live' },
    { key_id: next.key_id, rotated_from: key.key_id, issued_by: who, reason: 'one year old' },
  ])
  expect(of('ApiKeyChanged')).toMatchObject([
    {
      ...{ key_id: next.key_id, scope: 'read-only', name: 'payments', allowed_ips: ['203.0.113.0/24'] },
      ...{ are_addresses_changed: true, changed_by: who, reason: 'one office' },
    },
  ])
  expect(of('ApiKeyRevoked')).toMatchObject([
    { key_id: key.key_id, revoked_by: who, reason: `rotated, replaced by ${next.key_id}: one year old` },
    { key_id: next.key_id, revoked_by: who, reason: 'it was printed' },
  ])
  expect(of('LabelSetPublished').slice(-2)).toMatchObject([
    { imported_by: who, accepted_removals: null },
    { imported_by: who, accepted_removals: 35, retired: 35, reason: 'the list was cleaned' },
  ])
  expect(of('PolicyActivated').at(-1)).toMatchObject({
    version: 99,
    activated_by: who,
    reason: 'a second look',
  })
})

test('rebuilt tables that differ are left until an operator accepts exactly that many differences, and that is told', async () => {
  await decided.importLabels('replayed', rows(3))
  const target = ['audit', 'replay', '--target', 'label-view']
  await decided.database.execute('DELETE FROM label_view.label WHERE dataset = $1 AND address LIKE $2', [
    'replayed',
    '%2',
  ])
  const refused = await decided.cupel(...target)
  expect(refused).toMatchObject({ error: null, exitCode: 1 })
  expect(refused.out).toContain('--accept 1 --reason')
  expect(String((await decided.cupel(...target, '--accept', '1')).error)).toContain('--reason must say why')
  const because = ['--reason', 'a row was deleted by hand']
  expect(await decided.cupel(...target, '--accept', '2', ...because)).toMatchObject({ exitCode: 1 })
  expect(await decided.cupel(...target, '--accept', '1', ...because)).toMatchObject({
    error: null,
    exitCode: 0,
  })
  expect((await exported()).filter(({ type }) => type === 'RebuildAccepted')).toMatchObject([
    {
      data: {
        ...{ read_model: 'label-view', differences: 1, reason: 'a row was deleted by hand' },
        accepted_by: operator(),
        tables: [{ table: 'label', rows_only_before: 0, rows_only_after: 1 }],
      },
    },
  ])
})

test('a reason nobody could read is refused, and nothing is changed', async () => {
  for (const reason of ['x'.repeat(501), 'line\nbreak']) {
    const { error } = await decided.cupel('accounts', 'create', 'Unreasonable Ltd', '--reason', reason)
    expect(String(error)).toContain('A reason has')
  }
  const { out } = await decided.cupel('accounts', 'list', '--json')
  expect(out).not.toContain('Unreasonable')
})

test('webhook endpoints are told with who and why, of both environments', async () => {
  const account = await decided.json<{ account_id: string }>('accounts', 'create', 'Told Ltd')
  const ids: string[] = []
  for (const environment of ['live', 'test']) {
    const order = ['--account', account.account_id, '--environment', environment, '--reason', 'ticket 12']
    // An IP address, so that no name server is queried.
    const made = await decided.json<{ endpoint_id: string }>(
      'webhooks',
      'create',
      'https://1.1.1.1/hook',
      ...order,
    )
    ids.push(made.endpoint_id)
  }
  await decided.json('webhooks', 'pause', ids[0]!, '--reason', 'it harms')
  await decided.json('webhooks', 'delete', ids[1]!, '--reason', 'given up')
  const told = await exported()
  const of = (type: string) => told.filter((event) => event.type === type).map(({ data }) => data)
  const who = operator()
  expect(of('WebhookEndpointCreated')).toMatchObject([
    { endpoint_id: ids[0], livemode: true, origin: 'https://1.1.1.1', created_by: who, reason: 'ticket 12' },
    { endpoint_id: ids[1], livemode: false, created_by: who, reason: 'ticket 12' },
  ])
  expect(of('WebhookEndpointChanged')).toMatchObject([
    { endpoint_id: ids[0], status: 'disabled', changed_by: who, reason: 'it harms' },
  ])
  expect(of('WebhookEndpointDeleted')).toMatchObject([
    { endpoint_id: ids[1], deleted_by: who, reason: 'given up' },
  ])
})

// This test comes last, because its deletion cannot be undone.
test('a rebuild over a log whose front was deleted is refused with the topic, whatever is accepted', async () => {
  await decided.deleteFront('screening.label.events.v1', 1)
  const target = ['audit', 'replay', '--target', 'label-view']
  for (const more of [[], ['--accept', '1', '--reason', 'no']])
    expect(String((await decided.cupel(...target, ...more)).error)).toContain(
      'screening.label.events.v1/0 begins at offset 1',
    )
})

test('keys that are registered once more change nothing', async () => {
  const because = ['--reason', 'a new colleague']
  expect(await decided.json('log', 'register-keys', ...because)).toEqual({ changed: false })
  await decided.database.execute('DELETE FROM log.record_key')
  expect(await decided.json('log', 'register-keys', ...because)).toEqual({ changed: true })
  expect((await exported()).filter(({ type }) => type === 'RecordKeysRegistered')).toMatchObject([
    { data: { registered_by: operator(), reason: 'a new colleague' } },
  ])
})
