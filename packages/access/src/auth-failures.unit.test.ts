import { until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createAuthFailures, type ToldFailure } from './auth-failures.js'
import { clientNetwork } from './ip-range.js'

test('failures within the limit pass, further ones are told when the oldest leaves the minute', () => {
  let now = 0
  const failures = createAuthFailures({ maxPerMinute: 3, nowMs: () => now })
  for (const at of [0, 10_000, 20_000]) {
    now = at
    expect(failures.note('192.0.2.1')).toBeNull()
  }
  now = 30_000
  expect(failures.note('192.0.2.1')).toBe(30)
  expect(failures.note('192.0.2.2')).toBeNull()
  // Who keeps failing is told the same end: what was refused does not count.
  now = 59_999
  expect(failures.note('192.0.2.1')).toBe(1)
  now = 60_000
  expect(failures.note('192.0.2.1')).toBeNull()
  expect(failures.note('192.0.2.1')).toBe(10)
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
])('%s counts as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})

test('clients without number cost no memory without bound, and the busiest are kept', () => {
  const failures = createAuthFailures({ maxPerMinute: 1, nowMs: () => 0 })
  for (let client = 0; client < 30_000; client += 1) {
    failures.note(`10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`)
    if (client % 100 === 0) failures.note('192.0.2.1')
  }
  expect(failures.note('192.0.2.1')).toBe(60)
  expect(failures.note('10.0.0.0')).toBeNull()
})

test('a client past the limit on the instances together is past it on each, and the store is never waited for', async () => {
  const told: ToldFailure[] = []
  let isDown = true
  const complaints: unknown[] = []
  const failures = createAuthFailures({
    maxPerMinute: 2,
    onExchangeFailed: (error) => complaints.push(error),
    exchange: async (some) => {
      if (isDown) throw new Error('down')
      told.push(...some)
      return [{ client: '192.0.2.7', blockedMs: 30_000 }]
    },
  })
  expect(failures.note('192.0.2.7')).toBeNull()
  await until(() => expect(complaints).toHaveLength(1))
  isDown = false
  expect(failures.note('192.0.2.8')).toBeNull()
  await until(() => expect(told).toHaveLength(1))
  expect(failures.note('192.0.2.7')).toBe(30)
  expect(told.map(({ client }) => client)).toEqual(['192.0.2.8'])
  await failures.close()
})
