/** Of what has stopped, a real Prometheus fires the alert that is meant for it, and no other one; none before. */
import { hasPrometheus, noteSkip, startPrometheus, until, type Prometheus } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { activeAlerts, impatientRules, scraped } from '../active-alerts.js'
import { account, states } from './standstills.js'
import { openWatched, type Watched } from './watched.js'

if (!hasPrometheus()) noteSkip('prometheus is not installed: alerts of what stands still are not evaluated')

/** Nothing is green in an installation without a list. */
const WITHOUT_LISTS = 'CupelNothingGreen'

describe.skipIf(!hasPrometheus())('a real Prometheus', () => {
  let watched: Watched
  let prometheus: Prometheus
  beforeEach(async () => {
    watched = await openWatched()
    const { installation, projector } = watched
    const rules = await installation.file('alerts.yml', impatientRules())
    prometheus = await startPrometheus([projector.url], [rules])
    installation.onClose(() => prometheus.close())
    await scraped(prometheus, 1)
  })
  afterEach(() => watched.installation.close())

  test('fires nothing else while all goes on', async () => {
    await watched.installation.append(account('acc_1'))
    expect(await activeAlerts(prometheus)).toEqual([WITHOUT_LISTS])
  })

  test.each(states.filter(({ check, alert }) => (check ?? alert) !== null))(
    'fires the alert of $name, and no other one',
    async ({ check, alert, come }) => {
      await come(watched)
      const wanted = [
        WITHOUT_LISTS,
        ...(alert === null ? [] : [alert]),
        ...(check === null ? [] : ['CupelServiceNotReady']),
      ].toSorted()
      await until(async () => expect(await activeAlerts(prometheus)).toEqual(wanted))
    },
  )
})
