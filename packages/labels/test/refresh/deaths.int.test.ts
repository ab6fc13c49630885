/** A killed refresher leaves nothing half visible. The process that takes the list over after the lease ran out finishes it. */
import { diesAt } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refreshDue } from '../../src/index.js'
import { parseRefreshPlan } from '../../src/refresh/refresh-plan.js'
import { listOf, openRefreshInstallation, type RefreshInstallation } from './installation.js'
import { startListServer, type ListServer } from './list-server.js'

let installation: RefreshInstallation
let server: ListServer
beforeAll(async () => {
  installation = await openRefreshInstallation()
  server = await startListServer()
  server.serve(listOf(3))
})
afterAll(async () => {
  await server.close()
  await installation.close()
})

test.each([
  ['before:labels.append:1', undefined, { total: 3, unchanged: 0 }],
  ['before:labels.publish:1', undefined, { total: 3, unchanged: 0 }],
  ['after:labels.publish:1', { total: 3 }, { total: 3, added: 0, unchanged: 3 }],
])('killed at %s', async (point, then, finallyHeld) => {
  const set = `killed ${point.replaceAll(':', ' ')}`
  const lists = [{ set, format: 'csv', url: server.url, every: '6h' }]
  await diesAt(installation.connectionString, point, async (deps) => {
    const plan = parseRefreshPlan(JSON.stringify({ lists }))
    await refreshDue(
      { ...deps, labelView: 'here', lists: plan },
      { signal: new AbortController().signal, force: true },
    )
  })
  await installation.caughtUp()
  if (then === undefined) expect(await installation.set(set)).toBeUndefined()
  else expect(await installation.set(set)).toMatchObject(then)

  // The dead process still holds the list.
  expect(await installation.refresh(lists)).toEqual([])
  await installation.database.execute(
    `UPDATE labels.refreshed_list SET leased_until = now() - interval '1 second' WHERE name = $1`,
    [set],
  )
  expect(await installation.refresh(lists)).toMatchObject([{ outcome: 'imported' }])
  expect(await installation.set(set)).toMatchObject({ ...finallyHeld, refreshConfigured: true })
})
