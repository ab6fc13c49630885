// Tests the evaluator of network policies on the cases that its documentation names.
import { expect, test } from 'vitest'
import { isAllowed, isWithin } from './network-flows.mjs'

/**
 * @typedef {import('./network-flows.mjs').Pod} Pod
 * @typedef {import('./network-flows.mjs').Address} Address
 */

const pod = (role, namespace = 'own') => ({ namespace, labels: { role }, ports: { http: 8080 } })
const policy = (spec, namespace = 'own') => ({ metadata: { namespace, name: 'p' }, spec })
const on = (port, protocol) => ({ port, protocol })
const denyAll = policy({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
const OUTSIDE = { ip: '203.0.113.7' }

test('a pod that no policy selects is open, and one that a policy selects is closed', () => {
  expect(isAllowed([], pod('a'), pod('b'), on(1))).toBe(true)
  expect(isAllowed([denyAll], pod('a'), pod('b'), on(1))).toBe(false)
  expect(isAllowed([denyAll], pod('a', 'other'), pod('b', 'other'), on(1))).toBe(true)
  const ingressOnly = policy({ podSelector: { matchLabels: { role: 'b' } } })
  expect(isAllowed([ingressOnly], pod('b'), OUTSIDE, on(1))).toBe(true)
  expect(isAllowed([ingressOnly], OUTSIDE, pod('b'), on(1))).toBe(false)
})

test('a flow needs a rule at both ends', () => {
  const toB = policy({
    podSelector: { matchLabels: { role: 'a' } },
    policyTypes: ['Egress'],
    egress: [{ to: [{ podSelector: { matchLabels: { role: 'b' } } }], ports: [{ port: 8080 }] }],
  })
  const fromA = policy({
    podSelector: { matchLabels: { role: 'b' } },
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: { matchLabels: { role: 'a' } } }], ports: [{ port: 'http' }] }],
  })
  expect(isAllowed([denyAll, toB], pod('a'), pod('b'), on(8080))).toBe(false)
  expect(isAllowed([denyAll, fromA], pod('a'), pod('b'), on(8080))).toBe(false)
  expect(isAllowed([denyAll, toB, fromA], pod('a'), pod('b'), on(8080))).toBe(true)
  /** @type {[Pod | Address, Pod | Address, { port: number, protocol?: string }][]} */
  const denied = [
    [pod('a'), pod('b'), on(8081)],
    [pod('a'), pod('b'), on(8080, 'UDP')],
    [pod('b'), pod('a'), on(8080)],
    [pod('a', 'other'), pod('b'), on(8080)],
    [pod('a'), pod('b', 'other'), on(8080)],
    [pod('a'), OUTSIDE, on(8080)],
  ]
  for (const [from, to, port] of denied) expect(isAllowed([denyAll, toB, fromA], from, to, port)).toBe(false)
})

test('namespaces, expressions and ranges choose peers', () => {
  const egress = (peer) => [
    denyAll,
    policy({ podSelector: {}, policyTypes: ['Egress'], egress: [{ to: [peer] }] }),
  ]
  const data = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'data' } } }
  expect(isAllowed(egress(data), pod('a'), pod('x', 'data'), on(1))).toBe(true)
  expect(isAllowed(egress(data), pod('a'), pod('x', 'other'), on(1))).toBe(false)
  const both = {
    ...data,
    podSelector: { matchExpressions: [{ key: 'role', operator: 'In', values: ['db'] }] },
  }
  expect(isAllowed(egress(both), pod('a'), pod('db', 'data'), on(1))).toBe(true)
  expect(isAllowed(egress(both), pod('a'), pod('x', 'data'), on(1))).toBe(false)
  const range = { ipBlock: { cidr: '0.0.0.0/0', except: ['203.0.113.0/25'] } }
  expect(isAllowed(egress(range), pod('a'), OUTSIDE, on(1))).toBe(false)
  expect(isAllowed(egress(range), pod('a'), { ip: '203.0.113.200' }, on(1))).toBe(true)
  expect(isAllowed(egress(range), pod('a'), { ip: '2001:db8::1' }, on(1))).toBe(false)
})

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['11.1.2.3', '10.0.0.0/8', false],
  ['172.31.255.255', '172.16.0.0/12', true],
  ['172.32.0.0', '172.16.0.0/12', false],
  ['2001:db8::1', '2000::/3', true],
  ['fd00::1', '2000::/3', false],
  ['1.2.3.4', '2000::/3', false],
])('%s is in %s: %s', (ip, cidr, expected) => {
  expect(isWithin(ip, cidr)).toBe(expected)
})

test('what is not evaluated is refused', () => {
  const ranged = policy({ podSelector: {}, ingress: [{ ports: [{ port: 1, endPort: 9 }] }] })
  expect(() => isAllowed([ranged], OUTSIDE, pod('a'), on(1))).toThrow('endPort')
})
