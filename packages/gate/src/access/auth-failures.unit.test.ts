import { until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createAuthFailures, type RecentFailure } from './auth-failures.js'
import { clientNetwork } from '@cupel/kit/http-edge'

test('failures within the limit return null, further ones the seconds until the oldest leaves the minute', () => {
  let now = 0
  const failures = createAuthFailures({ maxPerMinute: 3, nowMs: () => now })
  for (const at of [0, 10_000, 20_000]) {
    now = at
    expect(failures.note('192.0.2.1')).toBeNull()
  }
  now = 30_000
  expect(failures.note('192.0.2.1')).toBe(30)
  expect(failures.note('192.0.2.2')).toBeNull()
  // Failures beyond the limit do not count, so the end stays the same.
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

test('memory is bounded whatever the number of clients, and the busiest clients are kept', () => {
  const failures = createAuthFailures({ maxPerMinute: 1, nowMs: () => 0 })
  for (let client = 0; client < 30_000; client += 1) {
    failures.note(`10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`)
    if (client % 100 === 0) failures.note('192.0.2.1')
  }
  expect(failures.note('192.0.2.1')).toBe(60)
  expect(failures.note('10.0.0.0')).toBeNull()
})

test('a client beyond the limit over all instances is beyond it on each, and no call waits for the database', async () => {
  const shared: RecentFailure[] = []
  let isDown = true
  const complaints: unknown[] = []
  const failures = createAuthFailures({
    maxPerMinute: 2,
    onSharingFailed: (error) => complaints.push(error),
    share: async (some) => {
      if (isDown) throw new Error('down')
      shared.push(...some)
      return [{ client: '192.0.2.7', blockedMs: 30_000 }]
    },
  })
  expect(failures.note('192.0.2.7')).toBeNull()
  await until(() => expect(complaints).toHaveLength(1))
  isDown = false
  expect(failures.note('192.0.2.8')).toBeNull()
  await until(() => expect(shared).toHaveLength(1))
  expect(failures.note('192.0.2.7')).toBe(30)
  expect(shared.map(({ client }) => client)).toEqual(['192.0.2.8'])
  await failures.close()
})
