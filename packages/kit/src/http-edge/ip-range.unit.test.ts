import { describe, expect, test } from 'vitest'
import { normaliseIp, parseIpRange } from './ip-range.js'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
])('%s is one address in one form', (text, normal) => {
  expect(normaliseIp(text)).toBe(normal)
})

test.each([
  '',
  'localhost',
  '203.0.113',
  '0x7f.0.0.1',
  '010.0.0.1',
  '203.0.113.7:443',
  '[::1]',
  '1.2.3.4, 5.6.7.8',
  '256.1.1.1',
])('%j is not an address', (text) => expect(normaliseIp(text)).toBeNull())

describe('ranges', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.77/24', '203.0.113.0/24'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['2001:db8::5/32', '2001:db8::/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::/0', '::/0'],
  ])('%s is stored as %s', (text, cidr) => {
    expect(parseIpRange(text)?.cidr).toBe(cidr)
  })

  test.each([
    '',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/024',
    '203.0.113.0/24/8',
    '2001:db8::/129',
    'example.com',
    'fe80::%1/64',
  ])('%j is not a range', (text) => expect(parseIpRange(text)).toBeNull())

  test('a mapped address is in the IPv4 range and never in an IPv6 one', () => {
    expect(parseIpRange('203.0.113.0/24')!.contains('::ffff:203.0.113.9')).toBe(true)
    expect(parseIpRange('203.0.113.0/24')!.contains('::ffff:203.0.114.9')).toBe(false)
    expect(parseIpRange('::/0')!.contains('203.0.113.9')).toBe(false)
    expect(parseIpRange('0.0.0.0/0')!.contains('2001:db8::1')).toBe(false)
  })
})
