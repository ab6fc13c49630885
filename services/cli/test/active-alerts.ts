/** The alert rules of operators, as a real Prometheus evaluates them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until, type Prometheus } from '@cupel/testkit'
import { expect } from 'vitest'

const RULES = join(import.meta.dirname, '../../../deploy/observability/alerts.yml')
/** So many rules are there at least. */
const FEWEST_RULES = 25
/** Over two scrapes or more. */
const SETTLED_MS = 3_000

/** Alerts that are pending or fire, after each rule was evaluated without an error over scrapes that came after the call. */
export async function activeAlerts(prometheus: Prometheus): Promise<readonly string[]> {
  const asked = Date.now()
  return await until(async () => {
    const alerts = await prometheus.alerts()
    expect(alerts.length).toBeGreaterThan(FEWEST_RULES)
    for (const { name, health, evaluatedAt } of alerts) {
      expect(health, name).toBe('ok')
      expect(evaluatedAt.getTime(), name).toBeGreaterThan(asked + SETTLED_MS)
    }
    return alerts.flatMap(({ name, state }) => (state === 'inactive' ? [] : [name])).toSorted()
  })
}

/** As many targets were scraped as are to be. */
export async function scraped(prometheus: Prometheus, targets: number): Promise<void> {
  const range = { fromSeconds: Date.now() / 1_000, stepSeconds: 1 }
  await until(async () => {
    const up = await prometheus.queryRange('up == 1', { ...range, toSeconds: Date.now() / 1_000 })
    expect(up).toHaveLength(targets)
  })
}

/** The rules of operators, each of which fires as soon as its condition holds. */
export const impatientRules = (): string => readFileSync(RULES, 'utf8').replaceAll(/^ +for: .*\n/gm, '')
