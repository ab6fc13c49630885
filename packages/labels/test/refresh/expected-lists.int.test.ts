/** A running refresher announces the lists that it waits for before it fetches anything. */
import { until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startRefreshes } from '../../src/index.js'
import { type RunningRefreshes } from '../../src/refresh/run-refreshes.js'
import { parseRefreshPlan } from '../../src/refresh/refresh-plan.js'
import { listOf, openRefreshInstallation, type RefreshInstallation } from './installation.js'
import { startListServer, type ListServer } from './list-server.js'

let installation: RefreshInstallation
let server: ListServer
const running: RunningRefreshes[] = []

beforeAll(async () => {
  installation = await openRefreshInstallation()
})
afterAll(async () => await installation.close())
beforeEach(async () => {
  server = await startListServer()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((refreshes) => refreshes.stop()))
  await server.close()
})

function start(...sets: readonly string[]): void {
  const lists = parseRefreshPlan(
    JSON.stringify({ lists: sets.map((set) => ({ set, format: 'csv', url: server.url, every: '6h' })) }),
  )
  running.push(startRefreshes({ ...installation.deps, lists, pollMs: 20 }))
}

const records = async (): Promise<number> =>
  await installation.deps.log.endOffset('screening.label.events.v1', 0)

test('a list whose source never answered is waited for, said once by however many processes', async () => {
  // The server serves nothing: it answers every fetch with an error.
  start('never')
  await until(async () =>
    expect(await installation.set('never')).toMatchObject({ kind: 'expected', total: 0 }),
  )
  await until(() => expect(running[0]!.failing()).toEqual(['never']))
  const said = await records()
  start('never')
  await until(() => expect(running[1]!.error()).toBeNull())
  await running[1]!.stop()
  expect(await records()).toBe(said)
})

test('a list that comes is a set like any other', async () => {
  server.serve(listOf(3))
  start('coming')
  await until(async () =>
    expect(await installation.set('coming')).toMatchObject({
      kind: 'published',
      source: 'my_list',
      total: 3,
      refreshConfigured: true,
    }),
  )
})
