/** The alert rules of deploy/observability: each fires, stays silent, and names a runbook that exists. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { checkout } from '../src/installation.js'

const folder = join(checkout, 'deploy', 'observability')
const rules = readFileSync(join(folder, 'alerts.yml'), 'utf8')
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)

const hasPromtool = canRun('promtool')
if (!hasPromtool) noteSkip('promtool, of the package prometheus, is not installed: alert rules are not tried')

test('every alert names a severity and a runbook that exists', () => {
  expect(alerts.length).toBeGreaterThan(15)
  const runbooks = [...rules.matchAll(/runbook: (\S+)/g)].map(([, path]) => path!)
  expect(runbooks).toHaveLength(alerts.length)
  expect(runbooks.filter((path) => !existsSync(join(checkout, path)))).toEqual([])
  expect([...rules.matchAll(/severity: (?:page|ticket) /g)]).toHaveLength(alerts.length)
})

test('every alert is tried twice: on figures that should wake somebody, and on figures that should not', () => {
  const tried = [
    ...readFileSync(join(folder, 'alerts.test.yml'), 'utf8').matchAll(/name: (\w+ (?:fires|silent))$/gm),
  ]
  expect(tried.map(([, name]) => name!).toSorted()).toEqual(
    alerts.flatMap((name) => [`${name} fires`, `${name} silent`]).toSorted(),
  )
})

test.runIf(hasPromtool)(
  'Prometheus reads the rules and the scrape configuration, and its tests of the rules pass',
  () => {
    const promtool = (...args: string[]): string =>
      execFileSync('promtool', args, { cwd: folder, encoding: 'utf8' })
    expect(promtool('check', 'rules', 'alerts.yml')).toContain(`${alerts.length} rules found`)
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS')
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  },
)

test.runIf(hasPromtool)(
  'the forecasts of the page are queries, and follow a database that grows evenly',
  () => {
    const page = readFileSync(join(checkout, 'docs/capacity.md'), 'utf8')
    const [, queries] = /^```text\n(predict_linear[^]*?)\n```$/m.exec(page)!
    const [forecast, ofAReport] = queries!.split('\n')
    const scratch = mkdtempSync(join(tmpdir(), 'cupel-forecast-'))
    onTestFinished(() => rmSync(scratch, { recursive: true }))
    // A byte each second, and each hour a screen and an address of a job; asked after eight days, in seconds.
    const at = 8 * 86_400
    const ask = (expr: string, value: number) => ({
      expr,
      eval_time: '8d',
      exp_samples: [{ labels: '{}', value }],
    })
    const series = (name: string, values: string) => ({ series: name, values })
    const file = join(scratch, 'forecast.test.yml')
    const rounded = (query: string): string => `round(${query}, 100)`
    writeFileSync(
      file,
      JSON.stringify({
        tests: [
          {
            interval: '1h',
            input_series: [
              series('cupel_database_bytes', '0+3600x200'),
              series('cupel_scorer_reports_total{lane="interactive"}', '0+1x200'),
              series('cupel_scorer_reports_total{lane="bulk"}', '0+1x200'),
            ],
            promql_expr_test: [ask(rounded(forecast!), at + 90 * 86_400), ask(rounded(ofAReport!), 1_800)],
          },
        ],
      }),
    )
    expect(execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS')
  },
)

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
