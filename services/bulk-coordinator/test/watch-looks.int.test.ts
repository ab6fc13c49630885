/** One statement says whether the coordinator has work for watches: it says yes whenever one of its steps would find some. */
import { listDueWatches, lookAtWatches, lookForNews } from '@cupel/watches'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addresses, openInstallation, type Installation } from './installation.js'
import { activatePolicy, publish, report, watch } from './watching.js'

const SCORER = '1.0.0'

let installation: Installation
beforeEach(async () => {
  installation = await openInstallation()
})
afterEach(() => installation.close())

const [A, B] = addresses(2) as [string, string]
const green = () => ({ level: 'green', score: 0 })
const look = () => lookForNews(installation.database, SCORER)
const seen = () => lookAtWatches(installation.database, SCORER)
const NOTHING = { hasNews: false, hasDue: false, hasEnded: false }

test('finds each new state until the watches were marked for it', async () => {
  expect(await seen()).toEqual({ ...NOTHING, hasNews: true })
  await look()
  expect(await seen()).toEqual(NOTHING)
  expect(await lookAtWatches(installation.database, '9.0.0')).toEqual({ ...NOTHING, hasNews: true })
  for (const change of [activatePolicy, publish]) {
    await change(installation)
    expect(await seen()).toEqual({ ...NOTHING, hasNews: true })
    await look()
    expect(await seen()).toEqual(NOTHING)
  }
})

test('finds a watch as soon as it is due, and not one that ended or is pending', async () => {
  const { database } = installation
  await look()
  await watch(installation, [A])
  const agrees = async (hasDue: boolean): Promise<void> => {
    expect(await seen()).toEqual({ ...NOTHING, hasDue })
    expect(await listDueWatches(database, 10)).toHaveLength(hasDue ? 1 : 0)
  }
  await agrees(true)
  await database.execute(`UPDATE watches.watch SET due_at = now() + interval '1 hour'`)
  await agrees(false)
  await database.execute(`UPDATE watches.watch SET due_at = now()`)
  // A later account is found too.
  await watch(installation, [B], { accountId: 'acc_2' })
  expect(await listDueWatches(database, 10)).toHaveLength(2)
  await database.execute(`UPDATE watches.watch SET due_at = NULL WHERE account_id = 'acc_1'`)
  await agrees(true)
  await database.execute(`UPDATE watches.watch SET until = now()`)
  await agrees(false)
  await database.execute(`UPDATE watches.watch SET until = NULL, pending_report_id = watch_id`)
  await agrees(false)
})

test('finds a pending watch with the report, or the failure, of its own account', async () => {
  const { database } = installation
  await look()
  await watch(installation, [A])
  await database.execute(`UPDATE watches.watch SET due_at = NULL, pending_report_id = watch_id`)
  for (const outcome of [green, () => 'failed' as const]) {
    expect(await seen()).toEqual(NOTHING)
    await report(installation, outcome)
    expect(await seen()).toEqual({ ...NOTHING, hasEnded: true })
    await database.execute(`UPDATE report_view.report SET account_id = 'acc_other'`)
    expect(await seen()).toEqual(NOTHING)
    await database.execute('DELETE FROM report_view.report')
  }
})
