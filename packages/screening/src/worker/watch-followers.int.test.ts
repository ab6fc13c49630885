import { noMetrics, silentLogger, type Metrics } from '@cupel/contracts'
import { forgetFollower, ledgerMigrations, tellFollower, type Follower } from '@cupel/ledger'
import { until } from '@cupel/testkit'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchFollowers } from './watch-followers.js'

let installation: TestInstallation
beforeEach(async () => {
  installation = await openTestInstallation({ migrations: [ledgerMigrations] })
}, 60_000)
afterEach(async () => await installation.close())

const nowS = (): number => Math.floor(Date.now() / 1_000)
const runs: Follower = {
  ...{
    chain: 'ETH',
    nextHeight: 90,
    headHeight: 99,
    headAtS: nowS(),
    importedAtS: nowS() - 600,
    fault: null,
  },
  isReorganised: false,
}

function watched() {
  const seen = new Map<string, number>()
  const metrics: Metrics = {
    ...noMetrics,
    gauge: (name) => ({ set: (value, labels = {}) => void seen.set(`${name} ${labels['chain']}`, value) }),
  }
  const { database } = installation
  const watch = watchFollowers({ database, logger: silentLogger, metrics, intervalMs: 10 })
  installation.onClose(() => watch.stop())
  return { watch, of: (name: string) => seen.get(`ledger_follower_${name} ETH`) }
}

test('a follower tells how far behind it is, and one that cannot go on, or is not seen, is stopped', async () => {
  const { database } = installation
  await tellFollower(database, runs)
  const { watch, of } = watched()
  await until(() => expect(of('lag_seconds')).toBeGreaterThanOrEqual(600))
  expect([of('next_height'), of('lag_blocks'), of('stopped'), of('reorganised')]).toEqual([90, 10, 0, 0])
  expect(watch.check()).toEqual({ name: 'followers', ok: true })
  await tellFollower(database, { ...runs, fault: 'a reorganisation', isReorganised: true })
  await until(() => expect([of('stopped'), of('reorganised')]).toEqual([1, 1]))
  await until(() =>
    expect(watch.check().detail).toContain(
      'The follower of ETH at height 90 cannot go on: a reorganisation.',
    ),
  )
  await tellFollower(database, runs)
  await until(() => expect([of('stopped'), of('reorganised')]).toEqual([0, 0]))
  await database.execute(`UPDATE ledger.follower SET seen_at = seen_at - interval '5 minutes'`)
  await until(() => expect(of('stopped')).toBe(1))
  await until(() =>
    expect(watch.check()).toMatchObject({
      ok: true,
      detail: expect.stringContaining('was last seen') as string,
    }),
  )
  await forgetFollower(database, 'ETH')
  await until(() => expect([of('stopped'), of('lag_blocks'), of('lag_seconds')]).toEqual([0, 0, 0]))
})
