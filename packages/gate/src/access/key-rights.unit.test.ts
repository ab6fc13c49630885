import { describe, expect, test } from 'vitest'
import { excessOf, type KeyRights } from './key-rights.js'

const admin: KeyRights = {
  ...{ accountId: 'acc_1', environment: 'live', scope: 'admin', plan: 'pro' },
  ...{ allowedIps: ['203.0.113.0/24'], webhookAdmin: false, expiresAt: '2027-01-01T00:00:00.000Z' },
}
const same: KeyRights = { ...admin, scope: 'read-only' }

test.each<[string, Partial<KeyRights>]>([
  ['the same', {}],
  ['the same scope', { scope: 'admin' }],
  ['a part of the addresses', { allowedIps: ['203.0.113.9', '203.0.113.128/25'] }],
  ['an earlier end', { expiresAt: '2026-12-01T00:00:00.000Z' }],
])('an admin gives %s', (_, change) => {
  expect(excessOf(admin, { ...same, ...change })).toBeNull()
})

test.each<[string, Partial<KeyRights>]>([
  ['the scope operator', { scope: 'operator' }],
  ['keys of another account', { accountId: 'acc_2' }],
  ['keys of another environment', { environment: 'test' }],
  ['a greater plan', { plan: 'enterprise' }],
  ['the right to change webhook endpoints', { webhookAdmin: true }],
  ['a later end', { expiresAt: '2027-01-01T00:00:00.001Z' }],
  ['no end', { expiresAt: null }],
  ['calls from anywhere', { allowedIps: [] }],
  ['calls from a wider range', { allowedIps: ['203.0.112.0/23'] }],
  ['calls from a further address', { allowedIps: ['203.0.113.9', '198.51.100.1'] }],
  ['calls from the other family', { allowedIps: ['2001:db8::/32'] }],
])('an admin does not give %s', (_, change) => {
  expect(excessOf(admin, { ...same, ...change })).not.toBeNull()
})

describe('an operator', () => {
  const operator: KeyRights = { ...admin, scope: 'operator' }

  test('gives every account any plan, end and addresses', () => {
    const wanted = {
      ...same,
      accountId: 'acc_2',
      environment: 'test',
      plan: 'enterprise',
      scope: 'admin',
    } as const
    expect(excessOf(operator, { ...wanted, allowedIps: [], expiresAt: null, webhookAdmin: true })).toBeNull()
  })

  test('makes no other operator', () => {
    expect(excessOf(operator, operator)).toBe('the scope operator')
  })
})

const lesser = ['read-only', 'read-write', 'root'] as KeyRights['scope'][]
test.each(lesser)('the scope %s gives nothing', (scope) => {
  expect(excessOf({ ...admin, scope }, same)).not.toBeNull()
})
